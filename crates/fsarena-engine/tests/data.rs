//! The engine `data` on real files: tests of every parameter.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::{Nanos, Workload};
use serde_json::{Value, json};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A workload on 1 MiB in blocks of 4 KiB, unless `parameters` say otherwise.
fn workload(durable: &str, cache: &str, parameters: &Value) -> Workload {
    let mut all = json!({ "file-size": "1M", "block-size": "4K" });
    for (key, value) in parameters.as_object().expect("an object") {
        all[key] = value.clone();
    }
    let fields = json!({
        "durable": durable, "cache": cache, "mode": "sliced", "ends-by-itself": false, "parameters": all,
    });
    fsarena_testing::workload("data", fields)
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

fn open(workload: &Workload, directory: &Path) -> Result<Box<dyn Job>, EngineError> {
    let mut job = engine("data").expect("the engine exists").open(workload, directory, 7)?;
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
    Ok(job)
}

fn run_in(directory: &Path, workload: &Workload) -> Result<RunStats, EngineError> {
    let mut stats = RunStats::new();
    open(workload, directory)?.run(&Limit::new(None, &NEVER), &mut stats)?;
    Ok(stats)
}

fn run(durable: &str, cache: &str, parameters: &Value) -> RunStats {
    run_in(place().path(), &workload(durable, cache, parameters)).expect("it works")
}

fn count(stats: &RunStats, operation: Operation) -> u64 {
    stats.latency(operation).map_or(0, |latency| latency.count)
}

#[test]
fn mixed_work_reads_and_writes_in_the_stated_share() {
    for (calls, depth) in [("sync", 1), ("io-uring", 16), ("mmap", 1)] {
        let parameters = json!({ "operation": "mixed", "read-percent": 70, "pattern": "random",
            "operations": 2000, "calls": calls, "depth": depth });
        let stats = run("none", "warm", &parameters);
        let reads = count(&stats, Operation::Read);
        assert_eq!(reads + count(&stats, Operation::Write), 2000, "{calls}");
        assert!((1300..1500).contains(&reads), "{calls}: {reads}");
        assert_eq!((stats.operations, stats.bytes), (2000, 2000 * 4096), "{calls}");
    }
}

#[test]
fn every_way_of_writing_reaches_each_place() {
    for (calls, cache) in
        [("sync", "warm"), ("sync", "direct"), ("io-uring", "direct"), ("io-uring", "warm"), ("mmap", "warm")]
    {
        let place = place();
        let written = json!({ "operation": "write", "pattern": "random", "distribution": "once",
            "operations": 256, "calls": calls });
        let mut write = workload("fsync", cache, &written);
        if calls == "io-uring" {
            write.parameters["depth"] = json!(8);
        }
        let mut job = open(&write, place.path()).expect("laid out");
        let before = fs::read(place.path().join("data0")).expect("there");
        job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect("written");
        let after = fs::read(place.path().join("data0")).expect("there");
        assert!(before.chunks(4096).zip(after.chunks(4096)).all(|(one, other)| one != other), "{calls} {cache}");
        let read = json!({ "operation": "read", "pattern": "sequential", "calls": calls });
        let mut read =
            engine("data").expect("there").open(&workload("none", cache, &read), place.path(), 7).expect("understood");
        let mut stats = RunStats::new();
        read.run(&Limit::new(None, &NEVER), &mut stats).expect("read");
        assert_eq!((stats.operations, stats.bytes), (256, 1 << 20), "{calls} {cache}");
    }
}

#[test]
fn workers_in_processes_go_on_where_they_were() {
    for (style, processes) in [("sync", 2), ("mmap", 1)] {
        let place = place();
        let half = json!({ "operation": "write", "pattern": "random", "distribution": "once", "operations": 128,
            "calls": style, "processes": processes });
        let mut job = open(&workload("none", "warm", &half), place.path()).expect("laid out");
        let before = fs::read(place.path().join("data0")).expect("there");
        for _ in 0..2 {
            job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect("written");
        }
        let after = fs::read(place.path().join("data0")).expect("there");
        let left = before.chunks(4096).zip(after.chunks(4096)).filter(|(one, other)| one == other).count();
        assert_eq!(left, 0, "{style}: of 256 places, each once");
    }
}

#[test]
fn no_run_writes_what_an_earlier_one_wrote() {
    for (calls, depth, processes) in [("sync", 1, 1), ("io-uring", 4, 1), ("mmap", 1, 1), ("sync", 1, 2)] {
        let place = place();
        let all = json!({ "operation": "write", "pattern": "sequential", "target": "existing", "calls": calls,
            "depth": depth, "processes": processes });
        let mut job = open(&workload("none", "warm", &all), place.path()).expect("laid out");
        let mut run = || {
            job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("from the beginning");
            job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect("written");
            fs::read(place.path().join("data0")).expect("there")
        };
        let (first, second) = (run(), run());
        let units: std::collections::BTreeSet<&[u8]> = first.chunks(4096).chain(second.chunks(4096)).collect();
        assert_eq!(units.len(), 512, "{calls}, {processes} processes: none is the same as another");
    }
}

#[test]
fn syncs_come_as_often_as_they_should() {
    let write = |more: Value| {
        let mut all = json!({ "operation": "write", "pattern": "random", "operations": 100 });
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    assert_eq!(count(&run("fsync", "warm", &write(json!({ "sync-every": 1 }))), Operation::Fsync), 100);
    assert_eq!(count(&run("fdatasync", "warm", &write(json!({ "sync-every": 10 }))), Operation::Fdatasync), 10);
    assert_eq!(
        count(&run("fdatasync", "warm", &write(json!({ "sync-every": 30 }))), Operation::Fdatasync),
        4,
        "and the rest"
    );
    assert_eq!(count(&run("syncfs", "warm", &write(json!({}))), Operation::Syncfs), 1, "at the end");
    let ring = json!({ "sync-every": 25, "calls": "io-uring", "depth": 8 });
    assert_eq!(count(&run("fsync", "direct", &write(ring)), Operation::Fsync), 4);
    for durable in ["o-sync", "o-dsync"] {
        assert_eq!(run(durable, "warm", &write(json!({}))).operations, 100, "the kernel does it");
    }
}

#[test]
fn many_workers_share_the_work_or_have_their_own() {
    for style in ["threads", "processes"] {
        for shared in [false, true] {
            let place = place();
            let parameters = json!({ "operation": "read", "pattern": "random", "operations": 100, style: 3,
                "shared": shared, "files": 2 });
            let stats = run_in(place.path(), &workload("none", "warm", &parameters)).expect("it works");
            assert_eq!(stats.operations, 300, "{style} {shared}");
            assert_eq!(count(&stats, Operation::Read), 300);
            assert_eq!(fs::read_dir(place.path()).expect("there").count(), if shared { 2 } else { 6 });
        }
    }
}

#[test]
fn a_worker_that_fails_fails_the_run_with_its_words() {
    for style in ["threads", "processes"] {
        let place = place();
        let parameters = json!({ "operation": "read", "pattern": "random", "operations": 100, style: 3 });
        let mut job = open(&workload("none", "warm", &parameters), place.path()).expect("laid out");
        fs::remove_file(place.path().join("data1")).expect("ours");
        let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("gone").to_string();
        assert!(error.contains("data1"), "{style}: {error}");
    }
}

#[test]
fn a_mapped_page_that_cannot_be_had_fails_the_run_and_not_this_process() {
    let place = place();
    let parameters = json!({ "operation": "read", "pattern": "sequential", "calls": "mmap" });
    let mut job = open(&workload("none", "warm", &parameters), place.path()).expect("laid out");
    let file = fs::OpenOptions::new().write(true).open(place.path().join("data0")).expect("there");
    file.set_len(4096).expect("shorter");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("SIGBUS").to_string();
    assert!(error.contains("SIGBUS"), "{error}");
}

#[test]
fn trimmed_blocks_are_given_back() {
    use std::os::unix::fs::MetadataExt;
    let place = place();
    let parameters = json!({ "operation": "trim", "pattern": "random", "distribution": "once", "operations": 128 });
    let mut job = open(&workload("none", "warm", &parameters), place.path()).expect("laid out");
    let blocks = || fs::metadata(place.path().join("data0")).expect("there").blocks();
    let before = blocks();
    let mut stats = RunStats::new();
    job.run(&Limit::new(None, &NEVER), &mut stats).expect("it works");
    assert_eq!(count(&stats, Operation::Trim), 128);
    let given_back = before - blocks();
    assert!((1000..=1024).contains(&given_back), "half of the file, in sectors of 512 bytes: {given_back}");
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("laid out again");
    assert_eq!(blocks(), before);
}

#[test]
fn new_files_are_written_whole_and_removed() {
    for calls in ["sync", "io-uring"] {
        let place = place();
        let parameters = json!({ "operation": "write", "pattern": "sequential", "files": 3, "calls": calls });
        let stats = run_in(place.path(), &workload("fsync", "warm", &parameters)).expect("it works");
        assert_eq!((stats.bytes, count(&stats, Operation::Fsync)), (3 << 20, 3), "{calls}");
        assert_eq!(fs::read_dir(place.path()).expect("there").count(), 0);
    }
}

#[test]
fn an_open_loop_begins_as_many_as_it_is_asked_to() {
    for calls in ["sync", "io-uring"] {
        let place = place();
        let parameters = json!({ "operation": "read", "pattern": "random", "rate": 1000, "calls": calls });
        let mut work = workload("none", "warm", &parameters);
        work.timed_ms = 50;
        let mut job = open(&work, place.path()).expect("laid out");
        let mut stats = RunStats::new();
        job.run(&Limit::new(Some(Nanos::millis(50)), &NEVER), &mut stats).expect("it works");
        assert_eq!(stats.offered, Some(1000.0));
        // The first operation begins at once. The machine decides how many more do.
        let done = stats.operations;
        assert!((1..=51).contains(&done), "{calls}: no more than were meant to begin: {done}");
        assert!(stats.elapsed >= Nanos::millis(50), "{calls}");
    }
}

#[test]
fn an_open_loop_that_waits_can_be_stopped() {
    for calls in ["sync", "io-uring"] {
        let place = place();
        let parameters =
            json!({ "operation": "read", "pattern": "random", "rate": 0.5, "operations": 2, "calls": calls });
        let mut job = open(&workload("none", "warm", &parameters), place.path()).expect("laid out");
        let mut stats = RunStats::new();
        job.run(&Limit::new(None, &AtomicBool::new(true)), &mut stats).expect("it works");
        assert!(stats.operations < 2, "{calls}: the second would have begun two seconds later");
    }
}

#[test]
fn in_an_open_loop_waiting_counts() {
    let place = place();
    let parameters = json!({ "operation": "read", "pattern": "random", "rate": 1e9, "operations": 1000 });
    let stats = run_in(place.path(), &workload("none", "warm", &parameters)).expect("it works");
    let latency = stats.latency(Operation::Read).expect("reads");
    let own = stats.elapsed.0 / stats.operations;
    assert!(latency.mean.0 > 10 * own, "the mean, {:?}, is that of a queue that grows, not {own} ns", latency.mean);
}

#[test]
fn a_rate_in_percent_is_one_of_the_peak() {
    let place = place();
    let parameters =
        json!({ "operation": "read", "pattern": "random", "rate-percent": 50, "operations": 100, "threads": 2 });
    let stats = run_in(place.path(), &workload("none", "warm", &parameters)).expect("it works");
    assert!(stats.offered.is_some_and(|rate| rate > 100.0), "{:?}", stats.offered);
}

#[test]
fn a_place_that_is_full_is_an_error_with_the_act() {
    let place = place();
    let parameters = json!({ "operation": "write", "pattern": "random", "operations": 1 });
    let mut job = open(&workload("none", "warm", &parameters), place.path()).expect("laid out");
    fs::remove_file(place.path().join("data0")).expect("ours");
    std::os::unix::fs::symlink("/dev/full", place.path().join("data0")).expect("ours");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("full").to_string();
    assert!(error.contains("write") && error.contains("No space left"), "{error}");
}

/// Requires that the parameters are refused with `word` and the workload's name.
fn require_refused(durable: &str, cache: &str, parameters: &Value, word: &str) {
    let work = workload(durable, cache, parameters);
    let error = engine("data").expect("the engine exists").traits(&work).expect_err(word).to_string();
    assert!(error.contains(word) && error.contains("under-test"), "{word}: {error}");
}

#[test]
fn parameters_that_contradict_each_other_are_refused_by_name() {
    let refused = [
        ("write", json!({ "target": "new", "shared": true }), "makes its own new files"),
        ("write", json!({ "target": "new", "files": 2, "threads": 2 }), "several workers make one new"),
        ("write", json!({ "target": "new", "repeat": true }), "`repeat` goes with files that are there"),
        ("write", json!({ "target": "new", "calls": "mmap" }), "what is mapped has to be there"),
        ("read", json!({ "pattern": "random", "repeat": true }), "goes with sequential work"),
        ("read", json!({ "distribution": "zipf" }), "`distribution` goes with random"),
        ("trim", json!({ "calls": "mmap" }), "trim goes with"),
    ];
    for (operation, further, word) in refused {
        let mut parameters = json!({ "operation": operation, "pattern": "sequential", "operations": 10 });
        further.as_object().expect("a table").iter().for_each(|(key, value)| parameters[key] = value.clone());
        require_refused("none", "warm", &parameters, word);
    }
}

#[test]
fn senseless_parameters_are_refused_by_name() {
    let refused = [
        ("none", "warm", json!({ "operation": "read", "pattern": "random" }), "timed-ms"),
        (
            "none",
            "direct",
            json!({ "operation": "read", "pattern": "sequential", "block-size": 1000, "file-size": 1000 }),
            "512",
        ),
        (
            "none",
            "warm",
            json!({ "operation": "read", "pattern": "sequential", "blocksize": "4K" }),
            "parameters: there is no key `blocksize`, but `operation`",
        ),
        ("none", "warm", json!({ "operation": "read", "pattern": "sequential", "depth": 4 }), "io-uring"),
        ("fsync", "warm", json!({ "operation": "read", "pattern": "sequential" }), "durable"),
        ("none", "warm", json!({ "operation": "write", "pattern": "sequential", "sync-every": 1 }), "sync-every"),
        ("none", "direct", json!({ "operation": "read", "pattern": "sequential", "calls": "mmap" }), "mapped"),
        (
            "none",
            "warm",
            json!({ "operation": "read", "pattern": "sequential", "threads": 2, "processes": 2 }),
            "not both",
        ),
        ("none", "warm", json!({ "operation": "read", "pattern": "sequential", "rate": 0 }), "rate"),
        (
            "none",
            "warm",
            json!({ "operation": "read", "pattern": "sequential", "threads": -1 }),
            "parameters: threads: `-1` is not a whole number, 0 or more",
        ),
        ("none", "warm", json!({ "operation": "read" }), "parameters: `pattern` is missing"),
        ("none", "warm", json!({ "operation": "read", "pattern": "sequential", "block-size": "4X" }), "4X"),
        ("none", "warm", json!({ "operation": "read", "pattern": "sequential", "target": "new" }), "new"),
        (
            "none",
            "warm",
            json!({ "operation": "read", "pattern": "sequential", "files": 2_147_483_648u32, "threads": 2 }),
            "`files`",
        ),
        (
            "none",
            "warm",
            json!({ "operation": "read", "pattern": "sequential", "calls": "io-uring", "depth": 32,
                "block-size": "64M", "file-size": "64M" }),
            "`depth`",
        ),
    ];
    for (durable, cache, parameters, word) in refused {
        require_refused(durable, cache, &parameters, word);
    }
}

#[test]
fn latencies_over_time_are_kept_per_run() {
    let stats =
        run("fsync", "warm", &json!({ "operation": "write", "pattern": "random", "operations": 50, "sync-every": 5 }));
    let windows = stats.windows();
    let of =
        |name: &str| windows.iter().filter(|window| window.operation == name).map(|window| window.count).sum::<u64>();
    assert_eq!((of("write"), of("fsync")), (50, 10));
    assert!(windows.iter().all(|window| window.end <= stats.elapsed && window.p50 <= window.max));
}

#[test]
fn files_are_not_laid_out_after_the_stop_flag() {
    let place = place();
    let workload = workload("none", "warm", &json!({ "operation": "read", "pattern": "sequential" }));
    let mut job = engine("data").expect("the engine exists").open(&workload, place.path(), 7).expect("understood");
    let error = job.upkeep(Upkeep::Prepare, &AtomicBool::new(true)).expect_err("it is stopped");
    assert!(error.to_string().contains("asked to stop") || format!("{error:?}").contains("asked to stop"), "{error:?}");
    let empty = |file: fs::DirEntry| file.metadata().expect("there").len() == 0;
    assert!(fs::read_dir(place.path()).expect("there").flatten().all(empty));
}

#[test]
fn a_cold_scan_in_slices_reads_on_and_begins_again_when_little_is_left() {
    let place = place();
    let parameters = json!({ "operation": "read", "pattern": "sequential", "operations": 16 });
    let scan = Workload { timed_ms: 1000, ..workload("none", "cold", &parameters) };
    let mut job = open(&scan, place.path()).expect("prepared");
    let mut remounts = 0;
    for slice in 0..20 {
        job.upkeep(Upkeep::Reset, &NEVER).expect("reset");
        remounts += u32::from(!job.next_run().reads_on);
        let mut stats = RunStats::new();
        job.run(&Limit::new(Some(Nanos::seconds(1)), &NEVER), &mut stats).expect("read");
        assert_eq!(stats.bytes, 64 << 10, "slice {slice}");
    }
    // A file of 1 MiB has sixteen slices. The last of them would be too near to the end.
    assert_eq!(remounts, 2);
}

#[test]
fn files_that_were_left_are_taken_over_as_they_are() {
    let place = place();
    let engine = engine("data").expect("there");
    let read = workload("none", "cold", &json!({ "operation": "read", "pattern": "sequential" }));
    let write = workload("none", "direct", &json!({ "operation": "write", "pattern": "random", "operations": 5 }));
    let [left, wanted] =
        [&read, &write].map(|workload| engine.traits(workload).expect("sound").files.expect("files that are there"));
    assert_eq!((&left.description, left.unchanged, wanted.unchanged), (&wanted.description, true, false));
    drop(open(&read, place.path()).expect("laid out"));
    let before = fs::read(place.path().join("data0")).expect("there");
    let mut job = engine.open(&write, place.path(), 9).expect("understood");
    job.upkeep(Upkeep::Adopt, &NEVER).expect("taken over");
    assert!(fs::read(place.path().join("data0")).expect("there") == before, "nothing was laid out again");
    let mut stats = RunStats::new();
    job.run(&Limit::new(None, &NEVER), &mut stats).expect("written");
    assert_eq!(stats.operations, 5);
    let new = workload("none", "warm", &json!({ "operation": "write", "pattern": "sequential" }));
    assert_eq!(engine.traits(&new).expect("sound").files, None, "it makes its files itself");
}
