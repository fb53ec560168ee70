//! When a session ends: at its last round, when its time is up, or when all pairs are decided.

use std::fmt;

use fsarena_model::{Nanos, Plan, Rounds};

use crate::pace::{CLOSING, RoundTime};

/// The rounds that a session may run, and their workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The number of its first round, from 1. The first round runs regardless of the time.
    pub first: u32,
    /// The number of its last round, if nothing ends it earlier.
    pub last: u32,
    /// The time budget, including set-up; `None` without a budget.
    pub time: Option<Nanos>,
    /// The workloads of each round.
    pub extent: Extent,
}

/// The workloads of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All workloads, decided or not.
    All,
    /// Workloads with at least one undecided pair.
    Undecided,
}

impl Scope {
    /// The rounds of a complete run, as its plan limits them.
    pub fn of(plan: &Plan) -> Self {
        match plan.rounds {
            Rounds::Exactly(count) => Self { first: 1, last: count, time: None, extent: Extent::All },
            Rounds::Within(budget) => Self { first: 1, last: u32::MAX, time: Some(budget), extent: Extent::Undecided },
        }
    }

    /// The maximum number of rounds; `None` without a limit.
    pub fn count(&self) -> Option<u32> {
        (self.last < u32::MAX).then(|| self.last - self.first + 1)
    }

    /// Whether `round` begins. `open` is the weight of its workloads, `spent` is the time used so far, and `last` is the
    /// previous round.
    pub(crate) fn goes_on(&self, round: u32, open: f64, spent: Nanos, last: RoundTime) -> bool {
        let needed = || spent + last.expected(open) + CLOSING;
        let fits = |time: Nanos| round == self.first || time >= needed();
        open > 0.0 && round <= self.last && self.time.is_none_or(fits)
    }

    /// The expected number of the last round if no further pair is decided; arguments as in [`Scope::goes_on`].
    pub(crate) fn expected(&self, round: u32, open: f64, spent: Nanos, last: RoundTime) -> u32 {
        let each = last.expected(open).0.max(1);
        let more = |time: Nanos| (time.saturating_sub(spent + CLOSING).0 / each).max(1) as u32;
        self.time.map_or(self.last, |time| (round - 1).saturating_add(more(time)).min(self.last))
    }
}

/// A phrase that follows the word `with`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            Some(1) => write!(f, "1 further round")?,
            Some(count) => write!(f, "{count} further rounds")?,
            None => write!(f, "further rounds")?,
        }
        match self.extent {
            Extent::All => {}
            Extent::Undecided => write!(f, " of what is undecided")?,
        }
        self.time.map_or(Ok(()), |time| write!(f, ", as far as they fit into {time}"))
    }
}
