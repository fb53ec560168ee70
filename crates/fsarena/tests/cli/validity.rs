//! Each validity class that can be had for real: provoked on lanes and directories, and recognised.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_testing::{Need, has};
use serde_json::Value;

use crate::stage::{LANE, SMALL, Stage, binary, run};

/// A workload of the engine `data`; `shape` stands before its parameters.
fn data(stage: &Stage, name: &str, shape: &str, parameters: &str) -> String {
    let text = format!(
        "name = '{name}'\nversion = 1\nmeasures = 'x'\nwhy = 'x'\nengine = 'data'\ndurable = 'none'\nmode = 'sliced'\n\
         slices = 2\n{shape}\nparameters = {{ {parameters} }}\n\
         metric = {{ name = 'rate', unit = 'op/s', measure = 'operations-per-second', better = 'higher' }}\n"
    );
    stage.file(&format!("{name}.toml"), &text)
}

fn cells(report: &Value) -> impl Iterator<Item = &Value> {
    report["cells"].as_array().expect("cells").iter()
}

/// Whether the cell has that class, with a sentence.
fn is_flagged(cell: &Value, class: &str) -> bool {
    let mut flags = cell["validity"].as_array().expect("flags").iter();
    flags.any(|flag| flag["class"] == class && flag["text"].as_str().is_some_and(|text| text.len() > 20))
}

/// Whether others kept the machine busy: then a reference may not count, and what needs one is not said.
fn is_disturbed(report: &Value) -> bool {
    let is_set_aside =
        |cell: &Value| cell["stability"]["set_aside"].as_array().is_some_and(|rounds| !rounds.is_empty());
    cells(report).any(is_set_aside)
}

#[test]
fn buffered_rereads_that_call_themselves_cold_are_cached() {
    let Some(stage) = Stage::of_root() else { return };
    let parameters = "operation = 'read', pattern = 'sequential', repeat = true, file-size = '8M', block-size = '64K'";
    let rereads = data(&stage, "rereads", "cache = 'cold'\ntimed-ms = 120", parameters);
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", &rereads]), 0);
    assert!(cells(&stage.json()).all(|cell| is_flagged(cell, "cached")), "{}", stage.json()["cells"]);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn more_threads_than_processors_on_cached_reads_are_cpu_bound() {
    let Some(stage) = Stage::of_root() else { return };
    let threads = std::thread::available_parallelism().map_or(4, |cores| cores.get() * 2);
    let parameters =
        format!("operation = 'read', pattern = 'random', file-size = '16M', block-size = '4K', threads = {threads}");
    let reads = data(&stage, "reads", "cache = 'warm'\ntimed-ms = 300", &parameters);
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", &reads]), 0);
    let report = stage.json();
    // Where others use the processors, or a hypervisor takes them away, these threads cannot have filled them.
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get()) as f64;
    for cell in cells(&report) {
        let [process, kernel] = ["cpu.process", "cpu.kernel"].map(|name| cell["probes"][name]["value"].as_f64());
        let seconds = cell["seconds_per_operation"].as_f64().expect("measured");
        let share = (process.expect("read") + kernel.expect("read")) / (seconds * cores);
        assert_eq!(is_flagged(cell, "cpu-bound"), share >= 0.9, "{share}: {}", report["cells"]);
    }
}

#[test]
fn a_loop_of_a_shell_is_harness_bound_and_its_starts_stand_beside_it() {
    let Some(stage) = Stage::of_root() else { return };
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", "shell-mkdir"]), 0);
    let report = stage.json();
    let cell = &report["cells"][0];
    // A disk that stalls while folders are made may take more than half of the time itself.
    let share = cell["harness_share"].as_f64().unwrap_or(0.0);
    assert_eq!(is_flagged(cell, "harness-bound"), share > 0.5, "{cell}");
    let places: Vec<&str> =
        report["references"].as_array().expect("rows").iter().filter_map(|row| row["place"].as_str()).collect();
    assert!(places == ["memory", "start"] || is_disturbed(&report), "{places:?}");
    let text = cell["validity"].to_string();
    assert!(share <= 0.5 || text.contains("starting programs that do nothing takes"), "{text}");
    assert!(cell["start_share"].as_f64() > Some(0.0) || is_disturbed(&report), "{cell}");
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
    let flushes =
        |cell: &Value| ["device.flushes", "device.preflushes"].map(|name| cell["probes"][name]["value"].as_f64());
    let seen: Vec<[Option<f64>; 2]> = cells(&report).map(flushes).collect();
    assert!(seen[0][0] >= Some(0.9) && seen[1][0] < Some(0.05), "{seen:?}");
    assert!(seen[0][1].is_none_or(|preflushes| preflushes >= 0.9) && seen[1][1].is_none_or(|none| none < 0.05));
    assert_eq!(report["verdicts"][0]["verdict"], "invalid");
}

/// A file system that never writes in place, in an image of the test's own, mounted; taken away when it goes.
struct Host(PathBuf);

impl Host {
    fn new(stage: &Stage) -> Self {
        let (image, point) = (stage.path("host.img"), stage.path("host"));
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
fn images_on_a_host_file_system_that_copies_on_write_are_lane_bound() {
    let Some(stage) = Stage::of_root() else { return };
    let host = Host::new(&stage);
    let storage = host.0.join("lanes");
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "--rounds", "1", "--lane-size", LANE, "--workload", &stage.small(), "--storage"]);
    run(command.arg(format!("dir:{}", storage.display())), 0);
    let report = stage.json();
    let facts = report["round_facts"].as_array().expect("rounds");
    let beneath = |facts: &Value| {
        let [all, device] = ["back_to_back", "device"].map(|part| facts["lane_cost"][part].as_f64().expect("measured"));
        (all - device) / 1e9
    };
    // A disk that stalls round after round has a larger part in it than the host's file system has.
    let least = facts.iter().map(beneath).fold(f64::INFINITY, f64::min);
    for cell in cells(&report) {
        let flushes = cell["probes"]["device.flushes"]["value"].as_f64().expect("counted");
        let share = flushes * least / cell["seconds_per_operation"].as_f64().expect("measured");
        assert!(is_flagged(cell, "lane-bound") || share <= 0.2, "{share}: {}", report["cells"]);
        let text = cell["validity"].to_string();
        assert!(!text.contains("lane-bound") || text.contains("host's file system"), "{text}");
    }
    assert!(facts.iter().any(|facts| beneath(facts) > 0.0), "it is never nothing: {}", report["round_facts"]);
}

/// A control group in which the lanes' devices may serve so many reads a second; removed when it goes.
struct Throttle(PathBuf);

impl Throttle {
    /// `None` where this machine has no such groups (cgroup v1, blkio).
    fn new() -> Option<Self> {
        if !has(&[Need::Root, Need::Path("/sys/fs/cgroup/blkio/cgroup.procs")]) {
            return None;
        }
        let folder = Path::new("/sys/fs/cgroup/blkio").join(format!("fsarena-test-{}", std::process::id()));
        fs::create_dir(&folder).expect("a control group");
        Some(Self(folder))
    }

    /// Limits the lanes as they come, until `done`.
    fn limit(&self, done: &AtomicBool) {
        let mut limited = Vec::new();
        while !done.load(Ordering::Relaxed) {
            for lane in (1000..1010).filter(|lane| !limited.contains(lane)).collect::<Vec<_>>() {
                let device = fs::read_to_string(format!("/sys/block/loop{lane}/dev")).unwrap_or_default();
                let rule = format!("{} 500", device.trim());
                if !device.is_empty() && fs::write(self.0.join("blkio.throttle.read_iops_device"), rule).is_ok() {
                    limited.push(lane);
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// One round of `workload` on throttled lanes.
fn throttled(stage: &Stage, throttle: &Throttle, workload: &str) -> Value {
    let mut command = Command::new("sh");
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$0\" \"$@\"", throttle.0.display());
    command.args(["-c", &script]).arg(binary()).arg("--store").arg(stage.store()).env("NO_COLOR", "1");
    command.args(["compare", "ext4", "xfs", "btrfs", "--rounds", "1", "--workload", workload, "--lane-size", LANE]);
    command.arg("--storage").arg(stage.storage());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| throttle.limit(&done));
        let output = command.output();
        done.store(true, Ordering::Relaxed);
        assert!(output.expect("it starts").status.success());
    });
    stage.json()
}

#[test]
fn on_a_throttled_device_all_are_device_bound_and_a_tie_says_nothing() {
    let stage = Stage::new();
    let Some(throttle) = Throttle::new() else { return };
    let parameters = "operation = 'read', pattern = 'random', file-size = '16M', block-size = '4K'";
    // The first part of each slice spends what the kernel has saved up for who waited.
    let reads = data(&stage, "reads", "cache = 'direct'\nwarm-up-ms = 400\ntimed-ms = 1200", parameters);
    // The machine's own disk may stall for half a second in the middle, seen as one read that long: then once more.
    let is_stalled = |cell: &Value| cell["probes"]["latency.read.max"]["value"].as_f64() > Some(0.3);
    let mut report = throttled(&stage, &throttle, &reads);
    for _ in 0..2 {
        if cells(&report).any(|cell| is_stalled(cell) || cell["ceiling_share"].is_null()) {
            report = throttled(&stage, &throttle, &reads);
        }
    }
    let is_bound = |cell: &Value| match cell["ceiling_share"].is_null() {
        true => is_disturbed(&report),
        false => is_flagged(cell, "device-bound"),
    };
    assert!(cells(&report).all(is_bound), "{}", report["cells"]);
    let verdicts = report["verdicts"].as_array().expect("pairs");
    assert!(verdicts.iter().all(|pair| pair["verdict"] != "equivalent"));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn what_is_measured_beside_the_figures_is_there_and_can_be_left_out() {
    let Some(stage) = Stage::of_root() else { return };
    let small = stage.file("small.toml", SMALL);
    run(stage.compare(&["ext4", "xfs"]).args(["--rounds", "1", "--workload", &small]), 0);
    let report = stage.json();
    for cell in cells(&report) {
        let probe = |name: &str| cell["probes"][name]["value"].as_f64();
        // What resting takes is a difference of two times: where the second is the longer one, nothing is left of it.
        assert!(probe("clock.returned") <= probe("clock.durable") && probe("clock.durable") <= probe("clock.rest"));
        assert!(probe("clock.rest.written").is_some() && probe("space.rest") > Some(0.5), "{cell}");
        assert!(cell["harness_share"].as_f64() > Some(0.0) || is_disturbed(&report), "{cell}");
    }
    run(stage.compare(&["ext4"]).args(["--rounds", "1", "--workload", &small, "--beside", "never"]), 0);
    let report = stage.json();
    assert!(report["references"].as_array().is_some_and(Vec::is_empty));
    assert!(cells(&report).all(|cell| cell["harness_share"].is_null() && cell["probes"]["clock.rest"].is_null()));
}
