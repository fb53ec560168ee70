//! Parses the parameters of workloads. Sizes are a number of bytes, or a text such as `4K`.

use fsarena_model::mistake::in_words;
use fsarena_model::{Bytes, CacheState, DurablePoint, Mode, Workload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::EngineError;

/// Maximum size, 16 TiB, and maximum number: estimates multiply them.
const LARGEST: u64 = 1 << 44;

/// The parameters of a workload, in the type of its engine.
///
/// # Errors
/// [`EngineError::Parameters`] if a parameter is unknown, missing or malformed, or a number exceeds 2^44, or a size 16
/// TiB.
pub fn parameters<P: DeserializeOwned>(workload: &Workload) -> Result<P, EngineError> {
    checked(workload, |_| None::<&str>)
}

/// The parameters of a workload. `complaint` returns the first problem with them, if there is one.
///
/// # Errors
/// As [`parameters`], and [`EngineError::Parameters`] with that problem.
pub fn checked<P: DeserializeOwned, W: ToString>(
    workload: &Workload,
    complaint: impl FnOnce(&P) -> Option<W>,
) -> Result<P, EngineError> {
    checked_up_to(LARGEST, workload, complaint)
}

/// The parameters of a workload whose numbers must not exceed `most`.
///
/// # Errors
/// As [`checked`], and if a number exceeds `most`.
pub fn checked_up_to<P: DeserializeOwned, W: ToString>(
    most: u64,
    workload: &Workload,
    complaint: impl FnOnce(&P) -> Option<W>,
) -> Result<P, EngineError> {
    if let Some(value) = beyond(most, &workload.parameters) {
        let what = format!("{value} is too large: no number may exceed {most}, no size {}", Bytes(LARGEST));
        return Err(EngineError::parameters(&workload.name, what));
    }
    let parameters = serde_json::from_value(workload.parameters.clone());
    let parameters = parameters.map_err(|error| {
        EngineError::parameters(&workload.name, mistake::<P>(&workload.parameters, &error.to_string()))
    })?;
    complaint(&parameters).map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
}

/// The error of parameters in words, with the key without which there would be another one, or none.
fn mistake<P: DeserializeOwned>(parameters: &Value, error: &str) -> String {
    let what = in_words(error);
    let is_of = |key: &&String| {
        let mut others = parameters.clone();
        others.as_object_mut().and_then(|others| others.remove(*key));
        let other = serde_json::from_value::<P>(others).err().map(|other| other.to_string());
        // Without a key that has to be there, the key itself is missing.
        other.as_deref() != Some(error) && other != Some(format!("missing field `{key}`"))
    };
    let key = parameters.as_object().and_then(|all| all.keys().find(is_of));
    key.filter(|key| !what.contains(&format!("`{key}`"))).map_or_else(|| what.clone(), |key| format!("{key}: {what}"))
}

/// The first number above `most`, or size above the maximum, in `value`.
fn beyond(most: u64, value: &Value) -> Option<&Value> {
    match value {
        Value::Number(number) => (number.as_u64()? > most).then_some(value),
        Value::String(text) => (text.parse::<Bytes>().ok()?.0 > LARGEST).then_some(value),
        Value::Array(all) => all.iter().find_map(|one| beyond(most, one)),
        Value::Object(all) => all.values().find_map(|one| beyond(most, one)),
        Value::Null | Value::Bool(_) => None,
    }
}

/// For `default`: the number `N`.
pub fn or<T: From<u32>, const N: u32>() -> T {
    T::from(N)
}

/// Refuses a workload that does not run once from start to end, or has a time of its own.
///
/// # Errors
/// [`EngineError::Parameters`].
pub fn require_once(workload: &Workload) -> Result<(), EngineError> {
    match workload.mode == Mode::Whole && workload.ends_by_itself && workload.timed_ms == 0 {
        true => Ok(()),
        false => Err(EngineError::parameters(
            &workload.name,
            "a run cannot be cut: `mode = \"whole\"`, `ends-by-itself = true`, and no `timed-ms`",
        )),
    }
}

/// Refuses a workload that is made durable in another way, or whose files are elsewhere.
///
/// # Errors
/// [`EngineError::Parameters`] with the ways and places that are possible.
pub fn require_conditions(
    workload: &Workload,
    durable: &[DurablePoint],
    cache: &[CacheState],
) -> Result<(), EngineError> {
    fn one_of<T: Serialize>(key: &str, all: &[T]) -> String {
        let name = |one: &T| serde_json::to_string(one).unwrap_or_default().replace('"', "`");
        format!("`{key}` is {}", all.iter().map(name).collect::<Vec<_>>().join(" or "))
    }
    let refuse = |what| Err(EngineError::parameters(&workload.name, what));
    if !durable.contains(&workload.durable) {
        return refuse(one_of("durable", durable));
    }
    if cache.contains(&workload.cache) { Ok(()) } else { refuse(one_of("cache", cache)) }
}

/// For `deserialize_with`: bytes.
pub fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Bytes::deserialize(deserializer).map(|size| size.0)
}

/// For `deserialize_with`: bytes of an optional size.
pub fn some_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    size(deserializer).map(Some)
}
