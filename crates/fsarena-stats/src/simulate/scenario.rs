//! What a simulated run looks like.

use super::field::FieldRule;
use crate::error::StatsError;
use crate::part::Part;

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
    /// The recipe without one of its parts: what breaks?
    Without(Part),
    /// A rule of the field: what the recipe is measured against.
    Field(FieldRule),
}

/// How a contender's noise is distributed; every shape has mean 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Normal, the same for all contenders.
    Normal,
    /// Log-normal with the long tail on the slow side: very long for the first contender, short for the others.
    UnequalSkew,
    /// Log-normal with a long tail on the slow side for all contenders.
    HeavyTail,
    /// Two sharp modes, the slow one in 3 of 10 rounds.
    TwoModes,
    /// Normal, but three times as much for the first contender.
    OneNoisy,
    /// Normal, but five times as much in two rounds chosen by chance, for all workloads.
    TwoDisturbedRounds,
}

/// A run with known truth. All dispersions are standard deviations of natural logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The true effect of each contender, the same in all workloads; their number is the number of contenders.
    pub effects: Vec<f64>,
    /// Number of workloads.
    pub workloads: usize,
    /// Number of rounds with a look after each.
    pub rounds: u32,
    /// Later rounds that are bought in bulk: the only looks are after these, in growing order.
    pub bought: Vec<u32>,
    /// Standard deviation, between rounds, of a pair's difference: √2 times that of one contender's noise.
    pub pair_deviation: f64,
    /// How unlike the workloads' noise is: the standard deviation of the logarithm of their standard deviations.
    pub workload_spread: f64,
    /// How noise is distributed.
    pub shape: Shape,
    /// Correlation of a contender's own noise between neighbouring rounds, in (−1, 1).
    pub autocorrelation: f64,
    /// The machine's drift, common to all contenders: a random walk with this standard deviation per round, met in
    /// random order within the round.
    pub machine_drift: f64,
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
            bought: Vec::new(),
            pair_deviation,
            workload_spread: 0.0,
            shape: Shape::Normal,
            autocorrelation: 0.0,
            machine_drift: 0.0,
            lanes: Lanes::LatinSquares,
            lane_deviation: 0.0,
        }
    }

    /// The true logarithm of the ratio of contender a over b.
    #[must_use]
    pub fn truth(&self, a: usize, b: usize) -> f64 {
        self.effects[a] - self.effects[b]
    }

    /// The rounds after which there is a look.
    pub(crate) fn looks(&self) -> impl Iterator<Item = u32> + '_ {
        (1..=self.rounds).chain(self.bought.iter().copied())
    }

    /// The last round of all.
    pub(crate) fn last_round(&self) -> u32 {
        self.looks().max().unwrap_or(0)
    }

    /// Checks the ranges.
    pub(crate) fn check(&self) -> Result<(), StatsError> {
        let fail = |field, requirement| Err(StatsError::Scenario { field, requirement });
        if !self.effects.iter().all(|effect| effect.is_finite()) {
            return fail("effects", "finite");
        }
        if self.autocorrelation.is_nan() || self.autocorrelation.abs() >= 1.0 {
            return fail("autocorrelation", "between −1 and 1, both excluded");
        }
        let dispersions = [
            ("pair_deviation", self.pair_deviation),
            ("workload_spread", self.workload_spread),
            ("machine_drift", self.machine_drift),
            ("lane_deviation", self.lane_deviation),
        ];
        let wrong = dispersions.iter().find(|(_, value)| !value.is_finite() || *value < 0.0);
        wrong.map_or(Ok(()), |(field, _)| fail(field, "finite and not negative"))
    }
}
