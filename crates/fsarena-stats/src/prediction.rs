//! What another program of the same kind would show: a prediction from how programs of the kind differ from each other.
//!
//! The programs of a mix are taken as a sample (a random-effects model). With three to eight of them, the variance
//! between programs is badly known, so it is moderated by the typical variance, which the validation shows (Smyth
//! 2004). Programs differ in how much of their time the file system takes, so where ratios are large, they also differ
//! much: all this happens on a scale that is linear for small ratios and compresses large ones. `docs/statistics.md` has
//! the formulas, decision 0029 why.

use crate::interval::{Interval, Precision};
use crate::mean::{Part, together, weighted_mean};
use crate::quantile::student_log_density;

/// With less than this share beside one program, the others show nothing.
const LEAST_SHARE: f64 = 1e-6;

/// The logarithm of a ratio up to which the scale is about linear.
const LINEAR: f64 = 0.05;

/// The logarithm of a ratio on the scale on which programs differ about equally: about itself if it is small, and
/// growing with its fourth root if it is large.
fn compressed(log: f64) -> f64 {
    (4.0 * LINEAR * ((1.0 + log.abs() / LINEAR).powf(0.25) - 1.0)).copysign(log)
}

/// The logarithm of a ratio that is `compressed` on that scale.
pub fn expanded(compressed: f64) -> f64 {
    (LINEAR * ((1.0 + compressed.abs() / (4.0 * LINEAR)).powi(4) - 1.0)).copysign(compressed)
}

/// How large a logarithm is on the compressed scale, for each unit of it. The error of a ratio is that much smaller there:
/// as large a share of the ratio as it was, so that a badly measured one does not become certain.
fn share(log: f64) -> f64 {
    if log == 0.0 { 1.0 } else { compressed(log) / log }
}

/// How much the ratio of a pair typically differs between programs of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetweenPrograms {
    /// The typical standard deviation between programs, a compressed logarithm (τ₀); positive.
    pub deviation: f64,
    /// The degrees of freedom as which it counts (d₀); positive.
    pub freedom: f64,
}

impl BetweenPrograms {
    /// The values that `fsarena validate` found with programs that no profile contains (`docs/validation.md`).
    pub const VALIDATED: Self = Self { deviation: 0.04, freedom: 10.0 };

    /// Deviations that [`Self::fitted`] tries, as numbers of steps: 0.01 to 1.
    const DEVIATIONS: std::ops::RangeInclusive<u32> = 0..=92;
    /// Degrees of freedom that it tries.
    const FREEDOMS: [f64; 6] = [2.0, 3.0, 4.0, 6.0, 8.0, 12.0];

    /// The values with which the outcomes are most likely; `None` without outcomes.
    pub fn fitted(outcomes: &[PredictedPair]) -> Option<Self> {
        let deviations = Self::DEVIATIONS.map(|step| 0.01 * (f64::from(step) * 0.05).exp());
        let all = deviations.flat_map(|deviation| Self::FREEDOMS.map(|freedom| Self { deviation, freedom }));
        let likelihood = |typical: &Self| outcomes.iter().map(|outcome| outcome.log_likelihood(*typical)).sum::<f64>();
        let tried = all.filter(|_| !outcomes.is_empty()).map(|typical| (likelihood(&typical), typical));
        tried.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, typical)| typical)
    }
}

/// A pair in one program of a mix, on the compressed scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixProgram {
    /// The program's weight, above 0.
    pub weight: f64,
    /// The logarithm of the pair's ratio, compressed.
    pub estimate: f64,
    /// The standard error of the estimate within the run.
    pub error: f64,
}

impl MixProgram {
    /// A program whose ratio has this logarithm with this standard error.
    pub fn of(weight: f64, log: f64, error: f64) -> Self {
        Self { weight, estimate: compressed(log), error: error * share(log) }
    }
}

/// A pair in all programs of a mix, on the compressed scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Programs {
    /// The mean over the programs.
    pub mean: f64,
    /// How well the mean is known.
    pub precision: Precision,
    /// The variance between programs, beyond what their errors explain.
    between: f64,
    /// Its degrees of freedom: one less than there are programs, if all weights are equal.
    freedom: f64,
    /// The sum of the squared weights, which add up to 1.
    concentration: f64,
}

impl Programs {
    /// The programs of a mix; `None` if there are none, or one has no estimate with an error.
    pub fn of(parts: &[Part<'_>]) -> Option<Self> {
        let known = |part: &Part<'_>| Some((part.pair.estimate?, part.pair.precision?.error));
        let program = |part: &Part<'_>| known(part).map(|(log, error)| MixProgram::of(part.weight, log, error));
        let programs: Vec<MixProgram> = parts.iter().map(program).collect::<Option<_>>()?;
        let weight = |part: &Part<'_>| Some(part.weight * share(part.pair.estimate?));
        let scaled: Vec<Part<'_>> =
            parts.iter().map(|part| Some(Part { weight: weight(part)?, ..*part })).collect::<Option<_>>()?;
        let sum = |parts: &[Part<'_>]| parts.iter().map(|part| part.weight).sum::<f64>();
        let Precision { error, freedom } = weighted_mean(&scaled)?.precision;
        let precision = Precision { error: error * sum(&scaled) / sum(parts), freedom };
        Some(Self::with_precision(precision, &programs))
    }

    /// The programs, if their weighted mean is known so well. The variance between them is that of the method of
    /// moments, its degrees of freedom are those of Satterthwaite (1946).
    pub fn with_precision(precision: Precision, programs: &[MixProgram]) -> Self {
        let whole: f64 = programs.iter().map(|program| program.weight).sum();
        let sum = |power: i32, value: fn(&MixProgram) -> f64| -> f64 {
            programs.iter().map(|program| (program.weight / whole).powi(power) * value(program)).sum()
        };
        let (squares, cubes) = (sum(2, |_| 1.0), sum(3, |_| 1.0));
        let mean = sum(1, |program| program.estimate);
        let alone = Self { mean, precision, between: 0.0, freedom: 0.0, concentration: squares };
        let others = 1.0 - squares;
        if others < LEAST_SHARE {
            return alone;
        }
        let variation = sum(1, |program| program.estimate.powi(2)) - mean * mean;
        let noise = sum(1, |program| program.error.powi(2)) - sum(2, |program| program.error.powi(2));
        let freedom = others * others / (squares - 2.0 * cubes + squares * squares);
        Self { between: ((variation - noise) / others).max(0.0), freedom, ..alone }
    }

    /// The prediction for another program, with the moderated variance.
    pub fn predict(&self, typical: BetweenPrograms) -> Prediction {
        let freedom = typical.freedom + self.freedom;
        let square = (typical.freedom * typical.deviation.powi(2) + self.freedom * self.between) / freedom;
        let between = Precision { error: (square * (1.0 + self.concentration)).sqrt(), freedom };
        let precision = together([between, self.precision].into_iter()).unwrap_or(between);
        Prediction { estimate: self.mean, precision, deviation: square.sqrt() }
    }
}

/// The ratio of a pair for another program of the kind, on the compressed scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The mean over the programs of the mix.
    pub estimate: f64,
    /// The standard error of the estimate as a prediction of one further program.
    pub precision: Precision,
    /// The moderated standard deviation between programs (τ).
    pub deviation: f64,
}

impl Prediction {
    /// The logarithm of the ratio that is as likely exceeded as not.
    pub fn median(&self) -> f64 {
        expanded(self.estimate)
    }

    /// The prediction interval at 1 − α, as logarithms.
    pub fn interval(&self, alpha: f64) -> Interval {
        let Interval { low, high } = self.precision.interval(self.estimate, alpha / 2.0);
        Interval { low: expanded(low), high: expanded(high) }
    }

    /// The probability that the first of the pair is better for another program.
    pub fn better(&self) -> f64 {
        self.precision.tail(-self.estimate)
    }
}

/// A pair in the programs of a mix, and in another program of the same kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedPair {
    /// The programs of the mix.
    pub programs: Programs,
    /// What the other program showed, a logarithm.
    pub measured: f64,
    /// Its standard error.
    pub error: f64,
}

impl PredictedPair {
    /// The log-likelihood of what the other program showed.
    fn log_likelihood(&self, typical: BetweenPrograms) -> f64 {
        let Precision { error, freedom } = self.programs.predict(typical).precision;
        let error = error.hypot(self.error * share(self.measured));
        student_log_density(freedom, (compressed(self.measured) - self.programs.mean) / error) - error.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Precision = Precision { error: 0.0, freedom: 1.0 };

    /// Programs of equal weight without noise.
    fn equal(estimates: &[f64]) -> Programs {
        let program = |estimate: &f64| MixProgram { weight: 2.0, estimate: *estimate, error: 0.0 };
        Programs::with_precision(EXACT, &estimates.iter().map(program).collect::<Vec<_>>())
    }

    /// With hardly any prior it is the prediction interval of the textbooks: of 1, 2, 3, 4 and 5 the mean is 3, the
    /// standard deviation 1.5811, and t with 4 degrees of freedom is 2.1318 for 90 %.
    #[test]
    fn without_a_prior_it_is_the_interval_of_the_textbooks() {
        let none = BetweenPrograms { deviation: 1.0, freedom: 1e-9 };
        let prediction = equal(&[1.0, 2.0, 3.0, 4.0, 5.0]).predict(none);
        let half = 2.13185 * 1.58114 * 1.2_f64.sqrt();
        let Interval { low, high } = prediction.precision.interval(prediction.estimate, 0.05);
        assert!((low - 3.0 + half).abs() < 1e-4 && (high - 3.0 - half).abs() < 1e-4, "{low} {high}");
        assert!((prediction.precision.freedom - 4.0).abs() < 1e-6 && (prediction.deviation - 1.58114).abs() < 1e-5);
    }

    /// 0.75 is 15 times 0.05, and the fourth root of 1 + 15 is 2: 4 · 0.05 · (2 − 1).
    #[test]
    fn small_ratios_are_kept_and_large_ones_compressed() {
        assert!((compressed(0.75) - 0.2).abs() < 1e-12 && (share(0.75) - 0.2 / 0.75).abs() < 1e-12);
        assert!((share(0.0) - 1.0).abs() < 1e-12);
        assert!((compressed(0.001) / 0.001 - 1.0).abs() < 0.01);
        for log in [-2.0, -0.1, 0.0, 0.03, 1.0] {
            assert!((expanded(compressed(log)) - log).abs() < 1e-12, "{log}");
        }
    }

    #[test]
    fn one_program_has_the_typical_variance() {
        let typical = BetweenPrograms { deviation: 0.2, freedom: 4.0 };
        let alone = equal(&[0.3]).predict(typical);
        assert_eq!((alone.deviation, alone.precision.freedom), (0.2, 4.0));
        assert!((alone.precision.error - 0.2 * 2.0_f64.sqrt()).abs() < 1e-12);
        // The 90 % point of t with 4 degrees of freedom is 1.5332 in every table.
        let likely = equal(&[1.53321 * 0.2 * 2.0_f64.sqrt()]).predict(typical);
        assert!((likely.better() - 0.9).abs() < 1e-5, "{}", likely.better());
    }

    /// A workload that was measured badly says less about another program than about itself.
    #[test]
    fn another_program_is_no_surer_than_the_mean() {
        for (log, error) in [(0.784_f64, 0.39), (1.21, 1.24), (0.1, 0.05), (-2.0, 1.5)] {
            let precision = Precision { error: error * share(log), freedom: 2.0 };
            let one = Programs::with_precision(precision, &[MixProgram::of(1.0, log, error)]);
            let itself = Precision { error, freedom: 2.0 }.tail(-log.abs());
            let another = one.predict(BetweenPrograms::VALIDATED).better();
            assert!(another.max(1.0 - another) < itself + 0.015, "{log}: {another} {itself}");
        }
    }

    #[test]
    fn what_noise_explains_is_no_difference_between_programs() {
        let noisy = |error| {
            let programs = [0.1, -0.1, 0.1, -0.1].map(|estimate| MixProgram { weight: 1.0, estimate, error });
            Programs::with_precision(EXACT, &programs).between
        };
        assert!((noisy(0.0) - 0.04 / 3.0).abs() < 1e-12);
        assert!(noisy(0.05) < noisy(0.0) && noisy(0.2) == 0.0);
    }

    /// Two variances of equal size, with 4 and 2 degrees of freedom: 2²/(1/4 + 1/2).
    #[test]
    fn a_mean_of_few_rounds_leaves_few_degrees_of_freedom() {
        let typical = BetweenPrograms { deviation: 0.1, freedom: 4.0 };
        let precision = Precision { error: 0.1 * 2.0_f64.sqrt(), freedom: 2.0 };
        let program = MixProgram { weight: 1.0, estimate: 0.3, error: precision.error };
        let prediction = Programs::with_precision(precision, &[program]).predict(typical);
        assert!((prediction.precision.error - 0.2).abs() < 1e-12);
        assert!((prediction.precision.freedom - 16.0 / 3.0).abs() < 1e-9, "{prediction:?}");
    }

    #[test]
    fn a_program_with_most_of_the_weight_leaves_few_degrees_of_freedom() {
        let freedom = |weights: &[f64]| {
            let program = |weight: &f64| MixProgram { weight: *weight, estimate: 0.0, error: 0.1 };
            Programs::with_precision(EXACT, &weights.iter().map(program).collect::<Vec<_>>()).freedom
        };
        assert!((freedom(&[3.0, 3.0, 3.0]) - 2.0).abs() < 1e-9);
        let uneven = freedom(&[0.8, 0.1, 0.1]);
        assert!(0.5 < uneven && uneven < 2.0, "{uneven}");
        assert_eq!(freedom(&[1.0, 1e-9]), 0.0);
    }
}
