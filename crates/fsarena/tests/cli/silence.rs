//! A run measures even if its output cannot be written.

use std::fs::File;
use std::process::Command;

use crate::stage::{Stage, binary, err, out, run};

/// The arguments of a comparison of two directories with one round.
fn arguments(stage: &Stage) -> Vec<String> {
    let folder = |name: &str| {
        std::fs::create_dir_all(stage.path(name)).expect("made");
        format!("dir:{}", stage.path(name).display())
    };
    let [a, b, small, store] = [folder("a"), folder("b"), stage.small(), stage.store().display().to_string()];
    let words =
        ["--store", &store, "compare", &a, &b, "--rounds", "1", "--baselines", "never", "-v", "--workload", &small];
    words.map(str::to_owned).to_vec()
}

#[test]
fn a_run_ends_well_with_an_output_full_or_closed() {
    let stage = Stage::new();
    let arguments = arguments(&stage);
    let full = File::options().write(true).open("/dev/full").expect("there");
    run(Command::new(binary()).args(&arguments).stderr(full), 0);
    run(Command::new("sh").args(["-c", "exec \"$0\" \"$@\" 2>&-"]).arg(binary()).args(&arguments), 0);
    let full = File::options().write(true).open("/dev/full").expect("there");
    let told = err(&run(Command::new(binary()).args(&arguments).stdout(full), 4));
    assert!(told.contains("run 3 is kept: fsarena report 3"), "{told}");
    let runs = out(&run(stage.fsarena().arg("runs"), 0));
    assert_eq!(runs.matches("complete").count(), 3, "{runs}");
    assert!(stage.json()["cells"].as_array().is_some_and(|cells| !cells.is_empty()));
}

#[test]
fn an_error_that_cannot_be_printed_keeps_its_exit_code() {
    let stage = Stage::new();
    let full = || File::options().write(true).open("/dev/full").expect("there");
    run(stage.fsarena().args(["report", "7"]).stderr(full()), 2);
    run(stage.fsarena().args(["--no-such-option"]).stderr(full()), 2);
    run(stage.fsarena().arg("list").stdout(full()), 4);
}
