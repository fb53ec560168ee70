//! The rounds of a run on the page: their durations, what noisy them, and the cost of the lane in them.

use fsarena_model::event::RoundFacts;
use fsarena_model::{LaneCost, Nanos};
use serde::Serialize;

use crate::machine::frequency;
use crate::number::{DASH, bytes, seconds, three_digits};

/// A table with a row for each round.
#[derive(Serialize)]
pub struct Rounds {
    titles: Vec<&'static str>,
    /// The number of each round, then a figure for each title.
    rows: Vec<(u32, Vec<String>)>,
}

/// Title, figure, and whether the column is shown if no round has a figure.
type Column = (&'static str, fn(&RoundFacts) -> Option<String>, Empty);

#[derive(PartialEq, Eq)]
enum Empty {
    Shown,
    Hidden,
}

const COLUMNS: [Column; 10] = [
    ("seconds", |facts| Some(three_digits(facts.seconds)), Empty::Shown),
    ("foreign CPU, cores", |facts| facts.foreign_cores.map(cores), Empty::Shown),
    ("stolen CPU, cores", |facts| facts.steal_cores.map(cores), Empty::Shown),
    ("write and flush of the lane", |facts| lane(facts, |cost| Some(cost.back_to_back)), Empty::Hidden),
    ("of it the device", |facts| lane(facts, |cost| cost.device), Empty::Hidden),
    ("after a pause", |facts| lane(facts, |cost| Some(cost.paced)), Empty::Hidden),
    ("swapped", |facts| facts.conditions.swapped.map(|size| bytes(size.0 as f64)), Empty::Hidden),
    ("held back by a quota", |facts| facts.conditions.quota_throttled.map(seconds), Empty::Hidden),
    ("slowed for temperature", |facts| facts.conditions.thermal_throttled.map(three_digits), Empty::Hidden),
    ("frequency", |facts| facts.conditions.frequency_mhz.map(frequency), Empty::Hidden),
];

/// The table of rounds; without rows if there was no round.
pub fn rounds(facts: &[RoundFacts]) -> Rounds {
    let is_shown = |(_, of, empty): &&Column| *empty == Empty::Shown || facts.iter().any(|round| of(round).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let figure = |round: &RoundFacts, column: &Column| column.1(round).unwrap_or_else(|| DASH.to_owned());
    let row = |round: &RoundFacts| (round.round, columns.iter().map(|column| figure(round, column)).collect());
    Rounds { rows: facts.iter().map(row).collect(), titles: columns.iter().map(|(title, ..)| *title).collect() }
}

fn cores(cores: f64) -> String {
    format!("{cores:.2}")
}

fn lane(facts: &RoundFacts, of: fn(&LaneCost) -> Option<Nanos>) -> Option<String> {
    Some(of(facts.lane_cost.as_ref()?)?.to_string())
}
