//! Options and commands: each does what its help says.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, err, out, run, script, wait_until};

/// `fsarena compare` of two directories, with the small workload.
fn compare(stage: &Stage, more: &[&str]) -> Command {
    let mut command = stage.fsarena();
    command.arg("compare");
    for name in ["a", "b"] {
        fs::create_dir_all(stage.path(name)).expect("made");
        command.arg(format!("dir:{}", stage.path(name).display()));
    }
    command.args(["--workload", &stage.small(), "--baselines", "never"]).args(more);
    command
}

#[test]
fn progress_is_printed_without_a_terminal_unless_silenced() {
    let stage = Stage::new();
    let progress = err(&run(&mut compare(&stage, &["--rounds", "2"]), 0));
    assert!(progress.contains("round 1: 0 of 1 pairs decided\nround 2: "), "{progress}");
    let quiet = err(&run(&mut compare(&stage, &["--rounds", "2", "--no-progress"]), 0));
    assert!(!quiet.contains("pairs decided"), "{quiet}");
}

#[test]
fn colour_is_used_where_it_is_wanted() {
    let stage = Stage::new();
    run(&mut compare(&stage, &["--rounds", "1"]), 0);
    let report = |when: &[&str]| out(&run(stage.fsarena().args(["report", "last"]).args(when), 0));
    assert!(report(&["--color", "always"]).contains('\x1b'));
    assert!(!report(&["--color", "never"]).contains('\x1b') && !report(&[]).contains('\x1b'));
}

#[test]
fn a_run_goes_on_for_a_given_time() {
    let stage = Stage::new();
    run(&mut compare(&stage, &["--rounds", "1"]), 0);
    run(stage.fsarena().args(["resume", "last", "--budget", "3s"]), 0);
    let report = stage.json();
    assert!(report["rounds"].as_u64().is_some_and(|rounds| rounds > 1), "{}", report["rounds"]);
    assert!(report["notes"].to_string().contains("after round 1, with "), "{}", report["notes"]);
}

#[test]
fn a_second_run_waits_for_the_first() {
    let stage = Stage::new();
    let mut first = compare(&stage, &["--rounds", "1000"]);
    let mut first = Doomed(first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("the first one works", || fs::read_dir(stage.path("a")).expect("there").next().is_some());
    let file = stage.path("words");
    let mut second = stage.fsarena_with(&stage.path("other.sqlite"));
    second.arg("compare").args(["a", "b"].map(|name| format!("dir:{}", stage.path(name).display())));
    second.args(["--workload", &stage.small(), "--rounds", "1"]).stdout(Stdio::null());
    let second = second.stderr(fs::File::create(&file).expect("made"));
    let mut second = Doomed(second.spawn().expect("it starts"));
    let words = || fs::read_to_string(&file).expect("readable");
    let hint = format!("`kill {}` ends that run and clears up", first.0.id());
    let waits =
        || [&hint, "waiting: another run of fsarena is using this machine"].iter().all(|part| words().contains(*part));
    wait_until("the second one waits", waits);
    kill_process(Pid::from_child(&first.0), Signal::TERM).expect("sent");
    assert_eq!(first.0.wait().expect("it ends").code(), Some(130));
    assert_eq!(second.0.wait().expect("it ends").code(), Some(0), "{}", words());
}

#[test]
fn a_medium_is_imitated_and_a_contender_has_no_counters() {
    let Some(stage) = Stage::of_root() else { return };
    let arguments = ["ext4", "other=ext4", "--medium", "hdd", "--no-counters", "other", "--rounds", "1"];
    run(stage.compare(&arguments).args(["--baselines", "never", "--workload", &stage.small()]), 0);
    let report = stage.json();
    assert_eq!(report["environment"]["queue"]["rotational"], "1", "{}", report["environment"]["queue"]);
    let flushes = [0, 1].map(|cell: usize| report["cells"][cell]["probes"]["device.flushes"]["value"].as_f64());
    assert!(flushes[0].is_some_and(|flushes| flushes >= 0.9) && flushes[1].is_none(), "{flushes:?}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// A search path with an e2fsck that always finds damage.
fn with_damage(stage: &Stage) -> String {
    let (bin, path) = (stage.path("bin"), std::env::var("PATH").expect("a search path"));
    let text = "[ \"$1\" = -V ] && { echo 'e2fsck 1.47.0' >&2; exit 0; }\necho 'Inode 7 is damaged'\nexit 4";
    script(&bin.join("e2fsck"), text);
    format!("{}:{path}", bin.display())
}

#[test]
fn damage_is_stated_and_has_its_exit_code() {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = stage.compare(&["ext4", "xfs", "--rounds", "1", "--baselines", "never"]);
    let output = run(command.args(["--workload", &stage.small()]).env("PATH", with_damage(&stage)), 3);
    assert!(out(&output).contains("damage") && err(&output).contains("ext4 is damaged after round 1"), "{output:?}");
    let damage = stage.json()["damage"].clone();
    let damaged: Vec<_> = damage.as_array().expect("a list").iter().map(|check| check["contender"].clone()).collect();
    assert_eq!(damaged, ["ext4"], "{damage}");
    assert_eq!(stage.left(), Vec::<String>::new());
}
