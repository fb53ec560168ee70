//! Programs that do nothing are started, as a baseline of workloads that start programs.

use std::sync::atomic::AtomicBool;

use fsarena_engine::{Limit, NEVER, Operation, RunStats, Upkeep, starts_job};
use fsarena_model::Nanos;

#[test]
fn programs_that_do_nothing_are_started_so_often_or_until_the_time_is_over() {
    let mut job = starts_job(20);
    job.upkeep(Upkeep::Prepare, &NEVER).expect("nothing to do");
    let mut stats = RunStats::new();
    job.run(&Limit::new(None, &NEVER), &mut stats).expect("started");
    assert_eq!((stats.operations, stats.latency(Operation::Run).expect("some").count), (20, 20));
    let mut some = RunStats::new();
    starts_job(1_000_000).run(&Limit::new(Some(Nanos::millis(20)), &NEVER), &mut some).expect("started");
    assert!((1..1_000_000).contains(&some.operations));
    let stop = AtomicBool::new(true);
    let mut none = RunStats::new();
    starts_job(1_000_000).run(&Limit::new(None, &stop), &mut none).expect("stopped");
    assert!(none.operations < 1_000_000);
}
