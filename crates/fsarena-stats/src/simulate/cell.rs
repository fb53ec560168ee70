//! One line of the calibration: a scenario, a method, and the goals that its outcome is held against.

use super::scenario::{Method, Scenario};
use super::share::Share;
use super::tally::Tally;

/// The largest share of runs with a false winner, and of pairs with a false `equivalent`.
const ERROR: f64 = 0.05;

/// A table of the calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Nothing differs: who is called a winner is none.
    NoDifference,
    /// The true difference is the margin, or more.
    AtTheMargin,
    /// True differences of all sizes: are they found, and when?
    Power,
    /// The rules of the field on the same data.
    Field,
    /// The recipe without one of its parts.
    Broken,
}

/// What a cell promises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// At most 5 % of the runs have any false winner.
    NoFalseWinner,
    /// At most 5 % of the pairs at or beyond the margin are called equivalent.
    NoFalseEquivalent,
    /// In at least 95 % of the runs the decision intervals hold all truths at stopping.
    Coverage,
    /// At least this share of the true winners is found, and in the median within so many rounds.
    Found {
        /// The share.
        share: f64,
        /// The rounds.
        median: u32,
    },
    /// At least this share of the true winners is found by that round.
    FoundBy {
        /// The share.
        share: f64,
        /// The round.
        round: u32,
    },
    /// The calibration must notice that more than 5 % of the runs have a false winner.
    BreaksWinners,
    /// The calibration must notice that less than this share of the true winners is found by that round.
    BreaksPower {
        /// The share.
        share: f64,
        /// The round.
        round: u32,
    },
}

/// Whether a goal was met, allowing for the number of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// The whole 95 % interval of the figure keeps the goal.
    Surely,
    /// The figure keeps it, its interval does not.
    Barely,
    /// The figure misses it, its interval does not.
    Nearly,
    /// The whole interval misses it.
    Missed,
}

impl Met {
    /// Whether the figure itself keeps the goal.
    #[must_use]
    pub fn is_met(self) -> bool {
        matches!(self, Self::Surely | Self::Barely)
    }
}

/// One line of the calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The table that it belongs to.
    pub section: Section,
    /// What it is, in words; the number of contenders and workloads is said beside it.
    pub name: String,
    /// The world.
    pub scenario: Scenario,
    /// How it is decided.
    pub method: Method,
    /// What it promises.
    pub goals: Vec<Goal>,
}

impl Goal {
    /// Holds a tally against the goal; `None` where it has no cases.
    #[must_use]
    pub fn judge(&self, tally: &Tally) -> Option<Met> {
        let wrong = tally.runs_with_false_winner;
        Some(match *self {
            Self::NoFalseWinner => at_most(wrong, ERROR)?,
            Self::NoFalseEquivalent => at_most(tally.false_equivalent, ERROR)?,
            Self::Coverage => at_least(tally.runs_covered, 1.0 - ERROR)?,
            Self::FoundBy { share, round } => at_least(tally.found_by(round), share)?,
            Self::Found { share, median } => {
                let is_in_time = tally.rounds_to_find.quantile(0.5).is_some_and(|rounds| rounds <= median);
                if is_in_time { at_least(tally.found, share)? } else { Met::Missed }
            }
            Self::BreaksWinners => opposite(at_most(wrong, ERROR)?),
            Self::BreaksPower { share, round } => opposite(at_least(tally.found_by(round), share)?),
        })
    }
}

fn at_most(share: Share, limit: f64) -> Option<Met> {
    let (low, high) = share.interval()?;
    Some(match share.fraction()? <= limit {
        true if high <= limit => Met::Surely,
        true => Met::Barely,
        false if low <= limit => Met::Nearly,
        false => Met::Missed,
    })
}

fn at_least(share: Share, limit: f64) -> Option<Met> {
    at_most(Share { hits: share.of - share.hits, of: share.of }, 1.0 - limit)
}

fn opposite(met: Met) -> Met {
    match met {
        Met::Surely => Met::Missed,
        Met::Barely => Met::Nearly,
        Met::Nearly => Met::Barely,
        Met::Missed => Met::Surely,
    }
}
