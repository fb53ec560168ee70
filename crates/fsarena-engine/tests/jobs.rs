//! Every operation of every engine, on the file system of the temporary folder.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::{Nanos, Workload};
use serde_json::json;

fn workload(engine: &str, durable: &str, cache: &str, parameters: serde_json::Value) -> Workload {
    let fields = json!({
        "durable": durable, "cache": cache, "mode": "sliced", "ends-by-itself": false, "timed-ms": 100,
        "parameters": parameters,
    });
    fsarena_testing::workload(engine, fields)
}

fn run(workload: &Workload, directory: &Path, time: Option<Nanos>) -> Result<RunStats, EngineError> {
    let mut job = engine(&workload.engine).expect("the engine exists").open(workload, directory, 1)?;
    let stop = AtomicBool::new(false);
    let mut stats = RunStats::default();
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    for _ in 0..2 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
        job.run(&Limit::new(time, &stop), &mut stats)?;
    }
    Ok(stats)
}

#[test]
fn creates_are_there_in_full_and_each_was_synced() {
    let place = tempfile::tempdir().expect("temporary folder");
    let work = workload("files", "fsync", "warm", json!({ "operation": "create", "size": 1024 }));
    let stats = run(&work, place.path(), Some(Nanos::millis(5))).expect("it works");
    let files = std::fs::read_dir(place.path().join("tree0")).expect("there").map(|entry| entry.expect("there"));
    let sizes: Vec<u64> = files.map(|file| file.metadata().expect("there").len()).collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|size| *size == 1024));
    assert_eq!(stats.latency(Operation::Fsync).expect("synced").count, stats.operations);
    assert_eq!(stats.bytes, stats.operations * 1024);
    assert!(stats.elapsed >= Nanos::millis(10));
}

#[test]
fn batches_have_one_syncfs_each() {
    let place = tempfile::tempdir().expect("temporary folder");
    let work = workload("files", "syncfs", "warm", json!({ "operation": "create", "size": 10, "batch": 50 }));
    let stats = run(&work, place.path(), Some(Nanos(1))).expect("it works");
    assert_eq!(stats.operations, 100, "two runs of one batch");
    assert_eq!(stats.latency(Operation::Syncfs).expect("synced").count, 2);
}

#[test]
fn deletes_end_when_nothing_is_left_and_are_reset() {
    let place = tempfile::tempdir().expect("temporary folder");
    let work = workload("files", "syncfs", "warm", json!({ "operation": "delete", "files": 120, "batch": 50 }));
    let stats = run(&work, place.path(), None).expect("it works");
    assert_eq!(stats.operations, 240);
    assert_eq!(std::fs::read_dir(place.path().join("tree0")).expect("there").count(), 0);
}

#[test]
fn renames_go_there_and_back() {
    let place = tempfile::tempdir().expect("temporary folder");
    let work = workload("files", "syncfs", "warm", json!({ "operation": "rename", "files": 50, "batch": 50 }));
    run(&work, place.path(), Some(Nanos(1))).expect("it works");
    assert!(place.path().join("tree0/f00000049").exists(), "two batches are there and back");
    let stat = workload("files", "none", "warm", json!({ "operation": "stat", "files": 10, "batch": 10 }));
    let place = tempfile::tempdir().expect("temporary folder");
    assert_eq!(run(&stat, place.path(), Some(Nanos(1))).expect("it works").operations, 20);
}

#[test]
fn appends_grow_the_log() {
    let place = tempfile::tempdir().expect("temporary folder");
    let work = workload("files", "fsync", "warm", json!({ "operation": "append", "size": 256 }));
    let stats = run(&work, place.path(), Some(Nanos(1))).expect("it works");
    let length = std::fs::metadata(place.path().join("tree0/f00000000")).expect("there").len();
    assert_eq!(length, stats.bytes);
    assert_eq!(length, 512);
}

#[test]
fn sequential_writes_are_bounded_and_removed() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({ "operation": "write", "pattern": "sequential", "file-size": 2 << 20, "block-size": 1 << 20, "files": 3 });
    let work = workload("data", "fsync", "warm", parameters);
    let stats = run(&work, place.path(), None).expect("it works");
    assert_eq!(stats.bytes, 12 << 20);
    assert_eq!(std::fs::read_dir(place.path()).expect("there").count(), 0);
}

#[test]
fn reads_see_the_whole_file_and_random_work_stays_inside() {
    let place = tempfile::tempdir().expect("temporary folder");
    let read = json!({ "operation": "read", "pattern": "sequential", "file-size": 4 << 20, "block-size": 1 << 20 });
    let stats = run(&workload("data", "none", "cold", read), place.path(), None).expect("it works");
    assert_eq!((stats.operations, stats.bytes), (8, 8 << 20));
    for operation in ["read", "write"] {
        let place = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
        let random = json!({ "operation": operation, "pattern": "random", "file-size": 1 << 20, "block-size": 4096 });
        let stats =
            run(&workload("data", "none", "direct", random), place.path(), Some(Nanos::millis(1))).expect("works");
        assert!(stats.operations > 0);
        assert_eq!(std::fs::metadata(place.path().join("data0")).expect("there").len(), 1 << 20);
    }
}

#[test]
fn parameters_that_make_no_sense_are_refused_by_name() {
    let refused = [
        ("files", "none", "warm", json!({ "operation": "stat" }), "files"),
        ("files", "none", "warm", json!({ "operation": "explode" }), "explode"),
        ("files", "none", "warm", json!({ "operation": "create", "colour": 1 }), "colour"),
        ("files", "fsync", "warm", json!({ "operation": "chmod", "files": 1 }), "durable"),
        (
            "data",
            "none",
            "direct",
            json!({ "operation": "read", "pattern": "random", "file-size": 1000, "block-size": 1000 }),
            "512",
        ),
        (
            "data",
            "syncfs",
            "warm",
            json!({ "operation": "read", "pattern": "random", "file-size": 4096, "block-size": 4096 }),
            "durable",
        ),
    ];
    for (name, durable, cache, parameters, word) in refused {
        let work = workload(name, durable, cache, parameters);
        let error = engine(name).expect("the engine exists").traits(&work).expect_err("refused").to_string();
        assert!(error.contains(word) && error.contains("under-test"), "{error}");
    }
}

#[test]
fn a_full_or_missing_place_is_an_error_with_the_act() {
    let work = workload("files", "none", "warm", json!({ "operation": "append", "size": 1 }));
    let error = run(&work, Path::new("/no/such/place"), None).expect_err("there is nothing").to_string();
    assert!(error.contains("open /no/such/place"), "{error}");
}

#[test]
fn an_open_loop_is_a_workload_of_its_own_with_latency_as_its_figure() {
    let of = |work: &Workload, rate: &str| {
        let engine = engine(&work.engine).expect("the engine exists");
        engine.paced(work, rate.parse().expect("a rate")).map_err(|error| error.to_string())
    };
    let shape = json!({ "operation": "write", "pattern": "random", "file-size": 1 << 20, "block-size": 4096 });
    let work = workload("data", "none", "warm", shape.clone());
    let paced = of(&work, "50%").expect("this engine can");
    assert_eq!((paced.name.as_str(), paced.metric.unit.as_str(), paced.timed_ms), ("under-test@50%", "µs", 500));
    assert_eq!(paced.parameters["rate-percent"], 50.0);
    assert!(paced.measures.contains("from the intended start"), "{}", paced.measures);
    assert!(of(&paced, "20").is_err_and(|text| text.contains("a rate of its own")), "no variant of a variant");
    let synced = workload("data", "fsync", "warm", shape);
    assert!(of(&synced, "20").is_err_and(|text| text.contains("`under-test`") && text.contains("last operation")));

    let place = tempfile::tempdir().expect("temporary folder");
    let paced = of(&work, "2000").expect("this engine can");
    let stats = run(&paced, place.path(), Some(Nanos::millis(50))).expect("it works");
    assert_eq!(stats.offered, Some(2000.0));
}
