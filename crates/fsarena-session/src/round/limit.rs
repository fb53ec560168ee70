//! Time limits: what takes longer is told to stop, and did not finish. A limit is for each of preparing, refilling,
//! starting a server, a run, ending the server and verifying by itself. The sync after a run has none: nothing stops
//! the kernel in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fsarena_apps::engine;
use fsarena_engine::watched;
use fsarena_model::{Nanos, Workload};

/// What upkeep may take where the workload names no limit, and bytes that it may handle in each further second.
const UPKEEP: Nanos = Nanos::seconds(600);
const BYTES_PER_SECOND: u64 = 4 << 20;
/// What a run that does not end by the clock may take where the workload names no limit, and how many times as long as
/// was expected.
const RUN: Nanos = Nanos::seconds(3600);
const TIMES_EXPECTED: u64 = 10;

/// How long preparing the workload may take, and so each of the other things that are done around its runs.
pub fn of_upkeep(workload: &Workload) -> Nanos {
    let data = engine(&workload.engine).and_then(|engine| engine.demand(workload).ok()).unwrap_or_default();
    workload.time_limit().unwrap_or(UPKEEP + Nanos::seconds(data.0 / BYTES_PER_SECOND))
}

/// How long a run may take that is to work for `time`, or until its work is done. `None` for our own loops that end by
/// the clock.
pub fn of_run(workload: &Workload, time: Option<Nanos>) -> Option<Nanos> {
    let engine = engine(&workload.engine)?;
    let ends_by_clock = time.is_some() && engine.program().is_none();
    let expected = time.unwrap_or_default() + engine.adds(workload);
    let around = RUN + of_upkeep(workload);
    let most = expected.0.saturating_mul(TIMES_EXPECTED).saturating_add(around.0);
    workload.time_limit().or((!ends_by_clock).then_some(Nanos(most)))
}

/// What came of work with a time limit.
#[derive(Debug, PartialEq, Eq)]
pub enum Within<T> {
    /// It ended by itself, or since somebody wanted to stop.
    Done(T),
    /// It was told to stop after so much time.
    OutOfTime(Nanos),
}

/// Does `work` with a wish to stop that comes when `stop` is set or after `limit`, if there is one.
pub fn within<T>(limit: Option<Nanos>, stop: &AtomicBool, work: impl FnOnce(&AtomicBool) -> T) -> Within<T> {
    let Some(limit) = limit else { return Within::Done(work(stop)) };
    let begin = Instant::now();
    let is_late = || begin.elapsed() >= Duration::from_nanos(limit.0);
    watched(
        || stop.load(Ordering::Relaxed) || is_late(),
        |told| {
            let worked = work(told);
            match told.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                true => Within::OutOfTime(limit),
                false => Within::Done(worked),
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(name: &str) -> Workload {
        fsarena_catalog::workload(name).expect("in the catalogue")
    }

    #[test]
    fn a_workload_without_a_limit_has_one_that_grows_with_its_data() {
        let small = Workload { time_limit_s: None, ..workload("stat-tree") };
        let large = Workload { time_limit_s: None, ..workload("seqread-cold") };
        assert!(of_upkeep(&small) >= UPKEEP);
        assert!(of_upkeep(&large) > of_upkeep(&small));
        let own = Workload { time_limit_s: Some(7), ..small.clone() };
        assert_eq!((of_upkeep(&own), of_run(&own, None)), (Nanos::seconds(7), Some(Nanos::seconds(7))));
    }

    #[test]
    fn a_run_has_a_limit_unless_our_own_loop_looks_at_the_clock() {
        let (native, script) = (workload("stat-tree"), workload("shell-touch"));
        assert_eq!(of_run(&native, Some(Nanos::seconds(1))), None);
        assert!(of_run(&native, None).is_some_and(|limit| limit >= RUN));
        let hour = Nanos::seconds(3600);
        assert!(of_run(&script, Some(hour)).is_some_and(|limit| limit >= Nanos(hour.0 * TIMES_EXPECTED)));
        assert!(of_run(&script, Some(Nanos(u64::MAX / 2))).is_some(), "it does not overflow");
    }

    fn until_told(told: &AtomicBool) -> u32 {
        while !told.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        7
    }

    #[test]
    fn what_takes_too_long_is_told_to_stop() {
        let stop = AtomicBool::new(false);
        let limit = Nanos::millis(30);
        assert_eq!(within(Some(limit), &stop, until_told), Within::OutOfTime(limit));
        assert_eq!(within(Some(Nanos::seconds(600)), &stop, |_| 3), Within::Done(3));
        assert_eq!(within(None, &stop, |_| 4), Within::Done(4));
    }

    #[test]
    fn who_is_stopped_by_somebody_is_not_out_of_time() {
        let stop = AtomicBool::new(true);
        assert_eq!(within(Some(Nanos::seconds(600)), &stop, until_told), Within::Done(7));
    }
}
