//! When a session ends: after a round, when its time is up, or when all is decided.

use fsarena_model::{Nanos, Plan, Rounds};

use crate::pace;

/// Which rounds a session may have, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    /// The number of its first round, from 1; it runs whatever the time.
    pub first: u32,
    /// The number of its last round, if nothing ends it earlier.
    pub last: u32,
    /// How long it may take, set-up included.
    pub time: Option<Nanos>,
    /// Which workloads a round has.
    pub extent: Extent,
}

/// Which workloads a round has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All, whatever is decided.
    All,
    /// Those of which a pair is not decided.
    Undecided,
}

impl Aim {
    /// That of a whole run.
    pub fn of(plan: &Plan) -> Self {
        match plan.rounds {
            Rounds::Exactly(count) => Self { first: 1, last: count, time: None, extent: Extent::All },
            Rounds::Within(budget) => {
                Self { first: 1, last: u32::MAX, time: Some(budget.0), extent: Extent::Undecided }
            }
        }
    }

    /// Whether `round` begins, with workloads that weigh `open` ([`pace::weight`]), when so much time is spent; the last
    /// round took `last.0` for workloads that weigh `last.1`.
    pub fn goes_on(&self, round: u32, open: f64, spent: Nanos, last: (Nanos, f64)) -> bool {
        let fits = |time: Nanos| round == self.first || pace::fits(time.saturating_sub(spent), last.0, last.1, open);
        open > 0.0 && round <= self.last && self.time.is_none_or(fits)
    }

    /// The number of the last round if nothing more is decided, as `round` begins; as in [`Aim::goes_on`].
    pub fn expected(&self, round: u32, open: f64, spent: Nanos, last: (Nanos, f64)) -> u32 {
        let more = |time: Nanos| {
            let each = pace::expected(last.0, last.1, open).0.max(1);
            (time.saturating_sub(spent + pace::CLOSING).0 / each).max(1) as u32
        };
        self.time.map_or(self.last, |time| (round - 1).saturating_add(more(time)).min(self.last))
    }
}
