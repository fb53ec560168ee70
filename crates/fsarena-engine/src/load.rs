//! The load that a workload asks for: the maximum, or a rate, which may be a percentage of the maximum.

use std::sync::atomic::AtomicBool;

use fsarena_model::Nanos;
use fsarena_sys::affinity::Pinned;

use crate::workers::{Worker, Workers};
use crate::{EngineError, Limit, RunStats};

/// Minimum rate, operations per second: one operation in a quarter of an hour.
const SLOWEST: f64 = 0.001;
/// Time for which the peak of the contender is measured, for a rate that is a percentage of it.
const PILOT: Nanos = Nanos::millis(400);
/// Warm-up before that, because the first accesses are slower.
const WARM_UP: Nanos = Nanos::millis(100);

/// The load of all workers together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// As much as possible (closed loop).
    Most,
    /// Operations per second (open loop).
    Rate(f64),
    /// Percentage of the operations per second that the contender does in a closed loop (open loop).
    Percent(f64),
}

impl Load {
    /// The load that the parameters `rate` and `rate-percent` give.
    pub fn of(rate: Option<f64>, percent: Option<f64>) -> Self {
        match (rate, percent) {
            (Some(rate), _) => Self::Rate(rate),
            (None, Some(percent)) => Self::Percent(percent),
            (None, None) => Self::Most,
        }
    }

    /// Whether a pilot run has to find the load.
    pub fn has_pilot(self) -> bool {
        matches!(self, Self::Percent(_))
    }

    /// The problem with these parameters; `None` if there is none.
    pub fn complaint(rate: Option<f64>, percent: Option<f64>) -> Option<&'static str> {
        let is_rate = |rate: f64| rate.is_finite() && rate >= SLOWEST;
        match () {
            () if rate.is_some() && percent.is_some() => Some("`rate` or `rate-percent`, not both"),
            () if !rate.or(percent).is_none_or(is_rate) => Some("a rate is a number of at least 0.001"),
            () => None,
        }
    }

    /// Operations per second of each worker of `workers`; `None` for the maximum. For a percentage, the workers runs untimed
    /// to find the peak of the contender. `renew` restores the state before such a run.
    ///
    /// # Errors
    /// As [`Workers::run`], or as `renew`.
    pub fn settle<W: Worker>(
        self,
        workers: &mut Workers<W>,
        stop: &AtomicBool,
        renew: impl FnMut(&mut Workers<W>) -> Result<(), EngineError>,
    ) -> Result<Option<f64>, EngineError> {
        let all = match self {
            Self::Most => return Ok(None),
            Self::Rate(rate) => rate,
            Self::Percent(percent) => peak(workers, stop, renew)? * percent / 100.0,
        };
        Ok(Some(all / f64::from(workers.count())))
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
