//! Workloads for tests, as files of the catalogue have them.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A workload of `engine` that counts operations per second and runs once, from beginning to end, with nothing made
/// durable and files in memory. `fields` replace these.
pub fn workload<W: DeserializeOwned>(engine: &str, fields: Value) -> W {
    let metric = json!({ "name": "rate", "unit": "1/s", "measure": "operations-per-second", "better": "higher" });
    let mut workload = json!({
        "name": "under-test", "version": 1, "measures": "A test.", "why": "A test.", "engine": engine, "metric": metric,
        "durable": "none", "cache": "warm", "mode": "whole", "ends-by-itself": true,
    });
    if let (Value::Object(all), Value::Object(fields)) = (&mut workload, fields) {
        all.extend(fields);
    }
    serde_json::from_value(workload).expect("a well-formed workload")
}

/// A workload of `engine` with these parameters, otherwise as [`workload`].
pub fn parameterised<W: DeserializeOwned>(engine: &str, durable: &str, cache: &str, parameters: Value) -> W {
    workload(engine, json!({ "durable": durable, "cache": cache, "parameters": parameters }))
}
