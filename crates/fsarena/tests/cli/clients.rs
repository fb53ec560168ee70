//! Runs on several clients: real agents on this machine that share directories.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, accounts_for, binary, err, out, run, wait_until};

fn agent() -> String {
    format!("{} agent", binary().display())
}

/// A comparison of two directories.
fn compare(stage: &Stage, rounds: u32, clients: &[&str]) -> Command {
    let mut command = stage.fsarena();
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("made"));
    command.arg("compare").args(folders.iter().map(|folder| format!("dir:{}", folder.display())));
    command.args(["--rounds", &rounds.to_string(), "--seed", "3", "--workload", &stage.small()]).args(clients);
    command
}

/// Files in the directories of the contenders.
fn left(stage: &Stage) -> usize {
    ["a", "b"].map(|name| fs::read_dir(stage.path(name)).expect("there").count()).iter().sum()
}

/// Whether a workload has a directory in the directories of both clients on the first contender.
fn has_work(stage: &Stage, workload: &str) -> bool {
    let own = fs::read_dir(stage.path("a")).expect("there").filter_map(|entry| Some(entry.ok()?.path()));
    own.filter(|folder| folder.join(workload).exists()).count() == 2
}

#[test]
fn clients_work_at_the_same_time_on_the_same_directories() {
    let stage = Stage::new();
    run(&mut compare(&stage, 1, &["--clients", "local:2", "--clients-scale", "1,2"]), 0);
    let report = stage.json();
    let names: Vec<&str> =
        report["workloads"].as_array().expect("workloads").iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["small@1-client", "small@2-clients"]);
    assert!(report["cells"].as_array().expect("cells").iter().all(|cell| accounts_for(cell, 1)), "{}", report["cells"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains("are directories on the same file system"), "{notes}");
    let clients = report["environment"]["clients"].as_array().expect("clients");
    assert_eq!((clients.len(), &clients[0]["machine"]), (2, &clients[1]["machine"]), "one machine");
    let points = report.pointer("/scaling/0/points").and_then(|points| points.as_array()).expect("points");
    assert!(points.iter().all(|point| point["median"].as_f64().is_some_and(|rate| rate > 0.0)), "{points:?}");
    let command = report["command"].to_string();
    assert!(command.contains("--client") && command.contains("1,2"), "{command}");
    let text = out(&run(stage.fsarena().args(["report", "last"]), 0));
    assert!(text.contains("More clients") && text.contains("The clients"), "{text}");

    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert_eq!(stage.json()["rounds"], 2);
    assert_eq!(left(&stage), 0);
}

#[test]
fn options_that_clients_do_not_support_are_refused() {
    let stage = Stage::new();
    let refused = |clients: &[&str], code| {
        let text = err(&run(&mut compare(&stage, 1, clients), code));
        assert_eq!(left(&stage), 0, "{text}");
        text
    };
    let other = r#"sh -c 'echo "{\"version\":\"0.0.1\"}"; cat'"#;
    let cases: [(&[&str], i32, &str); 6] = [
        (&["ext4", "--clients", "local:2"], 2, "`ext4` is a file system of one machine"),
        (&["--clients", "local:2", "--clients-scale", "3"], 2, "3 clients cannot work"),
        (&["--client", &agent(), "--client", "false"], 4, "client 2 (`false`)"),
        (&["--client", &agent(), "--client", "echo hello"], 4, "hello"),
        (&["--client", &agent(), "--client", other], 4, "it is fsarena 0.0.1"),
        (&["--client", &agent(), "--client", "/no/such/program"], 2, "start `/no/such/program`"),
    ];
    for (clients, code, expected) in cases {
        let text = refused(clients, code);
        assert!(text.contains(expected) && text.contains("hint:"), "{text}");
    }
}

/// A second client that runs `mounts` in a mount namespace of its own, and then its agent.
fn apart(mounts: &str) -> String {
    format!("unshare -m sh -c '{mounts} && exec {}'", agent())
}

#[test]
fn directories_that_are_not_shared_or_are_mounted_differently_are_refused() {
    let Some(stage) = Stage::of_root() else { return };
    let place = stage.path("a").display().to_string();
    let refused = |mounts: &str| {
        let text = err(&run(&mut compare(&stage, 1, &["--client", &agent(), "--client", &apart(mounts)]), 4));
        assert_eq!(left(&stage), 0);
        text
    };
    let other = refused(&format!("mount -t tmpfs none {place}"));
    assert!(other.contains("client 2") && other.contains("does not see what client 1"), "{other}");
    let otherwise = refused(&format!("mount --bind {place} {place} && mount -o remount,bind,noexec {place}"));
    assert!(otherwise.contains("noexec") && otherwise.contains("and as `"), "{otherwise}");
    assert!(otherwise.contains("hint: mount it with the same options on each client"), "{otherwise}");
}

#[test]
fn a_client_that_is_killed_is_lost_and_nothing_stays() {
    let stage = Stage::new();
    let pid = stage.path("pid");
    let doomed = format!("sh -c 'echo $$ > {}; exec {}'", pid.display(), agent());
    let mut command = compare(&stage, 3, &["--client", &agent(), "--client", &doomed, "--when-lost", "continue"]);
    command.args(["--clients-scale", "1,2"]);
    let mut child = Doomed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("both clients are at work", || has_work(&stage, "small@2-clients"));
    let victim = fs::read_to_string(&pid).expect("written").trim().parse().expect("a process ID");
    kill_process(Pid::from_raw(victim).expect("a process ID"), Signal::KILL).expect("it is ours");
    assert_eq!(child.0.wait().expect("it ends").code(), Some(3), "a client was lost");
    let report = stage.json();
    assert_eq!(report["status"], "complete");
    let notes = report["notes"].to_string();
    assert!(notes.contains("was lost; what it had made was removed"), "{notes}");
    // Of the workload of one client, only the block in which the other was lost is missing.
    let rounds = report["cells"][0]["rounds"].as_u64();
    assert!(rounds >= Some(2), "the other client went on: {}", report["cells"][0]);
    assert_eq!(left(&stage), 0);
}
