//! How contenders are told apart in drawings with several lines: by shape and colour of their marks, and by name.

use super::WIDTH;
use super::canvas::{Anchor, Canvas, fitted, text_width};

/// The widest that a label may be drawn.
const LABEL: f64 = 150.0;

/// The height of a line of the legend.
const LINE: f64 = 20.0;

/// How many shapes there are; further contenders begin again, in other colours.
const SHAPES: usize = 5;

/// How many colours the style sheet has.
const COLOURS: usize = 6;

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

/// Draws who has which mark and what the kinds of line mean; where the legend ends.
pub fn legend(canvas: &mut Canvas, labels: &[&str], lines: &[(&str, &str)]) -> f64 {
    let mut at = (0.0, LINE - 6.0);
    for (index, label) in labels.iter().enumerate() {
        let label = fitted(label, LABEL);
        let x = place(&mut at, 34.0 + text_width(&label));
        mark(canvas, index, (x + 6.0, at.1 - 4.0));
        canvas.text("label", Anchor::Start, (x + 16.0, at.1), &label);
    }
    for (class, words) in lines {
        let x = place(&mut at, 54.0 + text_width(words));
        canvas.line(&format!("path {class}"), (x, at.1 - 4.0), (x + 28.0, at.1 - 4.0));
        canvas.text("tick", Anchor::Start, (x + 34.0, at.1), words);
    }
    at.1 + 12.0
}

/// The lines that a legend takes up.
pub fn legend_height(labels: &[&str], lines: &[(&str, &str)]) -> f64 {
    legend(&mut Canvas::new(0.0), labels, lines)
}

/// Where something of that width begins: on this line, or on the next.
fn place(at: &mut (f64, f64), width: f64) -> f64 {
    if at.0 > 0.0 && at.0 + width > WIDTH {
        *at = (0.0, at.1 + LINE);
    }
    let x = at.0;
    at.0 += width;
    x
}
