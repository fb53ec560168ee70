//! The vocabulary of fsarena as types, without any I/O.
//!
//! All other crates use these terms: a *contender* gets a *lane*, runs *workloads* in *rounds* of *slices*, which make
//! *trials*; the trials of one contender and workload form a *cell*, and a pair of cells gets a *verdict*.

pub mod across;
pub mod baseline;
pub mod clients;
pub mod comparison;
pub mod contender;
pub mod debian;
pub mod difference;
pub mod environment;
pub mod error;
pub mod event;
pub mod explanation;
#[cfg(test)]
mod fuzz;
mod grouped;
pub mod guest;
pub mod history;
mod intern;
pub mod matrix;
pub mod mistake;
pub mod mix;
pub mod name;
pub mod plan;
pub mod probe;
pub mod rate;
pub mod recommendation;
pub mod record;
pub mod seed;
pub mod sharing;
pub mod step;
mod text;
pub mod trace;
pub mod traits;
pub mod trial;
pub mod units;
pub mod validation;
pub mod validity;
pub mod visible;
pub mod workload;

/// Of fields that stored plans and records lack if they have their default.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub use across::Across;
pub use baseline::{Baseline, BaselineKind, Often};
pub use clients::{ClientFacts, Clients, ClientsWork, ClockOffset, FileServer, MachineName, WhenLost};
pub use comparison::{Comparison, Estimate, Verdict};
pub use contender::{BlockLayer, Contender, Durability, Guarantee, Label};
pub use debian::DebianRelease;
pub use difference::{Difference, Gate};
pub use environment::{
    AtRest, Conditions, ContenderFacts, Environment, FlushAfter, LaneCost, LaneFacts, Precondition, Preconditioned,
    RepeatedReads,
};
pub use error::{ErrorCategory, Explained};
pub use event::{Event, Severity};
pub use grouped::{distinct, grouped, joined, repeated};
pub use guest::{Accelerator, Guest, GuestDisk};
pub use history::History;
pub use intern::intern;
pub use matrix::{Combination, Factor, Matrix, MatrixError};
pub use mix::{Mix, Weight};
pub use name::{BadName, Name};
pub use plan::{
    Arguments, Extension, FromSuite, LanePlan, Measuring, Medium, NoiseBounds, Plan, Rounds, Scale, Storage,
    Unavailable, Weighting,
};
pub use probe::{Probe, ProbeId, Readings};
pub use rate::{Rate, RateError};
pub use recommendation::Recommendation;
pub use record::{RunRecord, Status};
pub use sharing::{Class, Coherence, Sharing, Stated, StatedGuarantee};
pub use step::{Step, StepRow, Verification, VerificationRow};
pub use trace::{
    AvoidableTime, Avoided, KernelSymbols, Knob, Layer, Meanwhile, RequestKind, Requests, Spent, TimePart, Trace,
    TraceResult, Wait,
};
pub use traits::Traits;
pub use trial::{Latency, LatencyCount, LatencyWindow, Outcome, Reading, Slice, Trial};
pub use units::{Bytes, Nanos, Share};
pub use validation::Validation;
pub use validity::{Finding, Validity, ValidityClass};
pub use workload::{
    Better, CacheState, Done, DurablePoint, Measure, Metric, Mode, Relation, StateOfFileSystem, Variant, WorkKind,
    Workload,
};
