//! Commands on stored runs: what they refuse, and the ways out that they name.

use std::fs;
use std::process::Stdio;

use fsarena_model::plan::Scale;
use fsarena_model::{Event, Outcome, Plan, Status, Trial, Workload};
use fsarena_store::Store;
use rustix::process::{Pid, Signal, kill_process};

use crate::several;
use crate::stage::{Doomed, SMALL, Stage, err, out, run, wait_until};

/// Stores a complete run of two kinds, with one trial.
fn of_two_kinds(stage: &Stage, change: impl FnOnce(&mut Plan)) -> i64 {
    let small: Workload = fsarena_catalog::workload(&stage.file("small.toml", SMALL)).expect("well-formed");
    let contenders = ["ext4", "xfs"].map(|kind| kind.parse().expect("spelled"));
    let mut plan = Plan { workloads: vec![small], ..Plan::of(contenders.to_vec()) };
    change(&mut plan);
    let mut store = Store::open(&stage.store()).expect("opened");
    let number = store.insert(&plan, "2026-11-22T12:00:00Z", &[]).expect("begun");
    let trial = Trial::empty(1, plan.workloads[0].name.as_str(), "ext4".into(), Outcome::Finished);
    for event in [Event::Trial(Box::new(trial)), Event::Finished(Status::Complete)] {
        store.append(number, &event).expect("stored");
    }
    number
}

/// What a command says that is refused.
fn refused(stage: &Stage, arguments: &[&str]) -> String {
    err(&run(stage.fsarena().args(arguments), 2))
}

#[test]
fn only_runs_of_equals_are_calibrated_again() {
    let stage = Stage::without_runs();
    of_two_kinds(&stage, |_| {});
    several::store(&stage, "small", 1.0);
    let text = refused(&stage, &["calibrate", "--of", "1"]);
    assert!(text.contains("run 1 is not one of a contender against itself\nhint: `fsarena calibrate ext4`"), "{text}");
    let text = refused(&stage, &["calibrate", "--of", "2,last"]);
    assert!(text.contains("run 2 and run 2 are the same run, which counts once"), "{text}");
    assert!(refused(&stage, &["calibrate", "--of", "2", "--slowdown", "10%"]).contains("cannot be used with"));
    let text = out(&run(stage.fsarena().args(["calibrate", "--of", "last"]), 0));
    assert!(text.contains("0 of 1 runs; the rule guarantees"), "{text}");
}

#[test]
fn a_run_that_has_no_verdicts_is_not_resumed() {
    let stage = Stage::without_runs();
    of_two_kinds(&stage, |plan| plan.suite.scale = Scale::Smoke);
    let text = refused(&stage, &["resume", "1"]);
    assert!(text.contains("run 1 only tried things out and is never judged\nhint: run it without"), "{text}");
}

#[test]
fn a_file_in_place_of_a_run_is_to_be_imported() {
    let stage = Stage::without_runs();
    several::store(&stage, "small", 1.0);
    let file = stage.path("run.jsonl").display().to_string();
    run(stage.fsarena().args(["export", "1", "-o", &file]), 0);
    let text = refused(&stage, &["report", &file]);
    assert!(text.contains(&format!("`fsarena import {file}` stores the run")), "{text}");
    let store = stage.store().display().to_string();
    let text = refused(&stage, &["import", &store]);
    assert!(text.contains("is no text, and an exported run is\nhint: unpack"), "{text}");
    assert!(refused(&stage, &["import", "/no/such"]).contains("hint: name a file that `fsarena export"));
    let text = refused(&stage, &["pages", &file]);
    assert!(text.contains("is no directory\nhint: name a directory"), "{text}");
    assert!(refused(&stage, &["report", "1", "-o", "-"]).contains("leave the option out to write to stdout"));
    let folder = stage.path("home").display().to_string();
    let text = refused(&stage, &["--store", &folder, "runs"]);
    assert!(text.contains("is not a file\nhint: name another file with `--store FILE`"), "{text}");
}

#[test]
fn all_of_the_runs_are_removed_or_none() {
    let stage = Stage::without_runs();
    let _runs = [1.0; 3].map(|ratio| several::store(&stage, "small", ratio));
    let listed = || out(&run(stage.fsarena().arg("runs"), 0)).lines().count() - 1;
    assert!(refused(&stage, &["runs", "remove", "1", "99"]).contains("has no run 99"));
    assert_eq!(listed(), 3);
    run(stage.fsarena().args(["runs", "remove", "1", "1", "last"]), 0);
    assert_eq!(listed(), 1);
}

#[test]
fn a_run_that_is_being_measured_is_listed_as_such() {
    let stage = Stage::new();
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| fs::create_dir(folder).expect("made"));
    let [a, b] = folders.each_ref().map(|folder| format!("dir:{}", folder.display()));
    let mut command = stage.fsarena();
    command.args(["compare", &a, &b, "--rounds", "1000", "--baselines", "never", "--workload", &stage.small()]);
    let mut child = Doomed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    // The store is made while this looks.
    let status = |word: &str| out(&stage.fsarena().arg("runs").output().expect("it starts")).contains(word);
    wait_until("it is at work", || status("  running  "));
    assert!(refused(&stage, &["runs", "remove", "1"]).contains("run 1 is still being measured"));
    kill_process(Pid::from_child(&child.0), Signal::TERM).expect("it is ours");
    assert_eq!(child.0.wait().expect("it ends").code(), Some(130));
    assert!(status("  interrupted  "));
}
