//! What workloads say to their engines.

use fsarena_model::Workload;
use serde::de::DeserializeOwned;

use crate::EngineError;

/// The parameters of a workload, as its engine understands them.
///
/// # Errors
/// [`EngineError::Parameters`] if there are others, or some are missing.
pub fn parameters<P: DeserializeOwned>(workload: &Workload) -> Result<P, EngineError> {
    serde_json::from_value(workload.parameters.clone()).map_err(|error| EngineError::parameters(&workload.name, error))
}
