//! Intervals of differences, and the precision of estimates.

use crate::quantile::{student_tail, student_upper};
use crate::summary::mean;

/// A closed interval of a logarithmic ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq)]
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
        // One value says nothing about the noise.
        if self.freedom <= 0.0 {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        Interval::around(estimate, student_upper(self.freedom, tail) * self.error)
    }

    /// The probability of an estimate that lies at least this far beyond the truth, on one side.
    pub(crate) fn tail(&self, distance: f64) -> f64 {
        student_tail(self.freedom, distance / self.error)
    }
}

/// An estimate of a logarithm, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogEstimate {
    /// The estimate.
    pub estimate: f64,
    /// Its error and degrees of freedom. The error of a mean of one value is not a number.
    pub precision: Precision,
}

impl LogEstimate {
    /// The mean of independent values, known from two of them on; `None` of nothing.
    #[must_use]
    pub fn mean_of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = mean(values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let precision = Precision { error: (squares / (count - 1.0) / count).sqrt(), freedom: count - 1.0 };
        (!values.is_empty()).then_some(Self { estimate: mean, precision })
    }

    /// The interval that leaves the truth on each side with probability `tail`, in (0, .5).
    #[must_use]
    pub fn interval(&self, tail: f64) -> Interval {
        self.precision.interval(self.estimate, tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_become_ratios_and_lie_inside() {
        let interval = Interval { low: 0.5_f64.ln(), high: 4.0_f64.ln() };
        let (low, high) = interval.ratios();
        assert!((low - 0.5).abs() < 1e-12 && (high - 4.0).abs() < 1e-12, "{low} {high}");
        assert!([interval.low, 0.0, interval.high].iter().all(|value| interval.contains(*value)));
        assert!(![interval.low - 1e-9, interval.high + 1e-9].iter().any(|value| interval.contains(*value)));
    }

    #[test]
    fn one_value_has_no_bounds() {
        let interval = LogEstimate::mean_of(&[0.3]).expect("a value").interval(0.025);
        assert!(!interval.low.is_finite() && !interval.high.is_finite(), "{interval:?}");
    }

    /// The quantile of Student's distribution with 5 degrees of freedom for 97.5 % is 2.5706 in every table.
    #[test]
    fn an_interval_is_as_wide_as_the_tables_say() {
        let Interval { low, high } = Precision { error: 0.1, freedom: 5.0 }.interval(3.0, 0.025);
        assert!((low - 2.74294).abs() < 1e-5 && (high - 3.25706).abs() < 1e-5, "{low} {high}");
    }
}
