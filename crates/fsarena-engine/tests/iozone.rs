//! The engine `iozone`: its grid on a real folder, by the system calls that IOzone makes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{Engine, EngineError, Job, Limit, Operation, Tally, engine};
use fsarena_model::{GridPoint, GridTest, Nanos, Workload};
use serde_json::{Value, json};

static NEVER: AtomicBool = AtomicBool::new(false);

fn workload(durable: &str, cache: &str, parameters: Value) -> Workload {
    let metric = json!({ "name": "grid", "unit": "s", "measure": "seconds", "better": "lower" });
    let workload = json!({
        "name": "under-test", "version": 1, "measures": "", "why": "", "engine": "iozone", "metric": metric,
        "durable": durable, "cache": cache, "mode": "whole", "ends-by-itself": true, "parameters": parameters,
    });
    serde_json::from_value(workload).expect("a workload")
}

fn iozone() -> &'static dyn Engine {
    engine("iozone").expect("there")
}

fn open(workload: &Workload, directory: &Path) -> Box<dyn Job> {
    let mut job = iozone().open(workload, directory, 7).expect("understood");
    job.prepare().expect("prepared");
    job
}

fn run(workload: &Workload, directory: &Path) -> Result<Tally, EngineError> {
    let mut tally = Tally::new();
    open(workload, directory).run(&Limit::new(None, &NEVER), &mut tally)?;
    Ok(tally)
}

/// A folder that is not in memory; nobody sees it outside of a test.
fn on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("temporary folder")
}

#[test]
fn each_test_of_each_cell_is_a_step_and_nothing_is_left() {
    let place = tempfile::tempdir().expect("temporary folder");
    let tally = run(&workload("none", "warm", json!({ "largest": "1M" })), place.path()).expect("done");
    let points: Vec<GridPoint> = tally.steps.iter().map(|step| step.name.parse().expect("a point")).collect();
    assert_eq!(points.len(), 35 * 13);
    assert_eq!(points[..13].iter().map(|point| point.test).collect::<Vec<_>>(), GridTest::all().collect::<Vec<_>>());
    assert!(points[..13].iter().all(|point| (point.file_kib, point.record_kib) == (64, 4)));
    assert_eq!((points[454].file_kib, points[454].record_kib), (1024, 1024));
    for (step, point) in tally.steps.iter().zip(&points) {
        assert_eq!((step.bytes, step.operations), (point.file_kib << 10, point.file_kib / point.record_kib));
        assert!(step.elapsed > Nanos(0), "{}", step.name);
    }
    assert_eq!(tally.elapsed.0, tally.steps.iter().map(|step| step.elapsed.0).sum::<u64>());
    assert_eq!(std::fs::read_dir(place.path()).expect("there").count(), 0);
}

#[test]
fn only_what_is_asked_for_is_told_and_flushes_are_counted() {
    let place = on_disk();
    let parameters = json!({ "files": ["300K"], "records": ["1K"], "tests": ["reread", "random-write", "fwrite"] });
    let tally = run(&workload("fsync", "cold", parameters), place.path()).expect("done");
    let names: Vec<&str> = tally.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["300/1/reread", "300/1/random-write", "300/1/fwrite"]);
    assert_eq!(tally.latency(Operation::Fsync).map(|latency| latency.count), Some(2));
    let warm = run(&workload("none", "warm", json!({ "files": ["64K"], "records": ["64K"] })), place.path());
    assert_eq!(warm.expect("done").latency(Operation::Fsync), None);
}

#[test]
fn where_nothing_is_forgotten_there_are_no_cold_reads() {
    let Ok(place) = tempfile::tempdir_in("/dev/shm") else { return };
    let parameters = json!({ "files": ["64K"], "records": ["4K"] });
    let error = run(&workload("none", "cold", parameters), place.path()).expect_err("all is in memory").to_string();
    assert!(error.contains("16 of 16 pages stay"), "{error}");
}

#[test]
fn whoever_stops_it_waits_for_one_test_at_most() {
    let place = tempfile::tempdir().expect("temporary folder");
    let (stop, mut tally) = (AtomicBool::new(true), Tally::new());
    let mut job = open(&workload("none", "warm", json!({ "largest": "64K" })), place.path());
    job.run(&Limit::new(None, &stop), &mut tally).expect("stopped");
    stop.store(false, Ordering::Relaxed);
    assert!(tally.steps.is_empty());
}

#[test]
fn what_is_no_grid_is_refused() {
    let refused = |workload: &Workload| iozone().demand(workload).expect_err("refused").to_string();
    assert!(refused(&workload("syncfs", "warm", json!({ "largest": "1M" }))).contains("`durable`"));
    assert!(refused(&workload("none", "direct", json!({ "largest": "1M" }))).contains("`cache`"));
    assert!(refused(&workload("none", "warm", json!({ "largest": "1M", "flush": true }))).contains("flush"));
    let sliced = Workload { ends_by_itself: false, ..workload("none", "warm", json!({ "largest": "1M" })) };
    assert!(refused(&sliced).contains("ends-by-itself"));
}
