//! `--command`: commands of the user's own as workloads.

use std::fs;
use std::process::Command;

use crate::stage::{Doomed, Stage, accounts_for, err, out, run};

/// `fsarena compare` of two directories whose paths a shell would take apart.
fn compare(stage: &Stage, more: &[&str]) -> Command {
    let mut command = stage.fsarena();
    command.arg("compare").current_dir(stage.place.path());
    for name in ["a", "b $HOME 'c"] {
        fs::create_dir_all(stage.path(name)).expect("made");
        command.arg(format!("{}=dir:{}", &name[..1], stage.path(name).display()));
    }
    command.args(["--baselines", "never"]).args(more);
    command
}

#[test]
fn a_command_is_run_where_it_was_typed_and_goes_on_from_elsewhere() {
    let stage = Stage::new();
    stage.file("source", "x");
    let typed = ["--command", "cp source {dir}/copy", "--prepare", "cp source {dir}", "--sync", "apart"];
    run(&mut compare(&stage, &[&typed[..], &["--rounds", "1", "--cleanup", "cp {dir}/copy kept"]].concat()), 0);
    assert_eq!(fs::read_to_string(stage.path("kept")).expect("the cleanup ran"), "x");
    run(stage.fsarena().current_dir("/").args(["resume", "last", "--rounds", "1"]), 0);
    let report = stage.json();
    let workload = &report["workloads"][0];
    assert_eq!((&workload["name"], &workload["clock"]), (&"cp-source-copy".into(), &"returned".into()), "{workload}");
    assert!(report["notes"].to_string().contains("is not in its time"), "{}", report["notes"]);
    assert!(report["cells"].as_array().expect("an array").iter().all(|cell| accounts_for(cell, 2)), "{report}");
    let command: Vec<&str> =
        report["command"].as_array().expect("an array").iter().filter_map(|it| it.as_str()).collect();
    let typed = ["--command", "cp source {dir}/copy", "--prepare", "cp source {dir}", "--cleanup"];
    assert!(command.windows(typed.len()).any(|words| words == typed), "{command:?}");
    for name in ["a", "b $HOME 'c"] {
        assert_eq!(fs::read_dir(stage.path(name)).expect("there").count(), 0, "all is removed");
    }
}

#[test]
fn a_printed_figure_is_the_result_for_each_value_of_a_scan() {
    let stage = Stage::new();
    let command = "say=sh -c 'test -d \"$1\" && echo rate={n}' sh {dir}";
    let metric = ["--metric", "rate=MB/s,higher:rate=(.*)", "--scan", "n=7,9"];
    run(&mut compare(&stage, &[&["--command", command, "--rounds", "1"][..], &metric].concat()), 0);
    let report = stage.json();
    let cells = report["cells"].as_array().expect("an array");
    let cells: Vec<_> = cells.iter().map(|cell| (cell["workload"].as_str(), cell["median"].as_f64())).collect();
    let (seven, nine) = ((Some("say@n-7"), Some(7.0)), (Some("say@n-9"), Some(9.0)));
    assert_eq!(cells, [seven, seven, nine, nine]);
    assert_eq!(stage.plan_again(&report), report["plan_hash"].as_str().expect("a hash")[..12]);
    assert_eq!(
        (&report["workloads"][0]["unit"], &report["workloads"][0]["better"]),
        (&"MB/s".into(), &"higher".into())
    );
}

#[test]
fn a_command_that_fails_says_why_and_what_cannot_run_is_refused() {
    let stage = Stage::new();
    let output = run(&mut compare(&stage, &["--command", "cp nothing {dir}", "--rounds", "1"]), 3);
    assert!(err(&output).contains("cannot stat 'nothing'"), "{}", err(&output));
    let refused = |arguments: &[&str], code| err(&run(&mut compare(&stage, arguments), code));
    let missing = refused(&["--command", "no-such-program {dir}"], 4);
    assert!(missing.contains("`no-such-program`") && missing.contains("hint: "), "{missing}");
    let guest = refused(&["--command", "cp nothing {dir}", "--guest"], 2);
    assert!(guest.contains("a guest has neither"), "{guest}");
    refused(&["--command", "cp nothing {dir}", "--suite", "operations"], 2);
    refused(&["--scan", "n=1"], 2);
}

#[test]
fn the_load_of_a_busy_loop_beside_a_command_is_named() {
    let stage = Stage::new();
    let busy = || Doomed(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a shell"));
    let loops = [busy(), busy()];
    let output =
        run(&mut compare(&stage, &["--command", "sh -c 'sleep 0.3; touch \"$1/x\"' sh {dir}", "--rounds", "2"]), 0);
    drop(loops);
    assert!(out(&output).contains("Measured on a busy machine: "), "{}", out(&output));
    assert!(out(&output).contains("cores used by other programs"), "{}", out(&output));
}

#[test]
fn on_lanes_a_mount_is_cleaned_up_and_a_full_one_is_named() {
    let Some(stage) = Stage::of_root() else { return };
    let own = ["ext4", "--rounds", "1", "--command", "sh -c 'mkdir \"$1/m\"; mount -t tmpfs none \"$1/m\"' sh {dir}"];
    run(&mut stage.compare(&[&own[..], &["--cache", "cold", "--cleanup", "umount {dir}/m"]].concat()), 0);
    // Without --cleanup, what the work has mounted is unmounted with its directory, and others run all the same.
    let other = ["--command", "touch {dir}/x"];
    run(&mut stage.compare(&[&own[..], &other].concat()), 0);
    let fixed = ["--command", "sh -c 'touch \"$1/x\" && chattr +i \"$1/x\"' sh {dir}"];
    let told = err(&run(&mut stage.compare(&[&["ext4", "--rounds", "1"][..], &fixed, &other].concat()), 3));
    assert!(told.contains("sh-c on ext4 did not finish") && !told.contains("touch-x on ext4 did"), "{told}");
    let full = run(&mut stage.compare(&["ext4", "--rounds", "1", "--command", "fallocate -l 1G {dir}/x"]), 3);
    assert!(err(&full).contains("--lane-size makes lanes larger"), "{}", err(&full));
    assert_eq!(stage.left(), Vec::<String>::new());
}
