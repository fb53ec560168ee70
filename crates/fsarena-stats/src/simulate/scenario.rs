//! What a simulated run looks like.

use crate::error::StatsError;

/// How contenders get their lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Latin squares of K rounds, row order and lane names shuffled per square (recipe, step 2).
    LatinSquares,
    /// No lanes: each contender brings its own storage.
    None,
}

/// How the run is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// This crate's recipe.
    Recipe,
    /// A paired t-test per pair at each look, at α, without any correction: what the recipe is measured against.
    RepeatedTTest,
}

/// A run with known truth. All dispersions are standard deviations of natural logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The true effect of each contender, the same in all workloads; their number is the number of contenders.
    pub effects: Vec<f64>,
    /// Number of workloads.
    pub workloads: usize,
    /// Number of rounds at most.
    pub rounds: u32,
    /// Standard deviation, between rounds, of a pair's difference: √2 times that of one contender's noise.
    pub pair_deviation: f64,
    /// Correlation of a contender's own noise between neighbouring rounds, in (−1, 1).
    pub autocorrelation: f64,
    /// How lanes are given.
    pub lanes: Lanes,
    /// Standard deviation of the lanes' bias; each workload has its own bias per lane.
    pub lane_deviation: f64,
}

impl Scenario {
    /// Ten workloads, twelve rounds, independent normal noise, Latin squares without lane bias.
    #[must_use]
    pub fn new(effects: Vec<f64>, pair_deviation: f64) -> Self {
        Self {
            effects,
            workloads: 10,
            rounds: 12,
            pair_deviation,
            autocorrelation: 0.0,
            lanes: Lanes::LatinSquares,
            lane_deviation: 0.0,
        }
    }

    /// The true logarithm of the ratio of contender a over b.
    #[must_use]
    pub fn truth(&self, a: usize, b: usize) -> f64 {
        self.effects[a] - self.effects[b]
    }

    /// Checks the ranges.
    pub(crate) fn check(&self) -> Result<(), StatsError> {
        let fail = |field, requirement| Err(StatsError::Scenario { field, requirement });
        let is_dispersion = |value: f64| value.is_finite() && value >= 0.0;
        if !self.effects.iter().all(|effect| effect.is_finite()) {
            return fail("effects", "finite");
        }
        if !is_dispersion(self.pair_deviation) {
            return fail("pair_deviation", "finite and not negative");
        }
        if !is_dispersion(self.lane_deviation) {
            return fail("lane_deviation", "finite and not negative");
        }
        if self.autocorrelation.is_nan() || self.autocorrelation.abs() >= 1.0 {
            return fail("autocorrelation", "between −1 and 1, both excluded");
        }
        Ok(())
    }
}
