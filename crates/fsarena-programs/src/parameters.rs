//! Parses the parameters of workloads.

use fsarena_engine::EngineError;
use fsarena_model::Workload;
use serde::de::DeserializeOwned;

/// Largest count, and longest duration in seconds. Estimates of space and time multiply them.
const LARGEST: u64 = 100_000_000;

/// The parameters of a workload, parsed as the type of its engine.
///
/// # Errors
/// [`EngineError::Parameters`] if a parameter is unknown or missing, or a number exceeds a hundred million.
pub fn parameters<P: DeserializeOwned>(workload: &Workload) -> Result<P, EngineError> {
    fsarena_engine::parameters_up_to(LARGEST, workload)
}
