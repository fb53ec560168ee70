//! Parses the parameters of workloads.

use fsarena_engine::{EngineError, parameters_up_to};
use fsarena_model::Workload;
use serde::de::DeserializeOwned;

/// Largest count, and longest duration in seconds. Estimates of space and time multiply them.
pub const LARGEST: u64 = 100_000_000;

/// The parameters of a workload. `complaint` returns the first problem with them, if there is one.
///
/// # Errors
/// [`EngineError::Parameters`] with that problem, or if a parameter is unknown or missing, or a number exceeds a hundred
/// million.
pub fn checked<P: DeserializeOwned>(
    workload: &Workload,
    complaint: impl FnOnce(&P) -> Option<&'static str>,
) -> Result<P, EngineError> {
    let parameters = parameters_up_to(LARGEST, workload)?;
    complaint(&parameters).map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
}
