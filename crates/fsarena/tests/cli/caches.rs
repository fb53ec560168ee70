//! `--cache`: reads with a cold and a warm cache, as two workloads or one instead of the other.

use serde_json::Value;

use crate::stage::{Stage, accounts_for, err, out, run};

/// Writes a workload that reads to a file.
fn workload(stage: &Stage, name: &str, head: &str, parameters: &str) -> String {
    stage.workload(name, &format!("{head}\nparameters = {{ {parameters} }}"))
}

/// Warm random reads, a cold scan and a warm tree: each reads blocks of 4 KiB, and no block twice.
fn readers(stage: &Stage) -> [String; 3] {
    let random = "operation = 'read', pattern = 'random', distribution = 'once', operations = 500";
    let random = format!("{random}, file-size = '16M', block-size = '4K'");
    let scan = "operation = 'read', pattern = 'sequential', file-size = '4M', block-size = '4K'";
    let tree = "operation = 'read', size = '4K', depth = 1, fan-out = 3, files-per-directory = 100";
    [
        workload(stage, "random", "engine = 'data'\ncache = 'warm'\nmode = 'sliced'\nslices = 2", &random),
        workload(stage, "scan", "engine = 'data'\ncache = 'cold'\nmode = 'whole'", scan),
        workload(stage, "tree", "engine = 'files'\ncache = 'warm'\nmode = 'sliced'\nslices = 2\ntimed-ms = 30", tree),
    ]
}

/// The names of the workloads, and their cache states.
fn names(report: &Value) -> Vec<(&str, &str)> {
    let workloads = report["workloads"].as_array().expect("an array");
    workloads.iter().filter_map(|workload| Some((workload["name"].as_str()?, workload["cache"].as_str()?))).collect()
}

#[test]
fn both_states_are_measured_and_the_device_serves_the_cold_one_only() {
    let Some(stage) = Stage::alone_of_root() else { return };
    let [random, scan, tree] = readers(&stage);
    let small = stage.small();
    let mut command = stage.compare(&["ext4", "xfs", "--rounds", "1", "--cache", "both"]);
    for name in [&random, &scan, &tree, &small] {
        command.args(["--workload", name]);
    }
    let output = run(&mut command, 0);
    assert!(err(&output).contains("--cache does nothing to `small`"), "{}", err(&output));
    let report = stage.json();
    let cold_and_warm = [
        ("random", "warm"),
        ("random@cold", "cold"),
        ("scan", "cold"),
        ("scan@warm", "warm"),
        ("tree", "warm"),
        ("tree@cold", "cold"),
        ("small", "warm"),
    ];
    assert_eq!(names(&report), cold_and_warm);
    for cell in report["cells"].as_array().expect("an array").iter().filter(|cell| cell["workload"] != "small") {
        let name = cell["workload"].as_str().expect("a name");
        let is_cold = cold_and_warm.contains(&(name, "cold"));
        let read = cell["probes"]["device.read"]["value"].as_f64().expect("a lane");
        assert!(accounts_for(cell, 1), "{cell}");
        assert_eq!(read >= 4096.0, is_cold, "{read} bytes for each 4 KiB of {cell}");
        // On a busy machine a slice has few reads, among which the reads of the mount itself are divided.
        assert!(is_cold || read < 2048.0, "{read} bytes for each 4 KiB of {cell}");
        assert!(!cell["validity"].to_string().contains("cached"), "{cell}");
    }
    let words = report["command"].as_array().expect("words").iter().filter_map(|word| word.as_str());
    let command = words.collect::<Vec<_>>().join(" ");
    let file = |name: &str| format!("--workload {}", stage.path(&format!("{name}.toml")).display());
    let again = ["random", "scan", "tree", "small"].map(file).join(" ") + " --cache both";
    assert!(command.contains(&again), "the command repeats the run: {command}");
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert_eq!(names(&stage.json()), cold_and_warm);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn one_state_takes_the_place_of_the_other() {
    let stage = Stage::without_runs();
    let dry = |arguments: &[&str]| out(&run(stage.fsarena().args(["compare", "ext4", "--dry-run"]).args(arguments), 0));
    let cold = dry(&["--suite", "operations", "--cache", "cold"]);
    assert!(cold.contains("  stat-tree@cold (") && !cold.contains("  stat-tree ("), "{cold}");
    assert!(cold.contains("  seqread-cold (") && !cold.contains("seqread-cold@"), "{cold}");
    let warm = dry(&["--suite", "operations", "--cache", "warm"]);
    assert!(warm.contains("  stat-tree (") && warm.contains("  seqread-cold@warm ("), "{warm}");
    assert!(!warm.contains("  seqread-cold (") && !warm.contains("stat-tree@"), "{warm}");
    let paced = dry(&["--workload", "mmap-read-4k-cold", "--cache", "both", "--rate", "500"]);
    assert!(paced.contains("mmap-read-4k-cold@warm@500 ("), "{paced}");
}

#[test]
fn a_workload_with_one_cache_state_is_refused_alone() {
    let stage = Stage::without_runs();
    let arguments = ["compare", "ext4", "--dry-run", "--workload", "randread-4k", "--cache", "cold"];
    let refused = err(&run(stage.fsarena().args(arguments), 2));
    assert!(refused.contains("`randread-4k`") && refused.contains("hint: "), "{refused}");
}
