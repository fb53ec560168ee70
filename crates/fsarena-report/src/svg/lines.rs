//! Line charts: one line per name, both axes logarithmic.

use super::axis::{Axis, short};
use super::canvas::{Anchor, Canvas};
use super::{BOTTOM, WIDTH, shape};
use crate::number;

/// Space for the ticks to the left.
const LEFT: f64 = 62.0;

/// Space to the right.
const RIGHT: f64 = 18.0;

/// Height of the plane.
const HEIGHT: f64 = 200.0;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points from left to right, all above 0.
    pub points: Vec<(f64, f64)>,
}

/// The drawing; `None` if no line has a point. `titles` are those of the horizontal and of the vertical axis.
pub fn draw(lines: &[Line], titles: (&str, &str), print: fn(f64) -> String) -> Option<String> {
    let all = || lines.iter().flat_map(|line| &line.points);
    let labels: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let top = shape::legend_height(&labels, &[]);
    let bottom = top + HEIGHT;
    let x = Axis::logarithmic(&all().map(|(x, _)| *x).collect::<Vec<_>>(), (LEFT, WIDTH - RIGHT))?;
    let y = Axis::logarithmic(&all().map(|(_, y)| *y).collect::<Vec<_>>(), (bottom, top))?;
    let mut canvas = Canvas::new(bottom + BOTTOM + 16.0);
    shape::legend(&mut canvas, &labels, &[]);
    for tick in x.ticks() {
        canvas.line("grid", (x.at(tick), top), (x.at(tick), bottom));
        canvas.text("tick", Anchor::Middle, (x.at(tick), bottom + 17.0), &short(&number::value(tick, "")));
    }
    for tick in y.ticks() {
        canvas.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
        canvas.text("tick", Anchor::End, (LEFT - 8.0, y.at(tick) + 4.0), &short(&print(tick)));
    }
    canvas.line("one", (LEFT, y.at(1.0)), (WIDTH - RIGHT, y.at(1.0)));
    canvas.text("axis-title", Anchor::End, (WIDTH - RIGHT, bottom + 38.0), &format!("{}, logarithmic →", titles.0));
    canvas.text("axis-title", Anchor::Start, (LEFT, bottom + 56.0), &format!("↑ {}, logarithmic", titles.1));
    for (index, line) in lines.iter().enumerate() {
        let places: Vec<_> = line.points.iter().map(|(right, up)| (x.at(*right), y.at(*up))).collect();
        canvas.polyline(&format!("path {}", shape::class(index)), &places);
        places.iter().for_each(|place| shape::mark(&mut canvas, index, *place));
    }
    Some(canvas.finish(&format!("{} over {}", titles.1, titles.0)))
}
