//! What one look knows of one pair: the estimate, and the variances that judge it.

use crate::fit::Fit;
use crate::guard::Guard;
use crate::interval::Interval;
use crate::quantile::student_upper;
use crate::variance::{self, Variance};

/// What all workloads of the run say together about noise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suite {
    /// The typical variance, where enough workloads tell.
    pub(crate) typical: Option<f64>,
    /// The dependence between rounds.
    pub(crate) guard: Guard,
}

impl Suite {
    /// Learns from the fits of all workloads.
    pub(crate) fn of(fits: &[Fit]) -> Self {
        Self { typical: variance::typical(fits), guard: Guard::of_suite(fits) }
    }
}

/// An estimate with the two variances that it is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    /// The logarithm of the ratio.
    pub(crate) estimate: f64,
    /// The variance behind intervals and winners (recipe, steps 5 to 9).
    pub(crate) difference: Variance,
    /// The variance behind equivalence (recipe, step 11).
    pub(crate) equivalence: Variance,
    factor: f64,
}

impl Evidence {
    /// The evidence on a pair, `None` where nothing is known about its noise.
    pub(crate) fn new(fit: &Fit, suite: &Suite, a: usize, b: usize) -> Option<Self> {
        let (pooled, own) = (variance::pooled(fit)?, variance::own(fit, a, b)?);
        let moderated = variance::moderated(variance::shared(pooled, own), suite.typical);
        let larger = variance::larger(pooled, own);
        Some(Self {
            estimate: fit.estimate(a, b),
            difference: suite.guard.inflate(moderated, fit.rounds),
            equivalence: suite.guard.inflate(larger, fit.rounds),
            factor: fit.variance_factor(a, b),
        })
    }

    /// The interval that the true ratio leaves on each side with probability `tail`.
    pub(crate) fn interval(&self, tail: f64) -> Interval {
        Interval::around(self.estimate, self.half_width(self.difference, tail))
    }

    /// The half-width of a one- or two-sided test at that tail.
    pub(crate) fn half_width(&self, variance: Variance, tail: f64) -> f64 {
        student_upper(variance.freedom, tail) * (variance.square * self.factor / 2.0).sqrt()
    }
}
