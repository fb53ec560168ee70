//! A stored run goes on, on real lanes.

use std::process::Command;

use serde_json::Value;

use crate::stage::{Stage, accounts_for, binary, err, is_root, out, rounds_of, run};

/// The binary with one processor, which is not the machine that the run was on.
fn on_one_core(stage: &Stage) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(binary()).arg("--store").arg(stage.store());
    command
}

/// Rounds, status and notes of the last run.
fn state(stage: &Stage) -> (Value, Value, Value) {
    let report = stage.json();
    (report["rounds"].clone(), report["status"].clone(), report["notes"].clone())
}

#[test]
fn a_run_goes_on_and_nothing_is_left() {
    if !is_root() {
        return;
    }
    let stage = Stage::new();
    run(
        stage.compare(&["ext4", "xfs", "btrfs"]).args(["--rounds", "2", "--workload", &stage.small(), "--seed", "7"]),
        0,
    );
    let before = state(&stage);
    let rounds = rounds_of(&stage.json(), 2);
    let plan = out(&run(stage.fsarena().args(["resume", "--rounds", "1", "--dry-run"]), 0));
    let wanted = format!("run 1 from round {} on: 1 further round of what is undecided\n", rounds + 1);
    assert!(plan.contains(&wanted), "{plan}");
    assert!(err(&run(stage.fsarena().args(["resume", "7"]), 2)).contains("fsarena runs"));
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        let text = err(&run(on_one_core(&stage).args(["resume", "1", "--rounds", "1"]), 4));
        assert!(text.contains("this is 1 core") && text.contains("hint: start a new one: fsarena compare"), "{text}");
    }
    assert_eq!((state(&stage), stage.left()), (before, Vec::new()), "the run is as it was");

    let output = run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert!(err(&output).contains("run 1;"), "{}{}", out(&output), err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
    let report = stage.json();
    assert_eq!(report["status"].as_str(), Some("complete"));
    let said = format!("after round {rounds}, with 1 further round");
    assert!(report["notes"].to_string().contains(&said), "{}", report["notes"]);
    for cell in report["cells"].as_array().expect("cells") {
        assert!(accounts_for(cell, rounds_of(&report, rounds + 1)), "{cell}");
    }
    let command: Vec<&str> = report["command"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    assert!(command.windows(2).any(|words| words == ["--rounds", "3"]), "{command:?}");
}
