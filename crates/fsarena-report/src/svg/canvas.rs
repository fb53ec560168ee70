//! Writes SVG elements; every text is escaped.

use std::fmt::Write;

use minijinja::HtmlEscape;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::WIDTH;
use crate::visible;

/// Approximate width of a column of text in the drawing's units, at the style sheet's 13 px.
const COLUMN: f64 = 7.0;

/// The part of a text that is at its position.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A drawing to which elements are added.
#[derive(Debug)]
pub struct Canvas {
    height: f64,
    body: String,
}

impl Canvas {
    /// An empty drawing.
    pub fn new(height: f64) -> Self {
        Self { height, body: String::new() }
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    /// A circle, filled unless its class says otherwise.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.push(format_args!(r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius}"/>"#));
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&mut self, class: &str, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
        let (width, height) = ((right - left).max(0.0), (bottom - top).max(0.0));
        self.push(format_args!(
            r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
        ));
    }

    /// A filled shape with these corners.
    pub fn polygon(&mut self, class: &str, corners: &[(f64, f64)]) {
        let points = points(corners);
        self.push(format_args!(r#"<polygon class="{class}" points="{points}"/>"#));
    }

    /// A line through these points.
    pub fn polyline(&mut self, class: &str, through: &[(f64, f64)]) {
        let points = points(through);
        self.push(format_args!(r#"<polyline class="{class}" points="{points}"/>"#));
    }

    /// A path in SVG's syntax.
    pub fn path(&mut self, class: &str, path: &str) {
        self.push(format_args!(r#"<path class="{class}" d="{path}"/>"#));
    }

    /// A text on the base line through `at`.
    pub fn text(&mut self, class: &str, anchor: Anchor, at: (f64, f64), text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let ((x, y), text) = (at, visible(text));
        let text = HtmlEscape(&text);
        self.push(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// A text that reads from bottom to top and ends at the given position.
    pub fn upward_text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let text = visible(text);
        let text = HtmlEscape(&text);
        self.push(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="end" transform="rotate(-90 {x:.1} {y:.1})">{text}</text>"#
        ));
    }

    /// The complete drawing. `label` describes it in words.
    pub fn finish(self, label: &str) -> String {
        let (height, body, label) = (self.height, self.body, visible(label));
        let label = HtmlEscape(&label);
        format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{body}</svg>"#)
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("a string takes everything");
    }
}

fn points(places: &[(f64, f64)]) -> String {
    places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

/// Approximate width of `text` in a drawing.
pub fn text_width(text: &str) -> f64 {
    text.width() as f64 * COLUMN
}

/// `text`, shortened to a width of at most `room`.
pub fn fitted(text: &str, room: f64) -> String {
    if text_width(text) <= room {
        return text.to_owned();
    }
    let mut left = (room / COLUMN) as usize;
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width < left;
        left = left.saturating_sub(width);
        fits
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_cut() {
        let mut canvas = Canvas::new(10.0);
        canvas.text("label", Anchor::End, (1.0, 2.0), "<script>&\"");
        let svg = canvas.finish("\"><b>");
        assert!(!svg.contains("<script>") && !svg.contains("<b>"), "{svg}");
        assert_eq!(fitted("btrfs:compress=zstd", 70.0), "btrfs:com…");
        assert_eq!(fitted("ext4", 70.0), "ext4");
    }
}
