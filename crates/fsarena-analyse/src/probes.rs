//! Turns the probe readings of trials into the readings of a cell.

use std::collections::BTreeSet;

use fsarena_model::probe::{self, Kind, LatencyFigure, Role};
use fsarena_model::{Latency, Nanos, ProbeId, Reading, Readings, Trial};

use crate::iostat;

/// The device's time of flushes is counted in steps of 1 ms, so less than this is not known well enough for a figure.
pub(crate) const SHORTEST_FLUSHING: f64 = 0.01;

/// Processor seconds within the timed slices that neither this run nor kernel threads used. May be slightly negative,
/// because the machine's counter has a resolution of one tick.
pub fn beyond_own_seconds(trial: &Trial) -> Option<f64> {
    let own = trial.probe(probe::CPU_PROCESS)? + trial.probe(probe::CPU_KERNEL)?;
    Some(trial.probe(probe::CPU_MACHINE)? - own)
}

/// Processor seconds that other programs used within the timed slices; at least 0.
pub fn foreign_seconds(trial: &Trial) -> Option<f64> {
    Some(beyond_own_seconds(trial)?.max(0.0))
}

/// Bytes that other programs read from the storage beneath the lanes, or wrote to it. What this run's own processes read
/// beyond the lane (their programs and inputs, once a cold step has dropped all caches) is not theirs.
pub fn disk_others(trial: &Trial) -> Option<f64> {
    let own = trial.probe(probe::PROCESS_READ).zip(trial.probe(probe::DEVICE_READ));
    Some(trial.probe(probe::DISK_OTHERS)? - own.map_or(0.0, |(process, lane)| (process - lane).max(0.0)))
}

/// The seconds over which the counters were read. A program's start and end belong to them, and often not to its figure.
pub fn counted_seconds(trial: &Trial) -> f64 {
    trial.probe(probe::TIME_COUNTED).unwrap_or_else(|| trial.seconds())
}

/// The medians of the probe readings over trials: averages over time for processor steal and device load, everything
/// else per operation.
fn of_cell(trials: &[&Trial]) -> Readings {
    let each: Vec<Readings> = trials.iter().map(|trial| of_trial(trial)).collect();
    let ids: BTreeSet<&ProbeId> = each.iter().flat_map(Readings::keys).collect();
    ids.into_iter().filter_map(|id| Some((id.clone(), median(&each, id)?))).collect()
}

/// The medians over the trials in `kept`. A reading that none of them has, for example because it is taken in the first
/// round only, comes from `all`: other programs change times, but not the requests sent to a device.
pub fn of_cell_or_all(kept: &[&Trial], all: &[&Trial]) -> Readings {
    let mut readings = of_cell(kept);
    for (id, reading) in of_cell(all) {
        let known = readings.entry(id).or_insert_with(|| reading.clone());
        if known.value.is_none() {
            *known = reading;
        }
    }
    readings
}

/// The median of the known values; `value` is `None` if no trial has one. `None` if no trial has such a reading.
fn median(each: &[Readings], id: &ProbeId) -> Option<Reading> {
    let unit = each.iter().find_map(|readings| Some(readings.get(id)?.unit.clone()))?;
    let value = fsarena_stats::median(each.iter().filter_map(|readings| readings.get(id)?.value));
    Some(Reading { value, unit })
}

fn of_trial(trial: &Trial) -> Readings {
    let (operations, seconds) = (trial.operations() as f64, trial.seconds());
    let mut readings = Readings::new();
    for (id, reading) in &trial.probes {
        let probe = id.probe();
        if probe.is_some_and(|probe| probe.role == Role::Evidence) {
            continue;
        }
        let (divisor, unit) = match probe.map_or(Kind::Trial, |probe| probe.kind) {
            Kind::PerOperation => (operations, format!("{}/op", reading.unit)),
            Kind::PerSecond(unit) => (seconds, unit.to_owned()),
            Kind::Trial | Kind::Computed => (1.0, reading.unit.clone()),
        };
        let is_known = |value: &f64| probe != Some(probe::DEVICE_FLUSHING) || *value >= SHORTEST_FLUSHING;
        let value = reading.value.filter(is_known).map(|value| value / divisor).filter(|value| value.is_finite());
        readings.insert(id.clone(), Reading { value, unit });
    }
    let foreign = foreign_seconds(trial).map(|busy| busy / counted_seconds(trial)).filter(|value| value.is_finite());
    readings.extend([probe::CPU_FOREIGN.reading(foreign)]);
    readings.extend(iostat::columns(trial));
    for (operation, latency) in &trial.latencies {
        readings.extend(of_latency(operation, latency));
    }
    readings
}

/// A distribution's count, mean, quantiles and maximum.
fn of_latency(operation: &str, latency: &Latency) -> impl Iterator<Item = (ProbeId, Reading)> {
    let reading = move |figure, value, unit: &str| {
        (ProbeId::latency(operation, figure), Reading { value, unit: unit.to_owned() })
    };
    let spans = [
        (LatencyFigure::Mean, Some(latency.mean)),
        (LatencyFigure::P50, Some(latency.p50)),
        (LatencyFigure::P90, Some(latency.p90)),
        (LatencyFigure::P99, Some(latency.p99)),
        (LatencyFigure::P999, Some(latency.p999)),
        (LatencyFigure::P9999, latency.p9999),
        (LatencyFigure::Max, Some(latency.max)),
    ];
    let spans = spans.into_iter().map(move |(figure, span)| reading(figure, span.map(Nanos::as_seconds), "s"));
    spans.chain([reading(LatencyFigure::Count, Some(latency.count as f64), "ops")])
}
