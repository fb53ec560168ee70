//! Servers that are killed while they work, and work that is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fsarena_engine::{EngineError, Limit, RunStats, Upkeep};
use fsarena_model::Workload;
use rustix::process::{Pid, Signal, kill_process};

use super::place::{
    Found, assert_gone, folder, left, open, page, pages, pgbench, prepared, wait_for, wait_for_server, wait_for_work,
};

/// More work than can be done while the test runs.
const ENDLESS: u64 = 10_000_000;

fn all() -> [Workload; 3] {
    [pgbench(ENDLESS), page(ENDLESS), pages(4000)]
}

/// Runs the workload. Calls `before` with its server before the run, and `act` once clients are at work.
fn disturbed(
    workload: &Workload,
    before: impl Fn(&Found),
    act: impl Fn(&Found, &AtomicBool) + Sync,
) -> Result<(), EngineError> {
    let place = folder();
    let mut job = prepared(workload, place.path());
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
    let found = wait_for_server(place.path());
    before(&found);
    let (stop, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
    let ran = thread::scope(|scope| {
        scope.spawn(|| {
            wait_for_work(&found, place.path(), &is_done);
            act(&found, &stop);
        });
        let ran = job.run(&Limit::new(None, &stop), &mut RunStats::new());
        is_done.store(true, Ordering::Relaxed);
        ran
    });
    drop(job);
    assert_gone(&found, place.path());
    ran
}

fn send(number: u32, signal: Signal) {
    kill_process(Pid::from_raw(number as i32).expect("not 0"), signal).expect("it runs");
}

/// Suspends all processes of Apache, so that the limited number of pages is not answered before the test ends it.
fn halt(found: &Found) {
    for number in found.all() {
        send(number, Signal::STOP);
    }
}

#[test]
fn one_that_is_killed_fails_the_run_in_the_words_of_its_log_and_leaves_nothing() {
    for (workload, words) in all().into_iter().zip(["ready to accept connections", "resuming normal", "resuming"]) {
        let before = |found: &Found| {
            if workload.name == pages(1).name {
                halt(found)
            }
        };
        let killed = disturbed(&workload, before, |found, _| send(found.number, Signal::KILL));
        let error = killed.expect_err("its server is gone");
        assert!(matches!(error, EngineError::Server { .. }), "{}: {error}", workload.name);
        let text = error.to_string();
        assert!(text.contains("has ended") && text.contains(words), "{text}");
    }
}

#[test]
fn work_that_is_stopped_ends_at_once_and_leaves_nothing() {
    for workload in all() {
        disturbed(&workload, |_| {}, |_, stop| stop.store(true, Ordering::Relaxed)).expect("no failure");
    }
}

#[test]
fn preparation_ends_at_the_stop_flag() {
    let place = folder();
    let mut job = open(&pgbench(ENDLESS), place.path());
    job.upkeep(Upkeep::Prepare, &AtomicBool::new(true)).expect_err("it was stopped");
    drop(job);
    wait_for("a process goes on", || left(&[place.path()]).is_empty().then_some(()));
}
