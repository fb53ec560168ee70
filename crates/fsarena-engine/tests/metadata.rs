//! The engine `files`: what its operations do, in which trees, and by how many.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Operation, Tally, engine};
use fsarena_model::{Nanos, Workload};
use rustix::fs::lgetxattr;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A workload that does `operation` on these, with 100 ms for a slice.
fn workload(durable: &str, parameters: Value) -> Workload {
    serde_json::from_value(json!({
        "name": "under-test", "version": 1, "measures": "a test", "why": "a test", "engine": "files",
        "metric": { "name": "rate", "unit": "op/s", "measure": "operations-per-second", "better": "higher" },
        "durable": durable, "cache": "warm", "mode": "sliced", "timed-ms": 100, "parameters": parameters,
    }))
    .expect("a well-formed workload")
}

/// What a job left behind.
struct Done {
    place: TempDir,
    tally: Tally,
}

impl Done {
    /// The paths below the job's directory, sorted, and what they are.
    fn found(&self) -> BTreeMap<String, Metadata> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.place.path().to_owned()];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).expect("there") {
                let path = entry.expect("there").path();
                let metadata = path.symlink_metadata().expect("there");
                if metadata.is_dir() {
                    left.push(path.clone());
                }
                let name = path.strip_prefix(self.place.path()).expect("below").display().to_string();
                found.insert(name, metadata);
            }
        }
        found
    }

    /// The paths of what has this letter, sorted.
    fn named(&self, letter: char) -> Vec<String> {
        let is_one = |path: &&String| path.rsplit('/').next().is_some_and(|name| name.starts_with(letter));
        self.found().keys().filter(is_one).cloned().collect()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    fn lengths(&self) -> Vec<u64> {
        self.named('f').iter().map(|path| self.found()[path].len()).collect()
    }
}

/// On a file system that has extended attributes.
fn place() -> TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

fn slice(workload: &Workload, directory: &Path, time: Option<Nanos>, runs: u32) -> Result<Tally, EngineError> {
    let mut job = engine("files").expect("it exists").open(workload, directory, 7)?;
    let stop = AtomicBool::new(false);
    let mut tally = Tally::default();
    job.prepare()?;
    job.refill()?;
    for _ in 0..runs {
        job.run(&Limit { time, stop: &stop }, &mut tally)?;
    }
    Ok(tally)
}

/// One batch: each thread looks at the time after that.
fn batch(durable: &str, parameters: Value) -> Done {
    batches(durable, parameters, 1)
}

fn batches(durable: &str, parameters: Value, count: u32) -> Done {
    let place = place();
    let tally = slice(&workload(durable, parameters), place.path(), Some(Nanos(1)), count).expect("it works");
    Done { place, tally }
}

fn count(done: &Done, operation: Operation) -> u64 {
    done.tally.latency(operation).map_or(0, |latency| latency.count)
}

#[test]
fn operations_that_look_are_counted_under_their_names() {
    let operations = [Operation::Open, Operation::Stat, Operation::Read, Operation::GetXattr, Operation::Readdir];
    for operation in operations {
        let done = batch("none", json!({ "operation": operation.name(), "files": 10, "size": 100, "batch": 25 }));
        assert_eq!((count(&done, operation), done.tally.operations), (25, 25), "{}", operation.name());
        assert_eq!(done.tally.latencies().count(), 1);
        assert_eq!(done.lengths(), [100; 10]);
        let bytes = match operation {
            Operation::Read => 2500,
            Operation::GetXattr => 25 * 32,
            _ => 0,
        };
        assert_eq!(done.tally.bytes, bytes, "{}", operation.name());
    }
}

#[test]
fn a_file_is_looked_at_where_it_should_be() {
    for operation in ["open", "stat", "read", "chmod", "utimes", "set-xattr", "get-xattr", "rename", "readdir"] {
        let place = place();
        let work = workload("none", json!({ "operation": operation, "files": 1, "size": 1 }));
        let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
        job.prepare().expect("it works");
        fs::rename(place.path().join("tree0"), place.path().join("elsewhere")).expect("renamed");
        fs::create_dir(place.path().join("tree0")).expect("made");
        let stop = AtomicBool::new(false);
        let done = job.run(&Limit { time: Some(Nanos(1)), stop: &stop }, &mut Tally::default());
        assert_eq!(done.is_ok(), operation == "readdir", "{operation}: an empty directory can be read");
    }
}

#[test]
fn writes_go_over_what_is_there() {
    let before = batch("none", json!({ "operation": "stat", "files": 4, "size": 5000, "batch": 1 }));
    let after = batch("none", json!({ "operation": "write", "files": 4, "size": 5000, "batch": 4 }));
    assert_eq!((after.tally.bytes, after.lengths()), (20_000, vec![5000; 4]));
    for file in after.named('f') {
        assert_ne!(fs::read(before.path(&file)).expect("there"), fs::read(after.path(&file)).expect("there"));
    }
}

#[test]
fn appends_have_a_log_for_each_thread() {
    for shared in [true, false] {
        let parameters = json!({ "operation": "append", "size": 100, "batch": 5, "threads": 3, "shared": shared });
        let done = batches("none", parameters, 2);
        assert_eq!(done.lengths(), [1000; 3], "five records at a time, twice");
        assert_eq!(done.named('t').len(), if shared { 1 } else { 3 });
    }
}

#[test]
fn renames_are_there_after_one_pass_and_back_after_two() {
    let parameters = json!({ "operation": "rename", "files": 6, "batch": 6, "depth": 1, "fan-out": 2 });
    let there = batch("syncfs", parameters.clone());
    assert_eq!((there.named('f').len(), there.named('g').len()), (0, 6));
    assert!(there.path("tree0/b001/g00000003").exists(), "in its own directory");
    assert_eq!(batches("syncfs", parameters, 2).named('f').len(), 6);
}

#[test]
fn links_are_second_names_of_the_same_files() {
    let done = batch("syncfs", json!({ "operation": "link", "files": 5, "batch": 9 }));
    assert_eq!((done.tally.operations, done.named('l').len()), (5, 5), "it ends when each has two");
    let found = done.found();
    for (file, link) in done.named('f').iter().zip(done.named('l')) {
        assert_eq!((found[file].ino(), found[file].nlink()), (found[&link].ino(), 2));
    }
}

#[test]
fn symlinks_are_made_and_point_to_names() {
    let done = batch("syncfs", json!({ "operation": "symlink", "files": 5, "batch": 3 }));
    assert_eq!(done.named('s').len(), 3);
    assert_eq!(fs::read_link(done.path("tree0/s00000002")).expect("a link"), Path::new("f00000002"));
}

#[test]
fn permissions_and_times_change_with_each_pass() {
    let of = |operation: &str, passes| {
        let done = batches("syncfs", json!({ "operation": operation, "files": 3, "batch": 3 }), passes);
        done.found()["tree0/f00000001"].clone()
    };
    assert_eq!([of("chmod", 1), of("chmod", 2)].map(|found| found.permissions().mode() & 0o777), [0o640, 0o600]);
    assert_eq!([of("utimes", 1), of("utimes", 3)].map(|found| found.mtime()), [1_000_000_000, 1_000_000_002]);
    assert_eq!(of("utimes", 2).atime(), 1_000_000_001);
}

#[test]
fn extended_attributes_are_there_and_are_replaced() {
    let value = |operation: &str| {
        let done = batch("none", json!({ "operation": operation, "files": 3, "batch": 3 }));
        let mut value = [0_u8; 64];
        let length = lgetxattr(done.path("tree0/f00000002"), "user.fsarena", &mut value).expect("it has one");
        value[..length].to_vec()
    };
    let (before, after) = (value("get-xattr"), value("set-xattr"));
    assert_eq!((before.len(), after.len()), (32, 32));
    assert_ne!(before, after);
}

#[test]
fn directories_are_made_and_removed() {
    let made = batch("syncfs", json!({ "operation": "mkdir", "files": 8, "batch": 5 }));
    assert_eq!((made.tally.operations, made.named('d').len()), (5, 5));
    assert!(made.path("tree0/d00000004").is_dir());
    let removed = batch("syncfs", json!({ "operation": "rmdir", "files": 8, "batch": 5 }));
    assert_eq!((removed.tally.operations, removed.named('d').len()), (5, 3));
    let all = batches("syncfs", json!({ "operation": "rmdir", "files": 8, "batch": 5 }), 3);
    assert_eq!((all.tally.operations, all.named('d').len()), (8, 0), "there is no more");
}

#[test]
fn what_is_used_up_is_made_again() {
    for (operation, letter) in [("delete", 'f'), ("rmdir", 'd'), ("link", 'l'), ("create", 'f'), ("symlink", 's')] {
        let place = place();
        let work = workload("none", json!({ "operation": operation, "files": 7, "batch": 10 }));
        let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
        let (stop, mut tally) = (AtomicBool::new(false), Tally::default());
        job.prepare().expect("it works");
        for _ in 0..2 {
            job.refill().expect("it works");
            job.run(&Limit { time: None, stop: &stop }, &mut tally).expect("it works");
        }
        assert_eq!(tally.operations, 14, "{operation}");
        let is_left = matches!(operation, "link" | "create" | "symlink");
        let done = Done { place, tally };
        assert_eq!(done.named(letter).len(), if is_left { 7 } else { 0 }, "{operation}");
    }
}

#[test]
fn trees_have_the_stated_shape() {
    let tree = json!({ "operation": "stat", "depth": 2, "fan-out": 3, "files-per-directory": 4 });
    let done = batch("none", tree);
    let (directories, files) = (done.named('b'), done.named('f'));
    assert_eq!((directories.len(), files.len()), (3 + 9, 36));
    for directory in directories.iter().filter(|path| path.matches('/').count() == 2) {
        assert_eq!(files.iter().filter(|file| file.starts_with(directory.as_str())).count(), 4, "{directory}");
    }
    assert!(files.contains(&"tree0/b002/b002/f00000035".to_owned()));
    let spread = batch("none", json!({ "operation": "stat", "depth": 1, "fan-out": 4, "files": 6 }));
    let expected = ["b000/f00000000", "b000/f00000001", "b001/f00000002", "b001/f00000003", "b002/f00000004"];
    assert_eq!(spread.named('f')[..5], expected.map(|path| format!("tree0/{path}")));
}

#[test]
fn new_files_fill_directory_after_directory() {
    let parameters = json!({
        "operation": "create", "size": 10, "depth": 2, "fan-out": 2, "files-per-directory": 3, "batch": 7,
    });
    let done = batch("syncfs", parameters.clone());
    assert_eq!((done.named('b').len(), done.named('f').len()), (6, 7));
    assert!(done.path("tree0/b001/b000/f00000006").exists());
    assert_eq!(batches("syncfs", parameters, 5).named('f').len(), 12, "the tree is full");
}

#[test]
fn sizes_are_spread_as_stated_and_follow_from_the_seed() {
    for sizes in ["uniform", "lognormal"] {
        let parameters = |operation: &str| {
            json!({
                "operation": operation, "size": "1K", "size-max": "16K", "sizes": sizes, "files": 200, "batch": 200,
            })
        };
        let (made, there) = (batch("none", parameters("create")), batch("none", parameters("read")));
        let lengths = made.lengths();
        assert_eq!(lengths, there.lengths(), "the same seed");
        assert_eq!(lengths.iter().sum::<u64>(), made.tally.bytes);
        assert_eq!(made.tally.bytes, there.tally.bytes, "each was read once, in full");
        assert!(lengths.iter().all(|length| (1024..=16_384).contains(length)));
        let small = lengths.iter().filter(|length| **length < 4096).count();
        let expected = if sizes == "uniform" { 20..60 } else { 80..120 };
        assert!(expected.contains(&small), "{sizes}: {small} of 200 are below 4 KiB");
    }
}

#[test]
fn threads_share_a_tree_or_have_one_each() {
    for operation in ["create", "symlink", "mkdir", "delete", "rmdir", "link", "rename", "stat", "readdir", "write"] {
        for shared in [true, false] {
            let size = if ["symlink", "mkdir", "rmdir"].contains(&operation) { 0 } else { 10 };
            let parameters = json!({
                "operation": operation, "files": 41, "size": size, "threads": 4, "shared": shared, "batch": 41,
                "depth": 1, "fan-out": 3,
            });
            let done = batch("none", parameters);
            let ends = ["create", "symlink", "mkdir", "delete", "rmdir", "link"].contains(&operation);
            let expected = if shared && ends { 41 } else { 4 * 41 };
            assert_eq!(done.tally.operations, expected, "{operation}, shared: {shared}");
            assert_eq!(done.named('t').len(), if shared { 1 } else { 4 });
        }
    }
}

#[test]
fn one_thread_alone_may_be_pinned() {
    let is_alone = |threads: u32| {
        let work = workload("none", json!({ "operation": "create", "threads": threads }));
        engine("files").expect("it exists").open(&work, Path::new("/"), 1).expect("understood").is_alone()
    };
    assert!(is_alone(1) && !is_alone(2));
}

#[test]
fn each_operation_is_synced_as_the_workload_says() {
    for (durable, sync) in [("fsync", Operation::Fsync), ("fdatasync", Operation::Fdatasync)] {
        for operation in ["create", "write", "append", "rename", "link", "symlink", "mkdir", "delete", "rmdir"] {
            let mut parameters = json!({ "operation": operation, "batch": 6 });
            if operation != "append" {
                parameters["files"] = json!(6);
                parameters["depth"] = json!(1);
                parameters["fan-out"] = json!(2);
            }
            if matches!(operation, "create" | "write" | "append") {
                parameters["size"] = json!(10);
            }
            let done = batch(durable, parameters);
            assert_eq!((count(&done, sync), done.tally.operations), (6, 6), "{operation}");
        }
    }
    for durable in ["o-sync", "o-dsync"] {
        for operation in ["create", "write", "append"] {
            let mut parameters = json!({ "operation": operation, "batch": 6, "size": 10 });
            if operation == "write" {
                parameters["files"] = json!(6);
            }
            assert_eq!(batch(durable, parameters).tally.operations, 6, "{operation}");
        }
    }
    let done = batch("syncfs", json!({ "operation": "chmod", "batch": 6, "files": 6 }));
    assert_eq!(count(&done, Operation::Syncfs), 1);
}

#[test]
fn an_open_loop_keeps_its_rate() {
    for arrivals in ["even", "poisson"] {
        let parameters = json!({
            "operation": "stat", "files": 10, "rate": 1000, "arrivals": arrivals, "threads": 2, "batch": 10,
        });
        let place = place();
        let tally = slice(&workload("none", parameters), place.path(), Some(Nanos::millis(200)), 1).expect("it works");
        assert_eq!(tally.offered, Some(1000.0));
        assert!((100..=300).contains(&tally.operations), "{arrivals}: {}", tally.operations);
    }
}

#[test]
fn a_share_of_the_peak_is_measured_on_everything() {
    for operation in ["stat", "delete", "create"] {
        let parameters = json!({ "operation": operation, "files": 100, "rate-percent": 50 });
        let place = place();
        let tally = slice(&workload("none", parameters), place.path(), Some(Nanos::millis(1)), 1).expect("it works");
        assert!(tally.offered.expect("a rate") > 1.0, "{operation}");
    }
}

#[test]
fn the_demand_covers_what_is_made() {
    let all = [
        json!({ "operation": "create", "size": 5000, "files": 50, "depth": 1, "fan-out": 5, "batch": 50 }),
        json!({ "operation": "chmod", "size": 1, "files": 50, "threads": 3, "batch": 1 }),
        json!({ "operation": "mkdir", "files": 50, "batch": 50 }),
        json!({ "operation": "append", "size": 5000, "batch": 50 }),
    ];
    for parameters in all {
        let demand = engine("files").expect("it exists").demand(&workload("none", parameters.clone())).expect("known");
        let found = batch("syncfs", parameters.clone()).found();
        let used: u64 = found.values().map(|metadata| metadata.blocks() * 512).sum();
        assert!(used > 0 && demand.0 >= used, "{parameters}: {demand:?} for {used}");
    }
}

#[test]
fn parameters_that_make_no_sense_are_refused_by_name() {
    let refused = [
        ("none", json!({ "operation": "trim", "files": 1 }), "`trim`"),
        ("none", json!({ "operation": "stat" }), "`files` is missing"),
        ("none", json!({ "operation": "stat", "files": 1, "files-per-directory": 1 }), "not both"),
        ("none", json!({ "operation": "stat", "files-per-directory": 0 }), "`files-per-directory`"),
        ("none", json!({ "operation": "stat", "files": 1, "batch": 0 }), "`batch`"),
        ("none", json!({ "operation": "stat", "files": 1, "depth": 1 }), "`fan-out` is missing"),
        ("none", json!({ "operation": "stat", "files": 1, "fan-out": 1 }), "`fan-out` goes with `depth`"),
        ("none", json!({ "operation": "stat", "files": 1, "fan-out": 0, "depth": 1 }), "`fan-out` is"),
        ("none", json!({ "operation": "stat", "files": 1, "fan-out": 2, "depth": 9 }), "`depth` is"),
        ("none", json!({ "operation": "stat", "files": 1, "fan-out": 1000, "depth": 3 }), "million"),
        ("none", json!({ "operation": "stat", "files": 100_000_000 }), "99,999,999"),
        ("none", json!({ "operation": "stat", "files": 1, "threads": 0 }), "`threads`"),
        ("none", json!({ "operation": "stat", "files": 1, "threads": 1025 }), "`threads`"),
        ("none", json!({ "operation": "stat", "files": 1, "threads": 2, "shared": true }), "`threads`"),
        ("none", json!({ "operation": "stat", "files": 1, "rate": 0 }), "rate"),
        ("none", json!({ "operation": "stat", "files": 1, "rate": 1, "rate-percent": 1 }), "`rate-percent`"),
        ("none", json!({ "operation": "create", "depth": 1, "fan-out": 2 }), "`files-per-directory`"),
        ("none", json!({ "operation": "create", "size": "2M" }), "`size`"),
        ("none", json!({ "operation": "create", "size": 2, "size-max": 1, "sizes": "uniform" }), "`size-max`"),
        ("none", json!({ "operation": "create", "size": 1, "size-max": 2 }), "`sizes"),
        ("none", json!({ "operation": "create", "sizes": "uniform" }), "`size-max`"),
        ("none", json!({ "operation": "create", "size-max": 2, "sizes": "lognormal" }), "lognormal"),
        ("none", json!({ "operation": "mkdir", "size": 1 }), "`size`"),
        ("none", json!({ "operation": "write", "files": 1 }), "`size` is missing"),
        ("none", json!({ "operation": "append" }), "`size` is missing"),
        ("none", json!({ "operation": "append", "size": 1, "files": 1 }), "`files`"),
        ("none", json!({ "operation": "append", "size": 1, "size-max": 2, "sizes": "uniform" }), "`size-max`"),
        ("syncfs", json!({ "operation": "stat", "files": 1 }), "`durable`"),
        ("fsync", json!({ "operation": "utimes", "files": 1 }), "`durable`"),
        ("o-sync", json!({ "operation": "rename", "files": 1 }), "`durable`"),
    ];
    for (durable, parameters, words) in refused {
        let error = engine("files").expect("it exists").demand(&workload(durable, parameters.clone()));
        let error = error.expect_err(&parameters.to_string()).to_string();
        assert!(error.contains(words) && error.contains("under-test"), "{parameters}: {error}");
    }
}

#[test]
fn work_without_an_end_needs_a_time() {
    let is_fine = |parameters: Value| {
        let work = Workload { timed_ms: 0, ..workload("none", parameters) };
        engine("files").expect("it exists").demand(&work).map_err(|error| error.to_string())
    };
    let error = is_fine(json!({ "operation": "stat", "files": 1 })).expect_err("endless");
    assert!(error.contains("`timed-ms`"), "{error}");
    assert!(is_fine(json!({ "operation": "create" })).is_err());
    assert!(is_fine(json!({ "operation": "create", "files": 1 })).is_ok());
    assert!(is_fine(json!({ "operation": "link", "files": 1 })).is_ok());
}
