//! Latency over time: for each operation, the records of a cell's trials on one time axis.

use std::collections::BTreeMap;

use fsarena_model::comparison::{LatencyOverTime, Point};
use fsarena_model::{LatencyWindow, Nanos, Trial};

/// The latency over time of each of a cell's operations, by name; points by round, then time.
pub fn of_cell(trials: &[&Trial]) -> Vec<LatencyOverTime> {
    let mut all: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for trial in trials {
        let starts = starts(trial);
        for window in &trial.over_time {
            let point = |&(slice, start)| point(trial.round, slice, start, window);
            all.entry(&window.operation).or_default().extend(starts.get(&window.slice).map(point));
        }
    }
    all.into_iter().map(|(operation, points)| LatencyOverTime { operation: operation.to_owned(), points }).collect()
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
