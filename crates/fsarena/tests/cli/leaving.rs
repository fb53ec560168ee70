//! Runs that end early, by a signal or killed: measurements are stored, and nothing stays on the machine.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Stage, err, out, run};

/// Starts a run that takes some time.
fn start(stage: &Stage) -> Child {
    let small = stage.small();
    let mut command = stage.compare(&["ext4", "xfs", "btrfs"]);
    command.args(["--rounds", "100", "--workload", &small, "-v"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process number")).expect("not 0");
    kill_process(pid, signal).expect("it is ours");
}

/// Waits for a condition while the run is in progress.
fn wait_until(child: &mut Child, is_there: impl Fn() -> bool) {
    while !is_there() {
        assert!(child.try_wait().expect("ours").is_none(), "the run has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Number of finished rounds of the last run; `None` before the first measurement.
fn rounds(stage: &Stage) -> Option<u64> {
    let output = stage.fsarena().args(["report", "last", "--format", "json"]).output().expect("it starts");
    serde_json::from_slice::<serde_json::Value>(&output.stdout).ok()?["rounds"].as_u64()
}

/// Waits until the run's storage has `count` images.
fn wait_for_images(child: &mut Child, stage: &Stage, count: usize) {
    let images = || {
        let runs = std::fs::read_dir(stage.storage()).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten().flatten());
        files.filter(|file| file.file_name().to_string_lossy().ends_with(".img")).count()
    };
    wait_until(child, || images() >= count);
}

#[test]
fn an_interrupted_run_keeps_what_it_measured_and_leaves_nothing() {
    let Some(stage) = Stage::of_root() else { return };
    let mut child = start(&stage);
    wait_for_images(&mut child, &stage, 4);
    wait_until(&mut child, || rounds(&stage) >= Some(1));
    send(&child, Signal::INT);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert!(err(&output).contains("fsarena report 1"), "{}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
    assert_eq!(stage.json()["status"], "interrupted");
    assert!(stage.json()["rounds"].as_u64().is_some_and(|rounds| rounds >= 1), "{}", out(&output));
}

#[test]
fn a_killed_run_is_cleared_away_by_the_next_start() {
    let Some(stage) = Stage::of_root() else { return };
    // While lanes are written, just afterwards, and while workloads run.
    for (images, pause) in [(1, 10), (3, 150), (4, 700), (4, 2500)] {
        let mut child = start(&stage);
        wait_for_images(&mut child, &stage, images);
        std::thread::sleep(Duration::from_millis(pause));
        send(&child, Signal::KILL);
        child.wait().expect("it is dead");
        let output = run(stage.fsarena().arg("clean"), 0);
        assert!(err(&output).contains("left by an earlier run: "), "{}", err(&output));
        assert_eq!(stage.left(), Vec::<String>::new(), "{images} images, {pause} ms");
    }
    assert!(err(&run(stage.fsarena().arg("clean"), 0)).contains("nothing"));
    run(stage.fsarena().arg("runs"), 0);
}

#[test]
fn a_killed_run_goes_on() {
    let Some(stage) = Stage::of_root() else { return };
    let mut child = start(&stage);
    wait_for_images(&mut child, &stage, 4);
    wait_until(&mut child, || rounds(&stage).is_some());
    send(&child, Signal::KILL);
    child.wait().expect("it is dead");
    let before = stage.json()["rounds"].as_u64().expect("a number");
    let output = run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert!(err(&output).contains("left by an earlier run: "), "{}", err(&output));
    let after = stage.json();
    assert_eq!(after["status"], "complete");
    assert_eq!(after["rounds"], before + 1);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_second_run_is_refused_if_it_may_not_wait() {
    let Some(stage) = Stage::of_root() else { return };
    let mut first = start(&stage);
    wait_for_images(&mut first, &stage, 1);
    let output = run(stage.compare(&["ext4", "--no-wait", "--rounds", "1"]).args(["--workload", &stage.small()]), 4);
    assert!(err(&output).contains("another run") && err(&output).contains("hint: "), "{}", err(&output));
    send(&first, Signal::TERM);
    assert_eq!(first.wait().expect("it ends").code(), Some(130));
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// As one in a container that uses the same ledger.
#[test]
fn a_run_waits_for_one_that_cannot_be_seen() {
    let Some(stage) = Stage::of_root() else { return };
    let ledger = Path::new("/var/lib/fsarena/ledger");
    fs::create_dir_all(ledger).expect("made");
    let other = File::create(ledger.join("lock")).expect("made");
    other.lock().expect("no run has it");
    let small = stage.small();
    let refused = run(stage.compare(&["ext4", "--no-wait", "--rounds", "1"]).args(["--workload", &small]), 4);
    assert!(err(&refused).contains("another run of fsarena is using this machine"), "{}", err(&refused));
    let mut command = stage.compare(&["ext4", "--rounds", "1"]);
    command.args(["--workload", &small]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.by_ref().any(|line| line.contains("waiting: another run")));
    drop(other);
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(stage.left(), Vec::<String>::new());
}
