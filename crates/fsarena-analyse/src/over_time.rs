//! Latency over time: for each operation, the records of a cell's trials on one time axis.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::comparison::{LatencyOverTime, Point};
use fsarena_model::{LatencyWindow, Nanos, Trial};

/// The latency over time of each of a cell's operations, by name; points by round, then time.
pub fn of_cell(trials: &[&Trial]) -> Vec<LatencyOverTime> {
    let names: BTreeSet<&str> =
        trials.iter().flat_map(|trial| &trial.over_time).map(|window| window.operation.as_str()).collect();
    names.into_iter().map(|name| course(trials, name)).collect()
}

fn course(trials: &[&Trial], operation: &str) -> LatencyOverTime {
    let points = trials.iter().flat_map(|trial| of_trial(trial, operation));
    LatencyOverTime { operation: operation.to_owned(), points: points.collect() }
}

fn of_trial(trial: &Trial, operation: &str) -> impl Iterator<Item = Point> {
    let starts = starts(trial);
    trial.over_time.iter().filter(move |window| window.operation == operation).filter_map(move |window| {
        let (slice, start) = *starts.get(&window.slice)?;
        Some(point(trial.round, slice, start, window))
    })
}

/// By slice position: the slice's number within the trial, from 1, and the timed duration before it.
fn starts(trial: &Trial) -> BTreeMap<u32, (u32, Nanos)> {
    let mut before = Nanos(0);
    let start = |(index, slice): (usize, &fsarena_model::Slice)| {
        let start = before;
        before = before + slice.elapsed;
        (slice.position, (index as u32 + 1, start))
    };
    trial.slices.iter().enumerate().map(start).collect()
}

fn point(round: u32, slice: u32, start: Nanos, window: &LatencyWindow) -> Point {
    Point {
        round,
        slice,
        seconds: (start + window.end).as_seconds(),
        mean: window.mean.as_seconds(),
        p50: window.p50.as_seconds(),
        p99: window.p99.as_seconds(),
        max: window.max.as_seconds(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_put_one_behind_the_other() {
        let slice = |position| serde_json::json!({ "position": position, "operations": 1, "bytes": 0, "elapsed": 2_000_000_000u64, "value": 1.0 });
        let window = |slice, end: u64| {
            serde_json::json!({ "slice": slice, "end": end * 1_000_000_000, "operation": "read", "count": 1,
                "mean": 5, "p50": 5, "p99": 5, "max": 5 })
        };
        let trial: Trial = serde_json::from_value(serde_json::json!({
            "round": 3, "workload": "w", "contender": "c", "lane": null, "slices": [slice(1), slice(6)],
            "latencies": {}, "over_time": [window(1, 1), window(1, 2), window(6, 1)], "probes": {}, "outcome": "finished",
        }))
        .expect("a trial");
        let lines = of_cell(&[&trial]);
        let times: Vec<_> = lines[0].points.iter().map(|point| (point.round, point.slice, point.seconds)).collect();
        assert_eq!(times, [(3, 1, 1.0), (3, 1, 2.0), (3, 2, 3.0)]);
    }
}
