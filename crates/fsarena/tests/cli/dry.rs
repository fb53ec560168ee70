//! `--dry-run` finds all errors that can be found without creating anything.

use crate::stage::{Stage, err, is_root, out, run};

#[test]
fn a_plan_that_cannot_work_is_refused_before_anything_is_made() {
    let stage = Stage::without_runs();
    let small = stage.small();
    let dry_on = |lanes: &str, arguments: &[&str], code, words: &str| {
        let mut command = stage.fsarena();
        command.args(["compare", "--dry-run", "--workload", &small, "--rounds", "1", "--lane-size", lanes]);
        let output = run(command.args(arguments), code);
        assert!(out(&output).contains("space"), "the plan is printed all the same");
        assert!(err(&output).contains(words), "{words} in {}", err(&output));
    };
    let dry = |arguments: &[&str], code, words: &str| dry_on("320M", arguments, code, words);
    let file = stage.file("file", "x");
    for place in ["/proc", "/sys/kernel", &file, &format!("{file}/below")] {
        dry(&["ext4", "xfs", "--storage", place], 2, "no place for lanes");
    }
    dry(&["ext4", "xfs", "--storage", "/dev/null"], 2, "no block device");
    dry(&["ext4", "xfs", "--storage", "/dev/no-such-disk"], 2, "no block device");
    dry_on("900T", &["ext4", "xfs", "--storage", "memory"], 4, "are free");
    let new = stage.path("new/deep").display().to_string();
    dry(&["ext4", "xfs", "--storage", &new], 0, "");
    assert!(!stage.path("new").exists());
    if is_root() {
        dry(&["ext4:bogus", "xfs"], 3, "Unknown parameter 'bogus'");
        // A guest has a kernel of its own.
        dry(&["ext4:bogus", "xfs", "--guest", "emulated"], 0, "");
        dry(&["ext4", "t=tmpfs:size=many"], 3, "size");
        dry(&["ext4:noatime,data=journal", "xfs:noatime,logbsize=64k", "tmpfs:huge=never"], 0, "");
    }
}

#[test]
fn a_lane_size_of_zero_is_refused_with_one_that_works() {
    let stage = Stage::new();
    let small = stage.small();
    let arguments = ["compare", "ext4", "xfs", "--dry-run", "--workload", &small, "--rounds", "1", "--lane-size"];
    let text = err(&run(stage.fsarena().args(arguments).arg("0"), 2));
    let size = text.lines().find_map(|line| line.strip_prefix("hint: --lane-size ")).expect("a hint");
    run(stage.fsarena().args(arguments).arg(size), 0);
    if is_root() {
        let mut command = stage.fsarena();
        command.args(["compare", "ext4", "xfs", "--rounds", "1", "--baselines", "never", "--workload", &small]);
        command.args(["--lane-size", size, "--storage"]).arg(stage.storage());
        run(&mut command, 0);
        assert_eq!(stage.left(), Vec::<String>::new());
    }
}

/// The lane size of a plan, and what is said about it.
fn lanes(arguments: &[&str]) -> (u64, String) {
    let stage = Stage::without_runs();
    let mut command = stage.fsarena();
    let output = run(command.args(["compare", "ext4", "--dry-run", "--format", "json"]).args(arguments), 0);
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (plan["lane_bytes"].as_u64().expect("a size"), err(&output))
}

#[test]
fn lanes_are_as_large_as_the_largest_workload_needs() {
    let usual = lanes(&["--profile", "mail"]);
    assert_eq!((usual.0, usual.1.contains("the lanes have")), (2 << 30, false), "{}", usual.1);
    let large = ["--workload", "create-fsync", "--workload", "unpack-archive", "--scale", "published"];
    let (size, words) = lanes(&large);
    assert!(size > 2 << 30 && size.is_multiple_of(1 << 20), "{size}");
    assert!(words.contains("because the workloads need more than 2.00 GiB"), "{words}");
    let (of_suite, words) = lanes(&["--suite", "axvisor"]);
    assert_eq!((of_suite, words.contains("the lanes have")), (1 << 30, false), "{words}");
    let stage = Stage::without_runs();
    let explicit = ["compare", "ext4", "--dry-run", "--lane-size", "2G"];
    let refused = err(&run(stage.fsarena().args(explicit).args(large), 2));
    assert!(refused.contains("a lane of 2.00 GiB is too small for the workload `unpack-archive`"), "{refused}");
}

#[test]
fn a_budget_that_decides_nothing_is_named_with_one_that_does() {
    let stage = Stage::without_runs();
    let dry = |contenders: &[&str], arguments: &[&str]| {
        let mut command = stage.fsarena();
        command.arg("compare").args(contenders).args(["--dry-run", "--workload", &stage.small()]).args(arguments);
        err(&run(&mut command, 0))
    };
    let slow = stage.workload(
        "slow",
        "engine = 'files'\ncache = 'warm'\nmode = 'whole'\ntimed-ms = 20000\nparameters = { operation = 'create', size = 0 }",
    );
    let (both, slow) = (["ext4", "xfs"], ["--workload", slow.as_str(), "--budget"]);
    let words = dry(&both, &[&slow[..], &["90s"]].concat());
    assert!(words.contains("about 1 round fits into the budget of 1 min 30 s"), "{words}");
    assert!(words.contains("a verdict needs at least 3: this run will probably decide nothing"), "{words}");
    let hint = words.lines().find_map(|line| line.strip_prefix("hint: --budget ")).expect("a hint");
    let (budget, rest) = hint.split_once(' ').expect("words");
    assert_eq!(rest, "has room for 5 rounds");
    assert!(!dry(&both, &[&slow[..], &[budget]].concat()).contains("decide nothing"));
    assert!(!dry(&["ext4"], &[&slow[..], &["90s"]].concat()).contains("decide nothing"), "there is nothing to decide");
    assert!(
        !dry(&both, &[&slow[..2], &["--rounds", "1"]].concat()).contains("decide nothing"),
        "it is what was wanted"
    );
}
