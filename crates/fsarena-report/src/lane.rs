//! The cost of the lane itself over the rounds: a write and flush without any contender.

use fsarena_model::{Comparison, LaneCost, Nanos};

use crate::number::seconds;
use crate::remark;

/// Seconds that a write and flush takes on the lane, minus those on the device beneath: from the medians over rounds,
/// or from the measurement before the rounds. `None` if one of them could not be read.
pub fn beyond_device(comparison: &Comparison) -> Option<f64> {
    let of = |span: fn(&LaneCost) -> Option<Nanos>| {
        middle(in_rounds(comparison).filter_map(span).map(Nanos::as_seconds).collect())
    };
    match of(|cost| Some(cost.back_to_back)) {
        Some(whole) => Some((whole - of(|cost| cost.device)?).max(0.0)),
        None => {
            let cost = comparison.environment.lane_cost.as_ref()?;
            Some(cost.back_to_back.saturating_sub(cost.device?).as_seconds())
        }
    }
}

/// The cost of the lane over the rounds: `The lane's write and flush took 74.2 µs (71.3 µs to 80.1 µs) in 5 rounds`.
pub fn over_rounds(comparison: &Comparison) -> Option<String> {
    let costs: Vec<&LaneCost> = in_rounds(comparison).collect();
    let of = |span: fn(&LaneCost) -> Nanos| costs.iter().map(|cost| span(cost).as_seconds()).collect::<Vec<_>>();
    let (busy, paced) = (spread(of(|cost| cost.back_to_back))?, spread(of(|cost| cost.paced))?);
    let devices: Option<Vec<f64>> = costs.iter().map(|cost| Some(cost.device?.as_seconds())).collect();
    let device = devices.and_then(spread).map(|device| format!(", {device} of it the device beneath"));
    let host = comparison.environment.host_file_system.as_ref().map(|host| format!("; host file system {host}"));
    let rounds = remark::rounds(costs.len() as u32);
    let (device, host) = (device.unwrap_or_default(), host.unwrap_or_default());
    Some(format!("The lane's write and flush took {busy} in {rounds}{device}; after a pause {paced}{host}."))
}

fn in_rounds(comparison: &Comparison) -> impl Iterator<Item = &LaneCost> {
    comparison.round_facts.iter().filter_map(|facts| facts.lane_cost.as_ref())
}

/// The median, with the minimum and the maximum.
fn spread(values: Vec<f64>) -> Option<String> {
    let ends = values.iter().copied().reduce(f64::min).zip(values.iter().copied().reduce(f64::max));
    let (low, high) = ends?;
    let middle = seconds(middle(values)?);
    Some(if low < high { format!("{middle} ({} to {})", seconds(low), seconds(high)) } else { middle })
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}
