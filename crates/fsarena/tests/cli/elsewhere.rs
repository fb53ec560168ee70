//! Several machines, and machines without this program: `--on`, more than once and through ssh.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::stage::{Doomed, Stage, binary, err, out, run, script, wait_until};

/// A short comparison of two directories of the test's folder.
fn short(stage: &Stage) -> Command {
    let mut command = compare(stage);
    command.args(["--rounds", "3"]);
    command
}

/// A comparison of two directories of the test's folder.
fn compare(stage: &Stage) -> Command {
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("made"));
    let mut command = stage.fsarena();
    command
        .arg("compare")
        .args(["a", "b"].iter().zip(folders).map(|(label, it)| format!("{label}=dir:{}", it.display())));
    command.args(["--baselines", "never", "--workload", &stage.small()]);
    command
}

fn program(path: PathBuf, text: &str) -> String {
    script(&path, text);
    path.display().to_string()
}

/// A program that does what ssh does with a command, on this machine, as a user with another home.
fn ssh(stage: &Stage) -> String {
    let there = stage.path("there").display().to_string();
    let text = format!("shift; unset XDG_CACHE_HOME; HOME={there} PATH={there}/bin:/usr/bin:/bin exec sh -c \"$*\"");
    program(stage.path("bin/ssh"), &text)
}

/// The copies of this program in the other home, with other files there.
fn copies(stage: &Stage) -> Vec<PathBuf> {
    let folders = fs::read_dir(stage.path("there/.cache/fsarena")).into_iter().flatten().flatten();
    folders
        .flat_map(|folder| fs::read_dir(folder.path()).expect("readable"))
        .map(|it| it.expect("there").path())
        .collect()
}

#[test]
fn a_machine_without_this_version_gets_a_copy_once() {
    let stage = Stage::new();
    let on = format!("{} host fsarena agent", ssh(&stage));
    let text = err(&run(short(&stage).args(["--on", &on]), 0));
    assert!(text.contains("host` has no fsarena: copying this one"), "{text}");
    let [copy] = copies(&stage).try_into().expect("one file");
    assert_eq!(fs::read(&copy).expect("there"), fs::read(binary()).expect("there"));
    let text = err(&run(short(&stage).args(["--on", &on]), 0));
    assert!(!text.contains("copying"), "{text}");
    assert_eq!(copies(&stage), std::slice::from_ref(&copy));

    program(stage.path("there/bin/fsarena"), "echo fsarena 0.0.1");
    fs::remove_file(&copy).expect("there");
    let text = err(&run(short(&stage).args(["--on", &on]), 0));
    assert!(text.contains("has fsarena 0.0.1: copying this one"), "{text}");
    let text = err(&run(stage.fsarena().args(["resume", "last", "--rounds", "1", "--on", &on]), 0));
    assert!(!text.contains("copying"), "{text}");
}

#[test]
fn a_machine_that_cannot_be_reached_is_named_and_nothing_is_left_there() {
    let stage = Stage::without_runs();
    let unreachable =
        program(stage.path("down/ssh"), "echo 'ssh: connect to host node9 port 22: no route' >&2; exit 255");
    let text = err(&run(short(&stage).args(["--on", &format!("{unreachable} node9 fsarena agent")]), 4));
    assert!(text.contains("ssh node9` reaches no machine: ssh: connect to host node9"), "{text}");
    // Its disk is full: only a part arrives.
    let full = program(stage.path("full/ssh"), &format!("head -c 4096 | {} \"$@\"", ssh(&stage)));
    let text = err(&run(short(&stage).args(["--on", &format!("{full} node9 fsarena agent")]), 4));
    assert!(text.contains("copy fsarena by `") && text.contains("hint: install fsarena"), "{text}");
    assert_eq!(copies(&stage), Vec::<PathBuf>::new());
}

#[test]
fn all_machines_stop_and_remove_everything() {
    let stage = Stage::new();
    let agent = format!("{} agent", binary().display());
    let mut command = compare(&stage);
    command.args(["--rounds", "1000", "--on", &agent, "--on", &agent]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = Doomed(command.spawn().expect("it starts"));
    let entries =
        || ["a", "b"].iter().map(|name| fs::read_dir(stage.path(name)).expect("there").count()).sum::<usize>();
    wait_until("one is at work", || entries() > 0);
    kill_process(Pid::from_child(&child.0), Signal::TERM).expect("it is ours");
    assert_eq!(child.0.wait().expect("it ends").code(), Some(130));
    wait_until("the agents have removed everything", || entries() == 0);
}

#[test]
fn several_machines_have_a_run_each_and_one_report() {
    let stage = Stage::new();
    let agent = format!("{} agent", binary().display());
    let on = ["--on", &agent, "--on", &agent, "--on", "false"];
    let output = run(short(&stage).args(on).args(["--format", "json"]), 3);
    let text = err(&output);
    assert!(text.contains("`false`: no complete result: `false` ended without a result"), "{text}");
    let report: Value = serde_json::from_str(&out(&output)).expect("JSON");
    let names: Vec<&str> =
        report["machines"].as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert!(names.len() == 2 && names.contains(&"run 1") && names.contains(&"run 2"), "{report}");
    assert_eq!(report["missing"][0]["name"], "false");
    assert!(report["notes"][0].as_str().is_some_and(|note| note.contains("are no sample of machines")), "{report}");
    assert_eq!(report["pairs"][0]["machines"].as_array().map(Vec::len), Some(2));
    let [first, second] = ["1", "2"].map(|number| {
        let text = out(&run(stage.fsarena().args(["report", number, "--format", "json"]), 0));
        serde_json::from_str::<Value>(&text).expect("JSON")
    });
    assert_eq!((&first["plan_hash"], &first["seed"]), (&second["plan_hash"], &second["seed"]));

    let one = out(&run(short(&stage).args(["--on", &agent, "--on", "false"]), 3));
    assert!(one.starts_with("Run 3") && one.contains("not in this report: `false` (`false` ended"), "{one}");
    let none = err(&run(short(&stage).args(["--on", "true", "--on", "false"]), 4));
    assert!(none.contains("`true` ended without a result"), "{none}");
    let csv = err(&run(short(&stage).args(on).args(["--format", "csv"]), 2));
    assert!(csv.contains("`csv` is a format of one run"), "{csv}");
    let article = ["reproduce", "openeuler", "--on", "true", "--on", "false"];
    let none = err(&run(stage.fsarena().args(article), 4));
    assert!(none.contains("`true` ended without a result"), "{none}");
}
