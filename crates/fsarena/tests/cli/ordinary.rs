//! Without root: directories can be compared, and lanes are refused with a hint.

use std::fs;
use std::os::unix::fs::chown;
use std::process::Command;

use crate::stage::{Stage, binary, copy_program, err, out, run};

const NOBODY: u32 = 65534;

/// The binary, copied to a readable place, run by the user `nobody` with a separate home.
fn as_nobody(stage: &Stage) -> Command {
    let copy = stage.path("fsarena");
    if !copy.exists() {
        copy_program(binary(), &copy);
        for name in ["home", "a", "b"] {
            fs::create_dir(stage.path(name)).expect("made");
            chown(stage.path(name), Some(NOBODY), Some(NOBODY)).expect("root may");
        }
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(copy);
    command
        .env("HOME", stage.path("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_STATE_HOME")
        .env("NO_COLOR", "1");
    command
}

#[test]
fn directories_are_compared_without_root() {
    let Some(stage) = Stage::of_root() else { return };
    let folder = |name: &str| format!("dir:{}", stage.path(name).display());
    let small = stage.small();
    let output =
        run(as_nobody(&stage).args(["compare", &folder("a"), &folder("b"), "--rounds", "4", "--workload", &small]), 0);
    assert!(out(&output).contains("small"), "{}", out(&output));
    assert!(out(&output).contains("are directories on the same file system"), "{}", out(&output));
    for name in ["a", "b"] {
        assert_eq!(fs::read_dir(stage.path(name)).expect("there").count(), 0, "the subdirectory is gone again");
    }
    let ledger = stage.path("home/.local/state/fsarena/ledger");
    assert_eq!(fs::read_dir(ledger).expect("the user's own ledger").count(), 1, "only the lock is left");
}

#[test]
fn a_folder_of_the_users_own_is_not_cleared_away_for_its_name() {
    let Some(stage) = Stage::of_root() else { return };
    let own = std::path::Path::new("/tmp/fsarena-run-anything");
    fs::create_dir_all(own).expect("made");
    fs::write(own.join("precious"), "kept").expect("written");
    chown(own, Some(NOBODY), Some(NOBODY)).expect("root may");
    run(as_nobody(&stage).arg("clean"), 0);
    let kept = fs::read_to_string(own.join("precious"));
    let _ = fs::remove_dir_all(own);
    assert_eq!(kept.expect("it is still there"), "kept");
}

#[test]
fn lanes_need_root_and_the_error_has_a_hint() {
    let Some(stage) = Stage::of_root() else { return };
    let output = run(as_nobody(&stage).args(["compare", "ext4", "xfs"]), 4);
    let text = err(&output);
    assert!(text.contains("needs root") && text.contains("hint: ") && text.contains("dir:/a dir:/b"), "{text}");
    run(as_nobody(&stage).arg("list"), 0);
    let doctor = out(&run(as_nobody(&stage).arg("doctor"), 0));
    let sections = [
        "Machine",
        "Rights",
        "Kinds of file system, and layers below them",
        "Noise, watched for a second at rest",
        "Places for lanes, best first",
        "Store of results",
        "Next",
    ];
    let places: Vec<Option<usize>> = sections.iter().map(|title| doctor.find(&format!("{title}\n"))).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?} {doctor}");
    run(as_nobody(&stage).arg("clean"), 0);
}

#[test]
fn a_user_who_may_not_trace_is_told_why_differences_are_not_explained() {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = as_nobody(&stage);
    command.arg("compare").args(["a", "b"].map(|name| format!("dir:{}", stage.path(name).display())));
    let output = run(command.args(["--rounds", "2", "--workload", &stage.small(), "--explain"]), 0);
    let words = out(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("4 slices were not traced, so that at most their time on processors is known:"), "{words}");
}
