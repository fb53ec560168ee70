//! Between which bounds a difference lies (recipe, step 10).

use serde::{Deserialize, Serialize};

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

    /// Whether the interval lies wholly beyond ±`margin`, on either side.
    pub(crate) fn is_beyond(&self, margin: f64) -> bool {
        self.low > margin || self.high < -margin
    }
}
