//! A plane with two axes, for lines of contenders.

use super::axis::{Axis, short};
use super::{Anchor, BOTTOM, Canvas, Sign, WIDTH, class, legend, marks, text_width};

/// Space for the ticks to the left.
const LEFT: f64 = 62.0;

/// Space to the right, so that half of a tick's label fits.
const RIGHT: f64 = 18.0;

/// Maximum number of marks on a line. More would hide it.
const MARKS: usize = 16;

/// The left and the right end of a plane.
pub const ROOM: (f64, f64) = (LEFT, WIDTH - RIGHT);

/// A plane with its axes.
#[derive(Debug)]
pub struct Plane {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The upper end of the plane.
    pub top: f64,
    /// The lower end of the plane.
    pub bottom: f64,
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
        let top = legend(&mut Canvas::new(0.0), labels, signs);
        let bottom = top + height;
        let mut canvas = Canvas::new(bottom + BOTTOM);
        legend(&mut canvas, labels, signs);
        Some((Self { x, y: y((bottom, top))?, top, bottom }, canvas))
    }

    /// Draws the ticks of the horizontal axis.
    pub fn ticks_across(&self, canvas: &mut Canvas, print: impl Fn(f64) -> String) {
        for (tick, text) in self.x.labelled_ticks(|tick| short(&print(tick))) {
            self.tick_across(canvas, tick, &text);
        }
    }

    /// Draws a tick of the horizontal axis; `label` may be empty.
    pub fn tick_across(&self, canvas: &mut Canvas, tick: f64, label: &str) {
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

    /// Draws the titles of both axes, in two lines if there is no room for one.
    pub fn titles(&self, canvas: &mut Canvas, across: &str, upwards: &str) {
        let fits = text_width(across) + text_width(upwards) < ROOM.1 - ROOM.0;
        let (first, second) = if fits { (38.0, 38.0) } else { (31.0, 44.0) };
        canvas.text("axis-title", Anchor::Start, (ROOM.0, self.bottom + first), upwards);
        canvas.text("axis-title", Anchor::End, (ROOM.1, self.bottom + second), across);
    }

    /// The position of a pair of values.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// Draws the line through points of a contender, with its mark at each, or at some of many. `kind` are the
    /// classes of such lines.
    pub fn path(&self, canvas: &mut Canvas, index: usize, kind: &str, points: &[(f64, f64)]) {
        let places: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        canvas.polyline(&format!("{kind} {}", class(index)), &places);
        let some: Vec<_> = places.iter().step_by(places.len().div_ceil(MARKS).max(1)).copied().collect();
        marks(canvas, index, &some);
    }
}
