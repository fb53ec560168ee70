//! Throughput over record size: one line per contender, with record sizes on a logarithmic axis.

use super::axis::{Axis, Scale, short};
use super::canvas::{Anchor, Canvas};
use super::plane::ROOM;
use super::{BOTTOM, shape};
use crate::grid;
use crate::number;

/// Height of the plane.
const HEIGHT: f64 = 190.0;

/// Maximum number of labels along the axis. If there are more, they would touch, so every second one is left out.
const LABELS: usize = 9;

/// A contender's line: sizes of records in KiB, and KiB per second.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its label.
    pub contender: String,
    /// Its points, by record size.
    pub points: Vec<(f64, f64)>,
}

/// The drawing; `None` if there is no figure. `title` says what was done.
pub fn draw(lines: &[Line], title: &str) -> Option<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut sizes: Vec<f64> = points().map(|(size, _)| *size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let labels: Vec<&str> = lines.iter().map(|line| line.contender.as_str()).collect();
    let top = shape::legend_height(&labels, &[]);
    let x = Axis::logarithmic(&sizes, ROOM)?;
    let y = Axis::of_figures(&points().map(|(_, rate)| *rate).collect::<Vec<_>>(), (top + HEIGHT, top))?;
    let mut canvas = Canvas::new(top + HEIGHT + BOTTOM);
    shape::legend(&mut canvas, &labels, &[]);
    across(&mut canvas, &x, &sizes, top);
    upwards(&mut canvas, &y, top);
    for (index, line) in lines.iter().enumerate() {
        let places: Vec<_> = line.points.iter().map(|(size, rate)| (x.at(*size), y.at(*rate))).collect();
        canvas.polyline(&format!("path {}", shape::class(index)), &places);
        places.iter().for_each(|place| shape::mark(&mut canvas, index, *place));
    }
    Some(canvas.finish(&format!("{title}: KB/s over the size of records, {} contenders", lines.len())))
}

fn across(canvas: &mut Canvas, x: &Axis, sizes: &[f64], top: f64) {
    let bottom = top + HEIGHT;
    let every = if sizes.len() > LABELS { 2 } else { 1 };
    for (index, size) in sizes.iter().enumerate() {
        let at = x.at(*size);
        canvas.line("grid", (at, top), (at, bottom));
        if index % every == 0 {
            canvas.text("tick", Anchor::Middle, (at, bottom + 17.0), &grid::short(*size as u64));
        }
    }
    canvas.text("axis-title", Anchor::End, (ROOM.1, bottom + 38.0), "size of records, logarithmic →");
}

fn upwards(canvas: &mut Canvas, y: &Axis, top: f64) {
    for tick in y.ticks() {
        canvas.line("grid", (ROOM.0, y.at(tick)), (ROOM.1, y.at(tick)));
        canvas.text("tick", Anchor::End, (ROOM.0 - 8.0, y.at(tick) + 4.0), &short(&number::value(tick, "KB/s")));
    }
    let scale = match y.scale {
        Scale::Logarithmic => "↑ KB/s, logarithmic",
        Scale::Linear if y.has_zero() => "↑ KB/s",
        Scale::Linear => "↑ KB/s, not from 0",
    };
    canvas.text("axis-title", Anchor::Start, (ROOM.0, top + HEIGHT + 38.0), scale);
}
