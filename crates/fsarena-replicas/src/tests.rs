//! Workloads for the tests of engines.

use fsarena_model::Workload;
use serde_json::{Value, json};

/// A workload of `engine` that runs once.
pub fn workload(engine: &str, durable: &str, cache: &str, parameters: Value) -> Workload {
    fsarena_testing::workload(engine, json!({ "durable": durable, "cache": cache, "parameters": parameters }))
}
