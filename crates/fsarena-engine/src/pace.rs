//! When operations start: one after the other (closed loop), or at given times, whether or not earlier ones have ended
//! (open loop). The rate of an open loop is given, or a percentage of the maximum.

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_model::Nanos;
use fsarena_sys::affinity::Pinned;
use fsarena_sys::clock;

use crate::workers::{Worker, Workers};
use crate::{EngineError, Limit, RunStats};

/// The intended times at which the operations of one worker start in an open loop, at equal intervals.
pub struct IntendedStarts {
    /// Nanoseconds between two starts.
    distance: f64,
    /// Part of the distance that passes before the first start.
    phase: f64,
    next: f64,
}

impl IntendedStarts {
    /// `rate` operations per second of worker number `worker` of `workers`, which take turns.
    pub fn new(rate: f64, worker: u32, workers: u32) -> Self {
        let phase = (f64::from(worker) + 0.5) / f64::from(workers);
        let mut starts = Self { distance: 1e9 / rate, phase, next: 0.0 };
        starts.restart();
        starts
    }

    /// Requested operations per second.
    pub fn offered(&self) -> f64 {
        1e9 / self.distance
    }

    /// The intended start of the next operation, counted from the start of the timer. Advances to the operation after
    /// it.
    #[inline]
    pub fn take(&mut self) -> Nanos {
        let at = self.due();
        self.next += self.distance;
        at
    }

    /// The intended start of the next operation, without advancing.
    #[inline]
    pub fn due(&self) -> Nanos {
        Nanos(self.next as u64)
    }

    /// Starts again. Operations that an earlier run did not start are dropped.
    pub fn restart(&mut self) {
        self.next = self.distance * self.phase;
    }
}

/// Waits until `moment`. Sleeps while it is far and spins when it is near, because a thread wakes up late. Checks
/// `stop` from time to time, and returns `false` if it is set.
pub fn wait_until(moment: Nanos, stop: &AtomicBool) -> bool {
    const NEAR: Nanos = Nanos(80_000);
    const LOOK: Nanos = Nanos::millis(10);
    loop {
        let now = clock::now();
        let left = moment.saturating_sub(now);
        if left <= NEAR {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        clock::sleep_until(moment.saturating_sub(NEAR).min(now + LOOK));
    }
    while clock::now() < moment {
        std::hint::spin_loop();
    }
    !stop.load(Ordering::Relaxed)
}

/// Minimum rate, operations per second: one operation in a quarter of an hour.
const SLOWEST: f64 = 0.001;
/// Time for which the peak of the contender is measured, for a rate that is a percentage of it.
const PILOT: Nanos = Nanos::millis(400);
/// Warm-up before that, because the first accesses are slower.
const WARM_UP: Nanos = Nanos::millis(100);

/// The load of all workers together: as much as possible (closed loop), or one of the rates (open loop).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkerLoad {
    /// Operations per second.
    pub rate: Option<f64>,
    /// Percentage of the operations per second that the contender does in a closed loop, which a pilot run finds.
    pub percent: Option<f64>,
}

impl WorkerLoad {
    /// The problem with the parameters `rate` and `rate-percent`; `None` if there is none.
    pub fn complaint(self) -> Option<&'static str> {
        let is_rate = |rate: f64| rate.is_finite() && rate >= SLOWEST;
        match () {
            () if self.rate.is_some() && self.percent.is_some() => Some("`rate` or `rate-percent`, not both"),
            () if !self.rate.or(self.percent).is_none_or(is_rate) => Some("a rate is a number of at least 0.001"),
            () => None,
        }
    }

    /// Lets the workers keep the load. For a percentage, they first run untimed to find the peak of the contender.
    /// `renew` restores the state after such a run.
    ///
    /// # Errors
    /// As [`Workers::run`], or as `renew`.
    pub fn keep<W: Worker>(
        self,
        workers: &mut Workers<W>,
        stop: &AtomicBool,
        renew: impl FnMut(&mut Workers<W>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let all = match (self.rate, self.percent) {
            (Some(rate), _) => rate,
            (None, Some(percent)) => peak(workers, stop, renew)? * percent / 100.0,
            (None, None) => return Ok(()),
        };
        workers.keep_rate(all / f64::from(workers.count()));
        Ok(())
    }
}

/// Operations per second in a closed loop under the conditions of a slice: after a warm-up, and on one processor if a
/// single thread does the work.
fn peak<W: Worker>(
    workers: &mut Workers<W>,
    stop: &AtomicBool,
    mut renew: impl FnMut(&mut Workers<W>) -> Result<(), EngineError>,
) -> Result<f64, EngineError> {
    let _pinned = workers.is_alone().then(Pinned::here);
    let mut stats = RunStats::new();
    for time in [WARM_UP, PILOT] {
        stats.clear();
        workers.run(&Limit::new(Some(time), stop), &mut stats)?;
        renew(workers)?;
    }
    Ok((stats.operations as f64 / stats.elapsed.as_seconds()).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_take_turns_and_begin_no_more_than_is_offered() {
        let mut all: Vec<u64> = Vec::new();
        for worker in 0..4 {
            let mut own = IntendedStarts::new(1e6, worker, 4);
            own.restart();
            all.extend(std::iter::from_fn(|| Some(own.take().0)).take_while(|start| *start < 100_000));
        }
        all.sort_unstable();
        assert_eq!(all.len(), 400, "4 workers with a million per second each, for 100 µs");
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] == 250));
    }
}
