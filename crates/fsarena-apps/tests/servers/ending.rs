//! Servers that are killed in the middle of their work, and work that is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fsarena_engine::{EngineError, Limit, Tally};
use fsarena_model::Workload;
use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Found, assert_gone, folder, left, open, page, pages, pgbench, prepared, wait_for, wait_for_server};

/// More than can be done while the test runs.
const ENDLESS: u64 = 10_000_000;

fn all() -> [Workload; 3] {
    [pgbench(ENDLESS), page(ENDLESS), pages(4000)]
}

/// Runs the workload, and does `act` to its server in the middle.
fn disturbed(workload: &Workload, act: impl Fn(&Found, &AtomicBool) + Sync) -> Result<(), EngineError> {
    let place = folder();
    let mut job = prepared(workload, place.path());
    job.begin(&fsarena_engine::NEVER).expect("begins");
    let found = wait_for_server(place.path());
    let stop = AtomicBool::new(false);
    let ran = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(150));
            act(&found, &stop);
        });
        job.run(&Limit::new(None, &stop), &mut Tally::new())
    });
    drop(job);
    assert_gone(&found, place.path());
    ran
}

#[test]
fn one_that_is_killed_fails_the_run_in_the_words_of_its_log_and_leaves_nothing() {
    for (workload, words) in all().into_iter().zip(["ready to accept connections", "resuming normal", "resuming"]) {
        let killed = disturbed(&workload, |found, _| {
            let number = Pid::from_raw(found.number as i32).expect("not 0");
            kill_process(number, Signal::KILL).expect("it runs");
        });
        let error = killed.expect_err("its server is gone");
        assert!(matches!(error, EngineError::Server { .. }), "{}: {error}", workload.name);
        let text = error.to_string();
        assert!(text.contains("has ended") && text.contains(words), "{text}");
    }
}

#[test]
fn work_that_is_stopped_ends_at_once_and_leaves_nothing() {
    for workload in all() {
        disturbed(&workload, |_, stop| stop.store(true, Ordering::Relaxed)).expect("no failure");
    }
}

#[test]
fn what_nobody_wants_any_more_is_not_prepared_to_its_end() {
    let place = folder();
    let mut job = open(&pgbench(ENDLESS), place.path());
    job.prepare(&AtomicBool::new(true)).expect_err("it was stopped");
    drop(job);
    wait_for("a process goes on", || left(&[place.path()]).is_empty().then_some(()));
}
