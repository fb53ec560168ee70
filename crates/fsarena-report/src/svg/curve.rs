//! Latency against load: one line per contender through the rates of its open loops, and a mark for its closed loop.

use super::axis::Axis;
use super::canvas::Canvas;
use super::plane::{LINES, Plane, ROOM};
use super::shape::{self, Sign, cross, ring};
use crate::number;

/// The signs in the legend besides the contenders' marks.
const SIGNS: &[Sign] =
    &[LINES[0], LINES[1], Sign::Ring("closed loop: median at its own rate"), Sign::Cross("does not keep up")];

/// A contender's points.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its label.
    pub contender: String,
    /// Its open loops, in ascending order of the rate.
    pub open: Vec<Load>,
    /// Its closed loop.
    pub closed: Option<Load>,
}

/// The rate and the latencies at a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Operations per second that were done.
    pub done: f64,
    /// Median latency in seconds.
    pub p50: f64,
    /// 99th percentile of the latency in seconds.
    pub p99: f64,
    /// Whether all offered operations were done.
    pub keeps_up: bool,
}

/// The drawing; `None` if there is no open loop.
pub fn draw(lines: &[Line], operation: &str) -> Option<String> {
    let loads = || lines.iter().flat_map(|line| line.open.iter().chain(&line.closed));
    let latencies: Vec<f64> = loads().flat_map(|load| [load.p50, load.p99]).collect();
    let rates: Vec<f64> = loads().map(|load| load.done).collect();
    let x = Axis::of_figures(&rates, ROOM).filter(|_| lines.iter().any(|line| !line.open.is_empty()))?;
    let labels: Vec<&str> = lines.iter().map(|line| line.contender.as_str()).collect();
    let (plane, mut canvas) = Plane::begin(x, &latencies, &labels, SIGNS)?;
    plane.scales(&mut canvas, |tick| number::value(tick, "ops/s"), "operations/s that were done →");
    for (index, line) in lines.iter().enumerate() {
        open(&plane, &mut canvas, index, line);
        line.closed.iter().for_each(|load| closed(&plane, &mut canvas, index, load));
    }
    Some(canvas.finish(&format!("Latency of {operation} against load, {} contenders", lines.len())))
}

fn open(plane: &Plane, canvas: &mut Canvas, index: usize, line: &Line) {
    let through = |figure: fn(&Load) -> f64| line.open.iter().map(|load| (load.done, figure(load))).collect::<Vec<_>>();
    plane.path(canvas, index, "p50", &through(|load| load.p50));
    plane.path(canvas, index, "p99", &through(|load| load.p99));
    for load in line.open.iter().filter(|load| !load.keeps_up) {
        cross(canvas, plane.at((load.done, load.p50)));
        cross(canvas, plane.at((load.done, load.p99)));
    }
}

/// Draws a ring around the mark: the rate of a closed loop is a result, not a choice.
fn closed(plane: &Plane, canvas: &mut Canvas, index: usize, load: &Load) {
    let (x, y) = plane.at((load.done, load.p50));
    shape::mark(canvas, index, (x, y));
    ring(canvas, (x, y));
}
