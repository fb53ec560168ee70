//! Runs by an agent: `--on` of `compare` and `resume`, and `agent`.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, accounts_for, binary, err, out, run, wait_until};

fn agent() -> String {
    format!("{} agent", binary().display())
}

#[test]
fn a_run_of_an_agent_is_recorded_here() {
    let Some(stage) = Stage::of_root() else { return };
    let arguments =
        ["ext4", "xfs", "--rounds", "1", "--baselines", "never", "--seed", "5", "--workload", &stage.small()];
    run(&mut stage.compare(&arguments), 0);
    let here = stage.json();
    run(stage.compare(&arguments).args(["--on", &agent()]), 0);
    let there = stage.json();
    assert_eq!((&there["run"], &there["status"]), (&2.into(), &"complete".into()));
    for part in ["/seed", "/plan_hash", "/workloads", "/command", "/clean_checks", "/contenders/1/features"] {
        assert_eq!(there.pointer(part), here.pointer(part), "{part}");
    }
    let cells = there["cells"].as_array().expect("cells");
    assert!(cells.len() == 2 && cells.iter().all(|cell| cell["median"].as_f64().is_some_and(|rate| rate > 0.0)));
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// A long comparison of two directories by an agent.
fn long(stage: &Stage) -> (Command, Vec<std::path::PathBuf>) {
    let folders: Vec<_> = ["a", "b"].iter().map(|name| stage.path(name)).collect();
    folders.iter().for_each(|folder| std::fs::create_dir_all(folder).expect("made"));
    let mut command = stage.fsarena();
    command.arg("compare").args(folders.iter().map(|folder| format!("dir:{}", folder.display())));
    command.args(["--rounds", "1000", "--baselines", "never", "--on", &agent(), "--workload", &stage.small()]);
    (command, folders)
}

#[test]
fn an_agent_stops_and_removes_everything_when_the_other_side_stops_or_is_gone() {
    for signal in [Signal::TERM, Signal::KILL] {
        let stage = Stage::new();
        let (mut command, folders) = long(&stage);
        let entries = || folders.iter().map(|folder| std::fs::read_dir(folder).expect("there").count()).sum::<usize>();
        let mut child = Doomed(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts"));
        let rounds = || stage.store().exists() && entries() > 0;
        wait_until("it is at work", rounds);
        kill_process(Pid::from_child(&child.0), signal).expect("it is ours");
        let code = child.0.wait().expect("it ends").code();
        assert_eq!(code, if signal == Signal::TERM { Some(130) } else { None });
        wait_until("the agent has removed everything", || entries() == 0);
        // The agent's lock on the machine is free again.
        let [a, b] = [&folders[0], &folders[1]].map(|folder| format!("dir:{}", folder.display()));
        let arguments = ["compare", &a, &b, "--rounds", "1", "--baselines", "never", "--workload", &stage.small()];
        run(stage.fsarena().args(arguments), 0);
    }
}

#[test]
fn an_agent_continues_a_run_that_is_stored_here() {
    let Some(stage) = Stage::of_root() else { return };
    let arguments = ["ext4", "xfs", "--rounds", "2", "--baselines", "never", "--workload", &stage.small()];
    run(stage.compare(&arguments).args(["--on", &agent()]), 0);
    let resume = |on: &str, run_number: &str, code| {
        err(&run(stage.fsarena().args(["resume", run_number, "--rounds", "1", "--on", on]), code))
    };
    let before = run(stage.fsarena().arg("export"), 0).stdout;
    assert!(resume(&agent(), "7", 2).contains("fsarena runs"));
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        let text = resume(&format!("taskset -c 0 {}", agent()), "1", 4);
        let expected = ["run 1 cannot go on", "this is 1 core", "hint: start a new one: fsarena compare"];
        assert!(expected.iter().all(|words| text.contains(words)), "{text}");
    }
    assert!(resume("true", "1", 4).contains("ended without a result"));
    assert_eq!(run(stage.fsarena().arg("export"), 0).stdout, before, "the run is as it was");

    assert!(resume(&agent(), "last", 0).contains("run 1;"));
    let report = stage.json();
    assert_eq!((&report["run"], &report["rounds"], &report["status"]), (&1.into(), &3.into(), &"complete".into()));
    assert!(report["notes"].to_string().contains("after round 2, with 1 further round"), "{}", report["notes"]);
    assert!(report["cells"].as_array().expect("cells").iter().all(|cell| accounts_for(cell, 3)));
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// A stored run of one round, without an agent.
fn short(stage: &Stage) {
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| std::fs::create_dir_all(folder).expect("made"));
    let contenders = folders.map(|folder| format!("dir:{}", folder.display()));
    let arguments = ["--rounds", "1", "--baselines", "never", "--workload", &stage.small()];
    run(stage.fsarena().arg("compare").args(contenders).args(arguments), 0);
}

#[test]
fn an_agent_finds_that_nothing_is_left_of_a_run_that_was_killed_at_its_end() {
    let stage = Stage::new();
    short(&stage);
    let exported = out(&run(stage.fsarena().arg("export"), 0));
    let killed: Vec<&str> = exported.lines().filter(|line| !line.contains("{\"finished\":")).collect();
    assert_eq!(killed.len() + 1, exported.lines().count());
    run(stage.fsarena().args(["import", &stage.file("killed.jsonl", &killed.join("\n"))]), 0);
    assert_eq!(stage.json()["status"], "interrupted");
    let text = err(&run(stage.fsarena().args(["resume", "2", "--on", &agent()]), 0));
    assert!(text.contains("nothing to do"), "{text}");
    assert_eq!((&stage.json()["run"], &stage.json()["status"]), (&2.into(), &"complete".into()));
}

#[test]
fn a_run_that_has_gone_on_while_an_agent_waited_is_not_mixed_with_it() {
    let stage = Stage::new();
    short(&stage);
    let meanwhile = format!("{} --store {} resume 1 --rounds 1", binary().display(), stage.store().display());
    let version = format!(r#"{{"version":"{}"}}"#, env!("CARGO_PKG_VERSION"));
    let resumed = r#"{"event":{"resumed":{"at":"2026-11-23T12:00:00Z"}}}"#;
    let text = format!("echo '{version}'\nread request\n{meanwhile} >&2 </dev/null\necho '{resumed}'\n");
    let agent = format!("sh {}", stage.file("agent.sh", &text));
    let text = err(&run(stage.fsarena().args(["resume", "1", "--rounds", "1", "--on", &agent]), 4));
    assert!(text.contains("run 1 in the store") && text.contains("has gone on in the meantime"), "{text}");
    assert_eq!((&stage.json()["rounds"], &stage.json()["status"]), (&2.into(), &"complete".into()));
}

#[test]
fn another_program_instead_of_an_agent_is_an_error_with_its_output() {
    let stage = Stage::without_runs();
    let compare = |on: &str, code| {
        let output = run(stage.fsarena().args(["compare", "dir:/tmp", "dir:/var/tmp", "--on", on]), code);
        err(&output)
    };
    assert!(compare("no-such-program agent", 2).contains("start `no-such-program agent`"));
    assert!(compare("echo 'command not found'", 4).contains("does not answer as an agent: command not found"));
    assert!(compare("true", 4).contains("ended without a result"));
    assert!(compare("'", 2).contains("no command line"));
    let mut alone = stage.fsarena();
    let output = run(alone.arg("agent").stdin(Stdio::null()), 2);
    assert!(err(&output).contains("no request on stdin"), "{}", err(&output));
}
