//! Runs by an agent: `compare --on` and `agent`.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, binary, err, run, wait_until};

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
fn what_is_no_agent_is_an_error_with_what_it_wrote() {
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
    assert!(err(&output).contains("no order on stdin"), "{}", err(&output));
}
