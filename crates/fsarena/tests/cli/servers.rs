//! Workloads with servers: runs that are killed, and lanes that are too small.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::stage::{Doomed, Stage, accounts_for, at_work, err, out, processes, run, wait_for, wait_until, words};

/// A small pgbench workload: the catalogue's file with other parameters.
fn pgbench(stage: &Stage, transactions: u64) -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/workloads/phoronix-pgbench.toml");
    let text = fs::read_to_string(file).expect("in the catalogue");
    let (head, _) = text.split_once("[parameters]").expect("it has parameters");
    let head = head.replace("phoronix-pgbench", "tiny-pgbench");
    let text = format!("{head}[parameters]\nscale = 1\nclients = 2\ntransactions = {transactions}\n");
    stage.file("tiny-pgbench.toml", &text)
}

/// Whether a process descends from the process `from`.
fn descends(process: &Path, from: u32) -> bool {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<u32>().ok());
    parent.is_some_and(|parent| {
        parent == from || (parent > 1 && descends(&Path::new("/proc").join(parent.to_string()), from))
    })
}

/// The folder with the server's socket and its client's log, found by the command line of a client that descends from
/// `from`.
fn run_folder(from: u32) -> Option<PathBuf> {
    let is_client = |process: &PathBuf| words(process).contains("--log-prefix") && descends(process, from);
    let words = words(&processes().find(is_client)?);
    let inside = Path::new(words.split([' ', '=']).find(|word| word.contains("/server/"))?);
    let of_server = inside.ancestors().find(|folder| folder.ends_with("server"))?;
    of_server.parent().map(Path::to_owned)
}

#[test]
fn a_server_ends_with_a_run_that_is_killed_and_the_next_start_clears_the_rest_away() {
    let Some(stage) = Stage::of_root() else { return };
    let workload = pgbench(&stage, 10_000);
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "--rounds", "1", "--lane-size", "1G", "--workload", &workload, "--storage"]);
    command.arg(stage.storage()).stdout(Stdio::null()).stderr(Stdio::null());
    let doomed = Doomed(command.spawn().expect("it starts"));
    let folder = wait_for("the server gets no work", || run_folder(doomed.0.id()));
    std::thread::sleep(Duration::from_millis(100));
    drop(doomed);
    let is_over = || at_work(stage.place.path()).is_empty() && at_work(&folder).is_empty();
    wait_until("a process of the server goes on", is_over);
    // The next run that starts removes the leftovers; it may belong to another test.
    run(stage.fsarena().arg("clean"), 0);
    assert_eq!(stage.left(), Vec::<String>::new());
    assert!(!folder.exists(), "{}", folder.display());
}

#[test]
fn transactions_are_measured_with_their_commits_and_nothing_is_left() {
    let Some(stage) = Stage::of_root() else { return };
    let workload = pgbench(&stage, 100);
    let mut command = stage.compare(&["ext4", "--rounds", "1", "--workload", &workload]);
    run(&mut command, 0);
    let report = stage.json();
    let cell = &report["cells"][0];
    assert!(accounts_for(cell, 1) && cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
    assert_eq!(cell["probes"]["latency.run.count"]["value"], 200.0, "{cell}");
    assert!(cell["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0), "{cell}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_lane_that_is_too_small_is_refused_and_one_that_gets_full_fails_in_the_servers_words() {
    let Some(stage) = Stage::of_root() else { return };
    let large = pgbench(&stage, 200_000);
    let refused = run(stage.compare(&["ext4", "--rounds", "1"]).args(["--workload", &large]), 2);
    assert!(err(&refused).contains("too small"), "{}", err(&refused));
    // Enough room in bytes, but not in inodes, which are not checked before a run.
    let small = stage.path("small");
    fs::create_dir(&small).expect("made");
    let mount = ["-t", "tmpfs", "-o", "size=2G,nr_inodes=700,mode=0711", "tmpfs"];
    run(std::process::Command::new("mount").args(mount).arg(&small), 0);
    let mut command = stage.fsarena();
    command.args(["compare", &format!("dir:{}", small.display()), "--rounds", "1", "--workload", &pgbench(&stage, 50)]);
    let output = command.output().expect("it starts");
    let is_empty = fs::read_dir(&small).expect("there").next().is_none();
    run(std::process::Command::new("umount").arg(&small), 0);
    let words = format!("{}{}", out(&output), err(&output));
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(is_empty && words.contains("No space left on device"), "{words}");
    assert_eq!(at_work(&small), Vec::<String>::new());
}
