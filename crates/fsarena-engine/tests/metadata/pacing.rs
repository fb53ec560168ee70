//! Tests of the load, and of the number of threads that do the work.

use std::path::Path;

use fsarena_engine::engine;
use fsarena_model::Nanos;
use serde_json::json;

use super::{place, slice, workload};

#[test]
fn one_thread_alone_may_be_pinned() {
    let is_alone = |threads: u32| {
        let work = workload("none", json!({ "operation": "create", "threads": threads }));
        engine("files").expect("it exists").open(&work, Path::new("/"), 1).expect("understood").next_run().is_alone
    };
    assert!(is_alone(1) && !is_alone(2));
}

#[test]
fn an_open_loop_keeps_its_rate() {
    let parameters = json!({ "operation": "stat", "files": 10, "rate": 1000, "threads": 2, "batch": 10 });
    let place = place();
    let stats = slice(&workload("none", parameters), place.path(), Some(Nanos::millis(200)), 1).expect("it works");
    assert_eq!(stats.offered, Some(1000.0));
    // No operation begins before its intended start, even if there are delays.
    assert!((1..=300).contains(&stats.operations), "{}", stats.operations);
    assert!(stats.elapsed >= Nanos::millis(150), "{:?}", stats.elapsed);
}

#[test]
fn a_share_of_the_peak_is_measured_on_everything() {
    for operation in ["stat", "delete", "create"] {
        let parameters = json!({ "operation": operation, "files": 100, "rate-percent": 50 });
        let place = place();
        let stats = slice(&workload("none", parameters), place.path(), Some(Nanos::millis(1)), 1).expect("it works");
        assert!(stats.offered.expect("a rate") > 1.0, "{operation}");
    }
}
