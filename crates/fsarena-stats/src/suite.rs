//! One ratio for a whole suite: the geometric mean over its workloads, with its interval.
//!
//! A mean of raw rates would be the mean of whichever workload has the largest numbers; ratios have no unit, and only
//! their geometric mean does not depend on who is divided by whom (Fleming and Wallace 1986).
//!
//! The interval speaks of these workloads, not of workloads in general: it says how far noise may have moved the mean,
//! not how far another suite would. It assumes that the noise of different workloads is independent; what a contender
//! has in common in one round over all workloads, a lucky mkfs for instance, is not in it (in a mix's mean, which decides
//! something, it is: `means.rs`). Looks at single pairs that
//! stopped early pull it, a little, away from 1; the calibration prints how often it holds the truth at stopping.

use serde::{Deserialize, Serialize};

use crate::decide::PairDecision;
use crate::interval::Interval;
use crate::quantile::student_upper;

/// How well an estimate is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// The standard error, as a logarithm.
    pub error: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl Precision {
    /// The interval around an estimate that leaves the truth on each side with probability `tail`, in (0, .5).
    #[must_use]
    pub fn interval(&self, estimate: f64, tail: f64) -> Interval {
        Interval::around(estimate, student_upper(self.freedom, tail) * self.error)
    }
}

/// The geometric mean of a pair's ratios over the workloads of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SuiteRatio {
    /// Its logarithm: the mean of the workloads' estimates, each counting the same or, in a mix, by its weight.
    pub estimate: f64,
    /// How well it is known.
    pub precision: Precision,
    /// Number of workloads in it.
    pub workloads: usize,
}

impl SuiteRatio {
    /// Of one pair's decisions, one per workload, each counting the same; `None` without any, or where one has no estimate with a
    /// variance: a mean that leaves out what was hard to measure would not be the suite's.
    #[must_use]
    pub fn new(pairs: &[PairDecision]) -> Option<Self> {
        let known: Vec<(f64, Precision)> =
            pairs.iter().map(|pair| pair.estimate.zip(pair.precision)).collect::<Option<_>>()?;
        let count = known.len() as f64;
        let estimate = known.iter().map(|(estimate, _)| estimate).sum::<f64>() / count;
        let precision = together(known.iter().map(|(_, precision)| *precision))?;
        let precision = Precision { error: precision.error / count, ..precision };
        Some(Self { estimate, precision, workloads: known.len() })
    }

    /// The interval of this one mean at 1 − α.
    #[must_use]
    pub fn interval(&self, alpha: f64) -> Interval {
        self.precision.interval(self.estimate, alpha / 2.0)
    }
}

/// The precision of a sum of independent estimates, its degrees of freedom after Welch (1947) and Satterthwaite (1946);
/// `None` without any.
pub(crate) fn together(parts: impl Iterator<Item = Precision> + Clone) -> Option<Precision> {
    let square = |part: Precision| part.error * part.error;
    let sum: f64 = parts.clone().map(square).sum();
    let spread: f64 = parts.clone().map(|part| square(part).powi(2) / part.freedom).sum();
    let fewest = parts.map(|part| part.freedom).reduce(f64::min)?;
    let freedom = if spread > 0.0 { sum * sum / spread } else { fewest };
    Some(Precision { error: sum.sqrt(), freedom })
}
