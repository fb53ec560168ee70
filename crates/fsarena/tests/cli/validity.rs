//! The readings that validity rests on, counted on real lanes. The classes themselves are tested with exact records in
//! `fsarena-execute`, because the classes that a shared machine produces vary.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use fsarena_model::BaselineKind;
use serde_json::Value;

use crate::stage::{LANE, SMALL, Stage, run};

/// Writes a workload of the engine `data` to a file; `shape` is inserted before its parameters.
fn data(stage: &Stage, name: &str, shape: &str, parameters: &str) -> String {
    let fields = format!("engine = 'data'\nmode = 'sliced'\nslices = 2\n{shape}\nparameters = {{ {parameters} }}\n");
    stage.workload(name, &fields)
}

fn cells(report: &Value) -> impl Iterator<Item = &Value> {
    let cells = report["cells"].as_array().expect("cells");
    assert!(!cells.is_empty());
    cells.iter()
}

fn probe(cell: &Value, name: &str) -> f64 {
    cell["probes"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name} was read: {cell}"))
}

#[test]
fn buffered_rereads_that_call_themselves_cold_are_cached() {
    let Some(stage) = Stage::of_root() else { return };
    let parameters = "operation = 'read', pattern = 'sequential', repeat = true, file-size = '8M', block-size = '64K'";
    let rereads = data(&stage, "rereads", "cache = 'cold'\ntimed-ms = 120", parameters);
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", &rereads]), 0);
    let report = stage.json();
    for cell in cells(&report) {
        let flags = cell["validity"].as_array().expect("flags");
        let cached = flags.iter().find(|flag| flag["class"] == "cached").expect("flagged");
        assert!(cached["share"].as_f64().is_some_and(|share| share < 0.9), "{cached}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_processors_time_is_counted() {
    let Some(stage) = Stage::of_root() else { return };
    let threads = std::thread::available_parallelism().map_or(4, |cores| cores.get() * 2);
    let parameters =
        format!("operation = 'read', pattern = 'random', file-size = '16M', block-size = '4K', threads = {threads}");
    let reads = data(&stage, "reads", "cache = 'warm'\ntimed-ms = 100", &parameters);
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--baselines", "never", "--workload", &reads]), 0);
    for cell in cells(&stage.json()) {
        assert!(probe(cell, "cpu.process") > 0.0 && probe(cell, "cpu.kernel") >= 0.0, "{cell}");
    }
}

#[test]
fn a_loop_of_a_shell_is_also_run_in_memory_and_its_starts_are_counted() {
    let Some(stage) = Stage::of_root() else { return };
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", "shell-mkdir"]), 0);
    // The report leaves out baselines that were measured in noise, so the record is looked at.
    let record = fsarena_store::Store::read(&stage.store()).and_then(|store| store.load(1)).expect("stored");
    let operations: Vec<(BaselineKind, bool)> =
        record.baselines.iter().map(|baseline| (baseline.kind, baseline.trial.operations() > 0)).collect();
    assert_eq!(operations, [(BaselineKind::Memory, true), (BaselineKind::Start, true)]);
    let report = stage.json();
    let is_counted = report["baselines"].as_array().expect("rows").iter().any(|row| row["kind"] == "start");
    let shares = cells(&report).map(|cell| cell["start_share"].as_f64().filter(|share| *share > 0.0));
    assert!(shares.into_iter().all(|share| share.is_some() == is_counted));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn without_barriers_flushes_are_missing_and_nothing_is_ranked_with_it() {
    let Some(stage) = Stage::of_root() else { return };
    run(stage.compare(&["ext4", "careless=ext4:barrier=0"]).args(["--rounds", "1", "--workload", &stage.small()]), 0);
    let report = stage.json();
    let durability: Vec<&str> =
        report["contenders"].as_array().expect("rows").iter().filter_map(|row| row["durability"].as_str()).collect();
    assert_eq!(durability, ["flushed", "unflushed"]);
    let [with, without] = [0, 1].map(|index| probe(&report["cells"][index], "device.flushes"));
    assert!(with >= 0.9 && without < 0.05, "{with} {without}");
    assert_eq!(report["verdicts"][0]["verdict"], "invalid");
}

/// A mounted file system that never writes in place, in an image file; removed when dropped.
struct Host(PathBuf);

impl Host {
    fn new(stage: &Stage) -> Self {
        let (image, point) = (stage.in_memory("host.img"), stage.path("host"));
        fs::File::create(&image).and_then(|file| file.set_len(2 << 30)).expect("a sparse file");
        fs::create_dir(&point).expect("a mount point");
        run(Command::new("mkfs.btrfs").args(["-q", "-f"]).arg(&image), 0);
        run(Command::new("mount").args(["-o", "loop"]).args([&image, &point]), 0);
        Self(point)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn writes_that_a_copy_on_write_host_adds_are_counted() {
    let Some(stage) = Stage::of_root() else { return };
    let host = Host::new(&stage);
    let storage = host.0.join("lanes");
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "--rounds", "1", "--lane-size", LANE, "--workload", &stage.small(), "--storage"]);
    run(command.arg(format!("dir:{}", storage.display())), 0);
    let report = stage.json();
    let cost = &report["round_facts"][0]["lane_cost"];
    let [all, device, bytes] = ["back_to_back", "device", "host_bytes"].map(|part| cost[part].as_f64());
    // The device's time is a mean and at most the median of the whole: on a busy disk they are equal.
    assert!(all >= device && device.is_some_and(|device| device > 0.0), "the host takes a part: {cost}");
    assert!(bytes.is_some_and(|bytes| bytes > 2.0 * 4096.0), "data and the way to it, twice: {cost}");
}

#[test]
fn baselines_are_measured_and_can_be_left_out() {
    let Some(stage) = Stage::of_root() else { return };
    let small = stage.file("small.toml", SMALL);
    run(stage.compare(&["ext4", "xfs"]).args(["--rounds", "1", "--workload", &small]), 0);
    for cell in cells(&stage.json()) {
        // The time to come to rest is the difference of two measurements; it is clamped to 0 if the second is longer.
        let [returned, durable, rest] =
            ["clock.returned", "clock.durable", "clock.quiescent"].map(|clock| probe(cell, clock));
        assert!(0.0 < returned && returned <= durable && durable <= rest, "{cell}");
        assert!(probe(cell, "clock.quiescent.written") >= 0.0 && probe(cell, "space.quiescent") > 0.5, "{cell}");
    }
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", &small, "--baselines", "never"]), 0);
    let report = stage.json();
    assert!(report["baselines"].as_array().is_some_and(Vec::is_empty));
    assert!(cells(&report).all(|cell| cell["harness_share"].is_null() && cell["probes"]["clock.quiescent"].is_null()));
}
