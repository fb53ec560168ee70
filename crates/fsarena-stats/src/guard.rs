//! The guard against rounds that depend on each other (recipe, steps 8 and 9).
//!
//! A contender's own drift is not cancelled by pairing it with others. Its strength is estimated once for the whole
//! suite, rounded up by what it may miss, and the variances are inflated by what it hides. What residuals
//! of independent rounds would look like depends on the design, above all on the lanes that were fitted;
//! `dependence.rs` has the exact expectations.

use crate::design::Design;
use crate::fit::Fit;
use crate::variance::Variance;

/// The strongest autocorrelation that is still corrected for. More would cost small runs dearly, whose estimates often
/// reach it by chance, and would win nothing up to the .5 that is promised.
const STRONGEST: f64 = 0.7;
/// By how many standard errors the estimate is rounded up.
const STANDARD_ERRORS: f64 = 0.5;
/// What is added besides, divided by the number of cells: with few of them the estimate is also biased downwards, by
/// about that much (Marriott and Pope 1954).
const FEW_CELLS: f64 = 1.5;
/// Degrees of freedom do not fall below this by the guard.
const FEWEST: f64 = 2.0;
/// Halvings of the search interval: to 12 digits.
const HALVINGS: usize = 40;

/// The autocorrelation between neighbouring rounds of one contender, in [0, .7].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guard {
    pub(crate) autocorrelation: f64,
}

impl Guard {
    /// Nothing to guard against.
    pub(crate) const NONE: Self = Self { autocorrelation: 0.0 };

    /// Estimates it over the suite. Workloads with too few rounds or without any spread do not count; where none
    /// counts there is nothing to guard against. Each workload counts by its degrees of freedom.
    ///
    /// The differences d of the recipe are taken from the residuals, so that lanes do not pass for noise; summed over
    /// all pairs of a workload they reduce to the residuals themselves.
    pub(crate) fn of_suite(fits: &[Fit]) -> Self {
        let telling: Vec<&Fit> = fits.iter().filter(|fit| is_telling(fit)).collect();
        if telling.is_empty() {
            return Self::NONE;
        }
        let weigh =
            |value: &dyn Fn(&Fit) -> f64| telling.iter().map(|fit| fit.design.freedom as f64 * value(fit)).sum::<f64>();
        let seen = weigh(&|fit| fit.step_square() / fit.residual_square());
        let expected = |rho| weigh(&|fit| fit.design.dependence.unrest(rho));
        let cells: usize = telling.iter().map(|fit| fit.design.freedom + 1 - fit.design.contenders).sum();
        Self { autocorrelation: (solve(seen, expected) + caution(cells as f64)).clamp(0.0, STRONGEST) }
    }

    /// The variance as it is once dependence is allowed for.
    ///
    /// The degrees of freedom are never raised: the recipe's lower bound of 2 does not lift a smaller number.
    pub(crate) fn inflate(&self, variance: Variance, design: &Design) -> Variance {
        let inflation = design.dependence.inflation(self.autocorrelation).max(1.0);
        Variance { square: variance.square * inflation, freedom: self.remaining(variance.freedom) }
    }

    /// The degrees of freedom that are left.
    pub(crate) fn remaining(&self, freedom: f64) -> f64 {
        let squared = self.autocorrelation.powi(2);
        (freedom * (1.0 - squared) / (1.0 + squared)).max(FEWEST.min(freedom))
    }
}

/// Whether the workload has more degrees of freedom than one per contender's difference, and any spread.
fn is_telling(fit: &Fit) -> bool {
    fit.design.freedom >= fit.design.contenders && fit.residual_square() > 0.0
}

/// What is added to the estimate, because too little guard makes false winners and too much only costs rounds.
fn caution(cells: f64) -> f64 {
    STANDARD_ERRORS / cells.sqrt() + FEW_CELLS / cells
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
