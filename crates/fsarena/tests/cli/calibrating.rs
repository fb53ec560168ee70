//! `calibrate`: identical contenders, a slowdown, and the report about both.

use crate::stage::{SMALL, Stage, err, out, run};

#[test]
fn a_calibration_runs_equals_and_a_slowdown_and_keeps_the_runs() {
    let stage = Stage::new();
    let folder = stage.path("here");
    std::fs::create_dir(&folder).expect("ours");
    let contender = format!("dir:{}", folder.display());
    let mut command = stage.fsarena();
    command.args(["calibrate", &contender, "--runs", "1", "--slowdown", "50%", "--budget", "6s"]);
    let output = run(command.args(["--workload", &stage.small()]), 0);
    let text = out(&output);
    let row = text.lines().find(|line| line.contains("small")).unwrap_or_default();
    assert_eq!(row.matches(" of 1").count(), 3, "winners and equivalents among equals, and slowdowns found: {text}");
    assert!(text.contains("50 % found") && text.contains("guarantees at most one in twenty"), "{text}");
    assert!(err(&output).contains("with a slowdown: run 1 of 1"), "{}", err(&output));
    let report = stage.json();
    assert_eq!(report["run"], 2, "both runs are in the store");
    let again = out(&run(stage.fsarena().args(["calibrate", "--of", "1,2"]), 0));
    assert_eq!(again, text, "stored runs are judged as they were");
    assert!(report["notes"].to_string().contains("`b` is slowed down on purpose"), "{}", report["notes"]);
}

#[test]
fn a_slowdown_of_nothing_is_refused() {
    let stage = Stage::without_runs();
    let output = run(stage.fsarena().args(["calibrate", "--slowdown", "0%"]), 2);
    assert!(err(&output).contains("hint: --slowdown 5%"), "{}", err(&output));
}

#[test]
fn the_calibration_names_the_length_from_which_slices_agree_with_whole_runs() {
    let stage = Stage::new();
    let folders = ["one", "two"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| std::fs::create_dir(folder).expect("ours"));
    let contenders = folders.map(|folder| format!("dir:{}", folder.display()));
    // Without a timed duration, so that a whole run ends when its files are created.
    let timed = |line: &&str| !line.starts_with("timed-ms") && !line.starts_with("warm-up-ms");
    let text: Vec<&str> = SMALL.lines().filter(timed).collect();
    let text = text
        .join("\n")
        .replace("name = \"small\"", "name = \"brief\"")
        .replace("size = 1024", "size = 1024, files = 60");
    let workload = stage.file("brief.toml", &text);
    let mut command = stage.fsarena();
    // Enough rounds for some to count even if other programs keep this machine busy.
    command.args(["calibrate", "--slices", "--rounds", "8", "--lane-size", "1G", "--workload", &workload]);
    let output = run(command.args(&contenders), 0);
    let text = out(&output);
    for part in ["10 ms", "200 ms", "whole", "brief", "slices tell what whole runs tell"] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let report = stage.json();
    assert_eq!(report["workloads"].as_array().map(Vec::len), Some(4), "one for each length");
    assert_eq!(report["workloads"][3]["mode"], "whole");
}

#[test]
fn a_calibration_of_one_contender_or_of_two_equals_is_refused() {
    let stage = Stage::without_runs();
    let output = run(stage.fsarena().args(["calibrate", "--slices", "ext4"]), 2);
    assert!(err(&output).contains("hint: fsarena calibrate --slices ext4 xfs"), "{}", err(&output));
    let output = run(stage.fsarena().args(["calibrate", "ext4", "xfs"]), 2);
    assert!(err(&output).contains("more than one is given"), "{}", err(&output));
}
