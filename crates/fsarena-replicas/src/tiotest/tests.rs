//! Checks the counts of the four tests.

use std::fs;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::ENGINE;
use fsarena_engine::{EngineError, Limit, Operation, RunStats, Upkeep};
use fsarena_testing::parameterised;

#[test]
fn each_thread_goes_through_its_file_and_to_random_places() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({ "size": "256K", "threads": 3, "random-operations": 10 });
    let workload = parameterised("tiotest", "o-sync", "warm", parameters);
    let mut job = ENGINE.open(&workload, place.path(), 7).expect("opened");
    let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    for _ in 0..2 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("removed");
        assert_eq!(fs::read_dir(place.path()).expect("listed").count(), 0);
        stats.clear();
        job.run(&Limit::new(None, &stop), &mut stats).expect("worked");
    }
    let sizes =
        fs::read_dir(place.path()).expect("listed").map(|file| file.expect("there").metadata().expect("known").len());
    assert_eq!(sizes.collect::<Vec<_>>(), [256 << 10; 3]);
    let steps: Vec<_> =
        stats.steps.iter().map(|step| (step.name.as_str(), step.operations, step.bytes >> 12)).collect();
    assert_eq!(steps, [("write", 192, 192), ("random-write", 30, 30), ("read", 192, 192), ("random-read", 30, 30)]);
    assert_eq!((stats.operations, stats.bytes >> 12), (444, 444));
    let count = |operation| stats.latency(operation).map(|latency| latency.count);
    assert_eq!((count(Operation::Write), count(Operation::RandomRead)), (Some(192), Some(30)));
    assert_eq!(count(Operation::Fsync), Some(12), "each thread at the end of each test");
    assert_eq!(stats.elapsed.0, stats.steps.iter().map(|step| step.elapsed.0).sum::<u64>());
    assert!(stats.latency(Operation::Read).is_some_and(|latency| latency.mean.0 > 0));
}

#[test]
fn tests_can_be_left_out_but_not_the_first() {
    let of = |parameters| ENGINE.traits(&parameterised("tiotest", "none", "warm", parameters));
    assert_eq!(of(json!({ "size": "64M", "threads": 32, "tests": ["write", "read"] })).expect("fine").peak.0, 2 << 30);
    let refused = |parameters| matches!(of(parameters), Err(EngineError::Parameters { .. }));
    assert!(refused(json!({ "size": "64M", "threads": 32, "tests": ["read"] })));
    assert!(refused(json!({ "size": "5K", "threads": 32 })));
    assert!(refused(json!({ "size": "64M", "threads": 32, "blocks": 1 })));
}
