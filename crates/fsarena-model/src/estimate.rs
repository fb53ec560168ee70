//! A ratio with its interval.

use serde::{Deserialize, Serialize};

/// How many times better one side is than another, with an interval. The field that has it says which sides and which
/// interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The ratio; above 1, the first side is better. `None` if it is not known.
    pub ratio: Option<f64>,
    /// The lower end of the interval; `None` if it is not known.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// A ratio and the ends of its interval.
    pub fn of(ratio: Option<f64>, ends: Option<(f64, f64)>) -> Self {
        Self { ratio, low: ends.map(|ends| ends.0), high: ends.map(|ends| ends.1) }
    }
}
