//! Runs in a guest: a real QEMU boots a real kernel of Debian.

use std::process::{Command, Stdio};

use fsarena_testing::{Need, has};
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, binary, err, out, run, wait_until};

/// Fetches what a guest needs. This is done before a stage takes the test's network away.
fn prepared() -> bool {
    if !has(&[Need::Root, Need::Program("qemu-system-x86_64")]) {
        return false;
    }
    let output = run(Command::new(binary()).arg("guest"), 0);
    assert!(out(&output).starts_with("The guest works: linux-image-"), "{}", out(&output));
    true
}

#[test]
fn kinds_that_this_kernel_lacks_and_folders_of_the_host_are_compared_in_a_guest() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let arguments = ["ext4", "nilfs2", "9p:cache=loose", "virtiofs", "--rounds", "1", "--baselines", "never"];
    let output = run(stage.compare(&arguments).args(["--workload", &stage.small()]), 0);
    assert!(err(&output).contains("this machine cannot mount nilfs2 and 9p and virtiofs"), "{}", err(&output));
    let report = stage.json();
    let cells = report["cells"].as_array().expect("cells");
    assert!(cells.len() == 4 && cells.iter().all(|cell| cell["median"].as_f64().is_some_and(|rate| rate > 0.0)));
    let mounts: Vec<&str> = report["contenders"]
        .as_array()
        .expect("contenders")
        .iter()
        .map(|contender| contender["mount"].as_str().expect("a mount"))
        .collect();
    for (mount, expected) in mounts.iter().zip(["ext4 rw", "nilfs2 rw", "9p rw", "virtiofs rw"]) {
        assert!(mount.starts_with(expected), "{mount}");
    }
    assert!(mounts[2].contains("loose"), "{}", mounts[2]);
    // A lane counts flushes; nilfs2 has no checker.
    assert!(cells[0]["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0));
    assert_eq!(report["clean_checks"], 1);
    let command = report["command"].to_string();
    assert!(command.contains("--guest") && command.contains("--guest-kernel"), "{command}");
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert_eq!(stage.json()["rounds"], 2);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn kernels_are_contenders_each_in_a_guest_of_its_own() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let arguments = ["ext4", "ext4@linux-6.1:noatime", "--rounds", "1", "--baselines", "never"];
    run(stage.compare(&arguments).args(["--workload", &stage.small()]), 0);
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    let report = stage.json();
    for cell in report["cells"].as_array().expect("cells") {
        assert!(cell["rounds"] == 2 && cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        assert!(cell["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0), "{cell}");
    }
    assert!(report["contenders"][1]["mount"].as_str().is_some_and(|mount| mount.contains("noatime")));
    let notes = report["notes"].to_string();
    assert!(notes.contains("one for each kernel") && notes.contains("linux-6.1: linux-image-6.1.0-"), "{notes}");
    assert_eq!(stage.left(), Vec::<String>::new());
    let refused = run(stage.compare(&["ext4", "9p@linux-6.1"]).args(["--workload", &stage.small()]), 2);
    assert!(err(&refused).contains("`9p@linux-6.1` is a folder of the host"), "{}", err(&refused));
}

/// The second contender names the kernel of the first, and so has a guest of its own.
#[test]
fn two_deterministic_runs_have_the_same_figures() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let mut reports = [(); 2].map(|()| {
        let arguments = ["ext4", "xfs@linux-6.1", "--guest", "deterministic", "--rounds", "1", "--baselines", "never"];
        run(stage.compare(&arguments).args(["--workload", &stage.small()]), 0);
        stage.json()
    });
    for report in &mut reports {
        for cell in report["cells"].as_array().expect("cells") {
            assert!(cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        }
        assert_eq!((report["rounds"].as_u64(), report["status"].as_str()), (Some(1), Some("complete")));
        for varying in ["run", "started"] {
            report[varying] = serde_json::Value::Null;
        }
    }
    assert_eq!(reports[0]["cells"], reports[1]["cells"]);
}

#[test]
fn a_guest_that_dies_is_an_error_with_its_last_words_and_leaves_nothing() {
    if !prepared() {
        return;
    }
    for contenders in [["ext4", "9p"], ["ext4", "ext4@linux-6.1"]] {
        dies(&contenders);
    }
}

fn dies(contenders: &[&str]) {
    let stage = Stage::new();
    let mut command = stage.compare(contenders);
    command.args(["--guest", "--rounds", "1000", "--workload", &stage.small()]);
    let mut child = Doomed(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts"));
    let children = format!("/proc/{0}/task/{0}/children", child.0.id());
    let qemu = || {
        let numbers = std::fs::read_to_string(&children).unwrap_or_default();
        let is_qemu = |number: &&str| {
            std::fs::read_to_string(format!("/proc/{number}/comm")).is_ok_and(|name| name.starts_with("qemu"))
        };
        numbers.split_whitespace().find(is_qemu).and_then(|number| number.parse().ok())
    };
    wait_until("a round is stored", || {
        stage.store().exists() && {
            let output = stage.fsarena().arg("runs").output().expect("it runs");
            String::from_utf8_lossy(&output.stdout).contains("ext4")
        }
    });
    kill_process(Pid::from_raw(qemu().expect("QEMU runs")).expect("a number"), Signal::KILL).expect("it is ours");
    let status = child.0.wait().expect("it ends");
    let mut text = String::new();
    std::io::Read::read_to_string(child.0.stderr.as_mut().expect("piped"), &mut text).expect("text");
    assert_eq!(status.code(), Some(3), "{text}");
    assert!(text.contains("the guest stopped before the run ended: QEMU ended with signal: 9"), "{text}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn what_no_guest_can_do_is_refused_with_a_hint() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let folder = format!("dir:{}", stage.place.path().display());
    let text = stage.file("kernel.deb", "no package");
    let cases: [(&[&str], i32, &str); 4] = [
        (&["ext4", &folder, "--guest"], 2, "is a directory of this machine, which a guest does not have"),
        (&["ext4", "xfs", "--guest", "--guest-kernel", "/no/such.deb"], 2, "there is no such file"),
        (&["ext4", "xfs", "--guest", "--guest-kernel", &text], 2, "has no kernel that can be booted"),
        (&["ext4", "xfs", "--guest", "--guest-memory", "32M", "--rounds", "1"], 3, "stopped before the run ended"),
    ];
    for (arguments, code, expected) in cases {
        let output = run(stage.compare(arguments).args(["--workload", &stage.small()]), code);
        assert!(err(&output).contains(expected) && err(&output).contains("hint: "), "{}", err(&output));
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}
