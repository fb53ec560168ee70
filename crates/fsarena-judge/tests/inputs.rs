//! Files as people hold them in their hands, in `inputs/`: what is read of them, or why they are refused.

use std::path::Path;

use fsarena_judge::{CsvColumns, File, Measured, ReadError, judge, report, results, table, text};
use fsarena_model::Share;

fn input(name: &str) -> Result<String, ReadError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs").join(name);
    text(name, std::fs::read(path).expect("it is there"))
}

fn read(name: &str, text: &str) -> Result<Vec<Measured>, ReadError> {
    results(&File { label: "a", name, text, is_labelled: false })
}

/// Workload and figure of each row, or the error with its hint.
fn shown(rows: Result<Vec<Measured>, ReadError>) -> String {
    match rows {
        Ok(rows) => rows.iter().map(|row| format!("{} {}", row.workload, row.value)).collect::<Vec<_>>().join("; "),
        Err(error) => format!("{error} (hint: {})", error.hint()),
    }
}

#[test]
fn fios_json_is_read_in_any_surroundings_or_refused() {
    let again = "(hint: the file is not whole, or its program failed: run it again)";
    let leave = "(hint: leave it out, or run the program again)";
    for (name, expected) in [
        ("s-bom.json", "t read 100".to_owned()),
        ("s-crlf.json", "t read 100".to_owned()),
        ("s-cr-eta.json", "t read 100".to_owned()),
        ("s-gz.json.gz", "t read 100".to_owned()),
        ("s-json-then-text.json", "t read 100".to_owned()),
        ("s-nul.json", "t read 100".to_owned()),
        ("s-cumulative.json", "t read 400".to_owned()),
        ("c03-clients.json", "t read 210".to_owned()),
        ("c03-no-client.json", format!("c03-no-client.json: no client answered {leave}")),
        ("s-err.json", format!("s-err.json, t: the job failed, so its figures are of no work {leave}")),
        ("s-neg.json", format!("s-neg.json, t: the `iops` of read are -5, which is no number from 0 on {leave}")),
        (
            "s-string.json",
            format!("s-string.json, t: the `iops` of read are \"1000\", which is no number from 0 on {leave}"),
        ),
        ("s-nojobs.json", format!("s-nojobs.json: it has no result {leave}")),
        ("s-zero.json", format!("s-zero.json: it has no result {leave}")),
        ("s-inf.json", format!("the JSON of `s-inf.json` is broken: line 16: number out of range {again}")),
        ("s-nan.json", format!("the JSON of `s-nan.json` is broken: line 3: expected value {again}")),
        (
            "s-truncated.json",
            format!("the JSON of `s-truncated.json` is broken: it ends within an object, in line 9 {again}"),
        ),
        (
            "s-blank.json",
            "`s-blank.json` is empty (hint: see whether the program failed, and where it wrote its results)".to_owned(),
        ),
    ] {
        assert_eq!(shown(input(name).and_then(|text| read(name, &text))), expected, "{name}");
    }
}

#[test]
fn clients_of_a_run_are_one_result() {
    let rows = read("a", &input("fio-two-clients.json").expect("text")).expect("well formed");
    // fio's own row of all clients has 15826.086957.
    assert_eq!((rows.len(), rows[0].workload.as_str(), rows[0].value.round()), (1, "r read", 15826.0));
    assert_eq!((rows[0].unit.as_str(), rows[0].host.as_deref()), ("ops/s", Some("127.0.0.1")));
    // The work of all clients over the time of the slowest; jobs stay apart, whatever the row of all clients adds up.
    let row = |job: &str, host: &str, ios: f64, runtime: f64| {
        let iops = 1000.0 * ios / runtime;
        format!(
            "{{\"jobname\": \"{job}\", \"hostname\": \"{host}\", \"error\": 0, \"job options\": {{\"fsync\": \"1\"}}, \
             \"write\": {{\"iops\": {iops}, \"total_ios\": {ios}, \"runtime\": {runtime}}}}}"
        )
    };
    let two = [
        row("w", "n1", 4000.0, 4000.0),
        row("v", "n1", 10.0, 1000.0),
        row("w", "n2", 4000.0, 1000.0),
        row("v", "n2", 10.0, 1000.0),
        row("All clients", "all", 8020.0, 4000.0),
    ];
    let document = |rows: &[String]| {
        format!(
            "{{\"fio version\": \"fio-3.43\", \"global options\": [{{\"hostname\": \"n1\"}}], \"client_stats\": [{}]}}",
            rows.join(", ")
        )
    };
    let rows = read("a", &document(&two)).expect("well formed");
    assert_eq!(shown(Ok(rows.clone())), "w write 2000; v write 20");
    assert_eq!((rows[0].host.as_deref(), rows[0].durable), (Some("n1, n2"), fsarena_judge::SyncedResult::Synced));
    let failed = [two[0].clone(), two[2].replace("\"error\": 0", "\"error\": 5")];
    assert!(shown(read("a", &document(&failed))).contains("the job failed"));
}

#[test]
fn states_of_a_run_are_not_runs_and_appended_runs_are() {
    // Moments, times since the start of fio, and times of the job, as fio 3.33 printed them.
    let document = |(printed, elapsed, runtime, ios): (u64, u64, u64, u64)| {
        format!(
            "{{\"fio version\": \"fio-3.33\", \"timestamp\": {}, \"timestamp_ms\": {printed}, \"jobs\": [{{\"jobname\": \
             \"t\", \"elapsed\": {elapsed}, \"read\": {{\"iops\": {ios}, \"runtime\": {runtime}}}}}]}}\n",
            printed / 1000
        )
    };
    let shown = |states: &[(u64, u64, u64, u64)]| {
        let text: String = states.iter().copied().map(document).collect();
        shown(read("a", &text))
    };
    let states = [(545_932, 1, 882, 1), (546_933, 2, 1882, 2), (547_932, 3, 2882, 3), (548_062, 4, 3001, 4)];
    assert_eq!(shown(&states), "t read 4");
    let with_ramp_time = [(592_349, 1, 894, 1), (593_349, 2, 1894, 2), (594_454, 4, 999, 3), (595_472, 5, 2001, 4)];
    assert_eq!(shown(&with_ramp_time), "t read 4");
    let appended = [(590_567, 1, 30, 1), (590_875, 1, 34, 2), (591_194, 1, 41, 3)];
    assert_eq!(shown(&appended), "t read 1; t read 2; t read 3");
    let both = [&states[..], &[(600_000, 1, 5, 9)]].concat();
    assert_eq!(shown(&both), "t read 4; t read 9");
    // A file that is pasted twice has no second run, and a broken last state hides how the run ended.
    assert_eq!(shown(&[states[3], states[3]]), "t read 4");
    let cut = document(states[2]) + &document(states[3])[..60];
    assert!(read("a", &cut).expect_err("cut").to_string().ends_with("it ends within an object, in line 2"));
}

#[test]
fn fios_terse_lines_have_no_options() {
    for (text, read, write) in [
        (include_str!("outputs/fio-terse-3.txt"), 16_000.0, 17_032.0),
        (include_str!("outputs/fio-terse-5.txt"), 11_809.0, 12_571.0),
    ] {
        let rows = self::read("a", &format!("fio: a message\n{text}")).expect("well formed");
        assert_eq!((rows[0].workload.as_str(), rows[0].value, rows[0].unit.as_str()), ("t read", read, "ops/s"));
        assert_eq!((rows[1].workload.as_str(), rows[1].value, rows.len()), ("t write", write, 2));
        assert_eq!(
            (rows[1].durable, rows[1].conditions["program"].as_str()),
            (fsarena_judge::SyncedResult::Unknown, "fio-3.33")
        );
        let failed = text.replacen(";0;0;", ";0;28;", 1);
        assert!(self::read("a", &failed).expect_err("failed").to_string().contains("the job failed"));
        let cut = text.get(..200).expect("long enough");
        assert!(self::read("a", cut).expect_err("cut").to_string().contains("of no tool"));
    }
}

#[test]
fn outputs_for_people_are_refused_with_the_way_to_the_other_one() {
    let fio = read("a", include_str!("outputs/fio-plain.txt"));
    let expected =
        "`a` is fio's output for people, which has rounded figures only (hint: rerun with --output-format=json)";
    assert_eq!(shown(fio), expected);
    let hyperfine = "Benchmark 1: sync\n  Time (mean ± σ):      1.2 ms ±   0.1 ms    [User: 0.5 ms, System: 0.6 ms]\n";
    let tables = [
        "command,mean,stddev,median,user,system,min,max\ntrue,0.1,0.1,0.1,0.1,0.1,0.1,0.1\n",
        "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n| `true` | 2.7 ± 1.9 |\n",
        "| Command  |  Mean [s] |  Min [s] |  Max [s] |  Relative |\n|--+--+--+--+--|\n| =true= |  2.7 ± 1.9 |\n",
        "[cols=\"<,>,>,>,>\"]\n|===\n| Command \n| Mean [ms] \n| Min [ms] \n| Max [ms] \n| Relative \n",
    ];
    for text in tables.into_iter().chain([hyperfine]) {
        let shown = shown(read("a", text));
        assert!(shown.starts_with("`a` is hyperfine's ") && shown.ends_with("(hint: rerun with --export-json FILE)"));
    }
    let bonnie = include_str!("outputs/bonnie.txt");
    let (table, _) = bonnie.split_once("\n1.98,").expect("its last line is the one that is read");
    assert!(shown(read("a", table)).starts_with("`a` is bonnie++'s output for people"));
    let cpu = "sysbench 1.0.20 (using system LuaJIT 2.1)\n\nPrime numbers limit: 10000\n\nCPU speed:\n    events per second: 1\n";
    let refused = shown(read("a", cpu));
    assert!(refused.starts_with("`a` is sysbench's test of processors or memory, which uses no file"), "{refused}");
}

#[test]
fn pasted_outputs_have_no_banner() {
    assert_eq!(
        shown(input("iozone-nobanner.txt").and_then(|text| read("a", &text))),
        "8 initial writers, record 4 kB 200000"
    );
    for (text, banner, first) in [
        (include_str!("outputs/ior.txt"), "IOR-", "write, 2048 KiB in 256 KiB, 2 tasks"),
        (include_str!("outputs/mdtest.txt"), "mdtest-", "directory creation"),
        (include_str!("outputs/iozone-ext4.txt"), "Iozone:", "write, 4096 KiB in 4 KiB"),
        (include_str!("outputs/sysbench-ext4.txt"), "sysbench ", "random r/w, 16kib, 32mib, 2 threads: reads"),
    ] {
        let (_, last) =
            text.rsplit_once(&format!("\n{banner}")).or_else(|| text.split_once(banner)).expect("it has one");
        let (_, pasted) = last.split_once('\n').expect("it has further lines");
        let (whole, pasted) = (read("a", text).expect("well formed"), read("a", pasted).expect("well formed"));
        let values = |rows: &[Measured]| rows.iter().map(|row| row.value).collect::<Vec<f64>>();
        assert_eq!(pasted[0].workload, first);
        assert!(values(&whole).ends_with(&values(&pasted)), "{banner}");
    }
}

#[test]
fn filebench_gives_each_run() {
    let run = |rate: &str| format!("61.953: IO Summary: 770274 ops {rate} ops/s 1167/2334 rd/wr 308.4mb/s 1.2ms/op\n");
    let head = "Filebench Version 1.5-alpha3\n0.003: File-server Version 3.0 personality successfully loaded\n";
    let rows = read("a", &format!("{head}{}{}", run("12836.612"), run("12000.5"))).expect("well formed");
    assert_eq!(shown(Ok(rows.clone())), "file-server 12836.612; file-server 12000.5");
    let twice = read("a", &format!("{head}{}{head}{}", run("1.5"), run("2.5"))).expect("well formed");
    assert_eq!([&rows[1], &twice[0], &twice[1]].map(|row| row.source.as_str()), ["a, run 1", "a, run 1", "a, run 2"]);
    assert_eq!(rows[0].conditions["program"], "Filebench 1.5-alpha3");
    let old =
        "60.1: IO Summary: 770274 ops, 12836.612 ops/s, (1167/2334 r/w), 308.4mb/s,    320us cpu/op,   9.2ms latency";
    assert_eq!(shown(read("a", old)), "operations 12836.612");
    assert!(shown(read("a", &run("0.000"))).contains("has no operations per second"));
}

#[test]
fn io500s_summary_is_a_list_of_workloads() {
    let summary = "IO500 version io500-isc24_v3 (standard)\n\
                   [RESULT]       ior-easy-write        0.146316 GiB/s : time 300.331 seconds\n\
                   [RESULT]    mdtest-easy-write        9.456456 kIOPS : time 106.825 seconds [INVALID]\n\
                   [      ]            timestamp        0.000000 kIOPS : time 0.000 seconds\n\
                   [RESULT]       ior-hard-write        0.000000 GiB/s : time 0.000 seconds\n\
                   [SCORE ] Bandwidth 0.585873 GiB/s    : IOPS 4.148649 kiops     : TOTAL 1.559032 [INVALID]\n";
    let rows = read("a", summary).expect("well formed");
    assert_eq!(shown(Ok(rows.clone())), "ior-easy-write 0.146316; mdtest-easy-write 9.456456");
    assert_eq!((rows[0].unit.as_str(), rows[1].unit.as_str()), ("GiB/s", "kIOPS"));
    let twice = read("a", &summary.repeat(2)).expect("well formed");
    assert_eq!((twice[3].source.as_str(), twice.len()), ("a, run 2", 4));
    let older = "[RESULT] BW   phase 1            ior_easy_write                8.581 GB/s : time  58.27 seconds\n\
                 [RESULT] IOPS phase 3                      find              305.930 kiops : time  24.64 seconds\n";
    assert_eq!(shown(read("a", older)), "ior-easy-write 8.581; find 305.93");
}

#[test]
fn what_is_of_no_tool_may_be_a_table() {
    for text in [
        "\nreal\t0m12.345s\nuser\t0m1.234s\n",
        "{\"fs\":\"ext4\", \"test\":\"write\"}\n{\"fs\":\"xfs\", \"test\":\"write\"}\n",
        "1, 159501, 1, 4096, 0\n501, 151025, 1, 4096, 0\n",
        "tps = 750.1 (including connections)\n",
        "fs,rate\next4,1\n",
    ] {
        let hint = read("c", text).expect_err("of no tool").hint();
        assert!(hint.contains("of a CSV with a header and one run a row, name the columns"), "{text}: {hint}");
    }
}

/// A judgement takes time in proportion to the rows, not to their square, whatever their columns have: a million rows
/// of each kind took 3 to 12 s, and ten thousand are judged here in a build for tests. Each quadratic loop over them
/// took minutes.
#[test]
fn rows_workloads_hosts_and_runs_may_be_many() {
    let [contender, host] = ["fs", "h"].map(|title| Some(title.to_owned()));
    let [figures, work] = ["v", "w"].map(|title| vec![title.to_owned()]);
    let columns = CsvColumns { contender, figures, work, host, ..CsvColumns::default() };
    let kinds: [fn(usize) -> (usize, usize); 3] = [|_| (0, 0), |row| (row / 4, 0), |row| (0, row)];
    for kind in kinds {
        let row = |row: usize| {
            let (workload, host) = kind(row);
            format!("{},{workload},{host},{}\n", ["ext4", "xfs"][row % 2], 100 + row * row % 9973)
        };
        let rows: String = (0..10_000).map(row).collect();
        let file = File { label: "c", name: "c", text: &format!("fs,w,h,v\n{rows}"), is_labelled: false };
        let rows = table(&file, &columns).expect("well formed");
        assert_eq!(judge(&rows, Share(0.05)).results, 10_000);
    }
    // Jobs of one name with different options are different work.
    let job = |size: usize| {
        format!("{{\"jobname\": \"t\", \"job options\": {{\"size\": \"{size}k\"}}, \"read\": {{\"iops\": {size}}}}}")
    };
    let jobs = (1..=5000).map(job).collect::<Vec<_>>().join(",\n");
    let text = format!("{{\"fio version\": \"fio-3.33\", \"jobs\": [{jobs}]}}");
    let both = ["ext4", "xfs"]
        .map(|label| results(&File { label, name: label, text: &text, is_labelled: false }).expect("well formed"));
    let judgement = judge(&both.concat(), Share(0.05));
    assert_eq!((judgement.pairs.len(), judgement.pairs[0].workload.as_str()), (5000, "t read, size 1k"));
    let shown = fsarena_report::markdown(report(&judgement, "0.0.0"));
    assert!(shown.contains("The first 1000 of 5000 pairs"), "no page has room for all");
    let one = fsarena_report::markdown(report(&judge(&both[0][..1], Share(0.05)), "0.0.0"));
    assert!(one.contains("1 result of ext4"), "{one}");
}

#[test]
fn hostile_inputs_are_refused_or_judged() {
    let names = ["s-cumulative.json", "c03-clients.json", "iozone-nobanner.txt"];
    let mut texts = names.map(|name| input(name).expect("text")).to_vec();
    texts.push(include_str!("outputs/fio-terse-5.txt").to_owned());
    texts.push("[RESULT] ior-easy-write 0.1 GiB/s : time 3.1 seconds\n".to_owned());
    texts.push("1.9: IO Summary: 770274 ops 12836.612 ops/s 1167/2334 rd/wr\n".to_owned());
    fsarena_testing::fuzz::texts(&texts.iter().map(String::as_str).collect::<Vec<_>>(), |damaged| {
        let Ok(text) = text("a", damaged.as_bytes().to_vec()) else { return };
        if let Ok(rows) = read("a", &text) {
            let _ = fsarena_report::html(report(&judge(&rows, Share(0.05)), "0.0.0"));
        }
    });
}

#[test]
fn outputs_of_several_tools_in_one_file_are_refused() {
    let both = [include_str!("outputs/sysbench-ext4.txt"), include_str!("outputs/iozone-ext4.txt")].concat();
    let expected =
        "a: it has outputs of IOzone and sysbench (hint: write the output of each tool into a file of its own)";
    assert_eq!(shown(read("a", &both)), expected);
}
