//! From the record of a run to its comparison: pure functions that use neither the machine nor a clock, and no engine.
//! The same record always gives the same comparison.

mod across;
mod analysis;
mod assess;
mod baselines;
mod calibration;
mod command;
mod contrasts;
mod decisions;
mod difference;
mod durability;
mod effects;
mod evidence;
mod explanation;
mod gate;
mod history;
mod latencies;
mod looks;
mod noise;
mod per_operation;
mod probes;
mod recommendation;
mod scaling;
mod sides;
mod slice_lengths;
mod stability;
mod standings;
mod steps;
mod validation;
mod validity;
mod verdicts;

pub use across::across;
pub use analysis::Analysis;
pub use assess::{RunSoFar, assess};
pub use baselines::{counts as baseline_counts, may_be_small};
pub use calibration::{Calibration, Row, calibration};
pub use difference::{NamedRun, difference};
pub use fsarena_stats::FEWEST_ROUNDS;
pub use gate::{gate, gate_within};
pub use history::history;
pub use looks::{Standing, standing};
pub use noise::{before as busy_before, rounds as rounds_of_workload};
pub use probes::{counted_seconds, foreign_seconds, rates as rate_readings};
pub use recommendation::{covered, not_here, unknown_names};
pub use slice_lengths::{
    Agreement, FreshPair, SliceFinding, SliceLength, SliceLengthPair, calibrated, finding, fresh_pairs, lengths,
    several_runs, slice_lengths,
};
pub use validation::{ProfileRun, validation};
