//! Numbers in, decisions out: who is faster, who is equivalent, and what an undecided pair would cost.
//!
//! The crate is pure: it reads logarithms of a metric and returns verdicts. It knows nothing of file systems, files
//! or clocks. The way from observations to verdicts is one file per step:
//!
//! | question | file |
//! |---|---|
//! | what goes in, and is it well formed? | `observation.rs` |
//! | which share of the error budget has this look? | `look.rs` |
//! | which contender is how much better, lanes and rounds taken out? | `fit.rs` |
//! | how much does a pair vary from round to round? | `variance.rs` |
//! | do rounds depend on each other? | `guard.rs` |
//! | between which bounds does the difference lie? | `interval.rs` |
//! | is the difference too small to matter? | `equivalence.rs` |
//! | how many rounds would settle it? | `price.rs` |
//! | what is the verdict of one look? | `decide.rs` |
//! | what is the verdict of the whole run? | `verdicts.rs` |
//! | how often would all this be wrong? | `simulate.rs` |
//!
//! All differences are natural logarithms of a ratio, oriented so that larger is better.

mod decide;
mod equivalence;
mod error;
mod evidence;
mod fit;
mod guard;
mod interval;
mod look;
mod observation;
mod price;
mod quantile;
#[cfg(test)]
mod reference;
pub mod simulate;
mod summary;
mod table;
mod variance;
mod verdicts;

pub use decide::{Decision, PairDecision, WorkloadDecision, decide};
pub use error::StatsError;
pub use fit::LaneTerm;
pub use interval::Interval;
pub use look::Rule;
pub use observation::{Observation, WorkloadData};
pub use price::PRICE_LIMIT;
pub use summary::{Summary, cell_summary, round_value};
pub use verdicts::{StandingPair, StandingWorkload, Steadiness, Verdicts, replay};
