//! Latency over time within a trial: its slices one after the other, each point a median over rounds.

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, LatencyOverTime, Point};

use super::axis::Axis;
use super::canvas::Canvas;
use super::plane::{LINES, Plane, ROOM};
use crate::number::three_digits;

/// A contender's line: time, median and 99th percentile, in seconds, by slice and part.
struct Line {
    places: Vec<(f64, f64, f64)>,
}

/// The drawing of one operation; `None` if no contender has more than one point.
pub fn draw(cells: &[&Cell], operation: &str) -> Option<String> {
    let drawn: Vec<(&str, Line)> = cells.iter().filter_map(|cell| of_cell(cell, operation)).collect();
    if drawn.iter().all(|(_, line)| line.places.len() < 2) {
        return None;
    }
    let labels: Vec<&str> = drawn.iter().map(|(label, _)| *label).collect();
    let places = || drawn.iter().flat_map(|(_, line)| &line.places);
    let latencies: Vec<f64> = places().flat_map(|(_, p50, p99)| [*p50, *p99]).collect();
    let x = Axis::from_zero(places().map(|(time, ..)| *time).fold(0.0, f64::max), ROOM)?;
    let (plane, mut canvas) = Plane::begin(x, &latencies, &labels, LINES)?;
    plane.scales(&mut canvas, three_digits, "timed seconds of a trial →");
    for (index, (_, line)) in drawn.iter().enumerate() {
        paths(&plane, &mut canvas, index, line);
    }
    Some(canvas.finish(&format!("Latency of {operation} over the time of a trial, {} contenders", drawn.len())))
}

fn of_cell<'a>(cell: &'a Cell, operation: &str) -> Option<(&'a str, Line)> {
    let course = cell.over_time.iter().find(|course| course.operation == operation)?;
    Some((cell.contender.0.as_str(), line(course)))
}

/// Draws lines through all slices: many slices have only one part, which makes no line.
fn paths(plane: &Plane, canvas: &mut Canvas, index: usize, line: &Line) {
    let median: Vec<_> = line.places.iter().map(|(time, p50, _)| (*time, *p50)).collect();
    let tail: Vec<_> = line.places.iter().map(|(time, _, p99)| (*time, *p99)).collect();
    plane.path(canvas, index, "p50", &median);
    plane.path(canvas, index, "p99", &tail);
}

/// The medians over rounds of each part of each slice.
fn line(course: &LatencyOverTime) -> Line {
    let mut parts: BTreeMap<(u32, usize), Vec<&Point>> = BTreeMap::new();
    for trial in course.points.chunk_by(|one, next| (one.round, one.slice) == (next.round, next.slice)) {
        for (part, point) in trial.iter().enumerate() {
            parts.entry((point.slice, part)).or_default().push(point);
        }
    }
    let place = |points: Vec<&Point>| {
        let of = |figure: fn(&Point) -> f64| median(points.iter().map(|point| figure(point)).collect());
        (of(|point| point.seconds), of(|point| point.p50), of(|point| point.p99))
    };
    Line { places: parts.into_values().map(place).collect() }
}

/// The median; of two middle values the upper one, because it was measured.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
