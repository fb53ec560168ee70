//! How figures change with the number of clients.

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::Label;

/// A workload on a contender with each number of clients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingRow {
    /// The name of the workload, without a number of clients.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// The unit of the workload's metric.
    pub unit: String,
    /// By number of clients, ascending.
    pub points: Vec<ScalingPoint>,
    /// The exponent e in figure ~ clients^e, fitted to the logarithms within each round, as the mean over the rounds: 1
    /// if twice as many clients do twice as much, 0 if they do no more. `None` for a single number of clients, or if
    /// the figure is no rate.
    pub exponent: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A workload on a contender with one number of clients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The number of clients.
    pub clients: u32,
    /// The median of the workload's metric over the rounds, of all clients together.
    pub median: Option<f64>,
    /// The slowest client's rate divided by the median rate of the others, median over the rounds.
    pub slowest: Option<f64>,
    /// Time until the last client had finished, divided by the time in which all worked.
    pub until_last: Option<f64>,
    /// The largest difference between the starts of two clients, seconds.
    pub skew: Option<f64>,
    /// Slices that do not count because the clients did not start together.
    pub skewed: u32,
}

/// The difference between the exponents of two contenders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingPair {
    /// The name of the workload, without a number of clients.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// The exponent of `a` less that of `b`, as the mean over the rounds.
    pub difference: f64,
    /// The lower end of its interval, at 95 % for all such pairs of the run together.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Faster if `a` gains more from further clients, slower if `b` does, otherwise undecided.
    pub verdict: Verdict,
    /// Rounds in which both were measured with each number of clients.
    pub rounds: u32,
}
