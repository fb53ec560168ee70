//! Numbers in, decisions out: which contender is faster, which are equivalent, and what an undecided pair would cost.
//!
//! The crate is pure: it reads logarithms of a metric and returns verdicts. It depends on no file systems, files or
//! clocks. One file per question:
//!
//! | question | file |
//! |---|---|
//! | which pairs differ, and which are equivalent? | `decision.rs`, with one file per step in `decision/` |
//! | how much better over a suite, or over a mix of it? At which mix would another contender be best? | `mean.rs` |
//! | how much better in another program of the kind? | `prediction.rs` |
//! | is a contender stable over the rounds and within a round, and a device in its steady state? | `steady.rs` |
//! | where does a series of runs change its level? | `change_points.rs` |
//! | how well do two orders agree? | `agreement.rs` |
//! | what changed between two sides that were not interleaved? | `sessions.rs` |
//! | what holds on several machines, and what depends on the machine? | `machines.rs` |
//!
//! `examples/calibrate` prints how often the decisions are wrong.
//!
//! All differences are natural logarithms of a ratio, oriented so that larger is better.

mod agreement;
mod change_points;
mod decision;
mod interval;
mod machines;
mod mean;
mod prediction;
mod quantile;
mod sessions;
mod steady;
mod summary;

pub use agreement::{OrderedPairs, Tau, order, tau_of_lists, tau_over_rounds};
pub use change_points::{ChangePoint, change_points};
pub use decision::{
    FEWEST_ROUNDS, Judge, Outlook, Pair, Reduced, Round, Rule, Sweep, Verdict, Workload, no_better_than_typical, pairs,
};
pub use interval::{Interval, LogEstimate, Precision, Spread};
pub use machines::{Pooled, depending, on_each};
pub use mean::{Flip, Lead, Part, flips, weighted_mean};
pub use prediction::{BetweenPrograms, MixProgram, PredictedPair, Prediction, Programs, expanded};
pub use sessions::{
    Drift, Ending, Proof, Quantity, Regression, Shift, Unchanged, levels, mean_session, proofs, regressions, session,
    shifts, shifts_with,
};
pub use steady::{SteadyEffect, SteadyWindow, own_trends, within_rounds};
pub use summary::{Summary, cell_summary, median, round_value, upper_median};

#[cfg(test)]
mod tests {
    mod reference;
}
