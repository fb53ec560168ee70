//! Invalid arguments and unsuitable storage: a clear error, a hint, the documented exit code, and nothing is created.

use crate::stage::{Stage, err, out, run};

/// Runs the command and expects the exit code, an error with `word`, and a hint with `way_out`.
fn refused(stage: &Stage, arguments: &[&str], code: i32, word: &str, way_out: &str) {
    let output = run(&mut stage.compare(arguments), code);
    let text = err(&output);
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    // A message about a busy machine may come first.
    assert!(!line("error: ").is_empty() && text.contains(word), "{word} in {text}");
    assert!(line("hint: ").contains(way_out), "{way_out} in {text}");
    assert_eq!(out(&output), "", "stdout is for data");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn wrong_spelling_is_refused_by_name() {
    let stage = Stage::new();
    refused(&stage, &["ext4", "hfsplus"], 2, "no kind `hfsplus`", "dir:/mnt/hfsplus");
    refused(&stage, &["EXT4"], 2, "no kind `EXT4`", "ext4");
    refused(&stage, &["ext4,xfs"], 2, "no kind `ext4,xfs`", "ext4 xfs");
    refused(&stage, &["/dev/sda"], 2, "no kind `/dev/sda`", "--storage /dev/sda");
    refused(&stage, &["/tmp/x"], 2, "no kind `/tmp/x`", "dir:/tmp/x");
    refused(&stage, &["ext4", "ext4"], 2, "label `ext4`", "a=ext4");
    refused(&stage, &["a,b=ext4"], 2, "a,b", "LABEL=");
    refused(&stage, &["dir:/no/such/folder"], 2, "/no/such/folder", "mkdir -p /no/such/folder");
    refused(&stage, &["ext4", "--workload", "no-such"], 2, "no-such", "fsarena list");
    refused(&stage, &["ext4", "--suite", "no-such"], 2, "no-such", "fsarena list");
    refused(&stage, &["ext4", "--slowdown", "xfs=5%"], 2, "`xfs`", "the labels are ext4");
    refused(&stage, &["ext4", "--slowdown", "ext4=5%", "--slowdown", "ext4=6%"], 2, "two slowdowns", "give it one");
    refused(&stage, &["ext4", "--no-counters", "xfs"], 2, "no contender `xfs`", "--no-counters takes a label");
    refused(&stage, &["ext4", "--guarantee", "ext4=unflushed"], 2, "no directory `ext4`", "--guarantee nfs=unflushed");
    let twice = ["a=dir:/tmp", "--guarantee", "a=unflushed", "--guarantee", "a=flushed"];
    refused(&stage, &twice, 2, "two guarantees of `a`", "state one of them");
    refused(&stage, &["dir:/tmp", "--precondition"], 2, "no lanes", "leave out --precondition");
    refused(&stage, &["/no/such.toml"], 2, "/no/such.toml", "");
    let unknown = stage.file("unknown.toml", "kind = 'ext4'\ncolour = 'red'\n");
    refused(&stage, &[&unknown], 2, "colour", "`kind`, `label`, `mount`, `mkfs`");
    let small = stage.small();
    refused(&stage, &["ext4", "xfs", "--workload", &small, "--budget", "1s"], 2, "too short", "--budget");
    refused(&stage, &["ext4", "xfs", "--workload", &small, "--budget", "0s"], 2, "of 0 s is too short", "--budget");
    refused(&stage, &["ext4", "ext4=xfs"], 2, "label `ext4`", "a=ext4 b=xfs");
    refused(&stage, &["ext5", "xfs"], 2, "no kind `ext5`", "did you mean `ext4`?");
    refused(&stage, &["ext4", "--margin", "0%"], 2, "above 0 %", "--margin 1%");
    let long = format!("{}=ext4", "a".repeat(65));
    refused(&stage, &[&long, "xfs", "--workload", &small], 2, "has 65 characters", "shorter");
    run(stage.compare(&["ext4", "--margin", "5"]).arg("--dry-run"), 2);
    run(stage.compare(&["ext4", "--lane-size", "much"]).arg("--dry-run"), 2);
}

#[test]
fn lanes_that_are_too_small_or_too_large_are_refused() {
    let Some(stage) = Stage::of_root() else { return };
    refused(&stage, &["ext4", "--suite", "operations"], 2, "seqread-cold", "--lane-size 854M");
    let append = crate::stage::SMALL.replace("small", "appends").replace("create", "append");
    let small = stage.file("appends.toml", &append);
    let lanes = |size: &str| {
        let storage = stage.storage().display().to_string();
        let arguments =
            ["compare", "xfs", "--workload", &small, "--rounds", "1", "--storage", &storage, "--lane-size", size];
        let mut command = stage.fsarena();
        command.args(arguments);
        command
    };
    let output = run(&mut lanes("200M"), 2);
    assert!(
        err(&output).contains("too small for `xfs`") && err(&output).contains("--lane-size 300M"),
        "{}",
        err(&output)
    );
    let output = run(&mut lanes("900T"), 4);
    assert!(err(&output).contains("are free") && err(&output).contains("--storage"), "{}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn an_unknown_mount_option_is_refused_in_the_words_of_the_kernel() {
    let Some(stage) = Stage::of_root() else { return };
    refused(&stage, &["ext4:bogus", "--workload", &stage.small()], 2, "Unknown parameter 'bogus'", "man 5 ext4");
    let mkfs = stage.file("mkfs.toml", "kind = 'xfs'\nmkfs = ['-d', 'bogus=1']\n");
    refused(&stage, &[&mkfs, "--workload", &stage.small()], 2, "unknown option -d bogus=1", "mkfs-options.md");
}

#[test]
fn stores_that_cannot_be_used_are_refused_untouched() {
    let stage = Stage::new();
    let not_sqlite = stage.file("text.sqlite", "this is not a database, and long enough to be seen as none\n");
    refused(&stage, &["tmpfs", "--workload", &stage.small(), "--store", "/proc/no/store"], 4, "/proc/no", "--store");
    refused(&stage, &["tmpfs", "--workload", &stage.small(), "--store", &not_sqlite], 4, "text.sqlite", "--store");
}

#[test]
fn a_run_that_is_not_there_is_refused() {
    let stage = Stage::new();
    drop(fsarena_store::Store::open(&stage.store()).expect("made"));
    assert!(err(&run(stage.fsarena().args(["report", "last"]), 2)).contains("no run"));
    assert!(err(&run(stage.fsarena().args(["report", "7"]), 2)).contains("fsarena runs"));
    assert!(err(&run(stage.fsarena().args(["report", "x"]), 2)).contains("`x`"));
}
