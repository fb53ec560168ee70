//! What workloads say to their engines.

use fsarena_model::{Bytes, Workload};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::EngineError;

/// The largest size, 16 TiB, and the largest number: estimates multiply them.
const LARGEST: u64 = 1 << 44;

/// The parameters of a workload, as its engine understands them.
///
/// # Errors
/// [`EngineError::Parameters`] if there are others, or some are missing, or a number exceeds 2^44, or a size 16 TiB.
pub fn parameters<P: DeserializeOwned>(workload: &Workload) -> Result<P, EngineError> {
    parameters_up_to(LARGEST, workload)
}

/// The same, for an engine whose numbers are smaller.
///
/// # Errors
/// [`EngineError::Parameters`] if there are others, or some are missing, or a number exceeds `most`, or a size 16 TiB.
pub fn parameters_up_to<P: DeserializeOwned>(most: u64, workload: &Workload) -> Result<P, EngineError> {
    if let Some(value) = beyond(most, &workload.parameters) {
        let what = format!("{value} is too large: no number may exceed {most}, no size {}", Bytes(LARGEST));
        return Err(EngineError::parameters(&workload.name, what));
    }
    serde_json::from_value(workload.parameters.clone()).map_err(|error| EngineError::parameters(&workload.name, error))
}

/// A number beyond `most`, or a size beyond the largest, in `value`.
fn beyond(most: u64, value: &Value) -> Option<&Value> {
    match value {
        Value::Number(number) => (number.as_u64()? > most).then_some(value),
        Value::String(text) => (text.parse::<Bytes>().ok()?.0 > LARGEST).then_some(value),
        Value::Array(all) => all.iter().find_map(|one| beyond(most, one)),
        Value::Object(all) => all.values().find_map(|one| beyond(most, one)),
        Value::Null | Value::Bool(_) => None,
    }
}
