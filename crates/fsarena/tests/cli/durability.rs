//! `durability`: power cuts in a guest.

use crate::guests::prepared;
use crate::stage::{Stage, err, out, run};

#[test]
fn ext4_keeps_what_it_acknowledges_and_loses_it_without_barriers() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let mut command = stage.fsarena();
    command.args(["durability", "ext4", "unflushed=ext4:barrier=0", "--states", "8", "--operations", "24"]);
    command.args(["--seed", "3", "--lane-size", "64M"]);
    let output = run(&mut command, 3);
    let page = out(&output);
    let cells = |label: &str| -> Vec<String> {
        let row = page.lines().find(|line| line.trim_start().starts_with(&format!("{label} "))).expect("a row");
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(cells("ext4")[..7], ["ext4", "kept all", "8", "0", "0", "0", "0"], "{page}");
    let unflushed = cells("unflushed");
    assert_eq!((unflushed[1].as_str(), unflushed.last().map(String::as_str)), ("FAILED", Some("0.00")), "{page}");
    assert!(unflushed[3].parse::<u32>().is_ok_and(|losing| losing > 0), "{page}");
    assert!(page.contains(") is lost: "), "{page}");
    for line in ["ext4: kept all after 8 power cuts\n", "the same choice of power cuts: the same command with --seed 3"]
    {
        assert!(err(&output).contains(line), "{line}: {}", err(&output));
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// What mkfs or mount refuses is wrong use, and no loss. What was found before is printed.
#[test]
fn options_that_are_refused_are_no_loss() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let few = ["--states", "1", "--operations", "1", "--lane-size", "64M"];
    for (contenders, words, table) in [
        (&["ext4", "b=ext4 -O foo"][..], "contender `b`: `mke2fs -O foo` fails: ", "kept all"),
        (&["ext4:foo"], "contender `ext4:foo`: the kernel refuses its mount options: ext4: Unknown parameter", ""),
    ] {
        let output = run(stage.fsarena().arg("durability").args(contenders).args(few), 2);
        assert!(err(&output).contains(words) && err(&output).contains("hint: "), "{}", err(&output));
        assert!(!err(&output).contains("\\t"), "{}", err(&output));
        assert!(out(&output).contains(table) && out(&output).is_empty() == table.is_empty(), "{}", out(&output));
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn contenders_without_a_disk_are_refused() {
    let stage = Stage::without_runs();
    let folder = format!("dir:{}", stage.place.path().display());
    for contender in [folder.as_str(), "tmpfs", "rsext4"] {
        let output = run(stage.fsarena().args(["durability", contender]), 2);
        assert!(err(&output).contains("no disk of its own") && err(&output).contains("hint: "), "{}", err(&output));
    }
    for arguments in [
        &["durability", "ext4@linux-6.1", "ext4"][..],
        &[
            "bisect", "ext4@linux-6.1", "--kernels", "linux-6.1,linux-6.12", "--good", "linux-6.1", "--bad",
            "linux-6.12",
        ],
    ] {
        let workload = if arguments[0] == "bisect" { &["--workload", "create-fsync", "--dry-run"][..] } else { &[] };
        let output = run(stage.fsarena().args(arguments).args(workload), 2);
        assert!(err(&output).contains("`ext4@linux-6.1` names ") && err(&output).contains("hint: leave it out"));
    }
    let output = run(stage.fsarena().args(["durability", "xfs", "--lane-size", "64M"]), 2);
    assert!(err(&output).contains("hint: --lane-size 301M"), "{}", err(&output));
}
