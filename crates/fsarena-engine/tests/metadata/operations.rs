//! Tests of what each operation does.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::Nanos;
use rustix::fs::lgetxattr;
use serde_json::json;

use super::{Done, batch, batches, count, place, workload};

#[test]
fn operations_that_look_are_counted_under_their_names() {
    let operations = [Operation::Open, Operation::Stat, Operation::Read, Operation::GetXattr, Operation::Readdir];
    for operation in operations {
        let done = batch("none", json!({ "operation": operation.name(), "files": 10, "size": 100, "batch": 25 }));
        assert_eq!((count(&done, operation), done.stats.operations), (25, 25), "{}", operation.name());
        assert_eq!(done.stats.latencies().count(), 1);
        assert_eq!(done.lengths(), [100; 10]);
        let bytes = match operation {
            Operation::Read => 2500,
            Operation::GetXattr => 25 * 32,
            _ => 0,
        };
        assert_eq!(done.stats.bytes, bytes, "{}", operation.name());
    }
}

#[test]
fn a_file_is_looked_at_where_it_should_be() {
    for operation in ["open", "stat", "read", "chmod", "utimes", "set-xattr", "get-xattr", "rename", "readdir"] {
        let place = place();
        let work = workload("none", json!({ "operation": operation, "files": 1, "size": 1 }));
        let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
        job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("it works");
        fs::rename(place.path().join("tree0"), place.path().join("elsewhere")).expect("renamed");
        fs::create_dir(place.path().join("tree0")).expect("made");
        let stop = AtomicBool::new(false);
        let done = job.run(&Limit::new(Some(Nanos(1)), &stop), &mut RunStats::default());
        assert_eq!(done.is_ok(), operation == "readdir", "{operation}: an empty directory can be read");
    }
}

#[test]
fn writes_go_over_what_is_there() {
    let before = batch("none", json!({ "operation": "stat", "files": 4, "size": 5000, "batch": 1 }));
    let after = batch("none", json!({ "operation": "write", "files": 4, "size": 5000, "batch": 4 }));
    assert_eq!((after.stats.bytes, after.lengths()), (20_000, vec![5000; 4]));
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
    assert_eq!((done.stats.operations, done.named('l').len()), (5, 5), "it ends when each has two");
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
    assert_eq!((made.stats.operations, made.named('d').len()), (5, 5));
    assert!(made.path("tree0/d00000004").is_dir());
    let removed = batch("syncfs", json!({ "operation": "rmdir", "files": 8, "batch": 5 }));
    assert_eq!((removed.stats.operations, removed.named('d').len()), (5, 3));
    let all = batches("syncfs", json!({ "operation": "rmdir", "files": 8, "batch": 5 }), 3);
    assert_eq!((all.stats.operations, all.named('d').len()), (8, 0), "there is no more");
}

#[test]
fn used_files_are_made_again() {
    for (operation, letter) in [("delete", 'f'), ("rmdir", 'd'), ("link", 'l'), ("create", 'f'), ("symlink", 's')] {
        let place = place();
        let work = workload("none", json!({ "operation": operation, "files": 7, "batch": 10 }));
        let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
        let (stop, mut stats) = (AtomicBool::new(false), RunStats::default());
        job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("it works");
        for _ in 0..2 {
            job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("it works");
            job.run(&Limit::new(None, &stop), &mut stats).expect("it works");
        }
        assert_eq!(stats.operations, 14, "{operation}");
        let is_left = matches!(operation, "link" | "create" | "symlink");
        let done = Done { place, stats };
        assert_eq!(done.named(letter).len(), if is_left { 7 } else { 0 }, "{operation}");
    }
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
            assert_eq!((count(&done, sync), done.stats.operations), (6, 6), "{operation}");
        }
    }
    for durable in ["o-sync", "o-dsync"] {
        for operation in ["create", "write", "append"] {
            let mut parameters = json!({ "operation": operation, "batch": 6, "size": 10 });
            if operation == "write" {
                parameters["files"] = json!(6);
            }
            assert_eq!(batch(durable, parameters).stats.operations, 6, "{operation}");
        }
    }
    let done = batch("syncfs", json!({ "operation": "chmod", "batch": 6, "files": 6 }));
    assert_eq!(count(&done, Operation::Syncfs), 1);
}
