//! `--rate`: open loops in addition to the closed loop, on directories.

use serde_json::Value;

use crate::stage::{Stage, err, out, run};

/// Random writes into a small file, through the page cache.
const WRITES: &str = r#"
name = "writes"
version = 1
measures = "Small writes."
why = "A test."
engine = "data"
durable = "none"
cache = "warm"
mode = "sliced"
slices = 2
timed-ms = 30
metric = { name = "writes-per-second", unit = "writes/s", measure = "operations-per-second", better = "higher" }
parameters = { operation = "write", pattern = "random", file-size = "1M", block-size = 4096 }
"#;

fn directories(stage: &Stage) -> [String; 2] {
    ["a", "b"].map(|name| {
        std::fs::create_dir_all(stage.path(name)).expect("made");
        format!("{name}=dir:{}", stage.path(name).display())
    })
}

fn names(report: &Value) -> Vec<&str> {
    let workloads = report["workloads"].as_array().expect("an array");
    workloads.iter().filter_map(|workload| workload["name"].as_str()).collect()
}

#[test]
fn each_rate_is_a_workload_in_addition_to_the_closed_loop() {
    let stage = Stage::new();
    let [a, b] = directories(&stage);
    let writes = stage.file("writes.toml", WRITES);
    let arguments = ["compare", &a, &b, "--rounds", "1", "--workload", &writes, "--rate", "50%,110%", "--rate", "200"];
    let output = run(stage.fsarena().args(arguments), 0);
    assert!(out(&output).contains("writes@50%"), "{}", out(&output));
    let report = stage.json();
    assert_eq!(names(&report), ["writes", "writes@50%", "writes@110%", "writes@200"]);
    let row = &report["workloads"][1];
    assert_eq!((&row["variant_of"], &row["rate"]), (&"writes".into(), &"50%".into()));
    assert_eq!((&row["unit"], &row["better"]), (&"µs".into(), &"lower".into()));
    for cell in report["cells"].as_array().expect("an array") {
        let probe = |name: &str| cell["probes"][name]["value"].as_f64();
        let is_open = cell["workload"] != "writes";
        assert_eq!(probe("rate.offered").is_some(), is_open, "{}", cell["workload"]);
        assert!(probe("rate.done").is_some_and(|done| done > 0.0));
        assert!(
            cell["over_time"][0]["points"].as_array().is_some_and(|points| !points.is_empty() && points.len() % 2 == 0),
            "{cell}"
        );
        if cell["workload"] == "writes@200" {
            assert_eq!(probe("rate.offered"), Some(200.0));
        }
    }
    let page = out(&run(stage.fsarena().args(["report", "last", "--format", "html"]), 0));
    assert!(page.contains("Latency of write against load") && page.contains("--rate 50%,110%,200"));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_suite_goes_on_without_those_that_keep_no_rate() {
    let stage = Stage::without_runs();
    let suite = ["compare", "ext4", "--dry-run", "--suite", "operations", "--rate", "50%"];
    let output = run(stage.fsarena().args(suite), 0);
    let text = out(&output);
    assert!(text.contains("randread-4k@50%") && text.contains("counted from the intended start"), "{text}");
    assert!(text.contains("seqwrite-fsync (") && !text.contains("seqwrite-fsync@"), "{text}");
}

#[test]
fn rates_that_are_none_and_workloads_that_keep_none_are_refused() {
    let stage = Stage::without_runs();
    for bad in ["0", "x", "0%", "50%,", "-5"] {
        let rate = format!("--rate={bad}");
        let output = run(stage.fsarena().args(["compare", "ext4", "--dry-run", &rate]), 2);
        assert!(err(&output).contains("--rate") && err(&output).contains("no rate"), "{bad}: {}", err(&output));
    }
    let refused =
        |arguments: &[&str]| err(&run(stage.fsarena().args(["compare", "ext4", "--dry-run"]).args(arguments), 2));
    let twice = refused(&["--workload", "randread-4k", "--rate", "50%,50%"]);
    assert!(twice.contains("`50%` is given twice") && twice.contains("hint: "), "{twice}");
    let synced = refused(&["--workload", "randread-4k", "--workload", "seqwrite-fsync", "--rate", "50%"]);
    assert!(synced.contains("`seqwrite-fsync`") && synced.contains("cannot keep a rate"), "{synced}");
    assert!(synced.contains("hint: "), "{synced}");
}
