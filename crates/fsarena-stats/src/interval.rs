//! Intervals of differences, and the precision of estimates.

use serde::{Deserialize, Serialize};

use crate::quantile::student_upper;

/// A closed interval of a logarithmic ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound, not below the lower one.
    pub high: f64,
}

impl Interval {
    /// The interval around a centre.
    pub(crate) fn around(centre: f64, half_width: f64) -> Self {
        Self { low: centre - half_width, high: centre + half_width }
    }

    /// Its bounds as ratios.
    #[must_use]
    pub fn ratios(&self) -> (f64, f64) {
        (self.low.exp(), self.high.exp())
    }

    /// Whether the value lies inside, bounds included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

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
