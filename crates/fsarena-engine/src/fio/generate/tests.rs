use fsarena_model::{Mode, Workload};
use serde_json::{Value, json};

use super::*;

fn workload(durable: &str, cache: &str, parameters: Value) -> Workload {
    let work: Workload = fsarena_testing::parameterised("data", durable, cache, parameters);
    Workload { mode: Mode::Sliced, timed_ms: 100, ..work }
}

/// `parameters`, with those of a random read of 4 KiB as defaults.
fn with(mut parameters: Value) -> Value {
    let usual = json!({ "operation": "read", "pattern": "random", "file-size": "1M", "block-size": "4K" });
    for (key, value) in usual.as_object().expect("an object") {
        parameters.as_object_mut().expect("an object").entry(key).or_insert(value.clone());
    }
    parameters
}

fn lines(durable: &str, cache: &str, parameters: Value) -> Vec<String> {
    let workload = workload(durable, cache, with(parameters));
    let parameters = DataParameters::of(&workload).expect("it makes sense");
    assert_eq!(lacks(&workload, &parameters), None);
    text(&workload, &parameters, "/lane", 7, Some(Nanos::millis(1500))).lines().map(str::to_owned).collect()
}

#[test]
fn each_parameter_becomes_options() {
    let table = [
        (
            "none",
            "direct",
            json!({}),
            "rw=randread bs=4096 direct=1 norandommap=1 time_based=1 runtime=1500ms filename=data0",
        ),
        ("none", "warm", json!({ "distribution": "once" }), "norandommap=0 direct=0 invalidate=0"),
        ("none", "warm", json!({ "distribution": "zipf", "skew": 0.9 }), "random_distribution=zipf:0.9"),
        ("none", "warm", json!({ "distribution": "pareto" }), "random_distribution=pareto:0.2"),
        ("none", "warm", json!({ "operation": "mixed", "read-percent": 70 }), "rw=randrw rwmixread=70 overwrite=1"),
        ("none", "direct", json!({ "calls": "io-uring", "depth": 8 }), "ioengine=io_uring iodepth=8 fixedbufs=1"),
        ("none", "warm", json!({ "calls": "mmap" }), "ioengine=mmap"),
        ("none", "warm", json!({ "threads": 2 }), "thread=1 filename=data0 filename=data1"),
        (
            "none",
            "warm",
            json!({ "processes": 2, "shared": true, "files": 2 }),
            "thread=0 filename=data0:data1 size=2097152",
        ),
        ("none", "warm", json!({ "block-size-max": "64K" }), "bsrange=4096-65536"),
        ("none", "warm", json!({ "operations": 10 }), "number_ios=10 io_size=40960 time_based=0"),
        (
            "none",
            "warm",
            json!({ "rate": 100, "threads": 2, "arrivals": "poisson" }),
            "rate_iops=50 rate_process=poisson",
        ),
        ("fsync", "warm", json!({ "operation": "write", "sync-every": 8 }), "fsync=8 end_fsync=1 scramble_buffers=1"),
        ("o-dsync", "warm", json!({ "operation": "write" }), "sync=dsync"),
        ("o-sync", "warm", json!({ "operation": "write" }), "sync=sync"),
        (
            "none",
            "warm",
            json!({ "operation": "write", "compressible-percent": 50 }),
            "buffer_compress_percentage=50 refill_buffers=1",
        ),
        ("none", "warm", json!({ "pattern": "sequential", "repeat": true }), "rw=read time_based=1"),
        ("none", "warm", json!({ "pattern": "sequential", "stride": "4K" }), "rw=read:4096 io_size=524288"),
        (
            "fsync",
            "warm",
            json!({ "operation": "write", "pattern": "sequential", "files": 3 }),
            "create_on_open=1 fsync=256 end_fsync=1 filename=new0:new1:new2 file_service_type=sequential fallocate=none",
        ),
    ];
    for (durable, cache, parameters, expected) in table {
        let lines = lines(durable, cache, parameters.clone());
        for word in expected.split(' ') {
            assert!(lines.iter().any(|line| line == word), "{word} for {parameters} in {lines:?}");
        }
    }
}

#[test]
fn work_that_fio_does_not_support_is_named() {
    let table = [
        ("none", json!({ "operation": "trim" }), "`operation`"),
        ("none", json!({ "verify": true }), "`verify`"),
        ("none", json!({ "rate-percent": 50 }), "`rate-percent`"),
        ("none", json!({ "rate": 100, "threads": 3 }), "whole number"),
        ("none", json!({ "files": 2, "distribution": "zipf" }), "`distribution`"),
        ("syncfs", json!({ "operation": "write" }), "`durable`"),
        ("fdatasync", json!({ "operation": "write" }), "`sync-every`"),
        ("fsync", json!({ "operation": "write", "files": 2, "sync-every": 1 }), "`sync-every` with `files`"),
        ("none", json!({ "operation": "write", "pattern": "sequential", "preallocate": "allocate" }), "`preallocate`"),
        (
            "fsync",
            json!({ "operation": "write", "calls": "io-uring", "depth": 8, "sync-every": 8 }),
            "`sync-every` with `depth`",
        ),
    ];
    for (durable, parameters, word) in table {
        let workload = workload(durable, "warm", with(parameters.clone()));
        let what = lacks(&workload, &DataParameters::of(&workload).expect("it makes sense"));
        assert!(what.as_ref().is_some_and(|what| what.contains(word)), "{word} for {parameters} in {what:?}");
    }
}
