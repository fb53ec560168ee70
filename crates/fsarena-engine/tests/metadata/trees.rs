//! The shape of trees, the sizes of files, and the threads that share a tree.

use std::os::unix::fs::MetadataExt;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Limit, RunStats, Upkeep, engine};
use fsarena_model::{Bytes, CacheState, Workload};
use serde_json::json;

use super::{batch, batches, place, workload};

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
    let parameters = |operation: &str| json!({ "operation": operation, "size": "1K", "size-max": "16K", "files": 200, "batch": 200 });
    let (made, there) = (batch("none", parameters("create")), batch("none", parameters("read")));
    let lengths = made.lengths();
    assert_eq!(lengths, there.lengths(), "the same seed");
    assert_eq!(lengths.iter().sum::<u64>(), made.stats.bytes);
    assert_eq!(made.stats.bytes, there.stats.bytes, "each was read once, in full");
    assert!(lengths.iter().all(|length| (1024..=16_384).contains(length)));
    let small = lengths.iter().filter(|length| **length < 4096).count();
    assert!((80..120).contains(&small), "{small} of 200 are below 4 KiB");
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
            assert_eq!(done.stats.operations, expected, "{operation}, shared: {shared}");
            assert_eq!(done.named('t').len(), if shared { 1 } else { 4 });
        }
    }
}

#[test]
fn once_ends_when_each_was_visited_and_begins_again_in_the_next_run() {
    for (operation, expected) in [("read", 30), ("stat", 30), ("open", 30), ("get-xattr", 30), ("readdir", 3)] {
        for cache in [CacheState::Warm, CacheState::Cold] {
            let parameters = json!({
                "operation": operation, "size": "4K", "depth": 1, "fan-out": 3, "files-per-directory": 10, "once": true,
                "batch": 7,
            });
            let work = Workload { cache, timed_ms: 0, ..workload("none", parameters) };
            let (place, stop) = (place(), AtomicBool::new(false));
            let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
            job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("made");
            for _ in 0..2 {
                let mut stats = RunStats::default();
                job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("ready");
                job.run(&Limit::new(None, &stop), &mut stats).expect("read");
                assert_eq!(stats.operations, expected, "{operation}");
            }
            let fills = if operation == "read" && cache == CacheState::Cold { 30 * 4096 } else { 0 };
            assert_eq!(job.next_run().fills, Bytes(fills), "{operation}");
        }
    }
}

#[test]
fn files_that_are_to_be_cold_are_dropped_from_memory_where_nothing_is_mounted_again() {
    let place = place();
    let parameters = json!({ "operation": "read", "size": "4K", "files": 20, "threads": 2, "once": true });
    let work = Workload { cache: CacheState::Cold, ..workload("none", parameters) };
    let mut job = engine("files").expect("it exists").open(&work, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("made");
    // With RWF_NOWAIT the call does not wait for data that are not in memory (preadv2(2)).
    let in_memory = |path: &str| {
        let file = std::fs::File::open(place.path().join(path)).expect("there");
        let mut buffer = [0; 4096];
        let mut buffers = [std::io::IoSliceMut::new(&mut buffer)];
        rustix::io::preadv2(&file, &mut buffers, 0, rustix::io::ReadWriteFlags::NOWAIT) == Ok(4096)
    };
    let both = ["tree0/f00000019", "tree1/f00000000"];
    assert!(both.into_iter().all(in_memory), "they were just written");
    // The kernel keeps pages that are in use at that moment.
    let dropped = || {
        job.upkeep(Upkeep::DropCaches, &fsarena_engine::NEVER).expect("asked");
        !both.into_iter().any(in_memory)
    };
    assert!(std::iter::repeat_with(dropped).take(50).any(|dropped| dropped), "they are dropped");
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
        let demand =
            engine("files").expect("it exists").traits(&workload("none", parameters.clone())).expect("known").peak;
        let found = batch("syncfs", parameters.clone()).found();
        let used: u64 = found.values().map(|metadata| metadata.blocks() * 512).sum();
        assert!(used > 0 && demand.0 >= used, "{parameters}: {demand:?} for {used}");
    }
}
