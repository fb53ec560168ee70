//! Time limits: work that takes longer is stopped, and its trial did not finish. A separate limit applies to each of
//! preparing, resetting, starting a server, a run, ending the server and verifying. The sync after a run has no limit,
//! because the kernel cannot be interrupted in it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fsarena_engine::watched;
use fsarena_model::{Nanos, Workload};
use fsarena_sys::clock;

/// Default time limit of upkeep, and the number of bytes for which it grows by one second.
const UPKEEP: Nanos = Nanos::seconds(600);
const BYTES_PER_SECOND: u64 = 4 << 20;
/// Default time limit of a run that does not end by the clock, in addition to this multiple of its expected duration.
const RUN: Nanos = Nanos::seconds(3600);
const TIMES_EXPECTED: u64 = 10;

/// The time limit of preparing the workload, and of each other kind of upkeep around its runs.
pub fn of_upkeep(workload: &Workload) -> Nanos {
    workload.time_limit().unwrap_or(UPKEEP + Nanos::seconds(workload.traits.peak.0 / BYTES_PER_SECOND))
}

/// The time limit of a run that works for `time`, or until its work is done. `None` for native loops, which end by the
/// clock.
pub fn of_run(workload: &Workload, time: Option<Nanos>) -> Option<Nanos> {
    let ends_by_clock = time.is_some() && workload.traits.program.is_none();
    let expected = time.unwrap_or_default() + workload.traits.extra_time;
    let around = RUN + of_upkeep(workload);
    let most = expected.0.saturating_mul(TIMES_EXPECTED).saturating_add(around.0);
    workload.time_limit().or((!ends_by_clock).then_some(Nanos(most)))
}

/// The result of work with a time limit.
#[derive(Debug, PartialEq, Eq)]
pub enum Within<T> {
    /// It ended by itself, or because the run is stopped.
    Done(T),
    /// It was stopped after this time limit.
    OutOfTime(Nanos),
}

/// Stops the current work when the run is stopped, or when the work exceeds its time limit. One thread serves the whole
/// run: starting a thread for each piece of work would take longer than many of the pieces.
pub struct Watch<'a> {
    /// Set to stop the run.
    pub stop: &'a AtomicBool,
    /// Set to stop the current work.
    own_stop: AtomicBool,
    /// The deadline of the current work, in nanoseconds of [`clock::now`]; 0 for none.
    deadline: AtomicU64,
}

impl Watch<'_> {
    /// Runs `run` with a watch.
    pub fn during<T>(stop: &AtomicBool, run: impl FnOnce(&Watch<'_>) -> T) -> T {
        let watch = &Watch { stop, own_stop: AtomicBool::new(false), deadline: AtomicU64::new(0) };
        let look = || {
            let deadline = watch.deadline.load(Ordering::Relaxed);
            let is_late = deadline != 0 && clock::now().0 >= deadline;
            if is_late || stop.load(Ordering::Relaxed) {
                watch.own_stop.store(true, Ordering::Relaxed);
            }
            false
        };
        watched(look, |_| run(watch))
    }

    /// Runs `work`, which has to end soon after its argument is set: when the run is stopped, or after `limit`.
    pub fn within<T>(&self, limit: Option<Nanos>, work: impl FnOnce(&AtomicBool) -> T) -> Within<T> {
        let Some(limit) = limit else { return Within::Done(work(self.stop)) };
        self.own_stop.store(self.stop.load(Ordering::Relaxed), Ordering::Relaxed);
        self.deadline.store((clock::now() + limit).0, Ordering::Relaxed);
        let worked = work(&self.own_stop);
        self.deadline.store(0, Ordering::Relaxed);
        match self.own_stop.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
            true => Within::OutOfTime(limit),
            false => Within::Done(worked),
        }
    }
}

#[cfg(test)]
mod tests {
    use fsarena_engine::{ENGINES, Engines};

    use super::*;

    static ALL: Engines = Engines(&[ENGINES, fsarena_programs::PROGRAMS]);

    fn workload(name: &str) -> Workload {
        ALL.resolved(fsarena_catalog::workload(name).expect("in the catalogue")).expect("sound")
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

    fn until_told(own_stop: &AtomicBool) -> u32 {
        while !own_stop.load(Ordering::Relaxed) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        7
    }

    #[test]
    fn a_run_that_is_to_stop_is_not_out_of_time() {
        let stop = AtomicBool::new(true);
        let within = |watch: &Watch<'_>| watch.within(Some(Nanos::seconds(600)), until_told);
        assert_eq!(Watch::during(&stop, within), Within::Done(7));
    }
}
