//! Libraries as contenders: they use lanes like other contenders, and workloads that they do not support are refused.

use serde_json::Value;

use crate::stage::{Stage, err, out, run};

/// A short sequence that leaves a file behind, larger than the metadata that a file system writes anyway.
const SEQUENCE: &str = r#"
name = "sequence"
version = 1
measures = "A few steps."
why = "A test."
engine = "sequence"
durable = "none"
cache = "warm"
mode = "whole"
ends-by-itself = true
metric = { name = "total", unit = "s", measure = "seconds", better = "lower" }
parameters.steps = [
    { name = "create", do = "create", where = "files/small", count = 50, size = "3K" },
    { name = "large", do = "create", where = "files/large", size = "8M" },
    { name = "random", do = "random-write", where = "files/large", count = 100, block = "4K" },
    { name = "delete", do = "delete", where = "files/small", count = 20 },
    { name = "final-sync", do = "sync" },
]
"#;

fn steps<'a>(report: &'a Value, contender: &str) -> Vec<&'a Value> {
    let cells = report["cells"].as_array().expect("cells");
    let cell = cells.iter().find(|cell| cell["contender"] == contender).expect("the cell is there");
    cell["steps"].as_array().expect("steps").iter().collect()
}

fn written(report: &Value, contender: &str, name: &str) -> u64 {
    let steps = steps(report, contender);
    let step = steps.into_iter().find(|step| step["name"] == name).expect("the step is there");
    step["written"].as_u64().expect("it is counted")
}

#[test]
fn a_library_does_the_steps_on_its_lane_and_the_kernel_reads_what_it_left() {
    let Some(stage) = Stage::of_root() else { return };
    let file = stage.file("sequence.toml", SEQUENCE);
    let contenders = ["ext4", "rsext4", "rsext4-preview"];
    // The same work twice in a round: the second one gets a lane that was made again.
    let other = stage.file("again.toml", &SEQUENCE.replace("name = \"sequence\"\n", "name = \"again\"\n"));
    run(stage.compare(&contenders).args(["--rounds", "1", "--workload", &file, "--workload", &other]), 0);
    assert_eq!(stage.left(), Vec::<String>::new());

    let report = stage.json();
    assert_eq!(report["damage"], Value::Array(Vec::new()));
    let verified = report["verifications"].as_array().expect("an array");
    assert!(verified.len() >= 6, "{verified:?}");
    for row in verified {
        assert_eq!((row["files"].as_u64(), &row["differences"]), (Some(32), &Value::Array(Vec::new())), "{row}");
    }
    let names = |contender: &str| {
        let steps = steps(&report, contender);
        steps.into_iter().filter_map(|step| step["name"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(names("ext4"), ["create", "large", "random", "delete", "final-sync", "unmount"]);
    assert_eq!(names("rsext4"), names("ext4"));
    assert_eq!(names("rsext4-preview"), ["create", "large", "random", "delete", "unmount"], "it has no sync");
    let large = 8 << 20;
    assert!(written(&report, "ext4", "large") >= large && written(&report, "rsext4", "large") >= large);
    assert!(written(&report, "rsext4-preview", "unmount") >= large, "all that was not yet written");
    assert!(written(&report, "rsext4", "unmount") < large);
    let classes = |row: &Value| (row["label"].clone(), row["durability"].clone());
    let classes: Vec<_> = report["contenders"].as_array().expect("an array").iter().map(classes).collect();
    assert!(classes.contains(&("rsext4".into(), "flushed".into())), "{classes:?}");
    assert!(classes.contains(&("rsext4-preview".into(), "unflushed".into())), "{classes:?}");
    let text = out(&run(stage.fsarena().args(["report", "last"]), 0));
    assert!(text.contains("nothing is durable") || text.contains("no sync"), "{text}");
}

#[test]
fn work_that_a_library_does_not_support_is_refused_before_anything_is_made() {
    let stage = Stage::new();
    let cases = [
        (vec!["ext4", "rsext4"], "randread-4k", "makes system calls, which no library answers", "--workload axvisor"),
        (vec!["ext4", "rsext4:noatime"], "axvisor", "is not mounted, so it takes no mount options", ""),
    ];
    for (contenders, workload, text, hint) in cases {
        let mut command = stage.fsarena();
        command.arg("compare").args(contenders).args(["--workload", workload]);
        let words = err(&run(&mut command, 2));
        assert!(words.contains(text) && words.contains(hint), "{words}");
    }
}
