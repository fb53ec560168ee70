//! The history of a workload over the runs of a store.

use serde::{Deserialize, Serialize};

use crate::{Better, Label};

/// A workload over several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The number of the JSON form, as in [`crate::difference::FORMAT`].
    pub format: u32,
    /// The workload's name.
    pub workload: String,
    /// The figure's unit.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// One for each contender, in the order in which they first appear.
    pub series: Vec<Series>,
    /// What was not compared, and why.
    pub left_out: Vec<String>,
}

/// A contender over several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The contender's label.
    pub contender: Label,
    /// One per run, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Where its level changes, in order.
    pub changes: Vec<LevelChange>,
}

/// A contender in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryPoint {
    /// The run's number.
    pub run: i64,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The median over rounds.
    pub median: f64,
    /// The lower end of the 95 % interval of the median, by the noise within the run.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Other load on the machine, in words; `None` if it was quiet.
    pub load: Option<String>,
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// The first run of the new level.
    pub run: i64,
    /// How many times better the new level is than the one before.
    pub ratio: f64,
    /// The probability of so clear a change if there is none.
    pub p: f64,
    /// What else differs between this run and the one before, by name.
    pub differs: Vec<String>,
}
