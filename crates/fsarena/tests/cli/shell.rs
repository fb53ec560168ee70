//! Workloads that are shell scripts.

use std::process::Stdio;

use crate::stage::{Doomed, Stage, accounts_for, err, out, run, wait_until};

/// Writes a workload of the engine `shell` to a file.
fn workload(stage: &Stage, name: &str, parameters: &str) -> String {
    let fields = format!("engine = 'program'\ncache = 'warm'\nmode = 'whole'\n[parameters]\n{parameters}");
    stage.workload(name, &fields)
}

#[test]
fn a_loop_is_timed_on_every_contender_and_nothing_of_it_stays() {
    let Some(stage) = Stage::of_root() else { return };
    let script = "operations = 20\nstarts = 20\nscript = 'for i in $(seq $N); do touch file$i; done; sleep 600 &'";
    let touch = workload(&stage, "touches", script);
    run(&mut stage.compare(&["ext4", "xfs", "--rounds", "1", "--workload", &touch]), 0);
    let report = stage.json();
    assert_eq!(report["workloads"][0]["mode"], "whole");
    for cell in report["cells"].as_array().expect("an array") {
        assert!(accounts_for(cell, 1) && cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        assert_eq!(cell["probes"]["latency.run.count"]["value"], 1.0, "{cell}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn one_that_fails_did_not_finish_and_says_why() {
    let Some(stage) = Stage::of_root() else { return };
    let broken = workload(&stage, "broken", "operations = 1\nscript = 'echo what a pity >&2; exit 7'");
    let output = run(&mut stage.compare(&["ext4", "--rounds", "1", "--workload", &broken]), 3);
    let text = stage.json()["cells"][0]["validity"][0]["why"].to_string();
    assert!(text.contains("what a pity") && text.contains("exit status: 7"), "{text} {}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_suite_is_planned() {
    let stage = Stage::new();
    let dry = |arguments: &[&str], code| {
        run(stage.fsarena().args(["compare", "ext4", "xfs", "--suite", "shell", "--dry-run"]).args(arguments), code)
    };
    let text = out(&dry(&[], 0));
    assert!(text.contains("shell-create") && text.contains("shell-touch") && text.contains("shell-mkdir"), "{text}");
}

/// Whether a process with this command line exists.
fn is_running(command: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("there").flatten().map(|entry| entry.path().join("cmdline"));
    let words = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).replace('\0', " ");
    processes.map(words).any(|words| words.trim_end() == command)
}

#[test]
fn its_programs_end_with_a_run_that_is_killed() {
    let Some(stage) = Stage::of_root() else { return };
    let sleeper = format!("sleep 1{}", std::process::id());
    let long = workload(&stage, "long", &format!("operations = 1\nscript = '{sleeper}; :'"));
    let mut command = stage.compare(&["ext4", "--rounds", "1", "--workload", &long]);
    let doomed = Doomed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("the script is not started", || is_running(&sleeper));
    drop(doomed);
    wait_until("a program of the script goes on", || !is_running(&sleeper));
    run(stage.fsarena().arg("clean"), 0);
    assert_eq!(stage.left(), Vec::<String>::new());
}
