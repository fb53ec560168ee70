//! Turns the probe readings of trials into the readings of a cell.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Latency, Nanos, Reading, Trial};

use crate::iostat;

/// Prefixes of counters that are read around the timed slices. All other readings refer to the whole trial: they were
/// taken outside the slices, or the program that did the work reported them.
const COUNTERS: [&str; 6] = ["cpu.", "device.", "disk.", "machine.", "pages.", "process."];

fn is_whole(name: &str) -> bool {
    !COUNTERS.iter().any(|group| name.starts_with(group))
}

/// Processor seconds within the timed slices that neither this run nor kernel threads used. May be slightly negative,
/// because the machine's counter has a resolution of one tick.
pub fn beyond_own_seconds(trial: &Trial) -> Option<f64> {
    let own = trial.probe("cpu.process")? + trial.probe("cpu.kernel")?;
    Some(trial.probe("cpu.machine")? - own)
}

/// Processor seconds that other programs used within the timed slices; at least 0.
pub fn foreign_seconds(trial: &Trial) -> Option<f64> {
    Some(beyond_own_seconds(trial)?.max(0.0))
}

/// The medians of the probe readings over trials: averages over time for processor steal and device load, everything
/// else per operation.
pub fn of_cell(trials: &[&Trial]) -> BTreeMap<String, Reading> {
    let each: Vec<BTreeMap<String, Reading>> = trials.iter().map(|trial| of_trial(trial)).collect();
    let names: BTreeSet<&String> = each.iter().flat_map(BTreeMap::keys).collect();
    names.into_iter().filter_map(|name| Some((name.clone(), median(&each, name)?))).collect()
}

/// The medians over the trials in `kept`. A reading that none of them has, for example because it is taken in the first
/// round only, comes from `all`: other programs change times, but not the requests sent to a device.
pub fn of_cell_or_all(kept: &[&Trial], all: &[&Trial]) -> BTreeMap<String, Reading> {
    let mut readings = of_cell(kept);
    for (name, reading) in of_cell(all) {
        let known = readings.entry(name).or_insert_with(|| reading.clone());
        if known.value.is_none() {
            *known = reading;
        }
    }
    readings
}

/// The median of the known values; `value` is `None` if no trial has one. `None` if no trial has a reading of this
/// name.
fn median(each: &[BTreeMap<String, Reading>], name: &str) -> Option<Reading> {
    let unit = each.iter().find_map(|readings| Some(readings.get(name)?.unit.clone()))?;
    let value = middle(each.iter().filter_map(|readings| readings.get(name)?.value).collect());
    Some(Reading { value, unit })
}

/// The median; `None` for an empty list.
pub fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

fn of_trial(trial: &Trial) -> BTreeMap<String, Reading> {
    let (operations, seconds) = (trial.operations() as f64, trial.seconds());
    let mut readings = BTreeMap::new();
    for (name, reading) in &trial.probes {
        let (name, divisor, unit) = match name.as_str() {
            "cpu.machine" | "disk.others" => continue,
            spent if spent.starts_with("time.") => continue,
            whole if is_whole(whole) => (whole, 1.0, reading.unit.clone()),
            "cpu.steal" => (name.as_str(), seconds, "cores".to_owned()),
            "device.busy" => (name.as_str(), seconds, "share".to_owned()),
            "device.queue" => (name.as_str(), seconds, "requests".to_owned()),
            _ => (name.as_str(), operations, format!("{}/op", reading.unit)),
        };
        let value = reading.value.map(|value| value / divisor).filter(|value| value.is_finite());
        readings.insert(name.to_owned(), Reading { value, unit });
    }
    let foreign = foreign_seconds(trial).map(|busy| busy / seconds).filter(|value| value.is_finite());
    readings.insert("cpu.foreign".to_owned(), Reading { value: foreign, unit: "cores".to_owned() });
    readings.extend(iostat::columns(trial));
    for (operation, latency) in &trial.latencies {
        readings.extend(of_latency(operation, latency));
    }
    readings
}

/// A distribution's count, mean, quantiles and maximum: `latency.read.p99` and so on.
fn of_latency(operation: &str, latency: &Latency) -> impl Iterator<Item = (String, Reading)> {
    let count = Reading { value: Some(latency.count as f64), unit: "ops".to_owned() };
    let count = (format!("latency.{operation}.count"), count);
    let spans = [
        ("mean", Some(latency.mean)),
        ("p50", Some(latency.p50)),
        ("p90", Some(latency.p90)),
        ("p99", Some(latency.p99)),
        ("p999", Some(latency.p999)),
        ("p9999", latency.p9999),
        ("max", Some(latency.max)),
    ];
    let spans = spans.into_iter().map(move |(name, span)| {
        let reading = Reading { value: span.map(Nanos::as_seconds), unit: "s".to_owned() };
        (format!("latency.{operation}.{name}"), reading)
    });
    spans.chain([count])
}
