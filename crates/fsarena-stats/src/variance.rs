//! How much a pair's difference varies from round to round (recipe, steps 5 to 7).
//!
//! All variances are those of the difference of two contenders in one round, twice that of one observation.

use std::collections::BTreeSet;

use crate::fit::Fit;
use crate::quantile::digamma;

/// Degrees of freedom that a pair's variance may borrow from the other pairs of its workload.
const BORROWED: f64 = 4.0;
/// Degrees of freedom that the suite's typical variance weighs at most.
const PRIOR: f64 = 6.0;
/// The suite has a typical variance from this many workloads on.
const ENOUGH_WORKLOADS: usize = 4;

/// A variance and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variance {
    /// The variance, s².
    pub(crate) square: f64,
    /// Its degrees of freedom, df.
    pub(crate) freedom: f64,
}

/// The variance pooled over all pairs of a workload, `None` without residual degrees of freedom.
pub(crate) fn pooled(fit: &Fit) -> Option<Variance> {
    let freedom = fit.design.freedom as f64;
    (fit.design.freedom > 0).then(|| Variance { square: 2.0 * fit.residual_square() / freedom, freedom })
}

/// The variance of one pair alone; with two contenders it equals the pooled one.
pub(crate) fn own(fit: &Fit, a: usize, b: usize) -> Option<Variance> {
    let others = (fit.design.contenders - 1) as f64;
    let sum: f64 = fit.residuals.rows().map(|row| (row[a] - row[b]).powi(2)).sum();
    let freedom = fit.design.freedom as f64 / others;
    (fit.design.freedom > 0).then(|| Variance { square: sum / freedom, freedom })
}

/// The pair's variance drawn towards the workload's, never below it (recipe, step 6).
pub(crate) fn shared(pooled: Variance, own: Variance) -> Variance {
    let freedom = borrowing(pooled.freedom, own.freedom);
    let mixed = (own.freedom * own.square + (freedom - own.freedom) * pooled.square) / freedom;
    Variance { square: mixed.max(pooled.square), freedom }
}

/// The degrees of freedom of a pair that borrows from its workload (recipe, step 6).
pub(crate) fn borrowing(pooled: f64, own: f64) -> f64 {
    pooled.min(own + BORROWED)
}

/// The larger of the two with the degrees of freedom of step 6, for equivalence (recipe, step 11).
///
/// The recipe does not say which degrees of freedom go with it: these are taken because the prior's three belong to
/// the suite's variance, which has no part in it.
pub(crate) fn larger(pooled: Variance, own: Variance) -> Variance {
    Variance { square: pooled.square.max(own.square), ..shared(pooled, own) }
}

/// The typical variance of each group of peers, the s0² of the recipe's step 7.
pub(crate) fn typical(fits: &[Fit]) -> Vec<(u32, f64)> {
    let groups: BTreeSet<u32> = fits.iter().map(|fit| fit.peers).collect();
    groups.into_iter().filter_map(|peers| Some((peers, typical_among(fits, peers)?))).collect()
}

/// A geometric mean, corrected for the few degrees of freedom of each workload.
///
/// Workloads without any spread say nothing about noise and do not count; `None` with fewer than four that do.
fn typical_among(fits: &[Fit], peers: u32) -> Option<f64> {
    let among = fits.iter().filter(|fit| fit.peers == peers);
    let noisy = among.filter_map(pooled).filter(|variance| variance.square > 0.0);
    let logs: Vec<f64> = noisy.map(unbiased_ln).collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (logs.len() >= ENOUGH_WORKLOADS).then(|| mean.exp())
}

/// One variance for all workloads, which the rule does not use: it is what a simulation puts in place of their own.
pub(crate) fn common(fits: &[Fit]) -> Option<Variance> {
    let all: Vec<Variance> = fits.iter().filter_map(pooled).collect();
    let freedom: f64 = all.iter().map(|variance| variance.freedom).sum();
    let sum: f64 = all.iter().map(|variance| variance.freedom * variance.square).sum();
    (freedom > 0.0).then(|| Variance { square: sum / freedom, freedom })
}

fn unbiased_ln(variance: Variance) -> f64 {
    let half = variance.freedom / 2.0;
    variance.square.ln() - digamma(half) + half.ln()
}

/// A pair's variance pulled up to the suite's typical one, never down (recipe, step 7; after Smyth 2004).
pub(crate) fn moderated(variance: Variance, pooled: Variance, typical: Option<f64>) -> Variance {
    let Some(typical) = typical else {
        return variance;
    };
    let prior = prior(pooled.freedom);
    let freedom = variance.freedom + prior;
    let drawn = (prior * typical + variance.freedom * variance.square) / freedom;
    Variance { square: variance.square.max(drawn), freedom }
}

/// The degrees of freedom that the suite's typical variance weighs: a workload borrows no more than it has itself.
pub(crate) fn prior(pooled: f64) -> f64 {
    PRIOR.min(pooled)
}
