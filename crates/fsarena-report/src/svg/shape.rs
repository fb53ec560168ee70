//! Distinguishes contenders in drawings with several lines: by shape and colour of their marks, and by name.

use super::WIDTH;
use super::canvas::{Anchor, Canvas, fitted, text_width};

/// Maximum width of a label.
const LABEL: f64 = 150.0;

/// The height of a line of the legend.
const LINE: f64 = 20.0;

/// Number of shapes. Further contenders use them again, in other colours.
const SHAPES: usize = 5;

/// Number of colours in the style sheet.
const COLOURS: usize = 6;

/// An entry of a legend besides the contenders' marks.
#[derive(Debug, Clone, Copy)]
pub enum Sign {
    /// A kind of line, by its class.
    Line(&'static str, &'static str),
    /// A ring around a mark.
    Ring(&'static str),
    /// A mark that is crossed out.
    Cross(&'static str),
}

/// The class of a contender's marks and lines.
pub fn class(index: usize) -> String {
    format!("series{}", index % COLOURS + 1)
}

/// The mark of contender `index` at a point.
pub fn mark(canvas: &mut Canvas, index: usize, (x, y): (f64, f64)) {
    let class = format!("mark {}", class(index));
    let around = |offsets: &[(f64, f64)]| offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
    match index % SHAPES {
        0 => canvas.circle(&class, (x, y), 3.8),
        1 => canvas.rectangle(&class, (x - 3.4, y - 3.4), (x + 3.4, y + 3.4)),
        2 => canvas.polygon(&class, &around(&[(0.0, -4.6), (4.4, 3.4), (-4.4, 3.4)])),
        3 => canvas.polygon(&class, &around(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)])),
        _ => canvas.polygon(&class, &around(&[(0.0, 4.6), (4.4, -3.4), (-4.4, -3.4)])),
    }
}

/// A ring around a mark.
pub fn ring(canvas: &mut Canvas, place: (f64, f64)) {
    canvas.circle("ring", place, 7.5);
}

/// Crosses a mark out.
pub fn cross(canvas: &mut Canvas, (x, y): (f64, f64)) {
    canvas.line("cross", (x - 6.0, y - 6.0), (x + 6.0, y + 6.0));
    canvas.line("cross", (x - 6.0, y + 6.0), (x + 6.0, y - 6.0));
}

/// Draws the contenders' marks and names, and the other signs with their meanings. Returns the height at which the
/// legend ends.
pub fn legend(canvas: &mut Canvas, labels: &[&str], signs: &[Sign]) -> f64 {
    let mut at = (0.0, LINE - 6.0);
    for (index, label) in labels.iter().enumerate() {
        let label = fitted(label, LABEL);
        let x = place(&mut at, 34.0 + text_width(&label));
        mark(canvas, index, (x + 6.0, at.1 - 4.0));
        canvas.text("label", Anchor::Start, (x + 16.0, at.1), &label);
    }
    signs.iter().for_each(|known| sign(canvas, &mut at, *known));
    at.1 + 12.0
}

/// Draws a sign and its meaning.
fn sign(canvas: &mut Canvas, at: &mut (f64, f64), sign: Sign) {
    let (Sign::Line(_, words) | Sign::Ring(words) | Sign::Cross(words)) = sign;
    let wide = if matches!(sign, Sign::Line(..)) { 28.0 } else { 14.0 };
    let x = place(at, wide + 20.0 + text_width(words));
    let (middle, y) = (x + 8.0, at.1 - 4.0);
    match sign {
        Sign::Line(class, _) => canvas.line(&format!("path {class}"), (x, y), (x + wide, y)),
        Sign::Ring(_) => ring(canvas, (middle, y)),
        Sign::Cross(_) => cross(canvas, (middle, y)),
    }
    canvas.text("tick", Anchor::Start, (x + wide + 6.0, at.1), words);
}

/// Height of a legend.
pub fn legend_height(labels: &[&str], signs: &[Sign]) -> f64 {
    legend(&mut Canvas::new(0.0), labels, signs)
}

/// The position at which an element of this width begins: on this line, or on the next.
fn place(at: &mut (f64, f64), width: f64) -> f64 {
    if at.0 > 0.0 && at.0 + width > WIDTH {
        *at = (0.0, at.1 + LINE);
    }
    let x = at.0;
    at.0 += width;
    x
}
