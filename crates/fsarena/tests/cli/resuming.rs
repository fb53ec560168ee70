//! Stored runs are continued, on real lanes.

use std::process::Command;

use serde_json::Value;

use crate::stage::{Stage, accounts_for, binary, err, out, run};

/// The binary restricted to one processor, which differs from the machine of the run.
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
    let Some(stage) = Stage::of_root() else { return };
    run(
        stage.compare(&["ext4", "xfs", "btrfs"]).args(["--rounds", "2", "--workload", &stage.small(), "--seed", "7"]),
        0,
    );
    let before = state(&stage);
    assert_eq!(stage.json()["rounds"], 2);
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
    let notes = report["notes"].to_string();
    assert!(notes.contains("after round 2, with 1 further round"), "{notes}");
    assert_eq!(report["rounds"], 3);
    for cell in report["cells"].as_array().expect("cells") {
        assert!(accounts_for(cell, 3), "{cell}");
    }
    let command: Vec<&str> = report["command"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    assert!(command.windows(2).any(|words| words == ["--rounds", "3"]), "{command:?}");
}
