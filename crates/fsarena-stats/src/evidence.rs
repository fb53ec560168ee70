//! What one look knows of one pair: the estimate, and the variances that judge it.

use crate::fit::Fit;
use crate::guard::Guard;
use crate::interval::Interval;
use crate::look::Budget;
use crate::part::Part;
use crate::quantile::student_upper;
use crate::suite::Precision;
use crate::variance::{self, Variance};

/// What all workloads of the run say together about noise.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    /// The typical variance of each group of peers in which enough workloads tell.
    typical: Vec<(u32, f64)>,
    /// The dependence between rounds.
    pub(crate) guard: Guard,
    /// One variance for all workloads, where a simulation leaves out their own.
    common: Option<Variance>,
}

impl Suite {
    /// Learns from the fits of all workloads.
    pub(crate) fn of(fits: &[Fit], without: Option<Part>) -> Self {
        Self {
            typical: variance::typical(fits),
            guard: if without == Some(Part::Guard) { Guard::NONE } else { Guard::of_suite(fits) },
            common: (without == Some(Part::OwnVariances)).then(|| variance::common(fits)).flatten(),
        }
    }
}

impl Suite {
    /// Nothing is known of what is typical, but how rounds depend on each other.
    pub(crate) fn without_typical(guard: Guard) -> Self {
        Self { typical: Vec::new(), guard, common: None }
    }

    /// The typical variance among the peers of a workload.
    pub(crate) fn typical(&self, fit: &Fit) -> Option<f64> {
        self.typical.iter().find(|(peers, _)| *peers == fit.peers).map(|(_, typical)| *typical)
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
        let moderated = variance::moderated(variance::shared(pooled, own), pooled, suite.typical(fit));
        let larger = variance::larger(pooled, own);
        Some(Self {
            estimate: fit.estimate(a, b),
            difference: suite.guard.inflate(suite.common.unwrap_or(moderated), &fit.design),
            equivalence: suite.guard.inflate(suite.common.unwrap_or(larger), &fit.design),
            factor: fit.design.variance_factor(a, b),
        })
    }

    /// How well the estimate is known.
    pub(crate) fn precision(&self) -> Precision {
        let error = (self.difference.square * self.factor / 2.0).sqrt();
        Precision { error, freedom: self.difference.freedom }
    }

    /// The interval of that many standard errors to each side.
    pub(crate) fn interval(&self, critical: f64) -> Interval {
        Interval::around(self.estimate, critical * self.precision().error)
    }

    /// The standard error that equivalence is judged by.
    pub(crate) fn equivalence_error(&self) -> f64 {
        (self.equivalence.square * self.factor / 2.0).sqrt()
    }
}

/// Student's critical values of a workload at one look; all of its pairs have the same degrees of freedom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Critical {
    /// Of the pointwise interval.
    pub(crate) pointwise: f64,
    /// Of the decision interval, `None` before the first look.
    pub(crate) decision: Option<f64>,
    /// Of each of the two one-sided tests, likewise.
    pub(crate) equivalence: Option<f64>,
}

impl Critical {
    /// `None` without a pair, or where nothing is known about noise.
    pub(crate) fn new(fit: &Fit, suite: &Suite, budget: &Budget) -> Option<Self> {
        let (a, b) = fit.design.pairs().next()?;
        let Evidence { difference, equivalence, .. } = Evidence::new(fit, suite, a, b)?;
        let rounds = fit.design.rounds as u32;
        let decision = budget.decision_tail(rounds);
        let equivalent = budget.equivalence_tail(rounds);
        Some(Self {
            pointwise: student_upper(difference.freedom, budget.pointwise_tail()),
            decision: decision.map(|tail| student_upper(difference.freedom, tail)),
            equivalence: equivalent.map(|tail| student_upper(equivalence.freedom, tail)),
        })
    }
}
