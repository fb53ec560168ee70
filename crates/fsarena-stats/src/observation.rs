//! What goes in: observations of complete rounds, checked once and laid out as a sheet of rounds × contenders.

use serde::{Deserialize, Serialize};

use crate::error::StatsError;
use crate::table::Table;

/// No `f64` has a logarithm beyond this, in either direction (ln of the smallest positive one is −744.4).
const LARGEST_LOGARITHM: f64 = 745.0;

/// One trial: what one contender achieved in one round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Label of the round; labels grow with time and may have gaps.
    pub round: u32,
    /// Index of the contender, below [`WorkloadData::contenders`].
    pub contender: usize,
    /// The lane it had; `None` for a contender that brings its own storage, which then has no lane effect.
    pub lane: Option<usize>,
    /// Natural logarithm of the metric, oriented so that larger is better.
    pub y: f64,
}

/// One workload's data, complete rounds only: each contender exactly once per round.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkloadData {
    /// Number of contenders.
    pub contenders: usize,
    /// Workloads with the same number are peers: what variance is typical, each learns from its peers alone.
    #[serde(default)]
    pub peers: u32,
    /// The trials, in any order.
    pub observations: Vec<Observation>,
}

impl WorkloadData {
    /// The data as it stood after the round labelled `last`.
    #[must_use]
    pub fn until(&self, last: u32) -> Self {
        let known = self.observations.iter().filter(|seen| seen.round <= last);
        Self { observations: known.copied().collect(), ..*self }
    }
}

/// A workload's data in order: row = round, column = contender.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    /// The labels of the rounds, growing.
    pub(crate) labels: Vec<u32>,
    /// The values.
    pub(crate) values: Table,
    /// The lanes, row by row as the values.
    pub(crate) lanes: Vec<Option<usize>>,
    /// As [`WorkloadData::peers`].
    pub(crate) peers: u32,
}

impl Sheet {
    /// Checks and orders the data of the workload with index `workload`.
    pub(crate) fn new(workload: usize, data: &WorkloadData) -> Result<Self, StatsError> {
        let mut observations = data.observations.clone();
        observations.sort_by_key(|seen| (seen.round, seen.contender));
        for seen in &observations {
            check_observation(workload, data.contenders, seen)?;
        }
        check_rounds(workload, data.contenders, &observations)?;
        let values = observations.iter().map(|seen| seen.y).collect();
        let lanes = observations.iter().map(|seen| seen.lane).collect();
        let labels = observations.iter().step_by(data.contenders.max(1)).map(|seen| seen.round).collect();
        Ok(Self { labels, values: Table::new(data.contenders, values), lanes, peers: data.peers })
    }

    /// The first rounds of it, as many as there were up to the one labelled `last`.
    pub(crate) fn until(&self, last: u32) -> Self {
        let rounds = self.labels.partition_point(|&label| label <= last);
        Self {
            labels: self.labels[..rounds].to_vec(),
            values: self.values.first_rounds(rounds),
            lanes: self.lanes[..rounds * self.values.contenders()].to_vec(),
            peers: self.peers,
        }
    }
}

fn check_observation(workload: usize, contenders: usize, seen: &Observation) -> Result<(), StatsError> {
    let Observation { round, contender, y: value, .. } = *seen;
    if contender >= contenders {
        return Err(StatsError::UnknownContender { workload, round, contender, contenders });
    }
    if !value.is_finite() || value.abs() > LARGEST_LOGARITHM {
        return Err(StatsError::NotALogarithm { workload, round, contender, value });
    }
    Ok(())
}

/// `observations` are sorted by round and contender, and all contenders are known.
fn check_rounds(workload: usize, contenders: usize, observations: &[Observation]) -> Result<(), StatsError> {
    for round in observations.chunk_by(|left, right| left.round == right.round) {
        let complete = round.iter().map(|seen| seen.contender).eq(0..contenders);
        if !complete {
            return Err(StatsError::IncompleteRound { workload, round: round[0].round });
        }
    }
    Ok(())
}
