//! Numbers in, decisions out: who is faster, who is equivalent, and what an undecided pair would cost.
//!
//! The crate is pure: it reads logarithms of a metric and returns verdicts. It knows nothing of file systems, files
//! or clocks. The way from observations to verdicts is one file per step:
//!
//! | question | file |
//! |---|---|
//! | what goes in, and is it well formed? | `observation.rs` |
//! | which share of the error budget has this look? | `look.rs` |
//! | which contender is how much better, lanes and rounds taken out? | `design.rs`, `fit.rs` |
//! | how much does a pair vary from round to round? | `variance.rs` |
//! | do rounds depend on each other? | `guard.rs`, `dependence.rs` |
//! | between which bounds does the difference lie? | `interval.rs` |
//! | is the difference too small to matter? | `equivalence.rs` |
//! | how many rounds would settle it? | `price.rs` |
//! | what is the verdict of one look? | `decide.rs` |
//! | what is the verdict of the whole run? | `looks.rs`, `verdicts.rs` |
//! | who is best, who stands where? | `rank.rs` |
//! | how much better over a whole suite? | `suite.rs` |
//! | how much better over a mix of it? | `means.rs` |
//! | at which mix would another be best? | `mix.rs` |
//! | does a contender stand still over the rounds? | `steady.rs` |
//! | does it within a round, and does a slice feel the one before it? | `within.rs` |
//! | how well do two orders agree? | `agreement.rs` |
//! | is a device in its steady state? | `snia.rs` |
//! | how often would all this be wrong? | `simulate.rs` |
//! | the rule that replaces the steps from `look.rs` to `verdicts.rs` | `decision.rs` |
//!
//! All differences are natural logarithms of a ratio, oriented so that larger is better.

mod agreement;
mod decide;
pub mod decision;
mod dependence;
mod design;
mod equivalence;
mod error;
mod evidence;
mod fit;
mod guard;
mod interval;
mod look;
mod looks;
mod means;
mod mix;
mod observation;
mod part;
mod price;
mod quantile;
mod rank;
#[cfg(test)]
mod reference;
pub mod simulate;
mod snia;
mod steady;
mod suite;
mod summary;
mod table;
mod variance;
mod verdicts;
mod within;

pub use agreement::{OrderedPairs, Tau, order, tau_of_lists, tau_over_rounds};
pub use decide::{Decision, PairDecision, WorkloadDecision, decide};
pub use design::LaneTerm;
pub use error::StatsError;
pub use interval::Interval;
pub use look::Rule;
pub use means::{Means, MixPart};
pub use mix::{Flip, Lead, flips};
pub use observation::{Observation, WorkloadData};
pub use price::PRICE_LIMIT;
pub use rank::{Rank, Standings};
pub use snia::SteadyWindow;
pub use steady::{Effect, outliers, own_trends};
pub use suite::{Precision, SuiteRatio};
pub use summary::{Summary, cell_summary, round_value};
pub use verdicts::{StandingPair, StandingWorkload, Steadiness, Verdicts, replay};
pub use within::{Before, Step, carry_over, within_rounds};
