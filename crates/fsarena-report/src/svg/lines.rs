//! Line charts: a plane with two axes, and a line for each contender.

use super::axis::{Axis, Scale, short};
use super::{Anchor, BOTTOM, Canvas, Sign, WIDTH, class, legend, legend_height, mark};
use crate::{grid, number};

/// Space for the ticks to the left.
const LEFT: f64 = 62.0;

/// Space to the right, so that half of a tick's label fits.
const RIGHT: f64 = 18.0;

/// The left and the right end of a plane.
pub const ROOM: (f64, f64) = (LEFT, WIDTH - RIGHT);

/// Maximum number of labels of record sizes. If there are more, they would touch, so every second one is left out.
const LABELS: usize = 9;

/// A plane with its axes.
#[derive(Debug)]
pub struct Plane {
    x: Axis,
    y: Axis,
    top: f64,
    bottom: f64,
}

impl Plane {
    /// Begins a drawing with the legend. `y` makes the vertical axis between two positions; `None` if it makes none.
    pub fn begin(
        labels: &[&str],
        signs: &[Sign],
        height: f64,
        x: Axis,
        y: impl Fn((f64, f64)) -> Option<Axis>,
    ) -> Option<(Self, Canvas)> {
        let top = legend_height(labels, signs);
        let bottom = top + height;
        let mut canvas = Canvas::new(bottom + BOTTOM);
        legend(&mut canvas, labels, signs);
        Some((Self { x, y: y((bottom, top))?, top, bottom }, canvas))
    }

    /// Draws the ticks of the horizontal axis.
    pub fn ticks_across(&self, canvas: &mut Canvas, print: impl Fn(f64) -> String) {
        for tick in self.x.ticks() {
            self.tick_across(canvas, tick, &short(&print(tick)));
        }
    }

    fn tick_across(&self, canvas: &mut Canvas, tick: f64, label: &str) {
        canvas.line("grid", (self.x.at(tick), self.top), (self.x.at(tick), self.bottom));
        if !label.is_empty() {
            canvas.text("tick", Anchor::Middle, (self.x.at(tick), self.bottom + 17.0), label);
        }
    }

    /// Draws the ticks of the vertical axis.
    pub fn ticks_upwards(&self, canvas: &mut Canvas, print: impl Fn(f64) -> String) {
        for tick in self.y.ticks() {
            canvas.line("grid", (ROOM.0, self.y.at(tick)), (ROOM.1, self.y.at(tick)));
            canvas.text("tick", Anchor::End, (ROOM.0 - 8.0, self.y.at(tick) + 4.0), &short(&print(tick)));
        }
    }

    /// Draws the titles of both axes.
    pub fn titles(&self, canvas: &mut Canvas, across: &str, upwards: &str) {
        canvas.text("axis-title", Anchor::End, (ROOM.1, self.bottom + 38.0), across);
        canvas.text("axis-title", Anchor::Start, (ROOM.0, self.bottom + 38.0), upwards);
    }

    /// The position of a pair of values.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// Draws the line through points of a contender, with its mark at each.
    pub fn path(&self, canvas: &mut Canvas, index: usize, class: &str, points: &[(f64, f64)]) {
        let places: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        canvas.polyline(class, &places);
        places.iter().for_each(|place| mark(canvas, index, *place));
    }
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points from left to right, all above 0.
    pub points: Vec<(f64, f64)>,
}

fn coordinates(lines: &[Line], of: fn(&(f64, f64)) -> f64) -> Vec<f64> {
    lines.iter().flat_map(|line| &line.points).map(of).collect()
}

fn names(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.name.as_str()).collect()
}

fn paths(plane: &Plane, canvas: &mut Canvas, lines: &[Line]) {
    for (index, line) in lines.iter().enumerate() {
        plane.path(canvas, index, &format!("path {}", class(index)), &line.points);
    }
}

/// The drawing on two logarithmic axes; `None` if no line has a point. `titles` are those of the horizontal and of the
/// vertical axis.
pub fn draw(lines: &[Line], titles: (&str, &str), print: fn(f64) -> String) -> Option<String> {
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
pub fn over_records(lines: &[Line], title: &str) -> Option<String> {
    let mut sizes = coordinates(lines, |point| point.0);
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let rates = coordinates(lines, |point| point.1);
    let x = Axis::logarithmic(&sizes, ROOM)?;
    let (plane, mut canvas) = Plane::begin(&names(lines), &[], 190.0, x, |room| Axis::of_figures(&rates, room))?;
    let every = if sizes.len() > LABELS { 2 } else { 1 };
    for (index, size) in sizes.iter().enumerate() {
        let label = if index % every == 0 { grid::short(*size as u64) } else { String::new() };
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
