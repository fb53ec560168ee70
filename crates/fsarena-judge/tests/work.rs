//! Results that did not do the same work, are of one run, or are too fast for their clock: what must not be ranked.

use fsarena_judge::{
    File, FindingClass, JudgedReason, Judgement, Measured, RatioBound, Reads, SyncedResult, judge, results,
};
use fsarena_model::{Share, Verdict};
use serde_json::{Value, json};

/// The rows of a file of `work/`, called after its label.
macro_rules! given {
    ($label:literal, $name:literal) => {
        read($label, $name, include_str!(concat!("work/", $name)))
    };
}

fn read(label: &str, name: &str, text: &str) -> Vec<Measured> {
    results(&File { label, name, text, is_labelled: false }).expect("well formed")
}

fn judged(rows: impl IntoIterator<Item = Vec<Measured>>) -> Judgement {
    judge(&rows.into_iter().flatten().collect::<Vec<_>>(), Share(0.05))
}

fn texts(judgement: &Judgement, class: FindingClass) -> String {
    let own = judgement.findings.iter().filter(|finding| finding.class == class);
    own.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Asserts that all pairs are of other work, and that this is in the finding.
#[track_caller]
fn assert_other_work(judgement: &Judgement, how: &str) {
    let is_apart = |pair: &fsarena_judge::PairJudgement| {
        (pair.verdict, pair.reason, pair.plain_ratio, pair.estimate.ratio)
            == (Verdict::Invalid, JudgedReason::OtherWork, None, None)
    };
    assert!(judgement.pairs.iter().all(is_apart) && !judgement.pairs.is_empty(), "{:#?}", judgement.pairs);
    let found = texts(judgement, FindingClass::Work);
    assert!(found.contains(how), "{found}");
}

/// A result of fio with one job; `time` is when it ended.
fn fio(time: u64, options: &Value, figures: &Value) -> String {
    let job = json!({ "jobname": "t", "groupid": 0, "error": 0, "job options": options });
    let mut job = job.as_object().expect("it is one").clone();
    job.extend(figures.as_object().expect("it is one").clone());
    json!({ "fio version": "fio-3.38", "timestamp": time, "global options": {}, "jobs": [job] }).to_string()
}

/// Three runs of each of two contenders in turn, with those options; the second is four times as fast.
fn in_turn(a: &Value, b: &Value) -> Judgement {
    let run = |label: &str, number: u64, options: &Value, rate: f64| {
        let time = 10 + 10 * number + u64::from(label == "b");
        let figures = json!({ "write": { "iops": rate + number as f64, "io_bytes": 1_073_741_824 } });
        read(label, &format!("{label}{number}"), &fio(time, options, &figures))
    };
    judged((0..3).flat_map(|number| [run("a", number, a, 1000.0), run("b", number, b, 4000.0)]))
}

#[test]
fn jobs_of_fio_with_other_options_are_not_ranked() {
    let same = in_turn(&json!({ "rw": "write" }), &json!({ "rw": "write" }));
    assert_eq!((same.pairs[0].verdict, same.pairs[0].reason), (Verdict::Slower, JudgedReason::None));
    let other = |b: Value| in_turn(&json!({ "rw": "write" }), &b);
    assert_other_work(&other(json!({ "rw": "write", "bs": "1m" })), "bs 4k and 1m differ");
    assert_other_work(&other(json!({ "rw": "write", "bs": "4KiB" })), "bs 4k and 4000 differ");
    assert_other_work(&other(json!({ "rw": "write", "latency_target": "5" })), "latency_target not set and 5 differ");
    assert_other_work(&other(json!({ "rw": "write", "iodepth_batch": "32" })), "iodepth_batch 1 and 32 differ");
    assert_other_work(&other(json!({ "rw": "write", "direct": "1" })), "direct 0 and 1 differ");
    assert_other_work(&other(json!({ "rw": "write", "iodepth": "32" })), "iodepth 1 and 32 differ");
    assert_other_work(&other(json!({ "rw": "randwrite" })), "rw write and randwrite differ");
    assert_other_work(&other(json!({ "rw": "write", "numjobs": "8" })), "numjobs 1 and 8 differ");
    assert_other_work(&other(json!({ "rw": "write", "size": "1g" })), "size not set and 1g differ");
    assert_other_work(&other(json!({ "rw": "write", "bssplit": "4k/50:8k/50" })), "bssplit not set and 4k/50:8k/50");
    assert_other_work(&other(json!({ "rw": "write", "filename": "a:b:c" })), "nrfiles 1 and 3 differ");
    assert_other_work(&other(json!({ "rw": "write", "directory": "/m/a:/m/b" })), "directory not set and 2 names");
    assert_other_work(&other(json!({ "rw": "write", "gtod_reduce": "1" })), "gtod_reduce not set and 1 differ");
    let synced = other(json!({ "rw": "write", "fdatasync": "1" }));
    assert_other_work(&synced, "not synced and synced, fdatasync 0 and 1 differ");
    let clones = |more: Value| {
        let mut options = json!({ "rw": "write", "numjobs": "4" });
        options.as_object_mut().expect("it is one").extend(more.as_object().expect("it is one").clone());
        options
    };
    for (a, b, how) in [
        (json!({ "filename": "/a/f" }), json!({ "directory": "/b" }), "files of clones the same and their own differ"),
        (json!({ "filename_format": "f" }), json!({ "filename_format": "f.$jobnum" }), "files of clones the same and"),
        (json!({ "filename": "f", "nrfiles": "9" }), json!({ "filename": "f:g" }), "nrfiles 1 and 2 differ"),
    ] {
        assert_other_work(&in_turn(&clones(a), &clones(b)), how);
    }
    let same = in_turn(&clones(json!({ "filename": "/a/f" })), &clones(json!({ "filename": "/b/g" })));
    assert_eq!(same.pairs[0].reason, JudgedReason::None);
    // What says where it was, what is reported, or how a default is written, is no work.
    let spelled = json!({
        "rw": "write", "bs": "4096", "direct": "0", "fsync": "00", "sync": "none", "filename": "/mnt/b/f",
        "group_reporting": "", "randseed": "7", "buffered": "1",
    });
    assert_eq!(other(spelled).pairs[0].verdict, Verdict::Slower);
}

#[test]
fn given_results_of_other_work_are_not_ranked() {
    let two = |label| match label {
        "4k" => [given!("a", "j-4k-1.json"), given!("a", "j-4k-2.json")],
        "1m" => [given!("b", "j-1m-1.json"), given!("b", "j-1m-2.json")],
        _ => [given!("b", "j-buf-1.json"), given!("b", "j-buf-2.json")],
    };
    assert_other_work(
        &judged(two("4k").into_iter().chain(two("1m"))),
        "t read: a and b did not do the same work: bs 4k and 1m differ",
    );
    assert_other_work(&judged(two("4k").into_iter().chain(two("buf"))), "direct 1 and 0 differ");
    let mdtest = judged([given!("a", "mdtest-n10.txt"), given!("b", "mdtest-n1e6.txt")]);
    assert_other_work(&mdtest, "-n 10 and 1000000 differ");
    let text = include_str!("work/mdtest-n10.txt").replace("'-n' '10'", "'-n' '10' '-w' '4096'");
    assert_other_work(&judged([given!("a", "mdtest-n10.txt"), read("b", "b", &text)]), "-w not set and 4k differ");
    let ior = |name| match name {
        "s1000" => given!("b", "ior-s1000.txt"),
        "fpp" => given!("b", "ior-fpp.txt"),
        "e" => given!("b", "ior-e.txt"),
        _ => given!("b", "ior-e-warn.txt"),
    };
    let s1 = || given!("a", "ior-s1.txt");
    assert_other_work(&judged([s1(), ior("s1000")]), "segments 1 and 1000 differ");
    assert_other_work(&judged([s1(), ior("fpp")]), "access single-shared-file and file-per-process differ");
    assert_other_work(&judged([s1(), ior("e")]), "not synced and synced, -e not set and set differ");
    // The option has no effect with MPI-IO, so only the interface differs.
    let warned = judged([s1(), ior("e-warn")]);
    assert_other_work(&warned, "api POSIX and MPIIO differ");
    let iozone = judged([given!("a", "iozone-t-a.txt"), given!("b", "iozone-t-b.txt")]);
    assert_other_work(&iozone, "file size set to 1024 kB and 1048576 kB differ");
    let sysbench = judged([given!("a", "sysbench-every.txt"), given!("b", "sysbench-some.txt")]);
    assert_other_work(&sysbench, "Calling fsync() after each write operation yes and not set");
    let some = include_str!("work/sysbench-some.txt").replace("128 files, 16MiB each", "16 files, 128MiB each");
    let files = judged([given!("a", "sysbench-some.txt"), read("b", "b", &some)]);
    assert_other_work(&files, "files 128 files, 16MiB each and 16 files, 128MiB each differ");
    let synced = "Throughput 300.0 MB/sec (sync open)  4 clients  4 procs  max_latency=12.345 ms\n";
    let dbench = judged([read("a", "a", &synced.replace(" (sync open)", "")), read("b", "b", synced)]);
    assert_other_work(&dbench, "sync open not set and yes");
}

#[test]
fn sizes_in_names_are_work() {
    let bonnie = judged([given!("a", "bonnie-slow.csv"), given!("b", "bonnie-files.csv")]);
    let of_files = bonnie.pairs.iter().filter(|pair| pair.workload.contains("files"));
    assert!(of_files.clone().all(|pair| pair.reason == JudgedReason::Missing) && of_files.count() == 12);
    let clients = |count| format!("Throughput 300.0 MB/sec  {count} clients  {count} procs  max_latency=12.345 ms\n");
    let dbench = judged([read("a", "a", &clients(4)), read("b", "b", &clients(8))]);
    let found = texts(&dbench, FindingClass::Work);
    assert_eq!(found, "a and b have no workload in common: a has 4 clients, b has 8 clients");
}

#[test]
fn parameters_of_hyperfine_are_work() {
    let judgement = judged([given!("x", "hyperfine-two-parameters.json")]);
    assert_eq!(judgement.contenders, ["ext4", "xfs"]);
    let pairs: Vec<(&str, JudgedReason)> = judgement.pairs.iter().map(|it| (it.workload.as_str(), it.reason)).collect();
    assert_eq!(pairs, [("time, d 1", JudgedReason::OtherTimes), ("time, d 32", JudgedReason::OtherTimes)]);
    let confounded = texts(&judgement, FindingClass::Confounded);
    assert!(confounded.starts_with("in each workload the contenders ran one after the other"), "{confounded}");
    let result = |size: &str, time: f64| json!({ "command": format!("cp {size}"), "times": [time, 1.1 * time], "parameters": { "size": size } });
    let scanned = json!({ "results": [result("4k", 1.0), result("1m", 9.0)] }).to_string();
    assert_other_work(&judged([read("x", "x", &scanned)]), "size 1m and 4k differ");
    let tarball = |label: &str, path: &str| {
        let parameters = json!({ "tarball": path });
        let result = json!({ "command": format!("tar xf {path}"), "times": [1.0, 1.1], "parameters": parameters });
        results(&File { label, name: label, text: &json!({ "results": [result] }).to_string(), is_labelled: true })
            .expect("well formed")
    };
    let tars = judged([tarball("ext4", "/src/small.tar"), tarball("xfs", "/src/big.tar")]);
    assert_other_work(&tars, "tarball /src/small.tar and /src/big.tar differ");
}

#[test]
fn clones_of_a_job_are_one_result() {
    let clones = judged([given!("a", "c02-clones-a.json"), given!("b", "c02-clones-b.json")]);
    assert_eq!((clones.results, clones.pairs[0].verdict), (2, Verdict::Undecided));
    assert_eq!(clones.pairs[0].reason, JudgedReason::NoRepetition);
    assert!(texts(&clones, FindingClass::OneRun).starts_with("all workloads: one run each"));
    let rows = given!("a", "c02-w-a.json");
    assert_eq!((rows.len(), rows[0].value, rows[0].work["numjobs"].as_str()), (1, 406.0, "4"));
    let written = judged([given!("a", "c02-w-a.json"), given!("b", "c02-w-b.json")]);
    assert_eq!(written.pairs[0].reason, JudgedReason::NoRepetition);
    // With counts and times, it is the work of all over the time of the slowest, as fio computes it for a group.
    let job = |count: u64, time: u64, group: u64| {
        json!({ "jobname": "t", "groupid": group, "error": 0, "job options": {},
                "read": { "iops": 1000 * count / time, "total_ios": count, "runtime": time } })
    };
    let of = |jobs: [Value; 2]| {
        let text = json!({ "fio version": "fio-3.38", "timestamp": 1, "jobs": jobs }).to_string();
        let rows = read("a", "a", &text);
        let notes = rows[0].notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join("; ");
        (rows.len(), rows[0].value, notes)
    };
    let uneven = "the fastest of its parts was 2.0 times as fast as the slowest".to_owned();
    assert_eq!(of([job(1000, 1000, 0), job(1000, 2000, 0)]), (1, 1000.0, uneven));
    // Groups run one after the other.
    assert_eq!(of([job(1000, 1000, 0), job(1000, 1000, 1)]), (1, 1000.0, String::new()));
}

#[test]
fn parts_that_ran_apart_do_not_add_up() {
    let notes = |[start, time]: [u64; 2], rows: &str| {
        let job = |number: u64| {
            json!({ "jobname": "t", "groupid": 0, "error": 0, "job options": { "rw": "write", "numjobs": "2" },
                    "job_start": 1_764_000_000_000 + number * start,
                    "write": { "iops": 1000, "total_ios": 1000, "runtime": time } })
        };
        let text = json!({ "fio version": "fio-3.40", "timestamp": 1, rows: [job(0), job(1)] }).to_string();
        read("a", "a", &text)[0].notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>().join("\n")
    };
    for rows in ["jobs", "client_stats"] {
        let apart = "its parts did not run at the same time: the longest took 10 s, all 20 s";
        assert_eq!(notes([10_000, 10_000], rows), apart);
        for together in [[0, 10_000], [1900, 10_000], [900, 100]] {
            assert_eq!(notes(together, rows), "", "{together:?}");
        }
    }
}

#[test]
fn sections_with_directories_of_their_own_are_contenders() {
    let section = |name: &str, group: u64, directory: &str, bs: &str, rate: f64| {
        json!({ "jobname": name, "groupid": group, "error": 0, "write": { "iops": rate },
                "job options": { "rw": "randwrite", "bs": bs, "directory": directory } })
    };
    let of = |groups: [u64; 2], directories: [&str; 2], bs: &str, is_labelled: bool| {
        let run = |number: u64| {
            let jobs = [("one", "4k", 1000.0), ("two", bs, 2000.0)];
            let jobs = jobs.iter().zip(groups).zip(directories);
            let jobs: Vec<Value> = jobs
                .map(|(((name, bs, rate), group), place)| section(name, group, place, bs, rate + number as f64))
                .collect();
            let text = json!({ "fio version": "fio-3.38", "timestamp": 100 * number, "jobs": jobs }).to_string();
            let name = format!("r{number}.json");
            results(&File { label: &name, name: &name, text: &text, is_labelled }).expect("well formed")
        };
        judged((1..4).map(run))
    };
    let judgement = of([0, 1], ["/mnt/ext4/t", "/mnt/xfs/t"], "4k", false);
    let pair = &judgement.pairs[0];
    assert_eq!((pair.workload.as_str(), pair.a.as_str(), pair.b.as_str()), ("randwrite write", "ext4", "xfs"));
    assert_eq!((judgement.pairs.len(), pair.verdict, judgement.results), (1, Verdict::Slower, 6));
    assert_eq!(of([0, 1], ["/mnt/a", "/mnt/b"], "4k", false).contenders, ["/mnt/a", "/mnt/b"]);
    // Two jobs at one time, two works, one directory, or files that have labels.
    for other in [
        of([0, 0], ["/mnt/ext4", "/mnt/xfs"], "4k", false),
        of([0, 1], ["/mnt/ext4", "/mnt/xfs"], "8k", false),
        of([0, 1], ["/mnt/ext4", "/mnt/ext4"], "4k", false),
        of([0, 1], ["/mnt/ext4", "/mnt/xfs"], "4k", true),
    ] {
        assert_eq!(other.contenders, ["r1.json", "r2.json", "r3.json"]);
    }
}

#[test]
fn a_run_that_is_given_twice_counts_once() {
    let mdtest = judged([given!("a", "mdtest-twice.txt"), given!("b", "mdtest-n1e6.txt")]);
    assert_eq!(mdtest.results, 2);
    let found = texts(&mdtest, FindingClass::Copy);
    assert_eq!(found, "mdtest-twice.txt, run 2 is the same run as mdtest-twice.txt, run 1: it counts once");
    assert_eq!(judged([given!("a", "iozone-twice.txt")]).results, 1);
    let sysbench = include_str!("work/sysbench-some.txt");
    assert_eq!(judged([read("a", "a", &format!("{sysbench}{sysbench}"))]).results, 1);
    let fio = |name| read("a", name, include_str!("work/j-4k-1.json"));
    let again = judged([fio("a.json"), fio("b.json"), given!("b", "j-4k-2.json")]);
    assert_eq!((again.results, again.pairs[0].reason), (2, JudgedReason::NoRepetition));
    assert_eq!(texts(&again, FindingClass::Copy), "b.json, run 1 is the same run as a.json, run 1: it counts once");
    // Under two names, neither of them is known to be what its name says.
    let renamed = judged([fio("a.json"), read("xfs", "b.json", include_str!("work/j-4k-1.json"))]);
    assert_eq!((renamed.pairs[0].verdict, renamed.pairs[0].reason), (Verdict::Invalid, JudgedReason::Identity));
    let found = texts(&renamed, FindingClass::Identity);
    assert!(found.starts_with("a.json, run 1 and b.json, run 1 are one run, called a and xfs"), "{found}");
}

#[test]
fn starts_are_the_repetitions_and_tests_of_a_start_are_apart() {
    // fio counts seconds: two short runs may begin in the same one.
    let rate = |iops: f64| fio(100, &json!({}), &json!({ "write": { "iops": iops, "io_bytes": 1e9 } }));
    assert_eq!(judged([read("a", "1", &rate(1000.0)), read("a", "2", &rate(1001.0))]).results, 2);
    let both = [("a", 1000.0), ("a", 1010.0), ("b", 2000.0), ("b", 2010.0)];
    let files = both.iter().enumerate().map(|(place, (name, iops))| read(name, &place.to_string(), &rate(*iops)));
    assert_eq!(judged(files).pairs[0].reason, JudgedReason::None);
    // Lines of bonnie++ -x have one seed.
    let line = include_str!("work/bonnie-slow.csv");
    let other = line.replace("1700009000", "1700009001");
    assert_ne!(other, line);
    let further = line.replace(",700,", ",710,");
    assert_ne!(further, line);
    assert_eq!(judged([read("a", "a", &format!("{line}{further}"))]).results, 1);
    assert_eq!(judged([read("a", "a", &format!("{line}{other}"))]).results, 2);
    // Runs of the same command in hyperfine's file.
    let runs = |time: f64| json!({ "command": "tar x /mnt/a", "times": [time] });
    let file = json!({ "results": [runs(1.0), runs(1.1), runs(1.2)] }).to_string();
    assert_eq!(judged([read("a", "a", &file)]).results, 3);
    // IOR's output has the options of each test before its table.
    let ior = include_str!("outputs/ior.txt");
    let (head, test) = ior.split_once("Options: \n").expect("it has options");
    let test = format!("Options: \n{test}");
    let shared = test.replace("single-shared-file", "file-per-process");
    let names = judged([read("a", "a", &format!("{head}{test}{shared}")), read("b", "b", ior)]);
    let works: Vec<&str> = names.pairs.iter().map(|pair| pair.workload.as_str()).collect();
    assert!(works.iter().any(|work| work.starts_with("write") && work.contains("file-per-process")), "{works:?}");
    // dbench 3 has processes only.
    let old = "Throughput 123.456 MB/sec 2 procs\n";
    assert_eq!(read("a", "a", old)[0].workload, "2 clients");
}

#[test]
fn one_run_decides_nothing_whatever_else_is_known() {
    let row = |label: &'static str, number: u64, rate: f64| {
        let figures = json!({ "write": { "iops": rate, "io_bytes": 1e9 } });
        read(label, &format!("{label}{number}"), &fio(10 * number, &json!({}), &figures))
    };
    let known = (0..5).map(|number| row("a", number, 1000.0 + number as f64));
    let judgement = judged(known.chain([row("b", 1, 4000.0), row("c", 2, 9000.0)]));
    let open = judgement.pairs.iter().map(|pair| (pair.verdict, pair.reason, pair.estimate.low));
    assert_eq!(open.collect::<Vec<_>>(), [(Verdict::Undecided, JudgedReason::NoRepetition, None); 3]);
}

/// Runs of ten writes each that took so many of fio's milliseconds.
fn quantised(a: [u64; 4], b: [u64; 4], count: u64) -> Judgement {
    let run = |label: &'static str, number: u64, time: u64| {
        let figures = json!({ "write": {
            "iops": 1000.0 * count as f64 / time as f64, "total_ios": count, "runtime": time, "io_bytes": 4096 * count,
        } });
        read(label, &format!("{label}{number}"), &fio(10 + 10 * number + u64::from(label == "b"), &json!({}), &figures))
    };
    let numbered =
        |label, times: [u64; 4]| times.into_iter().enumerate().map(move |(number, time)| (label, number, time));
    judged(numbered("a", a).chain(numbered("b", b)).map(|(label, number, time)| run(label, number as u64, time)))
}

#[test]
fn nothing_is_decided_below_the_steps_of_a_clock() {
    let found = |judgement: &Judgement| (judgement.pairs[0].verdict, judgement.pairs[0].reason);
    // 1 ms each: equal to all digits.
    let equal = quantised([1; 4], [1; 4], 10);
    assert_eq!(found(&equal), (Verdict::Undecided, JudgedReason::Clock));
    assert!(texts(&equal, FindingClass::Clock).contains("up to 100 % of what was measured"), "{equal:?}");
    // 2 ms against 1 ms can be 1.001 against 1 ms.
    assert_eq!(found(&quantised([2, 2, 2, 3], [1, 1, 1, 2], 10)), (Verdict::Undecided, JudgedReason::Clock));
    assert_eq!(found(&quantised([20, 21, 20, 21], [21, 20, 21, 20], 200)), (Verdict::Undecided, JudgedReason::Clock));
    // Far above the steps there are verdicts.
    assert_eq!(found(&quantised([20, 21, 20, 21], [41, 40, 42, 40], 200)), (Verdict::Faster, JudgedReason::None));
    let long = quantised([60_001, 60_020, 60_011, 60_007], [60_010, 60_003, 60_019, 60_009], 60_000);
    assert_eq!((found(&long).0, texts(&long, FindingClass::Clock).as_str()), (Verdict::Equivalent, ""));
}

#[test]
fn filebench_counts_seconds() {
    let text =
        "61.9: Run took 60 seconds...\n61.9: IO Summary: 770274 ops 12836.6 ops/s 1167/2334 rd/wr 308.4mb/s 1.2ms/op\n";
    assert_eq!(read("a", "a", text)[0].clock_step, Some(1.0 / 60.0));
}

#[test]
fn repetitions_with_one_figure_show_no_spread() {
    let row = |(number, rate): (u64, f64)| {
        let figures = json!({ "write": { "iops": rate, "io_bytes": 1e9 } });
        read(if rate > 100.0 { "b" } else { "a" }, &number.to_string(), &fio(number, &json!({}), &figures))
    };
    let judgement = judged([(1, 100.0), (2, 101.0), (3, 100.0), (4, 101.0)].map(row));
    assert_eq!((judgement.pairs[0].verdict, judgement.pairs[0].reason), (Verdict::Undecided, JudgedReason::Clock));
    assert!(texts(&judgement, FindingClass::Clock).starts_with("t write: all repetitions have the same figure"));
}

#[test]
fn iozones_small_files_are_as_fast_as_its_clock() {
    let text = include_str!("outputs/iozone-ext4.txt");
    let rows = read("a", "a", text);
    let write = rows.iter().find(|row| row.workload == "write, 4096 KiB in 64 KiB").expect("it was measured");
    // 4096 KiB at 416382 KiB/s take 9837 µs.
    assert!(write.clock_step.is_some_and(|step| (step * 9837.0 - 1.0).abs() < 1e-3), "{write:?}");
}

#[test]
fn too_fast_to_time_is_a_bound() {
    let slow = |number: u64| {
        let text = include_str!("work/bonnie-slow.csv").replace(",700,", &format!(",{},", 700 + number));
        read("mntc", &format!("slow{number}"), &text)
    };
    let fast = |number: u64| {
        let text = include_str!("work/bonnie-fast.csv").replace("1700000000", &format!("170000000{number}"));
        read("home", &format!("fast{number}"), &text)
    };
    let once = judged([slow(0), fast(0)]);
    let create = |judgement: &Judgement| {
        judgement.pairs.iter().find(|it| it.workload.starts_with("sequential create")).expect("both did it").clone()
    };
    let pair = create(&once);
    assert_eq!(
        (pair.verdict, pair.reason, pair.bound),
        (Verdict::Undecided, JudgedReason::TooFast, RatioBound::AtLeast)
    );
    // 16 × 1024 files in less than half a second, against 700 files/s.
    assert!(pair.estimate.ratio.is_some_and(|ratio| (ratio - 32_768.0 / 700.0).abs() < 1e-9), "{pair:?}");
    let found = texts(&once, FindingClass::Clock);
    assert!(found.contains("too fast for the program's clock, so only a bound is known"), "{found}");
    let shown = fsarena_report::markdown(fsarena_judge::report(&once, "0.0.0"));
    assert!(shown.contains("≥ 46.8×"), "{shown}");
    let repeated = create(&judged((0..3).flat_map(|number| [slow(number), fast(number)])));
    assert_eq!((repeated.verdict, repeated.estimate.low), (Verdict::Undecided, None), "a bound is no verdict");
    let first = judged([read("a", "slow", include_str!("work/bonnie-slow.csv")), fast(0)]);
    let (bound, ratio) = (create(&first).bound, create(&first).estimate.ratio);
    assert!(bound == RatioBound::AtMost && ratio.is_some_and(|ratio| ratio < 0.03), "{ratio:?}");
    let both = create(&judged([
        fast(0),
        fast(1),
        read("b", "b", &include_str!("work/bonnie-fast.csv").replace("1700000000", "8")),
        read("b", "b2", &include_str!("work/bonnie-fast.csv").replace("1700000000", "9")),
    ]));
    assert_eq!((both.reason, both.estimate.ratio), (JudgedReason::TooFast, None), "{both:?}");
}

#[test]
fn what_was_done_overrules_what_was_asked_for() {
    let durable = |options: Value, figures: Value| {
        let mut write = json!({ "write": { "iops": 1000, "io_bytes": 1_073_741_824 } });
        write.as_object_mut().expect("it is one").extend(figures.as_object().expect("it is one").clone());
        read("a", "a", &fio(1, &options, &write))[0].durable
    };
    let asked = |options| durable(options, json!({}));
    for options in [
        json!({ "fsync": "1" }),
        json!({ "end_fsync": "1" }),
        json!({ "fsync_on_close": "1" }),
        json!({ "sync": "1" }),
        json!({ "sync": "dsync" }),
        json!({ "fdatasync": "1000" }),
    ] {
        assert_eq!(asked(options.clone()), SyncedResult::Synced, "{options}");
    }
    for options in [
        json!({ "fsync": "0" }),
        json!({ "fsync": "00" }),
        json!({ "fsync": "1000000000" }),
        json!({ "end_fsync": "" }),
        json!({ "sync": "no" }),
        json!({ "sync": "none" }),
        json!({ "sync": "0" }),
        json!({ "create_fsync": "1" }),
        json!({}),
    ] {
        assert_eq!(asked(options.clone()), SyncedResult::NotSynced, "{options}");
    }
    // Counts of syncs and the bytes at the device.
    let counted = |options: Value, syncs: u32| {
        let write = json!({ "iops": 1000, "io_bytes": 1_073_741_824, "total_ios": 10_000 });
        durable(options, json!({ "write": write, "sync": { "total_ios": syncs } }))
    };
    for (options, syncs, expected) in [
        // fio 3.33 counts no sync at the end.
        (json!({ "end_fsync": "1" }), 0, SyncedResult::Synced),
        (json!({ "fsync_on_close": "1" }), 0, SyncedResult::Synced),
        (json!({ "fsync": "1" }), 0, SyncedResult::NotSynced),
        (json!({ "fsync": "1" }), 1, SyncedResult::NotSynced),
        (json!({ "fsync": "1" }), 9_990, SyncedResult::Synced),
        (json!({ "fsync": "5000" }), 1, SyncedResult::Synced),
        (json!({ "sync_file_range": "write:8" }), 1250, SyncedResult::NotSynced),
        (json!({ "sync_file_range": "write:8", "fsync": "100" }), 100, SyncedResult::Synced),
        (json!({}), 10, SyncedResult::Synced),
    ] {
        assert_eq!(counted(options.clone(), syncs), expected, "{options}, {syncs}");
    }
    assert_eq!(
        durable(json!({ "fsync": "4" }), json!({ "sync": { "lat_ns": { "N": 65_536 } } })),
        SyncedResult::Synced
    );
    let on_device = |sectors: u64| {
        let text = fio(1, &json!({ "fsync": "1" }), &json!({ "write": { "iops": 9, "io_bytes": 1_073_741_824 } }));
        let mut value: Value = serde_json::from_str(&text).expect("it was written here");
        value["disk_util"] = json!([{ "name": "sda", "write_sectors": sectors }]);
        read("a", "a", &value.to_string())[0].durable
    };
    assert_eq!([2_097_152, 2048].map(on_device), [SyncedResult::Synced, SyncedResult::NotSynced]);
    let none = given!("a", "sysbench-none.txt");
    assert_eq!(
        (none[0].durable, none[0].notes[0].text.as_str()),
        (SyncedResult::NotSynced, "it was to call fsync(), but did not once")
    );
    assert_other_work(&judged([none, given!("b", "sysbench-some.txt")]), "not synced and synced");
    let newer =
        include_str!("work/sysbench-none.txt").replace("fsyncs/s:                     0.00", "fsync: IOPS=0.00");
    assert_eq!(read("a", "a", &newer)[0].durable, SyncedResult::NotSynced);
    assert_eq!(given!("a", "ior-e.txt")[0].durable, SyncedResult::Synced);
    assert_eq!(given!("a", "ior-e-warn.txt")[0].durable, SyncedResult::NotSynced);
    // A path is no option.
    let text = include_str!("work/ior-path.txt").replace("-w  -t", "-w -r -t").replace("nodirect", "odirect");
    let reread = text.replace("write     101.00", "read      101.00");
    let of = |text: &str| read("a", "a", text).iter().find(|row| row.workload.starts_with("read")).map(|row| row.reads);
    assert_eq!(of(&reread), Some(Reads::JustWritten));
    assert_eq!(of(&reread.replace("-w -r", "-w -r --posix.odirect")), Some(Reads::Device));
    assert_eq!(of(&reread.replace("-w -r", "-w -r -O useO_DIRECT=1")), Some(Reads::Device));
}

#[test]
fn stacked_devices_count_once() {
    let counted = |rows: Vec<Measured>| rows[0].reads;
    let half = Reads::Counted { work: 1_073_741_824.0, device: 536_870_912.0 };
    assert_eq!(counted(given!("luks", "c05-stack-half.json")), half);
    assert_eq!(counted(given!("plain", "c05-one-half.json")), half);
    let of = |disks: Value| {
        let text = fio(1, &json!({}), &json!({ "read": { "iops": 9, "io_bytes": 1_073_741_824 } }));
        let mut value: Value = serde_json::from_str(&text).expect("it was written here");
        value["disk_util"] = disks;
        counted(read("a", "a", &value.to_string()))
    };
    let quarter = |name: &str| json!({ "name": name, "read_sectors": 524_288 });
    // Two members of an array, which has what both read.
    let md = json!({ "name": "md0", "read_sectors": 1_048_576, "aggr_read_ios": 1 });
    assert_eq!(of(json!([md, quarter("sda"), quarter("sdb")])), half);
    assert_eq!(
        of(json!([{ "name": "dm-1", "read_sectors": 1_048_576 }, { "name": "dm-0", "read_sectors": 1_048_576 }])),
        half
    );
    assert_eq!(of(json!([{ "name": "sda" }])), Reads::Unknown, "before 3.36");
    assert_eq!(of(json!([])), Reads::Unknown);
}

#[test]
fn parts_of_a_run_that_did_not_overlap_are_a_finding() {
    let iozone = judged([given!("a", "iozone-t-a.txt"), given!("b", "iozone-t-b.txt")]);
    let found = texts(&iozone, FindingClass::Uneven);
    assert_eq!(
        found,
        "iozone-t-a.txt, run 1: 8 initial writers did not overlap: their own rates add up to 4.0 times \
                       what the parent saw, which counts"
    );
    let line =
        "stonewalling pairs accessed min: 2946 max: 12855 -- min data: 2.9 GiB mean data: 8.1 GiB time: 300.1s\n";
    let ior = include_str!("work/ior-s1.txt").replace("write     102.00", &format!("{line}write     102.00"));
    let found = texts(&judged([read("a", "a", &ior)]), FindingClass::Uneven);
    assert!(found.ends_with("tasks did 2946 to 12855 parts of the work (4.4×): the slowest set the figure"), "{found}");
    let even = ior.replace("min: 2946", "min: 12000");
    assert_eq!(texts(&judged([read("a", "a", &even)]), FindingClass::Uneven), "");
    let threads = "Threads fairness:\n    events (avg/stddev):           1000.0000/400.00\n";
    let sysbench = format!("{}{threads}", include_str!("work/sysbench-some.txt"));
    let found = texts(&judged([read("a", "a", &sysbench)]), FindingClass::Uneven);
    assert_eq!(found, "a, run 1: the work of its threads varies by 40 %");
}
