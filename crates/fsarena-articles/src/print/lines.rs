//! Line charts: a line for each contender on a plane with two axes.

use fsarena_report::number;
use fsarena_report::svg::axis::{Axis, Scale};
use fsarena_report::svg::plane::{Plane, ROOM};
use fsarena_report::svg::{Anchor, Canvas};

use super::grids::short;

/// Maximum number of labels of record sizes. If there are more, they would touch, so every second one is left out.
const LABELS: usize = 9;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct PlottedLine {
    pub name: String,
    /// Its points from left to right, all above 0.
    pub points: Vec<(f64, f64)>,
}

fn coordinates(lines: &[PlottedLine], of: fn(&(f64, f64)) -> f64) -> Vec<f64> {
    lines.iter().flat_map(|line| &line.points).map(of).collect()
}

fn names(lines: &[PlottedLine]) -> Vec<&str> {
    lines.iter().map(|line| line.name.as_str()).collect()
}

fn paths(plane: &Plane, canvas: &mut Canvas, lines: &[PlottedLine]) {
    for (index, line) in lines.iter().enumerate() {
        plane.path(canvas, index, "path", &line.points);
    }
}

/// The drawing on two logarithmic axes; `None` if no line has a point. `titles` are those of the horizontal and of the
/// vertical axis.
pub fn draw(lines: &[PlottedLine], titles: (&str, &str), print: fn(f64) -> String) -> Option<String> {
    let x = Axis::logarithmic(&coordinates(lines, |point| point.0), ROOM)?;
    let figures = coordinates(lines, |point| point.1);
    let (plane, mut canvas) = Plane::begin(&names(lines), &[], 200.0, x, |room| Axis::logarithmic(&figures, room))?;
    canvas.height += 16.0;
    plane.ticks_across(&mut canvas, |tick| number::value(tick, ""));
    plane.ticks_upwards(&mut canvas, print);
    canvas.line("one", (ROOM.0, plane.y.at(1.0)), (ROOM.1, plane.y.at(1.0)));
    let below = plane.bottom + 38.0;
    canvas.text("axis-title", Anchor::End, (ROOM.1, below), &format!("{}, logarithmic →", titles.0));
    canvas.text("axis-title", Anchor::Start, (ROOM.0, below + 18.0), &format!("↑ {}, logarithmic", titles.1));
    paths(&plane, &mut canvas, lines);
    Some(canvas.finish(&format!("{} over {}", titles.1, titles.0)))
}

/// The drawing of throughput, KiB per second, over the size of records in KiB on a logarithmic axis; `None` if there is
/// no figure. `title` says what was done.
pub fn over_records(lines: &[PlottedLine], title: &str) -> Option<String> {
    let mut sizes = coordinates(lines, |point| point.0);
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let rates = coordinates(lines, |point| point.1);
    let x = Axis::logarithmic(&sizes, ROOM)?;
    let (plane, mut canvas) = Plane::begin(&names(lines), &[], 190.0, x, |room| Axis::of_figures(&rates, room))?;
    let every = if sizes.len() > LABELS { 2 } else { 1 };
    for (index, size) in sizes.iter().enumerate() {
        let label = if index % every == 0 { short(*size as u64) } else { String::new() };
        plane.tick_across(&mut canvas, *size, &label);
    }
    plane.ticks_upwards(&mut canvas, |tick| number::value(tick, "KB/s"));
    let upwards = match plane.y.scale {
        Scale::Logarithmic => "↑ KB/s, logarithmic",
        Scale::Linear if plane.y.has_zero() => "↑ KB/s",
        Scale::Linear => "↑ KB/s, not from 0",
    };
    plane.titles(&mut canvas, "size of records, logarithmic →", upwards);
    paths(&plane, &mut canvas, lines);
    Some(canvas.finish(&format!("{title}: KB/s over the size of records, {} contenders", lines.len())))
}
