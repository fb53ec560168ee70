//! Stores of other users, stores that are not writable, and stores that do not exist.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use fsarena_model::{Event, Outcome, Plan, RunRecord, Trial, Workload};
use fsarena_store::Store;

use crate::stage::{SMALL, Stage, binary, copy_program, err, is_root, out, run, script};

const NOBODY: u32 = 65534;

/// The binary, copied to a place where every user may run it, and run by the user `nobody`.
fn as_nobody(stage: &Stage) -> Command {
    let copy = stage.path("fsarena");
    if !copy.exists() {
        copy_program(binary(), &copy);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(copy);
    command.env_remove("HOME").env_remove("XDG_DATA_HOME");
    command
}

/// A finished trial of a plan.
fn trial(plan: &Plan) -> Trial {
    let (workload, label) = (plan.workloads[0].name.as_str(), plan.contenders[0].label.clone());
    Trial::empty(1, workload, label, Outcome::Finished)
}

/// Stores a run of a hand-made plan, with one trial.
fn stored(stage: &Stage, change: impl FnOnce(&mut Plan)) -> RunRecord {
    let folder = stage.path("a");
    fs::create_dir_all(&folder).expect("made");
    let contenders = ["a", "b"].map(|label| format!("{label}=dir:{}", folder.display()).parse().expect("spelled"));
    let workload: Workload = fsarena_catalog::workload(&stage.file("small.toml", SMALL)).expect("well-formed");
    let mut plan = Plan { workloads: vec![workload], ..Plan::of(contenders.to_vec()) };
    change(&mut plan);
    let mut store = Store::open(&stage.store()).expect("opened");
    let run = store.insert(&plan, "2026-11-22T12:00:00Z", &[]).expect("begun");
    store.append(run, &Event::Trial(Box::new(trial(&plan)))).expect("stored");
    store.load(run).expect("there")
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("there").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_store_that_cannot_be_written_can_be_read() {
    let Some(stage) = Stage::of_root() else { return };
    stored(&stage, |_| {});
    let folder = stage.path("home");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("ours");
    fs::set_permissions(stage.store(), fs::Permissions::from_mode(0o644)).expect("ours");
    let before = (files(&folder), fs::read(stage.store()).expect("there"));
    for words in [vec!["report", "1"], vec!["runs"]] {
        let output = run(as_nobody(&stage).arg("--store").arg(stage.store()).args(&words), 0);
        assert!(!out(&output).is_empty(), "{words:?}");
    }
    assert_eq!((files(&folder), fs::read(stage.store()).expect("there")), before);
    fs::set_permissions(stage.store(), fs::Permissions::from_mode(0o600)).expect("ours");
    let text = err(&run(as_nobody(&stage).arg("--store").arg(stage.store()).arg("runs"), 4));
    assert!(text.contains("cannot be read") && text.contains("hint: "), "{text}");
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let stage = Stage::new();
    for words in [vec!["report", "last"], vec!["runs"], vec!["resume"]] {
        let text = err(&run(stage.fsarena().args(&words), 2));
        assert!(text.contains("there is no store at") && text.contains("hint: "), "{text}");
        assert!(!stage.store().exists() && !stage.path("home").exists(), "{words:?}");
    }
    if is_root() {
        let text = err(&run(as_nobody(&stage).arg("runs"), 4));
        assert!(text.contains("hint: name one with --store"), "{text}");
    }
}

#[test]
fn the_store_of_root_is_roots_whatever_home_is() {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = Command::new(binary());
    command.env("HOME", stage.path("home")).env("XDG_DATA_HOME", stage.path("data")).arg("doctor");
    let text = out(&command.output().expect("it starts"));
    assert!(text.contains("/var/lib/fsarena/store.sqlite"), "{text}");
}

#[test]
fn root_goes_on_with_no_run_of_a_store_that_another_user_owns() {
    let Some(stage) = Stage::of_root() else { return };
    stored(&stage, |_| {});
    chown(stage.store(), Some(NOBODY), Some(NOBODY)).expect("root may");
    let before = fs::read(stage.store()).expect("there");
    let text = err(&run(stage.fsarena().args(["resume", "1", "--rounds", "1"]), 2));
    assert!(text.contains("belongs to another user") && text.contains("hint: "), "{text}");
    run(stage.fsarena().args(["report", "1"]), 0);
    assert_eq!(fs::read(stage.store()).expect("there"), before);
    assert_eq!(files(&stage.path("home")), ["store.sqlite"]);
}

#[test]
fn a_stored_plan_is_checked_as_a_typed_one() {
    type Change = fn(&mut Plan);
    let changes: [(&str, Change); 5] = [
        ("`slices` is 1 or even", |plan| plan.workloads[0].slices = 3),
        ("at most a day", |plan| plan.workloads[0].timed_ms = u64::MAX),
        ("two contenders have the label", |plan| plan.contenders[1].label = plan.contenders[0].label.clone()),
        ("at most 1000", |plan| plan.rounds = fsarena_model::Rounds::Exactly(0)),
        ("above 0 %", |plan| plan.margin = fsarena_model::Share(0.0)),
    ];
    let stage = Stage::new();
    for (words, change) in changes {
        let run_number = stored(&stage, change).run.to_string();
        let text = err(&run(stage.fsarena().args(["resume", &run_number, "--rounds", "1"]), 2));
        assert!(text.contains(words), "{words} in {text}");
        assert!(files(&stage.path("a")).is_empty());
    }
}

#[test]
fn a_run_that_never_measured_anything_is_not_kept() {
    let Some(stage) = Stage::of_root() else { return };
    let (bin, path) = (stage.path("bin"), std::env::var("PATH").expect("a search path"));
    script(&bin.join("mke2fs"), "[ \"$1\" = -V ] && { echo 'mke2fs 1.47.0' >&2; exit 0; }\nexit 1");
    let mut command = stage.compare(&["ext4", "--rounds", "1", "--workload", &stage.small()]);
    run(command.env("PATH", format!("{}:{path}", bin.display())), 3);
    let runs = out(&run(stage.fsarena().arg("runs"), 0));
    assert!(!runs.contains("ext4"), "{runs}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn an_exported_run_is_the_same_in_another_store() {
    let stage = Stage::new();
    let record = stored(&stage, |_| {});
    let file = stage.path("run.jsonl").display().to_string();
    run(stage.fsarena().args(["export", "last", "-o", &file]), 0);
    assert_eq!(out(&run(stage.fsarena().args(["export", "1"]), 0)), fs::read_to_string(&file).expect("written"));
    let elsewhere = stage.path("home/other.sqlite");
    let words = err(&run(stage.fsarena_with(&elsewhere).args(["import", &file, &file]), 0));
    assert!(words.contains("is run 1") && words.contains("is run 2, a copy of run 1: fsarena report 2"), "{words}");
    let found = Store::read(&elsewhere).and_then(|store| store.load(2)).expect("there");
    assert_eq!(found, RunRecord { run: 2, ..record });
}

#[test]
fn other_files_than_exported_runs_are_not_imported() {
    let stage = Stage::new();
    stored(&stage, |_| {});
    let whole = out(&run(stage.fsarena().args(["export"]), 0));
    let lines: Vec<&str> = whole.lines().collect();
    let trial = lines.iter().find(|line| line.contains("\"trial\"")).expect("it measured");
    let below = r#""slices":[{"position":0,"operations":1,"bytes":0,"elapsed":1,"value":-1.0}]"#;
    let cases = [
        ("", "the end of the run is missing"),
        (&lines[..lines.len() - 1].join("\n"), "the end of the run is missing"),
        (&lines[2..].join("\n"), "a run begins with its plan"),
        (&whole.replace(env!("CARGO_PKG_VERSION"), "99.1"), "line 1: it is of fsarena 99.1"),
        ("rubbish", "line 1: it is not of an exported run: expected value\n"),
        (&whole.replace("\"trial\":{\"round\":1,", "\"trial\":{\"round\":4000000000,"), "4000000000 cannot have been"),
        (&whole.replace(trial, &format!("{trial}\n{trial}")), "in round 1 is there twice"),
        (&whole.replace("\"slices\":[]", below), " is below 0"),
    ];
    for (text, expected) in cases {
        let file = stage.file("run.jsonl", text);
        let words = err(&run(stage.fsarena().args(["import", &file]), 2));
        assert!(words.contains(expected) && words.contains("hint: "), "{words}");
    }
    run(stage.fsarena().args(["import", "/no/such/file"]), 2);
    assert_eq!(Store::read(&stage.store()).and_then(|store| store.last()).expect("there"), Some(1));
}
