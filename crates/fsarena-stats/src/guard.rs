//! The guard against rounds that depend on each other (recipe, steps 8 and 9).
//!
//! A contender's own drift is not cancelled by pairing it with others. Its strength is estimated once for the whole
//! suite, rounded up by half a standard error, and the variances are inflated by what it hides.

use crate::fit::Fit;
use crate::variance::Variance;

/// The strongest autocorrelation that is still corrected for.
const STRONGEST: f64 = 0.9;
/// Degrees of freedom do not fall below this by the guard.
const FEWEST: f64 = 2.0;
/// Halvings of the search interval: beyond the precision of an `f64`.
const HALVINGS: usize = 60;

/// The autocorrelation between neighbouring rounds of one contender, in [0, .9].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guard {
    pub(crate) autocorrelation: f64,
}

impl Guard {
    /// Estimates it over the suite. Workloads with fewer than 3 rounds or without any spread do not count; where
    /// none counts there is nothing to guard against.
    ///
    /// The differences d of the recipe are taken from the residuals, so that lanes do not pass for noise; summed over
    /// all pairs of a workload they reduce to the residuals themselves. Workloads with different numbers of rounds
    /// are compared with the mean of what each would show.
    pub(crate) fn of_suite(fits: &[Fit]) -> Self {
        let telling: Vec<&Fit> = fits.iter().filter(|fit| is_telling(fit)).collect();
        if telling.is_empty() {
            return Self { autocorrelation: 0.0 };
        }
        let count = telling.len() as f64;
        let seen = telling.iter().map(|fit| unrest(fit)).sum::<f64>() / count;
        let expected = |rho| telling.iter().map(|fit| expected_unrest(rho, fit.rounds)).sum::<f64>() / count;
        let cells: usize = telling.iter().map(|fit| (fit.contenders() - 1) * (fit.rounds - 2)).sum();
        let caution = 0.5 / (cells as f64).sqrt();
        Self { autocorrelation: (solve(seen, expected) + caution).clamp(0.0, STRONGEST) }
    }

    /// The variance as it is once dependence is allowed for.
    ///
    /// The degrees of freedom are never raised: the recipe's lower bound of 2 does not lift a smaller number.
    pub(crate) fn inflate(&self, variance: Variance, rounds: usize) -> Variance {
        Variance { square: variance.square * self.inflation(rounds), freedom: self.remaining(variance.freedom) }
    }

    /// The degrees of freedom that are left.
    pub(crate) fn remaining(&self, freedom: f64) -> f64 {
        let squared = self.autocorrelation.powi(2);
        (freedom * (1.0 - squared) / (1.0 + squared)).max(FEWEST.min(freedom))
    }

    fn inflation(&self, rounds: usize) -> f64 {
        let persistence = persistence(self.autocorrelation, rounds);
        let rounds = rounds as f64;
        persistence * (rounds - 1.0) / (rounds - persistence)
    }
}

fn is_telling(fit: &Fit) -> bool {
    fit.rounds >= 3 && fit.freedom > 0 && fit.residual_square() > 0.0
}

/// The q of the recipe, after von Neumann (1941): near 2 where rounds are independent, smaller where they drift.
fn unrest(fit: &Fit) -> f64 {
    let rows: Vec<&[f64]> = fit.residuals.rows().collect();
    let steps = rows.windows(2).flat_map(|pair| pair[0].iter().zip(pair[1]));
    steps.map(|(before, after)| (after - before).powi(2)).sum::<f64>() / fit.residual_square()
}

/// The g of the recipe: how much more a mean of n rounds varies than n independent ones would make it.
fn persistence(rho: f64, rounds: usize) -> f64 {
    let lags = (1..rounds).map(|lag| (1.0 - lag as f64 / rounds as f64) * rho.powi(lag as i32));
    1.0 + 2.0 * lags.sum::<f64>()
}

fn expected_unrest(rho: f64, rounds: usize) -> f64 {
    let persistence = persistence(rho, rounds);
    let rounds = rounds as f64;
    2.0 * (rounds - 1.0) * (1.0 - rho) / (rounds - persistence)
}

/// Where the falling function `expected` takes the value `seen`, within the strongest autocorrelations.
fn solve(seen: f64, expected: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-STRONGEST, STRONGEST);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if expected(middle) > seen { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
