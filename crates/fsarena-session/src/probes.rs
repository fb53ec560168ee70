//! What probes read over a trial, turned into what a report shows of a cell.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_engine::Tally;
use fsarena_model::{Latency, Nanos, Reading, Trial};

use crate::iostat;
use crate::rate::{DONE, OFFERED};

/// What was read beside the slices is per operation already, or a ratio.
const BESIDE: [&str; 5] = ["clock.", "space.", Tally::COMMITS, Tally::CONNECTIONS, Tally::DURABLE_WRITES];

/// Whether a reading is of the whole trial: what was read beside the slices, or what a program said of itself, which bears the name
/// of its engine.
fn is_whole(name: &str) -> bool {
    let is_said = || name.split_once('.').is_some_and(|(engine, _)| fsarena_apps::engine(engine).is_some());
    BESIDE.iter().any(|group| name.starts_with(group)) || is_said()
}

/// Seconds that processors were busy beyond what this run and the kernel's threads used, within the timed slices. May
/// lie a little below 0, for the machine's own figure is in ticks.
pub fn beyond_own_seconds(trial: &Trial) -> Option<f64> {
    let own = trial.probe("cpu.process")? + trial.probe("cpu.kernel")?;
    Some(trial.probe("cpu.machine")? - own)
}

/// Seconds that programs other than this run kept processors busy, within the timed slices; never below 0.
pub fn foreign_seconds(trial: &Trial) -> Option<f64> {
    Some(beyond_own_seconds(trial)?.max(0.0))
}

/// What the program that did the work said of it beside, by name.
pub fn said(tally: &Tally) -> impl Iterator<Item = (String, Reading)> {
    let reading = |(name, unit, value): &(&str, &str, f64)| {
        ((*name).to_owned(), Reading { value: Some(*value), unit: (*unit).to_owned() })
    };
    tally.said.iter().map(reading)
}

/// The medians over trials of what their probes read: shares and means over time as such, the rest per operation.
pub fn of_cell(trials: &[&Trial]) -> BTreeMap<String, Reading> {
    let each: Vec<BTreeMap<String, Reading>> = trials.iter().map(|trial| of_trial(trial)).collect();
    let names: BTreeSet<&String> = each.iter().flat_map(BTreeMap::keys).collect();
    names.into_iter().filter_map(|name| Some((name.clone(), median(&each, name)?))).collect()
}

/// The same of the trials that were `kept`; what was read in none of them, such as what is read in the first round only, of
/// `all`: others' work changes times, but not what is sent to a device.
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

/// The median of what could be read; absent altogether where it could be read in no trial but one names it.
fn median(each: &[BTreeMap<String, Reading>], name: &str) -> Option<Reading> {
    let unit = each.iter().find_map(|readings| Some(readings.get(name)?.unit.clone()))?;
    let value = middle(each.iter().filter_map(|readings| readings.get(name)?.value).collect());
    Some(Reading { value, unit })
}

/// The median; `None` of nothing.
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
            OFFERED | DONE => (name.as_str(), 1.0, reading.unit.clone()),
            "settle" => (name.as_str(), 1.0, "s".to_owned()),
            beside if is_whole(beside) => (beside, 1.0, reading.unit.clone()),
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

/// A distribution's size, mean, quantiles and maximum: `latency.read.p99` and so on.
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
