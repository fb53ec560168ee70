//! A plane for lines: latency on a logarithmic vertical axis, another quantity on the horizontal axis.

use super::axis::{Axis, short};
use super::canvas::{Anchor, Canvas};
use super::shape::{self, Sign};
use super::{BOTTOM, WIDTH};
use crate::number::seconds;

/// Space for the ticks to the left.
const LEFT: f64 = 62.0;

/// Space to the right, so that half of a tick's label fits.
const RIGHT: f64 = 18.0;

/// Height of the plane.
const HEIGHT: f64 = 210.0;

/// The signs in a legend of latencies besides the contenders' marks: the kinds of line, by class.
pub const LINES: &[Sign] = &[Sign::Line("p50", "median"), Sign::Line("p99", "99th percentile")];

/// The left and the right end of the plane.
pub const ROOM: (f64, f64) = (LEFT, WIDTH - RIGHT);

/// The plane with its axes.
#[derive(Debug)]
pub struct Plane {
    x: Axis,
    y: Axis,
    top: f64,
}

impl Plane {
    /// Begins a drawing with the legend, and makes the axes for these latencies; `None` if there are none.
    pub fn begin(x: Axis, latencies: &[f64], labels: &[&str], signs: &[Sign]) -> Option<(Self, Canvas)> {
        let top = shape::legend_height(labels, signs);
        let y = Axis::logarithmic(latencies, (top + HEIGHT, top))?;
        let mut canvas = Canvas::new(top + HEIGHT + BOTTOM);
        shape::legend(&mut canvas, labels, signs);
        Some((Self { x, y, top }, canvas))
    }

    /// Draws ticks and titles. `print` formats the ticks of the horizontal axis.
    pub fn scales(&self, canvas: &mut Canvas, print: impl Fn(f64) -> String, title: &str) {
        let (left, right) = ROOM;
        let bottom = self.top + HEIGHT;
        for tick in self.x.ticks() {
            canvas.line("grid", (self.x.at(tick), self.top), (self.x.at(tick), bottom));
            canvas.text("tick", Anchor::Middle, (self.x.at(tick), bottom + 17.0), &short(&print(tick)));
        }
        for tick in self.y.ticks() {
            canvas.line("grid", (left, self.y.at(tick)), (right, self.y.at(tick)));
            canvas.text("tick", Anchor::End, (left - 8.0, self.y.at(tick) + 4.0), &short(&seconds(tick)));
        }
        canvas.text("axis-title", Anchor::End, (right, bottom + 38.0), title);
        canvas.text("axis-title", Anchor::Start, (left, bottom + 38.0), "↑ latency, logarithmic");
    }

    /// The position of a pair of values.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// Draws the line through points of a contender, with its mark at each. `kind` is the class of one of the
    /// [`LINES`].
    pub fn path(&self, canvas: &mut Canvas, index: usize, kind: &str, points: &[(f64, f64)]) {
        let places: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        canvas.polyline(&format!("path {kind} {}", shape::class(index)), &places);
        places.iter().for_each(|place| shape::mark(canvas, index, *place));
    }
}
