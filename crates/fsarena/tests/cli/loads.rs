//! Heavy loads: a full lane, block sizes that a device does not support, compression.

use crate::stage::{Stage, err, run};

/// Writes a workload of the engine `data` (or another) to a file.
fn workload(stage: &Stage, name: &str, head: &str, parameters: &str) -> String {
    stage.workload(name, &format!("mode = 'whole'\n{head}\nparameters = {{ {parameters} }}"))
}

fn cell<'a>(report: &'a serde_json::Value, workload: &str, contender: &str) -> &'a serde_json::Value {
    let cells = report["cells"].as_array().expect("an array");
    let found = cells.iter().find(|cell| cell["workload"] == workload && cell["contender"] == contender);
    found.expect("a cell for each")
}

#[test]
fn work_that_a_lane_does_not_support_is_refused_before_anything_is_made() {
    let Some(stage) = Stage::of_root() else { return };
    let direct = "engine = 'data'\ndurable = 'none'\ncache = 'direct'\ntimed-ms = 50";
    let sectors = "operation = 'read', pattern = 'random', file-size = '1M', block-size = 512";
    let sectors = workload(&stage, "sectors", direct, sectors);
    let output = run(stage.compare(&["ext4"]).args(["--workload", &sectors]), 2);
    assert!(
        err(&output).contains("direct I/O in units of 512 bytes") && err(&output).contains("hint: "),
        "{}",
        err(&output)
    );
    let huge = "operation = 'read', pattern = 'random', file-size = '4G', block-size = '4K'";
    let huge = workload(&stage, "huge", direct, huge);
    let output = run(stage.compare(&["ext4"]).args(["--workload", &huge]), 2);
    assert!(err(&output).contains("`huge`") && err(&output).contains("--lane-size"), "{}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_lane_that_fills_up_ends_that_trial_and_the_rest_goes_on() {
    let Some(stage) = Stage::of_root() else { return };
    // Few inodes: a plan checks the space in bytes, but not the number of files.
    let few = stage.file("few.toml", "kind = 'ext4'\nlabel = 'few'\nmkfs = ['-N', '1000']\n");
    let head = "engine = 'files'\ndurable = 'none'\ncache = 'warm'\ntimed-ms = 1000";
    let many = workload(&stage, "many", head, "operation = 'create', size = 0, files = 3000");
    let small = workload(&stage, "little", &head.replace("1000", "30"), "operation = 'append', size = 16");
    let mut command = stage.compare(&["ext4", &few, "--rounds", "1"]);
    run(command.args(["--workload", &many, "--workload", &small]), 3);
    let report = stage.json();
    let full = cell(&report, "many", "few");
    assert_eq!(full["validity"][0]["class"], "did-not-finish");
    assert!(full["validity"][0]["why"].as_str().is_some_and(|text| text.contains("No space left")), "{full}");
    for (workload, contender) in [("many", "ext4"), ("little", "ext4"), ("little", "few")] {
        let rate = cell(&report, workload, contender)["median"].as_f64();
        assert!(rate.is_some_and(|rate| rate > 0.0), "the rest goes on: {workload} on {contender}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_compressing_file_system_writes_less_of_what_can_be_compressed_only() {
    let Some(stage) = Stage::of_root() else { return };
    let write = |name: &str, percent: u32| {
        let parameters = format!(
            "operation = 'write', pattern = 'sequential', file-size = '16M', block-size = '1M', files = 2, \
             compressible-percent = {percent}"
        );
        workload(&stage, name, "engine = 'data'\ndurable = 'fsync'\ncache = 'warm'", &parameters)
    };
    let (random, half) = (write("random", 0), write("half", 50));
    let contenders = ["plain=btrfs", "zstd=btrfs:compress=zstd"];
    run(stage.compare(&contenders).args(["--rounds", "1", "--workload", &random, "--workload", &half]), 0);
    let report = stage.json();
    let written = |workload: &str, contender: &str| {
        let bytes = &cell(&report, workload, contender)["probes"]["device.written"]["value"];
        bytes.as_f64().expect("a lane") / f64::from(1 << 20)
    };
    for (workload, contender) in [("random", "plain"), ("half", "plain"), ("random", "zstd")] {
        assert!((0.99..1.2).contains(&written(workload, contender)), "{workload} on {contender}");
    }
    let share = written("half", "zstd");
    assert!((0.45..0.7).contains(&share), "half of it can be compressed: {share}");
    assert_eq!(stage.left(), Vec::<String>::new());
}
