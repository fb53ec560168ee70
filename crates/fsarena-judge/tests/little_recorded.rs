//! Results that hardly record their work, and labels that the user gave.

use fsarena_judge::{File, FindingClass, JudgedReason, Judgement, Measured, judge, results};
use fsarena_model::{Share, Verdict};
use serde_json::{Value, json};

fn file(label: &str, name: &str, text: &str) -> Vec<Measured> {
    results(&File { label, name, text, is_labelled: true }).expect("well formed")
}

fn judged(rows: impl IntoIterator<Item = Vec<Measured>>) -> Judgement {
    judge(&rows.into_iter().flatten().collect::<Vec<_>>(), Share(0.05))
}

/// Three files of each of two contenders, by their texts.
fn repeated(a: impl Fn(f64) -> String, b: impl Fn(f64) -> String) -> Judgement {
    let both = |number: u32| {
        let run = f64::from(number);
        [file("a", &format!("a{number}"), &a(run)), file("b", &format!("b{number}"), &b(run))]
    };
    judged((0..3).flat_map(both))
}

fn work(judgement: &Judgement) -> String {
    let own = judgement.findings.iter().filter(|finding| finding.class == FindingClass::Work);
    own.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// What is judged, by workload: the pair, its verdict and the reason.
fn verdicts(judgement: &Judgement) -> Vec<String> {
    let shown = |pair: &fsarena_judge::PairJudgement| {
        format!("{}: {} / {} {:?} {:?}", pair.workload, pair.a, pair.b, pair.verdict, pair.reason)
    };
    judgement.pairs.iter().map(shown).collect()
}

#[track_caller]
fn assert_unranked(judgement: &Judgement, how: &str) {
    let is_apart = |pair: &fsarena_judge::PairJudgement| {
        (pair.verdict, pair.reason, pair.plain_ratio, pair.estimate.ratio)
            == (Verdict::Invalid, JudgedReason::OtherWork, None, None)
    };
    assert!(judgement.pairs.iter().all(is_apart) && !judgement.pairs.is_empty(), "{:#?}", judgement.pairs);
    let found = work(judgement);
    assert!(found.contains(how), "{found}");
}

fn hyperfine(commands: &[(&str, f64, Value)]) -> String {
    let result = |(command, time, parameters): &(&str, f64, Value)| json!({ "command": command, "times": [time, 1.01 * time, 0.99 * time], "parameters": parameters });
    json!({ "results": commands.iter().map(result).collect::<Vec<_>>() }).to_string()
}

#[test]
fn a_label_that_was_given_is_the_contender() {
    let own = |label: &str, tar: f64, rm: f64| {
        file(label, label, &hyperfine(&[("tar xf linux.tar", tar, Value::Null), ("rm -rf linux", rm, Value::Null)]))
    };
    let two = judged([own("ext4", 5.0, 1.0), own("xfs", 1.0, 3.0)]);
    let expected = [
        "time, command tar xf linux.tar: ext4 / xfs Slower OtherTimes",
        "time, command rm -rf linux: ext4 / xfs Faster OtherTimes",
    ];
    assert_eq!(verdicts(&two), expected, "nothing shows that both ran at the same time");
    let alone = |label: &str, command: &str| file(label, label, &hyperfine(&[(command, 1.0, Value::Null)]));
    assert_unranked(&judged([alone("ext4", "tar"), alone("xfs", "rm")]), "command tar and rm differ");
    let paths = judged([alone("ext4", "cp a /mnt/ext4"), alone("xfs", "cp a /mnt/xfs")]);
    assert_ne!(paths.pairs[0].reason, JudgedReason::OtherWork, "the label is where it was");
    for (commands, why) in [
        (["cat /x/mnt/a/f", "cat /x/mnt/b/f"], "mount points are where it was"),
        (["tar xf a.tar -C '/mnt/ext4'", "tar xf a.tar -C '/mnt/2'"], "one of them is called after the label"),
        (["sh ext4.sh /srv/ext4/f", "sh xfs.sh /srv/xfs/f"], "so is a word"),
    ] {
        let both = judged([alone("ext4", commands[0]), alone("xfs", commands[1])]);
        assert_ne!(both.pairs[0].reason, JudgedReason::OtherWork, "{why}");
    }
    let own = judged([alone("btrfs-zstd", "cat /srv/btrfs-zstd/f"), alone("new", "cat /srv/new/f")]);
    assert_ne!(own.pairs[0].reason, JudgedReason::OtherWork, "the label itself is a folder");
    for commands in
        [["cat /mnt/a/f", "cat /mnt/b/g"], ["cat /mnt/f.txt", "cat /mnt/g.txt"], ["cat /srv/a", "cat /srv/b"]]
    {
        assert_unranked(&judged([alone("ext4", commands[0]), alone("xfs", commands[1])]), "differ");
    }
    // Parameters that would be contenders are work if a file has several.
    let parameters = |label: &str| {
        let of = |fs: &str| json!({ "fs": fs });
        file(label, label, &hyperfine(&[("run ext4", 1.0, of("ext4")), ("run xfs", 2.0, of("xfs"))]))
    };
    let machines = judged([parameters("old"), parameters("new")]);
    assert_eq!(machines.contenders, ["new", "old"]);
    let names: Vec<&str> = machines.pairs.iter().map(|pair| pair.workload.as_str()).collect();
    assert_eq!(names, ["time, named ext4", "time, named xfs"]);
}

#[test]
fn labels_overrule_systems_and_machines() {
    let suite = |label: &str, fs: &str, runs: &str| {
        let text = include_str!("outputs/composite.xml").replace("File-System: ext4", &format!("File-System: {fs}"));
        let (before, after) = text.split_once("<RawString>").expect("it has runs");
        let (_, after) = after.split_once("</RawString>").expect("they end");
        file(label, label, &format!("{before}<RawString>{runs}</RawString>{after}"))
    };
    let phoronix = judged([suite("ext4", "ext4", "100:101:99"), suite("xfs", "xfs", "120:121:119")]);
    assert_eq!(phoronix.contenders, ["ext4", "xfs"]);
    assert!(phoronix.pairs.iter().all(|pair| pair.reason != JudgedReason::Identity), "{:?}", phoronix.pairs);
    let line = include_str!("work/bonnie-slow.csv").trim();
    let machine = line.split(',').nth(2).expect("it has a name");
    let bonnie = |label: &str, names: [&str; 2]| {
        let lines = names.map(|name| line.replace(machine, name)).join("\n");
        file(label, label, &format!("{lines}\n"))
    };
    let machines = judged([bonnie("ext4", ["n1", "n2"]), bonnie("xfs", ["n1", "n2"])]);
    assert_eq!(machines.contenders, ["ext4", "xfs"]);
    assert!(machines.pairs.iter().any(|pair| pair.workload.ends_with(", named n2")), "{:?}", verdicts(&machines));
    let one = judged([bonnie("ext4", ["n1"; 2]), bonnie("xfs", ["n2"; 2])]);
    assert!(one.pairs.iter().all(|pair| pair.reason != JudgedReason::OtherWork), "{:?}", verdicts(&one));
}

#[test]
fn commands_with_parameters_are_not_pooled() {
    let fs = |fs: &str| json!({ "fs": fs });
    let both = [
        ("untar.sh ext4", 5.0, fs("ext4")),
        ("untar.sh xfs", 4.0, fs("xfs")),
        ("rm.sh ext4", 1.0, fs("ext4")),
        ("rm.sh xfs", 2.0, fs("xfs")),
    ];
    let read = |commands: &[(&str, f64, Value)]| {
        judged([results(&File { label: "x", name: "x", text: &hyperfine(commands), is_labelled: false })
            .expect("well formed")])
    };
    let names = |judgement: &Judgement| judgement.pairs.iter().map(|pair| pair.workload.clone()).collect::<Vec<_>>();
    assert_eq!(names(&read(&both)), ["time, command untar.sh {fs}", "time, command rm.sh {fs}"]);
    assert_unranked(&read(&[both[0].clone(), both[3].clone()]), "command untar.sh {fs} and rm.sh {fs} differ");
    // Each may not read from the other one.
    let copied = |ext4: &str, xfs: &str| {
        let of = |from: &str, to: &str, time: f64| (format!("cp /m/{from}/src /m/{to}/dst"), time, fs(to));
        let commands = [of(ext4, "ext4", 1.0), of(xfs, "xfs", 2.0)];
        read(&commands.each_ref().map(|(command, time, fs)| (command.as_str(), *time, fs.clone())))
    };
    assert_unranked(&copied("xfs", "ext4"), "cp /m/xfs/src /m/{fs}/dst and cp /m/ext4/src /m/{fs}/dst differ");
    let op = |op: &str| json!({ "op": op });
    let twice = [("touch a; touch a", 1.0, op("touch")), ("rm a; touch a", 1.0, op("rm"))];
    assert_unranked(&read(&twice), "op rm and touch differ");
    // If each command has a file system of its own, the rest is work.
    for (commands, how) in [
        (["cp a /mnt/ext4/x", "cp a /mnt/xfs/x && sync"], "cp a {label}/x and cp a {label}/x && sync differ"),
        (["cp a /mnt/ext4/x", "cp b /mnt/xfs/x"], "cp a {label}/x and cp b {label}/x differ"),
    ] {
        assert_unranked(&read(&commands.map(|command| (command, 1.0, Value::Null))), how);
    }
    for commands in [
        ["cp a /mnt/ext4/x", "cp a /mnt/xfs/x"],
        ["dd of=/srv/x/ext4/x", "dd of=/xfs/x"],
        ["cp a /mnt/ext4/x", "cp a /dev/shm/x"],
        ["cp a /mnt/ext4/x", "rsync a /mnt/ext4/x"],
        ["ls", "ls -l"],
    ] {
        let ranked = read(&commands.map(|command| (command, 1.0, Value::Null)));
        assert_ne!(ranked.pairs[0].reason, JudgedReason::OtherWork, "{commands:?}");
    }
    // Letters of a value in other words of the command.
    for commands in [
        [("cat /mnt/a/file", 1.0, fs("a")), ("cat /mnt/b/file", 2.0, fs("b"))],
        [("dd bs=100 skip=0", 1.0, json!({ "opt": "0" })), ("dd bs=100 skip=1", 2.0, json!({ "opt": "1" }))],
        [("run.sh testext4", 1.0, fs("ext4")), ("run.sh testxfs", 2.0, fs("xfs"))],
    ] {
        assert_eq!(names(&read(&commands)), ["time"]);
    }
}

#[test]
fn clients_of_an_old_ior_are_work() {
    let text = |tasks: u32, rate: f64| {
        format!(
            "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nCommand line used: ./ior -F -w -i 2\n\nSummary:\n\
             \taccess             = file-per-process\n\tclients            = {tasks} ({tasks} per node)\n\n\
             access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n\
             write     {rate}     16384      1024.00    0.000514   0.051000   0.000200   0.051800   0\n\
             write     {}     16384      1024.00    0.000514   0.051000   0.000200   0.051800   1\n",
            rate + 1.0
        )
    };
    let judgement = judged([file("a", "a", &text(4, 400.0)), file("b", "b", &text(64, 1600.0))]);
    assert!(work(&judgement).contains("4 (4 per node) tasks"), "{}", work(&judgement));
    assert!(judgement.pairs.iter().all(|pair| pair.verdict == Verdict::Invalid), "{:?}", verdicts(&judgement));
    let rows = file("a", "a", &text(4, 400.0));
    assert_eq!(rows[0].work["access"], "file-per-process");
}

#[test]
fn transactions_have_queries() {
    let text = |queries: [u32; 3], rate: f64| {
        let [read, write, other] = queries.map(|count| 1000 * count);
        format!(
            "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 8\nSQL statistics:\n    queries performed:\n        \
             read:                            {read}\n        write:                           {write}\n        \
             other:                           {other}\n    transactions:                        1000   ({rate} per sec.)\n"
        )
    };
    let read_only = |run: f64| text([14, 0, 2], 2000.0 + run);
    let other = repeated(read_only, |run| text([14, 4, 2], 600.0 + run));
    assert_unranked(&other, "write queries of a transaction 0 and 4 differ");
    let same = repeated(read_only, |run| text([14, 0, 2], 2500.0 + run));
    assert_eq!((same.pairs.len(), same.pairs[0].plain_ratio.is_some()), (1, true));
}

/// fio's JSON: a name, a group, and options for each job, all of which read.
fn fio(time: f64, jobs: &[(&str, u64, Value)]) -> String {
    let job = |(name, group, options): &(&str, u64, Value)| {
        json!({ "jobname": name, "groupid": group, "error": 0, "job options": options,
                "read": { "iops": 9000.0 + time, "io_bytes": 1e9 } })
    };
    let jobs: Vec<Value> = jobs.iter().map(job).collect();
    json!({ "fio version": "fio-3.36", "timestamp": 1_700_000_000.0 + time, "jobs": jobs }).to_string()
}

#[test]
fn jobs_may_be_called_after_the_file_system() {
    let run = |label: &str, number: f64| {
        let jobs = ["read", "write"].map(|job| (format!("{label}-{job}"), 0, json!({ "rw": "read" })));
        let jobs = jobs.each_ref().map(|(name, group, options)| (name.as_str(), *group, options.clone()));
        file(label, &format!("{label}{number}"), &fio(number, &jobs))
    };
    let both = judged([1.0, 2.0, 3.0].into_iter().flat_map(|number| [run("ext4", number), run("xfs", number)]));
    let names: Vec<&str> = both.pairs.iter().map(|pair| pair.workload.as_str()).collect();
    assert_eq!(names, ["{label}-read read", "{label}-write read"]);
    assert!(both.pairs.iter().all(|pair| pair.reason != JudgedReason::OtherWork), "{:?}", verdicts(&both));
    for (label, name, workload) in [
        ("btrfs-zstd", "btrfs-zstd", "{label} read"),
        ("btrfs-zstd", "btrfs_1", "{label}_1 read"),
        ("xfs", "ext4-read", "ext4-read read"),
        ("ext4", "myext4", "myext4 read"),
        ("new", "new-read", "new-read read"),
    ] {
        assert_eq!(file(label, "a", &fio(0.0, &[(name, 0, json!({ "rw": "read" }))]))[0].workload, workload);
        assert_eq!(file(label, "a", &terse(name, 4.0, 9000.0, 60_000.0))[0].workload, workload);
    }
}

#[test]
fn jobs_that_ran_together_are_not_jobs_alone() {
    let alone = |time: f64| fio(time, &[("r", 0, json!({}))]);
    let together = |time: f64| fio(time, &[("r", 0, json!({})), ("w", 0, json!({}))]);
    let of_first = |judgement: Judgement| {
        let pair = judgement.pairs.iter().find(|pair| pair.workload.starts_with("r read")).expect("both did it");
        (pair.reason == JudgedReason::OtherWork, work(&judgement))
    };
    let (is_other, text) = of_first(repeated(alone, together));
    assert!(is_other && text.contains("beside not set and w differ"), "{text}");
    let barrier = |option: Value| move |time: f64| fio(time, &[("r", 0, json!({})), ("w", 1, option.clone())]);
    assert!(!of_first(repeated(alone, barrier(json!({ "stonewall": "" })))).0);
    assert!(!of_first(repeated(alone, barrier(json!({ "stonewall": "", "new_group": "" })))).0);
    assert!(of_first(repeated(alone, barrier(json!({ "new_group": "" })))).0, "it is no barrier");
    assert!(!of_first(repeated(together, |time| together(time + 0.5))).0);
    // Of many jobs, the first ones and their number.
    let names: Vec<String> = (10..30).map(|number| format!("j{number}")).collect();
    let many: Vec<(&str, u64, Value)> = names.iter().map(|name| (name.as_str(), 0, json!({}))).collect();
    let rows = file("a", "a", &fio(0.0, &many));
    assert_eq!(rows[0].work["beside"], "j11, j12, j13, j14, j15, j16, j17, j18 and 11 more");
    assert_eq!(rows[19].work["beside"], "j10, j11, j12, j13, j14, j15, j16, j17 and 11 more");
}

/// A line of fio's terse format 3, of a job that reads 4 KiB or another size for some milliseconds.
fn terse(name: &str, kib: f64, rate: f64, milliseconds: f64) -> String {
    let size = (kib * rate * milliseconds / 1000.0).round();
    let zeros = ";0".repeat(41 + 37 + 40);
    format!("3;fio-3.33;{name};0;0;{size};{};{rate};{milliseconds}{zeros}\n", kib * rate)
}

#[test]
fn terse_lines_of_a_name_are_in_doubt() {
    // Clones of a job end at almost the same time, and so do runs of the same length.
    let lines = |run: f64| terse("r", 4.0, 9000.0 + run, 60_000.0) + &terse("r", 4.0, 9001.0 + run, 60_003.0);
    assert_unranked(
        &repeated(lines, |run| lines(run + 0.5)),
        "2 lines of a job are its clones, its states or runs one after the other; give each run a file of its own",
    );
    let once = |run: f64| terse("r", 4.0, 9000.0 + run, 60_000.0);
    assert_eq!(repeated(lines, once).pairs[0].reason, JudgedReason::OtherWork);
    assert_eq!(repeated(once, |run| once(2000.0 + run)).pairs[0].plain_ratio.map(f64::round), Some(1.0));
    let beside = repeated(once, |run| once(run) + &terse("w", 4.0, 100.0, 60_000.0));
    assert!(work(&beside).contains("beside not set and w differ"), "{}", work(&beside));
    assert_eq!(file("a", "a", &terse("r", 0.01, 9.0, 60_000.0).replace(";0.09;", ";0;"))[0].value, 9.0);
}

#[test]
fn sizes_of_requests_are_work_without_options() {
    let small = |run: f64| terse("w", 4.0, 9000.0 + run, 60_000.0);
    let large = |run: f64| terse("w", 1024.0, 500.0 + run, 60_000.0);
    assert_unranked(&repeated(small, large), "size of a request 4k and 1m differ");
    let old = |kib: f64, rate: f64| {
        let write =
            json!({ "io_bytes": kib * rate * 30.0, "bw": (kib * rate).round(), "iops": rate, "runtime": 30_000 });
        json!({ "fio version": "fio-2.2.10", "jobs": [{ "jobname": "t", "groupid": 0, "error": 0, "write": write }] })
            .to_string()
    };
    assert_unranked(
        &repeated(|run| old(4.0, 9000.3 + run), |run| old(1024.0, 500.7 + run)),
        "size of a request 4k and 1m differ",
    );
    assert_ne!(
        repeated(|run| old(4.0, 1.3 + run), |run| old(4.0, 900.7 + run)).pairs[0].reason,
        JudgedReason::OtherWork
    );
}

#[test]
fn directions_may_be_reported_together() {
    let job = |figures: &Value| {
        let mut job = json!({ "jobname": "m", "error": 0, "job options": { "rw": "randrw" } });
        job.as_object_mut().expect("it is one").extend(figures.as_object().expect("it is one").clone());
        let text = json!({ "fio version": "fio-3.36", "timestamp": 1, "jobs": [job] }).to_string();
        file("a", "a", &text).into_iter().map(|row| (row.workload, row.value)).collect::<Vec<_>>()
    };
    assert_eq!(job(&json!({ "mixed": { "iops": 5000.0 } })), [("m mixed".to_owned(), 5000.0)]);
    let both = json!({ "read": { "iops": 2.0 }, "write": { "iops": 3.0 }, "mixed": { "iops": 5.0 } });
    assert_eq!(job(&both), [("m read".to_owned(), 2.0), ("m write".to_owned(), 3.0)]);
    let mix = |options: Value| file("a", "a", &fio(0.0, &[("m", 0, options)]))[0].work["rwmixread"].clone();
    let shares = [json!({ "rwmixread": "70" }), json!({ "rwmixwrite": "30" }), json!({ "rwmixwrite": "0" }), json!({})];
    assert_eq!(shares.map(mix), ["70", "70", "100", "50"]);
}

#[test]
fn phases_that_io500_calls_invalid_are_not_ranked() {
    let text = |rate: f64, before: &str, after: &str| {
        format!(
            "[RESULT{before}]       ior-easy-write        {rate} GiB/s : time 12.1 seconds{after}\n\
             [RESULT]       ior-easy-read        {rate} GiB/s : time 300.3 seconds\n"
        )
    };
    let valid = |run: f64| text(1.0 + run / 100.0, "", "");
    for (before, after) in [("", " [INVALID]"), ("-invalid", "")] {
        for other in [1.001, 2.0] {
            let judgement = repeated(valid, |run| text(other + run / 99.0, before, after));
            let found: Vec<JudgedReason> = judgement.pairs.iter().map(|pair| pair.reason).collect();
            assert_eq!((found[0], judgement.pairs[0].plain_ratio), (JudgedReason::OtherWork, None));
            assert!(found[1] != JudgedReason::OtherWork && judgement.pairs[1].plain_ratio.is_some());
            let named = work(&judgement);
            assert_eq!(named, "b0, run 1; b1, run 1; b2, run 1: IO500 marked ior-easy-write as invalid");
        }
    }
}

#[test]
fn phases_that_write_have_a_stonewall() {
    let text = |rate: f64, time: f64| format!("[RESULT] ior-easy-write {rate} GiB/s : time {time} seconds\n");
    let of = |one: f64, other: f64| repeated(|run| text(1.0 + run / 99.0, one), |run| text(2.0 + run / 99.0, other));
    assert_unranked(&of(301.0, 10.0), "stonewall reached and not reached differ");
    assert_unranked(&of(100.0, 10.0), "amount of work, in 100 s, and 10 s, differ");
    for times in [[301.0, 500.0], [30.0, 31.0]] {
        assert_ne!(of(times[0], times[1]).pairs[0].reason, JudgedReason::OtherWork, "{times:?}");
    }
}
