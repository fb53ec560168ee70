//! Workloads whose programs are not installed.

use std::process::Command;

use fsarena_testing::{Need, has};

use crate::stage::{Stage, err, out, run};

/// The command in a mount namespace without PostMark: an unusable file covers the program.
fn without_postmark(command: &Command) -> Command {
    let hide = "mount --bind /dev/null \"$(command -v postmark)\" && exec \"$@\"";
    let mut without = Command::new("unshare");
    without.args(["--mount", "sh", "-c", hide, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => without.env(name, value),
            None => without.env_remove(name),
        };
    }
    without
}

#[test]
fn they_are_listed_left_out_of_suites_and_refused_by_name_with_the_package() {
    if !has(&[Need::MemoryGroups]) {
        return;
    }
    let Some(stage) = Stage::of_root() else { return };
    let ask = |arguments: &[&str], code| run(&mut without_postmark(stage.fsarena().args(arguments)), code);
    let list = out(&ask(&["list", "workloads"], 0));
    let line = |name: &str| {
        list.lines().find(|line| line.trim_start().starts_with(&format!("{name} "))).expect("listed").to_owned()
    };
    assert!(line("phoronix-postmark").contains("no: apt-get install postmark"), "{list}");
    assert!(!line("phoronix-dbench").contains("apt-get"), "{list}");

    let refused = ask(&["compare", "ext4", "xfs", "--workload", "phoronix-postmark", "--rounds", "1"], 4);
    assert!(err(&refused).contains("hint: apt-get install postmark"), "{}", err(&refused));

    let contenders = "ext4,xfs";
    for suite in [
        &["reproduce", "phoronix-2009", "--contenders", contenders, "--scale", "smoke", "--dry-run"][..],
        &["compare", "ext4", "xfs", "--suite", "phoronix-2009", "--rounds", "1", "--scale", "smoke", "--dry-run"],
    ] {
        let plan = ask(suite, 0);
        let text = "`phoronix-postmark` is left out, since programs are not installed: apt-get install postmark";
        assert!(err(&plan).contains(text), "{}", err(&plan));
        assert!(!out(&plan).contains("phoronix-postmark") && out(&plan).contains("phoronix-dbench"), "{}", out(&plan));
    }
}

#[test]
fn a_weight_for_what_is_not_here_names_the_program_and_the_package() {
    if !has(&[Need::MemoryGroups]) {
        return;
    }
    let Some(stage) = Stage::of_root() else { return };
    let line = "compare ext4 xfs --suite phoronix-2009 --rounds 1 --scale smoke --dry-run --weights web=1,mail=1";
    let refused = err(&run(&mut without_postmark(stage.fsarena().args(line.split(' '))), 4));
    assert!(refused.contains("the program `postmark`, which is not installed"), "{refused}");
    assert!(refused.contains("hint: apt-get install postmark"), "{refused}");
    run(stage.fsarena().args(line.split(' ')), 0);
}

#[test]
fn where_they_are_installed_nothing_is_left_out() {
    if !has(&[Need::MemoryGroups]) {
        return;
    }
    let stage = Stage::without_runs();
    let arguments = ["compare", "ext4", "xfs", "--suite", "phoronix-2009", "--rounds", "1", "--dry-run", "--scale"];
    for (scale, lanes) in [("smoke", " of 4.00 GiB"), ("standard", " of 4.00 GiB"), ("published", " of 24.0 GiB")] {
        let plan = run(stage.fsarena().args(arguments).arg(scale), 0);
        assert!(out(&plan).contains("phoronix-postmark") && out(&plan).contains(lanes), "{scale}: {}", out(&plan));
        assert!(!err(&plan).contains("left out"), "{}", err(&plan));
    }
}
