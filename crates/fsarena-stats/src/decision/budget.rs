//! How the error budget is shared over the looks of a run and over its pairs.

use statrs::distribution::{ContinuousCDF, Normal};

/// The share of the budget that is kept for rounds added after the planned end.
const RESERVE: f64 = 0.1;
/// The share of the budget that early looks may spend on large differences, and what each look takes of the level.
const EARLY: f64 = 0.1;
const EARLY_LOOK: f64 = 0.004;
/// The share that is never spent: real noise is not normal, which matters with few rounds (most for two sharp modes).
const SLACK: f64 = 0.1;
/// Student's quantile is exact down to this tail, whose contribution to any error rate is negligible.
const SMALLEST_TAIL: f64 = 1e-12;
/// By this many steps' standard deviations a random walk overshoots a boundary on average (Siegmund 1985, chapter X).
const OVERSHOOT: f64 = 0.583;

/// One look at a run.
///
/// The boundary of O'Brien and Fleming (1979) for looks after each of N rounds: a Brownian motion crosses √N·b before
/// the end with probability 2(1 − Φ(b)) (reflection principle), and a walk of N steps does so at b − .583/√N. Its
/// first looks ask for more than Student's t can show with few rounds; there each look may spend a small fixed part
/// of the level instead (Haybittle 1971, Peto 1976). After the planned end, stages that each double the budget share
/// the reserve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looks {
    /// The share of the stage's budget that is used up, in (0, 1].
    fraction: f64,
    /// The share of the error budget that the stage has.
    share: f64,
    /// The number of rounds that the stage will have had at its end.
    steps: f64,
}

impl Looks {
    /// The look after that many rounds, when that share of the planned budget, above 0, is used up.
    pub(crate) fn at(progress: f64, rounds: usize) -> Self {
        let stage = progress.log2().ceil().max(0.0);
        let fraction = progress / stage.exp2();
        let share = if stage == 0.0 { 1.0 - RESERVE - EARLY - SLACK } else { RESERVE / (stage * (stage + 1.0)) };
        Self { fraction, share, steps: rounds.max(1) as f64 / fraction }
    }

    /// The upper tail, at this look, of a two-sided test that spends `level` over all looks.
    pub(super) fn difference_tail(&self, level: f64) -> f64 {
        self.tail(level / 2.0)
    }

    /// The upper tail, at this look, of a one-sided test that spends `level` over all looks.
    pub(crate) fn tail(&self, level: f64) -> f64 {
        let normal = Normal::standard();
        let bound = |tail: f64| -normal.inverse_cdf(tail * self.share);
        let bound = bound(level).max(bound(level / 2.0) - OVERSHOOT / self.steps.sqrt());
        normal.cdf(-bound / self.fraction.sqrt()).max(level * EARLY_LOOK).max(SMALLEST_TAIL)
    }
}

/// The largest number of pairs of a workload that can be equal if `differing` of them differ (Shaffer 1986). One
/// difference splits the contenders into at least two groups; most pairs stay equal if only one contender is apart.
pub(super) fn most_true_nulls(contenders: usize, differing: usize) -> usize {
    let pairs = |count: usize| count * count.saturating_sub(1) / 2;
    if differing == 0 { pairs(contenders) } else { pairs(contenders - 1).min(pairs(contenders) - differing) }
}
