use super::*;
use fsarena_model::Scale;

const KNOWN: KnownRun = KnownRun { operations: 25_000, bytes: 0, elapsed: Nanos::seconds(60) };

/// The `output` of a workload of the catalogue.
fn output(workload: &str) -> Output {
    let workload = fsarena_catalog::workload(workload).expect("in the catalogue");
    let workload = fsarena_catalog::at_scale(workload, Scale::Standard).expect("sound");
    serde_json::from_value(workload.parameters["output"].clone()).expect("sound")
}

fn number(name: &str) -> Option<f64> {
    [("N", 25_000.0), ("files", 500.0)].iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

fn heard(pieces: &[(&str, u64)]) -> Heard {
    let mut heard = Heard::default();
    pieces.iter().for_each(|(piece, seconds)| heard.hear(piece.as_bytes(), Nanos::seconds(*seconds)));
    heard
}

fn postmark() -> Heard {
    heard(&[
        ("Creating fi", 0),
        ("les", 1),
        ("...Done\nPerforming transactions", 3),
        ("....D", 5),
        ("one\nDeleting files...Done\n", 9),
    ])
}

fn counted(workload: &str, text: &str, heard: &Heard) -> Result<RunStats, String> {
    let mut stats = RunStats::new();
    let counted = output(workload).count("it", text, heard, KNOWN, number, &mut stats);
    counted.map(|()| stats).map_err(|error| error.to_string())
}

#[test]
fn dbenchs_table_is_read() {
    let text = include_str!("../dbench.txt");
    let stats = counted("phoronix-dbench", text, &Heard::default()).expect("its output");
    assert_eq!((stats.operations, stats.bytes, stats.elapsed), (773_474, 4_168_750_000, Nanos::seconds(10)));
    for (id, unit, figure) in [
        ("commits", "commits", 9303.0),
        ("connections", "connections", 12.0),
        ("dbench.throughput", "MB/s", 416.875),
        ("dbench.max-latency", "ms", 161.221),
        ("dbench.flush", "operations", 9303.0),
        ("dbench.flush.avg", "ms", 9.226),
        ("dbench.unlockx.max", "ms", 0.002),
    ] {
        let wanted = (Probe::of_program(id, unit), figure);
        assert!(stats.reported.contains(&wanted), "{wanted:?}: {:?}", stats.reported);
    }
    assert_eq!(stats.reported.len(), 2 + 2 + 14 * 3);
    // A run of seconds may end before its first flush.
    let short = counted("phoronix-dbench", &text.replace("Flush", "x"), &Heard::default()).expect("its output");
    assert_eq!(short.reported.len(), 2 + 13 * 3, "neither flushes nor commits");
    for (lacks, what) in [("Throughput", "Throughput"), ("execute", "execute"), ("max_latency", "max_latency")] {
        let error = counted("phoronix-dbench", &text.replace(lacks, "x"), &Heard::default()).expect_err("missing");
        assert!(error.contains("its output has no") && error.contains(what), "{error}");
    }
    let stopped = text.replace("Throughput 416.875", "Throughput 0");
    let error = counted("phoronix-dbench", &stopped, &Heard::default()).expect_err("nothing was done");
    assert!(error.ends_with("is 0; a figure must be a number above 0"), "{error}");
}

#[test]
fn postmarks_counts_must_add_up_and_its_transactions_are_timed() {
    let text = include_str!("../postmark.txt");
    let stats = counted("phoronix-postmark", text, &postmark()).expect("its output");
    assert_eq!((stats.operations, stats.elapsed), (25_000, Nanos::seconds(6)));
    for (id, unit, figure) in [("postmark.creation", "s", 2.0), ("postmark.created", "files", 12_978.0)] {
        let wanted = (Probe::of_program(id, unit), figure);
        assert!(stats.reported.contains(&wanted), "{wanted:?}: {:?}", stats.reported);
    }
    let deletion = stats.reported.iter().any(|(probe, _)| probe.id == "postmark.deletion");
    assert!(!deletion, "it began and ended in one piece");
    let other = text.replace("12522 files", "12521 files");
    let error = counted("phoronix-postmark", &other, &postmark()).expect_err("one is missing");
    assert!(error.contains("is 24999; `N` is 25000"), "{error}");
    let at_once = heard(&[("Creating files...Done\nPerforming transactions..Done\nDeleting files...Done", 1)]);
    let error = counted("phoronix-postmark", text, &at_once).expect_err("no time");
    assert!(error.contains("both came in one piece"), "{error}");
}

#[test]
fn numbers_are_the_first_the_last_or_all() {
    let read = |take: &str, text: &str| {
        let capture = format!(r#"{{ "pattern": "n=(\\S+)", "name": "n", "take": "{take}" }}"#);
        let capture: Capture = serde_json::from_str(&capture).expect("sound");
        capture.figures(text).first().map(|(_, number)| *number)
    };
    let text = "n=1 n=x n=-3 n=2.5\nn=4 n=inf";
    assert_eq!([read("first", text), read("last", text), read("sum", text)], [Some(1.0), Some(4.0), Some(7.5)]);
    assert_eq!(read("sum", "none"), None);
    let output = r#"{ "captures": [{ "as": "figure", "pattern": "n=(\\S+)" }] }"#;
    let output: Output = serde_json::from_str(output).expect("sound");
    for found in ["0", "-5", "x", "inf"] {
        let text = format!("n={found}");
        let counted = output.count("it", &text, &Heard::default(), KNOWN, |_| None, &mut RunStats::new());
        let error = counted.expect_err(found).to_string();
        assert!(error.ends_with(&format!("is {found}; a figure must be a number above 0")), "{error}");
    }
}

#[test]
fn elbenchos_time_is_that_of_its_last_thread_with_the_sync() {
    let text = include_str!("../elbencho.txt");
    let read = |text: &str| {
        let (known, files) = (KnownRun { operations: 1000, ..KNOWN }, |name: &str| (name == "N").then_some(1000.0));
        let mut stats = RunStats::new();
        let counted = output("elbencho-create").count("it", text, &Heard::default(), known, files, &mut stats);
        counted.map(|()| stats).map_err(|error| error.to_string())
    };
    let stats = read(text).expect("its output");
    assert_eq!((stats.operations, stats.elapsed), (1000, Nanos::millis(350 + 21)));
    let first = (Probe::of_program("elbencho.first-done", "ms"), 327.0);
    assert!(stats.reported.contains(&first), "{:?}", stats.reported);
    let fewer = read(&text.replace(r#""entries":"1000""#, r#""entries":"999""#)).expect_err("one is missing");
    assert!(fewer.contains("is 999; `N` is 1000"), "{fewer}");
    let unsynced = read(&text.replace(r#"e":"SYNC""#, r#"e":"SINK""#)).expect_err("no sync");
    assert!(unsynced.contains("its output has no") && unsynced.contains("SYNC"), "{unsynced}");
}
