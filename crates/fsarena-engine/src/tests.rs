//! Workloads for the tests of engines.

use fsarena_model::Workload;
use serde_json::{Value, json};

/// A workload of `engine` that runs once, as if read from a file.
pub fn workload(engine: &str, durable: &str, cache: &str, parameters: Value) -> Workload {
    let metric = json!({ "name": "rate", "unit": "1/s", "measure": "operations-per-second", "better": "higher" });
    let fields = json!({
        "name": "under-test", "version": 1, "measures": "a test", "why": "a test", "engine": engine, "metric": metric,
        "durable": durable, "cache": cache, "mode": "whole", "ends-by-itself": true, "parameters": parameters,
    });
    serde_json::from_value(fields).expect("a well-formed workload")
}
