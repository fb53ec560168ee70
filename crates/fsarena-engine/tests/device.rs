//! The engine `data` on a device instead of files. A regular file takes the place of the device if that is enough,
//! otherwise a loop device is used.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fsarena_engine::{Job, Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::{Bytes, Nanos, Workload};
use fsarena_sys::loopdev::{self, FileExtent};
use fsarena_testing::{Need, has};
use rustix::fs::OFlags;
use serde_json::{Value, json};

static NEVER: AtomicBool = AtomicBool::new(false);

const MIB: u64 = 1 << 20;

/// A workload on 1 MiB in blocks of 4 KiB, unless `parameters` say otherwise.
fn workload(durable: &str, cache: &str, parameters: Value) -> Workload {
    let mut all = json!({ "file-size": "1M", "block-size": "4K" });
    all.as_object_mut().expect("an object").extend(parameters.as_object().expect("an object").clone());
    let fields = json!({
        "durable": durable, "cache": cache, "mode": "sliced", "ends-by-itself": false, "parameters": all,
    });
    fsarena_testing::workload("data", fields)
}

/// A file of zeros in place of a device.
fn device(place: &Path, size: u64) -> PathBuf {
    let path = place.join("device");
    let file = File::create_new(&path).expect("made");
    file.write_all_at(&vec![0; size as usize], 0).and_then(|()| file.sync_all()).expect("written");
    path
}

fn open(workload: &Workload, device: &Path, size: u64) -> Box<dyn Job> {
    let job = engine("data").expect("there").open_on_device(workload, device, Bytes(size), 7).expect("understood");
    let mut job = job.expect("it can be done on a device");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("ready");
    job
}

fn run(job: &mut dyn Job, time: Option<Nanos>) -> RunStats {
    let mut stats = RunStats::new();
    job.run(&Limit::new(time, &NEVER), &mut stats).expect("done");
    stats
}

fn count(stats: &RunStats, operation: Operation) -> u64 {
    stats.latency(operation).map_or(0, |latency| latency.count)
}

/// The numbers of the blocks that are no longer zeros.
fn written(device: &Path) -> BTreeSet<usize> {
    let bytes = fs::read(device).expect("there");
    bytes.chunks(4096).enumerate().filter(|(_, block)| block.iter().any(|byte| *byte != 0)).map(|pair| pair.0).collect()
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

#[test]
fn the_work_is_the_same_by_both_ways_of_calling() {
    for (calls, depth) in [("sync", 1), ("io-uring", 8)] {
        for (operation, read_percent) in [("read", 100), ("write", 0), ("mixed", 70)] {
            let place = place();
            let device = device(place.path(), 2 * MIB);
            let parameters = json!({ "operation": operation, "pattern": "random", "operations": 1000, "calls": calls, "depth": depth, "read-percent": read_percent });
            let mut job = open(&workload("none", "direct", parameters), &device, 2 * MIB);
            let stats = run(&mut *job, None);
            assert_eq!((stats.operations, stats.bytes), (1000, 1000 * 4096), "{calls} {operation}");
            let reads = count(&stats, Operation::Read) as f64 / 10.0;
            assert!((reads - f64::from(read_percent)).abs() < 6.0, "{calls} {operation}: {reads}");
            let written = written(&device);
            assert_eq!(written.is_empty(), operation == "read", "{calls} {operation}");
            assert!(written.last().is_none_or(|last| *last < 256), "{calls} {operation}: only where the file would be");
        }
    }
}

#[test]
fn new_files_become_consecutive_ranges_of_the_device() {
    for calls in ["sync", "io-uring"] {
        let place = place();
        let device = device(place.path(), 4 * MIB);
        let new =
            json!({ "operation": "write", "pattern": "sequential", "block-size": "64K", "files": 2, "calls": calls });
        // There is room for three files. The last half megabyte is not used.
        let mut job = open(&workload("fsync", "warm", new), &device, 3 * MIB + MIB / 2);
        let stats = run(&mut *job, None);
        assert_eq!((stats.operations, stats.bytes), (32, 2 * MIB), "{calls}");
        assert_eq!((count(&stats, Operation::Fdatasync), count(&stats, Operation::Create)), (2, 0), "{calls}");
        assert_eq!(written(&device), (0..512).collect(), "{calls}");
        let first = fs::read(&device).expect("there");
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("ready");
        run(&mut *job, None);
        assert_eq!(written(&device), (0..768).collect(), "{calls}: the third, and the first again");
        let second = fs::read(&device).expect("there");
        let (one, two) = ((MIB as usize)..(2 * MIB as usize), 0..MIB as usize);
        assert_eq!(first[one.clone()], second[one], "{calls}: the second is as it was");
        assert_ne!(first[two.clone()], second[two], "{calls}: the first is not");
    }
}

#[test]
fn workers_write_their_own_parts_in_order_and_repeat_only_if_asked() {
    let place = place();
    let device = device(place.path(), 4 * MIB);
    let parts = json!({ "operation": "write", "pattern": "sequential", "target": "existing", "threads": 3, "operations": 10, "sync-every": 4 });
    let stats = run(&mut *open(&workload("syncfs", "warm", parts), &device, 4 * MIB), None);
    let expected: BTreeSet<usize> = [0, 256, 512].into_iter().flat_map(|first| first..first + 10).collect();
    assert_eq!(written(&device), expected);
    assert_eq!((stats.operations, count(&stats, Operation::Fdatasync)), (30, 9), "after 4, after 8, and the rest");
    let again = json!({ "operation": "read", "pattern": "sequential", "repeat": true, "operations": 600 });
    assert_eq!(run(&mut *open(&workload("none", "cold", again), &device, 4 * MIB), None).operations, 600);
    let once = json!({ "operation": "read", "pattern": "sequential" });
    assert_eq!(run(&mut *open(&workload("none", "cold", once), &device, 4 * MIB), None).bytes, MIB);
}

#[test]
fn processes_and_rates_are_kept() {
    let place = place();
    let device = device(place.path(), 4 * MIB);
    let two = json!({ "operation": "write", "pattern": "random", "processes": 2, "operations": 50 });
    assert_eq!(run(&mut *open(&workload("o-dsync", "warm", two), &device, 4 * MIB), None).operations, 100);
    let paced = json!({ "operation": "read", "pattern": "random", "rate": 200, "operations": 10 });
    assert_eq!(run(&mut *open(&workload("none", "direct", paced), &device, 4 * MIB), None).offered, Some(200.0));
}

#[test]
fn small_files_and_other_programs_have_no_such_work() {
    for (name, parameters) in [("files", json!({ "operation": "create" })), ("fio", json!({}))] {
        let workload = Workload { parameters, ..workload("none", "warm", json!({})) };
        let job = engine(name).expect("there").open_on_device(&workload, Path::new("/no/such"), Bytes::gib(1), 7);
        assert!(job.expect("no error").is_none(), "{name}");
    }
}

#[test]
fn memory_is_no_floor_for_what_it_does_in_another_way() {
    let floor = |calls: &str| {
        let parameters = json!({ "operation": "read", "pattern": "random", "operations": 1, "calls": calls });
        engine("data").expect("there").traits(&workload("none", "direct", parameters)).expect("sound").runs_in_memory
    };
    assert!(floor("sync") && !floor("io-uring"));
}

/// A loop device for a test. It is removed with its last user.
struct Loop {
    number: u32,
    user: Option<File>,
    _place: tempfile::TempDir,
}

impl Loop {
    /// A loop device with a number below those of runs. `None` without root.
    fn new(size: u64) -> Option<Self> {
        if !has(&[Need::Root]) {
            return None;
        }
        let place = place();
        let image = OpenOptions::new().read(true).write(true).open(device(place.path(), size)).expect("there");
        let number = (900..1000).find(|number| loopdev::add(*number).is_ok()).expect("a free number");
        let bound = loopdev::bind(number, &image, FileExtent::default(), 4096, "fsarena-engine-test");
        let made = Self { number, user: bound.as_ref().ok().and_then(|file| file.try_clone().ok()), _place: place };
        bound.expect("bound");
        Some(made)
    }

    fn path(&self) -> PathBuf {
        loopdev::device_path(self.number)
    }

    /// Number of flushes that the device has received (Documentation/block/stat.rst).
    fn flushes(&self) -> u64 {
        let text = fs::read_to_string(format!("/sys/block/loop{}/stat", self.number)).expect("there");
        text.split_whitespace().nth(15).expect("since Linux 5.5").parse().expect("a number")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        drop(self.user.take());
        // Udev or a late writer may have it open for a moment.
        for _ in 0..200 {
            if loopdev::remove(self.number).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        eprintln!("loop device {} could not be removed", self.number);
    }
}

#[test]
fn a_sync_is_a_flush_of_the_device_and_the_work_is_direct() {
    let Some(device) = Loop::new(8 * MIB) else { return };
    for (calls, durable) in [("sync", "fsync"), ("io-uring", "fdatasync"), ("sync", "syncfs")] {
        let writes =
            json!({ "operation": "write", "pattern": "random", "operations": 40, "sync-every": 1, "calls": calls });
        let mut job = open(&workload(durable, "warm", writes), &device.path(), 8 * MIB);
        let before = device.flushes();
        let stats = run(&mut *job, None);
        assert_eq!(count(&stats, Operation::Fdatasync), 40, "{calls} {durable}");
        assert!(device.flushes() - before >= 40, "{calls} {durable}");
    }
    let small = json!({ "operation": "read", "pattern": "random", "operations": 10 });
    assert_eq!(run(&mut *open(&workload("none", "cold", small), &device.path(), 8 * MIB), None).operations, 10);
}

#[test]
fn a_device_in_use_is_left_alone() {
    let Some(device) = Loop::new(8 * MIB) else { return };
    let claimed = OpenOptions::new().read(true).custom_flags(OFlags::EXCL.bits() as i32).open(device.path());
    let claimed = claimed.expect("no other process has it");
    let write = workload("none", "direct", json!({ "operation": "write", "pattern": "random", "operations": 1 }));
    let job = engine("data").expect("there").open_on_device(&write, &device.path(), Bytes(8 * MIB), 7);
    let mut job = job.expect("understood").expect("it can be done on a device");
    let error =
        job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect_err("a mount would claim it just so").to_string();
    assert!(error.contains("exclusively") && error.contains("busy"), "{error}");
    drop(claimed);
    // A program that another test has just started holds a copy of the open file until its exec.
    let begin = Instant::now();
    while let Err(error) = job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER) {
        assert!(begin.elapsed() < Duration::from_secs(60), "it is free again: {error}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
