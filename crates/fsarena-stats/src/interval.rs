//! Intervals of differences, and the precision of estimates.

use crate::decision::{FEWEST_ROUNDS, Verdict};
use crate::mean::together;
use crate::quantile::{student_tail, student_upper};
use crate::summary::mean;

/// The upper tail of the pointwise 95 % interval.
pub(crate) const POINTWISE_TAIL: f64 = 0.025;

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
    pub fn ratios(&self) -> (f64, f64) {
        (self.low.exp(), self.high.exp())
    }

    /// Whether all of it is less than `margin`, above 0, away from 0.
    pub fn is_within(&self, margin: f64) -> bool {
        self.low > -margin && self.high < margin
    }

    /// The side of 0 on which all of it lies.
    pub fn direction(&self) -> Verdict {
        match self {
            _ if self.low > 0.0 => Verdict::Faster,
            _ if self.high < 0.0 => Verdict::Slower,
            _ => Verdict::Undecided,
        }
    }

    /// Whether the value lies inside, bounds included.
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
    pub fn interval(&self, estimate: f64, tail: f64) -> Interval {
        // One value says nothing about the noise.
        if self.freedom <= 0.0 {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        Interval::around(estimate, student_upper(self.freedom, tail) * self.error)
    }

    /// This one, or the other one if its intervals are wider.
    pub(crate) fn or_wider(self, other: Self) -> Self {
        let width = |precision: &Self| precision.interval(0.0, POINTWISE_TAIL).high;
        if width(&other) > width(&self) { other } else { self }
    }

    /// The probability of an estimate that lies at least this far beyond the truth, on one side.
    pub(crate) fn tail(&self, distance: f64) -> f64 {
        student_tail(self.freedom, distance / self.error)
    }
}

/// How much the values of a group vary, for a difference of means of two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The standard deviation of a value, as an error.
    pub of_value: Precision,
    /// The variance of the mean as a multiple of that of a value: one over the number of values.
    pub share: f64,
}

impl Spread {
    /// The precision of the difference to the mean of another group. Welch's (1947) holds if the groups do not vary
    /// alike, but a group of two or three values may show almost no spread by chance, so it is never better than with
    /// the pooled variance (Student's).
    pub fn difference(self, other: Self) -> Precision {
        let sides = [self, other];
        let own = |side: Self| Precision { error: side.of_value.error * side.share.sqrt(), ..side.of_value };
        let freedom = self.of_value.freedom + other.of_value.freedom;
        let squares: f64 = sides.iter().map(|side| side.of_value.error.powi(2) * side.of_value.freedom).sum();
        let pooled = Precision { error: (squares / freedom * (self.share + other.share)).sqrt(), freedom };
        together(sides.into_iter().map(own)).map_or(pooled, |welch| pooled.or_wider(welch))
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
    pub fn mean_of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = mean(values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let precision = Precision { error: (squares / (count - 1.0) / count).sqrt(), freedom: count - 1.0 };
        (!values.is_empty()).then_some(Self { estimate: mean, precision })
    }

    /// [`Self::mean_of`], if there are values of enough rounds for an interval.
    pub fn of_rounds(values: &[f64]) -> Option<Self> {
        Self::mean_of(values).filter(|_| values.len() >= FEWEST_ROUNDS)
    }

    /// The same from the other point of view: of the second relative to the first.
    pub fn reversed(self) -> Self {
        Self { estimate: -self.estimate, ..self }
    }

    /// The interval that leaves the truth on each side with probability `tail`, in (0, .5).
    pub fn interval(&self, tail: f64) -> Interval {
        self.precision.interval(self.estimate, tail)
    }

    /// The 95 % interval of this estimate alone.
    pub fn pointwise(&self) -> Interval {
        self.interval(POINTWISE_TAIL)
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
        let interval = LogEstimate::mean_of(&[0.3]).expect("a value").pointwise();
        assert!(!interval.low.is_finite() && !interval.high.is_finite(), "{interval:?}");
    }

    /// `t.test(extra ~ group, data = sleep)` of R: 10 values each, t = −1.8608 for −1.58, 17.776 degrees of freedom.
    #[test]
    fn groups_that_vary_differently_have_welchs_precision() {
        let side = |error: f64| Spread { of_value: Precision { error, freedom: 9.0 }, share: 0.1 };
        let found = side(1.789_010).difference(side(2.002_249));
        assert!((found.error - 0.849_091).abs() < 1e-6 && (found.freedom - 17.776).abs() < 1e-3, "{found:?}");
        // Two values that happen to be close do not vary less than the others.
        let [few, many] = [(0.001, 1.0), (1.0, 19.0)]
            .map(|(error, freedom)| Spread { of_value: Precision { error, freedom }, share: 1.0 / (freedom + 1.0) });
        let Precision { error, freedom } = few.difference(many);
        assert!((error - (0.55_f64 * 19.0 / 20.0).sqrt()).abs() < 1e-6 && freedom == 20.0, "{error} {freedom}");
    }

    /// R: `t.test(c(0.9, 1.0, 1.1, 0.8))$conf.int`.
    #[test]
    fn an_interval_of_several_rounds_is_students() {
        let mean = LogEstimate::of_rounds(&[0.9, 1.0, 1.1, 0.8]).expect("four rounds");
        let Interval { low, high } = mean.pointwise();
        assert!((low - 0.744_573_7).abs() < 1e-6 && (high - 1.155_426_3).abs() < 1e-6, "{low} {high}");
        assert!(LogEstimate::of_rounds(&[0.9, 1.0]).is_none());
    }
}
