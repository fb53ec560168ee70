//! Parameters that make no sense are refused by name.

use fsarena_engine::engine;
use fsarena_model::{CacheState, Mode, Workload};
use serde_json::{Value, json};

use super::workload;

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
        ("none", json!({ "operation": "chmod", "files": 1, "once": true }), "`once`"),
        ("none", json!({ "operation": "create", "depth": 1, "fan-out": 2 }), "`files-per-directory`"),
        ("none", json!({ "operation": "create", "size": "2M" }), "`size`"),
        ("none", json!({ "operation": "create", "size": 2, "size-max": 1 }), "`size-max`"),
        ("none", json!({ "operation": "create", "size-max": 2 }), "`size` is missing"),
        ("none", json!({ "operation": "mkdir", "size": 1 }), "`size`"),
        ("none", json!({ "operation": "write", "files": 1 }), "`size` is missing"),
        ("none", json!({ "operation": "append" }), "`size` is missing"),
        ("none", json!({ "operation": "append", "size": 1, "files": 1 }), "`files`"),
        ("none", json!({ "operation": "append", "size": 1, "size-max": 2 }), "`size-max`"),
        ("syncfs", json!({ "operation": "stat", "files": 1 }), "`durable`"),
        ("fsync", json!({ "operation": "utimes", "files": 1 }), "`durable`"),
        ("o-sync", json!({ "operation": "rename", "files": 1 }), "`durable`"),
        ("o-sync", json!({ "operation": "create", "files": 1 }), "`size` is missing"),
    ];
    for (durable, parameters, words) in refused {
        let error = engine("files").expect("it exists").traits(&workload(durable, parameters.clone()));
        let error = error.expect_err(&parameters.to_string()).to_string();
        assert!(error.contains(words) && error.contains("under-test"), "{parameters}: {error}");
    }
}

#[test]
fn cold_is_for_what_only_reads_and_is_no_share_of_a_peak() {
    let refusal = |cache, parameters: Value| {
        let work = Workload { cache, ..workload("none", parameters) };
        engine("files").expect("it exists").traits(&work).map_err(|error| error.to_string()).err()
    };
    assert_eq!(refusal(CacheState::Cold, json!({ "operation": "stat", "files": 1 })), None);
    let chmod = refusal(CacheState::Cold, json!({ "operation": "chmod", "files": 1 }));
    assert!(chmod.is_some_and(|words| words.contains("only read")));
    let share = refusal(CacheState::Cold, json!({ "operation": "stat", "files": 1, "rate-percent": 50 }));
    assert!(share.is_some_and(|words| words.contains("`rate-percent`")));
    let direct = refusal(CacheState::Direct, json!({ "operation": "stat", "files": 1 }));
    assert!(direct.is_some_and(|words| words.contains("`cache = \"warm\"`")));
}

#[test]
fn work_without_an_end_needs_a_time() {
    let is_fine = |parameters: Value| {
        let work = Workload { timed_ms: 0, ..workload("none", parameters) };
        engine("files").expect("it exists").traits(&work).map_err(|error| error.to_string())
    };
    let error = is_fine(json!({ "operation": "stat", "files": 1 })).expect_err("endless");
    assert!(error.contains("`timed-ms`"), "{error}");
    assert!(is_fine(json!({ "operation": "create" })).is_err());
    assert!(is_fine(json!({ "operation": "create", "files": 1 })).is_ok());
    assert!(is_fine(json!({ "operation": "link", "files": 1 })).is_ok());
}

#[test]
fn a_long_whole_run_asks_for_no_more_room_than_a_short_one() {
    let demand = |mode, timed_ms| {
        let parameters = json!({ "operation": "create", "size": 1024 });
        let work = Workload { mode, timed_ms, warm_up_ms: 0, ..workload("none", parameters) };
        engine("files").expect("it exists").traits(&work).expect("known").peak
    };
    assert_eq!(demand(Mode::Whole, 10_000), demand(Mode::Whole, 200));
    assert!(demand(Mode::Sliced, 10_000) > demand(Mode::Sliced, 200));
}
