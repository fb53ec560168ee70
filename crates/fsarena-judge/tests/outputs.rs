//! Real outputs of other programs in `outputs/`, and what is read of them.

use std::collections::BTreeMap;

use fsarena_judge::{File, FindingClass, JudgedReason, Measured, Reads, SyncedResult, judge, results};
use fsarena_model::{Better, Share};

fn read(name: &str, text: &str) -> Vec<Measured> {
    results(&File { label: "ext4", name, text, is_labelled: false }).expect("well formed")
}

/// The figures by workload.
fn figures(rows: &[Measured]) -> BTreeMap<&str, Vec<f64>> {
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    rows.iter().for_each(|row| figures.entry(&row.workload).or_default().push(row.value));
    figures
}

fn of<'a>(rows: &'a [Measured], workload: &str) -> &'a Measured {
    rows.iter().find(|row| row.workload == workload).expect("it was measured")
}

#[test]
fn iozones_table_has_gaps_where_tests_were_left_out() {
    let rows = read("a", include_str!("outputs/iozone-ext4.txt"));
    let expected = [
        ("random read, 4096 KiB in 4 KiB", vec![130_466.0]),
        ("random read, 4096 KiB in 64 KiB", vec![697_778.0]),
        ("random write, 4096 KiB in 4 KiB", vec![140_645.0]),
        ("random write, 4096 KiB in 64 KiB", vec![343_166.0]),
        ("rewrite, 4096 KiB in 4 KiB", vec![142_044.0]),
        ("rewrite, 4096 KiB in 64 KiB", vec![201_743.0]),
        ("write, 4096 KiB in 4 KiB", vec![65_907.0]),
        ("write, 4096 KiB in 64 KiB", vec![416_382.0]),
    ];
    assert_eq!(figures(&rows), BTreeMap::from(expected));
    let write = of(&rows, "write, 4096 KiB in 4 KiB");
    assert_eq!((write.unit.as_str(), write.durable, write.reads), ("KiB/s", SyncedResult::Synced, Reads::Nothing));
    assert_eq!(of(&rows, "random read, 4096 KiB in 4 KiB").reads, Reads::Device, "-I");
    assert_eq!(write.time, Some(1_795_459_240.0), "Mon Nov 23 18:40:40 2026");
    assert_eq!(write.conditions["program"], "IOzone 3.489");
}

#[test]
fn iozones_report_has_the_figures_of_its_table() {
    let text = include_str!("outputs/iozone-report.txt");
    let rows = read("a", text);
    assert_eq!((rows.len(), of(&rows, "freread, 4096 KiB in 64 KiB").value), (13, 20_168_765.0));
    let write = of(&rows, "write, 4096 KiB in 64 KiB");
    assert_eq!((write.value, write.durable), (1_581_531.0, SyncedResult::NotSynced));
    assert_eq!(of(&rows, "reread, 4096 KiB in 64 KiB").reads, Reads::JustWritten);
    let (_, report) = text.split_once("Excel output is below:").expect("it was made with -R");
    let alone = read("a", report);
    assert_eq!((alone.len(), of(&alone, "writer, 4096 KiB in 64 KiB").value), (13, 1_581_531.0));
}

#[test]
fn iozones_processes_are_counted_together() {
    let rows = read("a", include_str!("outputs/iozone-processes.txt"));
    let expected = [
        ("2 initial writers, record 64 kB", vec![5576.19]),
        ("2 re-readers, record 64 kB", vec![17_535.81]),
        ("2 readers, record 64 kB", vec![75_575.33]),
        ("2 rewriters, record 64 kB", vec![8798.83]),
    ];
    assert_eq!(figures(&rows), BTreeMap::from(expected));
    assert_eq!(rows[0].unit, "ops/s", "-O");
}

#[test]
fn sysbench_runs_of_a_file_are_repetitions() {
    let rows = read("a", include_str!("outputs/sysbench-ext4.txt"));
    let work = "random r/w, 16kib, 32mib, 2 threads";
    let (reads, writes) = (format!("{work}: reads"), format!("{work}: writes"));
    let expected = [(reads.as_str(), vec![1944.92, 1027.38]), (writes.as_str(), vec![1296.62, 684.92])];
    assert_eq!(figures(&rows), BTreeMap::from(expected));
    assert_eq!((of(&rows, &writes).durable, of(&rows, &reads).reads), (SyncedResult::Synced, Reads::Unknown));
    let text = include_str!("outputs/sysbench-ext4.txt");
    let checked = text.replacen("File operations:", "[ 1s ] Checkpoint report:\nFile operations:", 1);
    assert_ne!(checked, text);
    let refused = results(&File { label: "a", name: "a", text: &checked, is_labelled: false }).expect_err("a part");
    assert_eq!(refused.to_string(), "a: the figures of run 1 are of the time since a checkpoint");
    let failed = "sysbench 1.0.20 (using LuaJIT)\nFATAL: Too large position discovered in request!\n";
    let file = File { label: "a", name: "a", text: failed, is_labelled: false };
    assert!(results(&file).expect_err("no work").to_string().contains("run 1 failed"));
    // What is printed without figures is no run, and what wrote nothing had nothing to sync.
    let read_only = "sysbench 1.0.20\nsysbench 1.0.20 (using LuaJIT)\nNumber of threads: 1\n\
                     Calling fsync() at the end of test, Enabled.\nDoing sequential read test\n\
                     File operations:\n    reads/s:  100.5\n    writes/s:  0.00\n    fsyncs/s:  0.00\n";
    let [reads] = &read("a", read_only)[..] else { panic!("one figure") };
    assert_eq!((reads.source.as_str(), &reads.notes[..]), ("a, run 1", &[][..]));
    let written = read("a", &read_only.replace("writes/s:  0.00", "writes/s:  9.00"));
    assert_eq!(written[0].notes[0].class, FindingClass::Durability);
    let old = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\nNumber of threads: 8\n\
               Operations performed:  5991 Read, 4009 Write, 12800 Other = 22800 Total\n  170.32 Requests/sec executed\n";
    assert_eq!(figures(&read("a", old)), BTreeMap::from([("database, 8 threads: requests", vec![170.32])]));
    let newer = "sysbench 1.1.0-18a9f86 (using LuaJIT)\nNumber of threads: 1\nDoing random r/w test\n\
                 Throughput:\n         read:  IOPS=1234.50 19.29 MiB/s (20.22 MB/s)\n         write: IOPS=823.00 12.86 MiB/s\n";
    let newer = read("a", newer);
    assert_eq!(figures(&newer)["random r/w, 1 threads: writes"], [823.0]);
    assert_eq!(figures(&newer)["random r/w, 1 threads: reads"], [1234.5]);
    let database = "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 4\n    transactions:  1000   (99.94 per sec.)\n";
    assert_eq!(figures(&read("a", database)), BTreeMap::from([("database, 4 threads: transactions", vec![99.94])]));
}

#[test]
fn dbench_gives_a_throughput_per_run() {
    let text = include_str!("outputs/dbench.txt");
    let rows = read("a", &format!("{text}{text}"));
    assert_eq!(figures(&rows), BTreeMap::from([("2 clients", vec![382.011, 382.011])]));
    assert_eq!((rows[0].durable, rows[0].conditions["program"].as_str()), (SyncedResult::Unknown, "dbench 4.00"));
    assert_ne!(rows[0].source, rows[1].source);
}

#[test]
fn bonnies_last_line_counts_and_what_was_too_fast_is_a_bound() {
    let rows = read("a", include_str!("outputs/bonnie.txt"));
    let expected = [
        ("random create, 24×1024 files", vec![3717.0]),
        ("random delete, 24×1024 files", vec![29_784.0]),
        // 24 × 1024 files in half a second.
        ("random stat, 24×1024 files", vec![49_152.0]),
        ("read, 1500M", vec![2_403_880.0]),
        ("rewrite, 1500M", vec![762_590.0]),
        ("seeks, 1500M", vec![7215.0]),
        ("sequential create, 24×1024 files", vec![16_004.0]),
        ("sequential delete, 24×1024 files", vec![35_527.0]),
        ("sequential stat, 24×1024 files", vec![49_152.0]),
        ("write, 1500M", vec![475_972.0]),
    ];
    assert_eq!(figures(&rows), BTreeMap::from(expected));
    assert_eq!(
        (of(&rows, "write, 1500M").durable, of(&rows, "read, 1500M").reads),
        (SyncedResult::Synced, Reads::JustWritten)
    );
    let bounds = rows.iter().filter(|row| row.is_bound).map(|row| row.workload.split(',').next().unwrap_or_default());
    assert_eq!(bounds.collect::<Vec<_>>(), ["sequential stat", "random stat"]);
    // The formats 1.97 and 1.03 lack fields; the names of several machines are contenders.
    let older = "1.97,1.97,my-ext4,1,1386098711,8G,,1,2,3,4,5,6,7,8,9,10,11,12,16,,,,,13,14,15,16,17,18,19,20,21,22,23,24,\
                 1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us,12us\n\
                 my-xfs,8G,1,2,3,4,5,6,7,8,9,10,11,12,16,13,14,15,16,17,18,19,20,21,22,23,24\n";
    let rows = read("a", older);
    let contenders: Vec<&str> = rows.iter().map(|row| row.contender.as_str()).collect();
    assert_eq!((contenders[0], contenders[12], rows.len()), ("my-ext4", "my-xfs", 24));
    let both = figures(&rows);
    assert_eq!(both["random delete, 16×1024 files"], [23.0, 23.0]);
    assert_eq!(both["seeks, 8G"], [11.0, 11.0]);
}

#[test]
fn iors_iterations_count_and_its_summary_does_not() {
    let text = read("a", include_str!("outputs/ior.txt"));
    let (write, reread) = ("write, 2048 KiB in 256 KiB, 2 tasks", "read, 2048 KiB in 256 KiB, 2 tasks");
    let expected = [(write, vec![654.13, 339.76, 454.17]), (reread, vec![7378.0, 29_642.0, 32_577.0])];
    assert_eq!(figures(&text), BTreeMap::from(expected));
    assert_eq!((of(&text, write).durable, of(&text, reread).reads), (SyncedResult::Synced, Reads::JustWritten), "-e");
    assert_eq!((text[0].host.as_deref(), text[0].time), (Some("vm"), Some(1_795_459_272.0)));
    assert_eq!(text[0].conditions["program"], "IOR-4.1.0+dev");
    let json = read("a", include_str!("outputs/ior.json"));
    assert_eq!(figures(&json)[write], [1460.9209, 1469.4943, 1012.3833]);
    assert_eq!((of(&json, write).durable, of(&json, reread).reads), (SyncedResult::NotSynced, Reads::JustWritten));
    let sources: Vec<&str> = json.iter().take(3).map(|row| row.source.as_str()).collect();
    assert_eq!(sources, ["a, run 1"; 3], "iterations are of one run");
}

#[test]
fn mdtests_means_count() {
    let rows = read("a", include_str!("outputs/mdtest.txt"));
    assert_eq!(figures(&rows)["file creation, 2 tasks"], [37_473.523]);
    let verbose = read("a", include_str!("outputs/mdtest-verbose.txt"));
    let created = of(&verbose, "file creation, 2 tasks");
    assert_eq!((created.durable, created.time), (SyncedResult::Synced, Some(1_795_459_274.0)), "-y");
    assert_eq!(of(&rows, "file stat, 2 tasks").reads, Reads::JustWritten);
    assert_eq!(of(&rows, "directory creation, 2 tasks").durable, SyncedResult::NotSynced);
}

#[test]
fn mdtests_statistics_of_ranks_do_not_count() {
    let text = "mdtest-4.1.0+dev was launched with 10 total task(s) on 1 node(s)\n\
                SUMMARY rate: (of 3 iterations)\n\
                Operation  per Rank: Max  Min  Mean  Std Dev  per Iteration:  Max  Min  Mean\n\
                ---------           ---  ---  ----  -------                 ---  ---  ----\n\
                File creation  :  301409.0  61433.0  125683.0  64712.0  104000.0  61000.0  84000.0\n";
    assert_eq!(of_first(&read("a", text)), [84_000.0]);
    let newer = text.replace("Mean\n", "Mean  Std Dev\n").replace("84000.0\n", "84000.0  9.0\n");
    assert_eq!(of_first(&read("a", &newer)), [84_000.0]);
}

fn of_first(rows: &[Measured]) -> Vec<f64> {
    rows.iter().map(|row| row.value).collect()
}

#[test]
fn sysbench_0_4_prints_flags_of_open_as_a_number() {
    for (flags, durable, reads) in [
        ("1052672", SyncedResult::Synced, Reads::Unknown),
        ("16384", SyncedResult::NotSynced, Reads::Device),
        ("0", SyncedResult::NotSynced, Reads::Unknown),
    ] {
        let text = format!(
            "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\nRunning the test with following options:\n\
             Number of threads: 4\n\nExtra file open flags: {flags}\n128 files, 16Mb each\n2Gb total file size\n\
             Block size 16Kb\nDoing random r/w test\n  135.33 Requests/sec executed\n"
        );
        assert_eq!((read("a", &text)[0].durable, read("a", &text)[0].reads), (durable, reads), "{flags}");
    }
}

#[test]
fn iterations_of_one_run_are_no_repetitions() {
    for (text, figure) in [
        (include_str!("outputs/ior.txt"), "654.13"),
        (include_str!("outputs/ior.json"), "1460.9209"),
        (include_str!("outputs/mdtest-verbose.txt"), "1429.938"),
    ] {
        let other = text.replace(figure, "700.5");
        let rows = [("a", text), ("b", other.as_str())]
            .map(|(name, text)| results(&File { label: name, name, text, is_labelled: true }).expect("well formed"));
        let judgement = judge(&rows.concat(), Share(0.05));
        let reasons: Vec<JudgedReason> = judgement.pairs.iter().map(|pair| pair.reason).collect();
        assert!(reasons.iter().all(|reason| *reason == JudgedReason::NoRepetition), "{figure}: {reasons:?}");
        assert_eq!(judgement.results, 2, "{figure}");
    }
}

#[test]
fn the_phoronix_test_suite_records_the_file_system() {
    let text = include_str!("outputs/composite.xml");
    let rows = read("a", text);
    assert_eq!((rows.len(), rows[0].workload.as_str()), (15, "Dbench here, MB/s"));
    assert_eq!((rows[1].value, rows[1].source.as_str()), (57.5702, "a, run 1, xfs, run 2"));
    assert_eq!((rows[0].contender.as_str(), rows[0].recorded.as_deref()), ("xfs", Some("ext4")));
    assert_eq!(rows[0].time, Some(1_795_460_445.0), "2026-11-23 19:00:45");
    assert_eq!(rows[0].conditions["Processor"], "AMD EPYC (2 Cores)");
    let judgement = judge(&rows, Share(0.05));
    assert!(judgement.findings[0].text.contains("all 15 results record ext4, also the 15 called xfs"), "{judgement:?}");
    // A second system that really was XFS, on another kernel, with a test where less is better.
    let (before, after) = text.split_once("  <Result>").expect("there is one");
    let system = before.split_once("  <System>").expect("there is one").1;
    let other =
        system.replace("<Identifier>xfs", "<Identifier>XFS here").replace("File-System: ext4", "File-System: xfs");
    let other = other.replace("Kernel: 6.18.44", "Kernel: 6.1.0").replace("19:00:45", "20:00:00");
    let entry = "<Entry><Identifier>XFS here</Identifier><Value>12.5</Value><RawString></RawString></Entry></Data>";
    let after = after.replace("</Data>", entry).replace("HIB", "LIB");
    let two = read("a", &format!("{before}  <System>{other}  <Result>{after}"));
    assert_eq!((two.len(), two[15].value, two[15].better), (16, 12.5, Better::Lower));
    let texts = judge(&two, Share(0.05)).findings.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("\n");
    assert!(texts.contains("these differ: Kernel (XFS here: 6.1.0-fc-v657 (x86_64), xfs: 6.18.44"), "{texts}");
    assert!(texts.contains("one after the other"), "{texts}");
}

#[test]
fn hostile_outputs_are_refused_or_judged() {
    let texts = [
        include_str!("outputs/iozone-ext4.txt"),
        include_str!("outputs/iozone-report.txt"),
        include_str!("outputs/sysbench-ext4.txt"),
        include_str!("outputs/dbench.txt"),
        include_str!("outputs/bonnie.txt"),
        include_str!("outputs/ior.txt"),
        include_str!("outputs/ior.json"),
        include_str!("outputs/mdtest.txt"),
        include_str!("outputs/composite.xml"),
    ];
    fsarena_testing::fuzz::texts(&texts, |text| {
        if let Ok(rows) = results(&File { label: "a", name: "a", text, is_labelled: false }) {
            let _ = judge(&rows, Share(0.05));
        }
    });
}

#[test]
fn two_file_systems_are_judged_by_repeated_runs() {
    let mut rows = Vec::new();
    let ext4 = include_str!("outputs/sysbench-ext4.txt");
    let xfs = include_str!("outputs/sysbench-xfs.txt");
    for (label, text) in [("ext4", ext4), ("xfs", xfs)] {
        rows.extend(results(&File { label, name: label, text, is_labelled: false }).expect("well formed"));
    }
    let judgement = judge(&rows, Share(0.05));
    let texts: Vec<String> =
        judgement.findings.iter().map(|finding| format!("{}: {}", finding.class, finding.text)).collect();
    assert!(texts.iter().any(|text| text.starts_with("identity: no result records")), "{texts:#?}");
    assert!(texts.iter().any(|text| text.contains("reads: nothing shows whether reads came")), "{texts:#?}");
    assert!(!texts.iter().any(|text| text.starts_with("one run") || text.starts_with("durability")), "{texts:#?}");
    assert_eq!(judgement.results, 4);
    assert!(rows.iter().all(|row| row.better == Better::Higher));
}
