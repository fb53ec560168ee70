//! Why contenders differ: traces of real work.

use fsarena_testing::{Need, has};
use serde_json::Value;

use crate::stage::{Stage, err, out, run};

/// The traces of the last run, with the labels of their contenders.
fn traces(stage: &Stage) -> Vec<(String, Value)> {
    let lines = out(&run(stage.fsarena().args(["export", "last"]), 0));
    let events = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let trace = |event: Value| {
        let trial = event.pointer("/trial").or_else(|| event.pointer("/event/trial"))?;
        Some((trial["contender"].as_str()?.to_owned(), trial.get("trace")?.clone()))
    };
    events.filter_map(trace).collect()
}

#[test]
fn the_time_of_a_sync_is_divided_and_waits_are_followed() {
    let Some(stage) = Stage::of_root() else { return };
    if !has(&[Need::Path("/sys/kernel/tracing")]) {
        return;
    }
    let mut command = stage.compare(&["ext4", "xfs", "btrfs"]);
    let output = run(command.args(["--rounds", "2", "--workload", "create-fsync", "--explain"]), 0);
    assert!(!err(&output).contains("not traced"), "{}", err(&output));
    let traces = traces(&stage);
    assert_eq!(traces.len(), 6, "a slice of each contender in each round");
    for (contender, trace) in &traces {
        let trace = &trace["traced"];
        let parts = trace["parts"].as_array().expect("a list");
        let sum: f64 = parts.iter().filter_map(|part| part["seconds"].as_f64()).sum();
        let (seconds, elapsed) = (trace["seconds"].as_f64().expect("a number"), trace["elapsed"].as_f64());
        let elapsed = elapsed.expect("nanoseconds") / 1e9;
        assert!((sum / seconds - 1.0).abs() < 1e-9 && (seconds / elapsed - 1.0).abs() < 0.01, "{contender}: {trace}");
        let waits = |wait: &str| parts.iter().any(|part| part["spent"]["waiting"][0] == wait);
        assert!(waits("commit"), "{contender}: {trace}");
        let at_device = parts.iter().any(|part| part["spent"]["waiting"][1].to_string().contains("loop driver"));
        assert!(at_device, "{contender}: {trace}");
        let writes = trace["requests"].as_array().expect("a list").iter().filter_map(|it| it["count"].as_u64());
        assert!(writes.sum::<u64>() >= trace["operations"].as_u64().expect("a number"), "{contender}: {trace}");
    }
    let command = stage.json()["command"].to_string();
    assert!(command.contains("--explain"), "{command}");
    // Two rounds decide nothing.
    let refused = err(&run(stage.fsarena().args(["explain", "last", "create-fsync"]), 2));
    assert!(refused.contains("run 1 has no traced slices of a pair that is decided to differ"), "{refused}");
    assert!(refused.contains("that count: fsarena resume 1 --rounds "), "{refused}");
    let refused = err(&run(stage.fsarena().args(["explain", "last", "no-such"]), 2));
    assert!(refused.contains("hint: it has: create-fsync"), "{refused}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_whole_run_is_traced_with_the_programs_that_it_starts() {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = stage.compare(&["ext4", "xfs"]);
    let output = run(command.args(["--rounds", "1", "--workload", "shell-create", "--explain"]), 0);
    assert!(!err(&output).contains("not traced"), "{}", err(&output));
    let traces = traces(&stage);
    assert_eq!(traces.len(), 2, "a further run of each contender");
    for (contender, trace) in &traces {
        let trace = &trace["traced"];
        let seconds = |is_it: &dyn Fn(&Value) -> bool| -> f64 {
            let parts = trace["parts"].as_array().expect("a list").iter().filter(|part| is_it(&part["spent"]));
            parts.filter_map(|part| part["seconds"].as_f64()).sum()
        };
        // A shell that makes files waits for nothing.
        let all = trace["seconds"].as_f64().expect("a number");
        assert!((seconds(&|_| true) / all - 1.0).abs() < 1e-9, "{contender}: {trace}");
        assert!(seconds(&|spent| spent == "user" || spent.get("kernel").is_some()) > 0.1 * all, "{contender}: {trace}");
        assert_eq!(trace["operations"], 10_000, "{contender}: {trace}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_run_that_was_not_traced_is_not_explained() {
    let stage = Stage::new();
    let directories = ["a", "b"].map(|name| {
        std::fs::create_dir_all(stage.path(name)).expect("made");
        format!("dir:{}", stage.path(name).display())
    });
    let mut command = stage.fsarena();
    command.arg("compare").args(&directories).args(["--workload", "create-fsync", "--scale", "smoke", "--rounds", "1"]);
    run(&mut command, 0);
    let refused = err(&run(stage.fsarena().args(["explain", "last"]), 2));
    assert!(refused.contains("hint: a run with --explain traces them"), "{refused}");
}
