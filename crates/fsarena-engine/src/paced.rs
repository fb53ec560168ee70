//! Variants of workloads as open loops: the same work at a given rate, with latency as the metric.

use fsarena_model::{Better, Measure, Metric, Rate, Relation, Variant, Workload};
use serde_json::Value;

use crate::EngineError;

/// Minimum time of the timed part of an open loop, milliseconds: a queue needs time to build up.
const SHORTEST: u64 = 500;
/// Minimum warm-up of an open loop, milliseconds, and maximum number of its slices.
const WARM_UP: u64 = 25;
const SLICES: u32 = 4;

/// Names of the parameters in all engines that can keep a rate.
const RATE: &str = "rate";
const RATE_PERCENT: &str = "rate-percent";

/// The variant of `workload` at `rate`, named `NAME@RATE`. The engine has to check whether it accepts the variant.
///
/// # Errors
/// If the workload is an open loop already, or has no table of parameters.
pub fn variant(workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
    let timed_ms = if workload.timed_ms == 0 { 0 } else { workload.timed_ms.max(SHORTEST) };
    Ok(Workload {
        name: workload.name.variant(rate),
        measures: measures(workload, rate, timed_ms),
        metric: Metric {
            name: "mean-latency".to_owned(),
            unit: "µs".to_owned(),
            measure: Measure::MeanLatencyMicroseconds,
            better: Better::Lower,
        },
        timed_ms,
        warm_up_ms: if timed_ms == 0 { workload.warm_up_ms } else { workload.warm_up_ms.max(WARM_UP) },
        slices: workload.slices.min(SLICES),
        parameters: parameters(workload, rate)?,
        variant: Some(Variant { of: workload.name.to_string(), relation: Relation::Rate(rate) }),
        ..workload.clone()
    })
}

fn parameters(workload: &Workload, rate: Rate) -> Result<Value, EngineError> {
    let mut parameters = workload.parameters.clone();
    let refused = |what| Err(EngineError::parameters(&workload.name, what));
    let Some(table) = parameters.as_object_mut() else { return refused("a table is expected") };
    if table.contains_key(RATE) || table.contains_key(RATE_PERCENT) {
        return refused("it keeps a rate of its own, so it cannot be given another");
    }
    let (name, value) = match rate {
        Rate::Percent(percent) => (RATE_PERCENT, percent),
        Rate::PerSecond(number) => (RATE, number),
    };
    table.insert(name.to_owned(), Value::from(value));
    Ok(parameters)
}

fn measures(workload: &Workload, rate: Rate, timed_ms: u64) -> String {
    let load = match rate {
        Rate::Percent(percent) => format!("{percent} % of what the contender itself can do, measured in each round"),
        Rate::PerSecond(number) => format!("{number} operations per second"),
    };
    let slices = match timed_ms {
        0 => String::new(),
        timed => format!(" Slices of {timed} ms, so that a queue can build up."),
    };
    format!(
        "The mean latency of the operations of `{}` when they begin at a rate of {load}, whatever became of the ones \
         before (open loop). Latency is counted from the intended start: waiting for one's turn is part of it.{slices}",
        workload.name
    )
}
