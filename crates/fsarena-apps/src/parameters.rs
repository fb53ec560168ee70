//! What workloads say to the programs.

use fsarena_engine::EngineError;
use fsarena_model::Workload;
use serde::de::DeserializeOwned;

/// The largest count or length in seconds: estimates of room and time multiply them.
const LARGEST: u64 = 100_000_000;

/// The parameters of a workload, as its engine understands them.
///
/// # Errors
/// [`EngineError::Parameters`] if there are others, or some are missing, or a number exceeds a hundred
/// million.
pub fn parameters<P: DeserializeOwned>(workload: &Workload) -> Result<P, EngineError> {
    fsarena_engine::parameters_up_to(LARGEST, workload)
}
