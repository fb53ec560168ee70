//! `calibrate`: equals, a handicap, and what is said of them.

use crate::stage::{Stage, err, out, run};

#[test]
fn a_calibration_runs_equals_and_a_handicap_and_keeps_the_runs() {
    let stage = Stage::new();
    let folder = stage.path("here");
    std::fs::create_dir(&folder).expect("ours");
    let contender = format!("dir:{}", folder.display());
    let mut command = stage.fsarena();
    command.args(["calibrate", &contender, "--runs", "1", "--handicap", "50%", "--budget", "6s"]);
    let output = run(command.args(["--workload", &stage.small()]), 0);
    let text = out(&output);
    assert!(text.contains("small") && text.contains("0 of 1") && text.contains("50 % found"), "{text}");
    assert!(err(&output).contains("with a handicap: run 1 of 1"), "{}", err(&output));
    let report = stage.json();
    assert_eq!(report["run"], 2, "both runs are in the store");
    assert!(report["notes"].to_string().contains("`b` is slowed down on purpose"), "{}", report["notes"]);
}

#[test]
fn a_handicap_of_nothing_is_refused() {
    let stage = Stage::new();
    let output = run(stage.fsarena().args(["calibrate", "--handicap", "0%"]), 2);
    assert!(err(&output).contains("hint: --handicap 5%"), "{}", err(&output));
}
