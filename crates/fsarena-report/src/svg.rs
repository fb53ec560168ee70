//! Drawings as SVG text; every text in them is escaped. The page's style sheet sets their colours. Contenders differ by
//! the shape and the colour of their marks, and by name.

pub mod axis;
pub(crate) mod lines;
pub(crate) mod medians;
pub mod plane;
pub(crate) mod waterfall;

use std::fmt::Write;

use minijinja::HtmlEscape;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::text::layout::visible;
use axis::{Axis, short};

/// The drawing's width in its own units; the page scales it.
pub const WIDTH: f64 = 480.0;

/// The height of a row.
pub const ROW: f64 = 30.0;

/// The height above the first row.
pub const TOP: f64 = 8.0;

/// The height below the last row, for the ticks and the title of the axis.
pub const BOTTOM: f64 = 46.0;

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
    /// The height in the drawing's own units; the width is [`WIDTH`].
    pub height: f64,
    body: String,
}

impl Canvas {
    /// An empty drawing.
    pub fn new(height: f64) -> Self {
        Self { height, body: String::new() }
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.path(class, &format!("M{}L{}", point(from), point(to)));
    }

    /// A circle, filled unless its class says otherwise.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let (x, y) = (tenths(x), tenths(y));
        self.push(format_args!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{radius}"/>"#));
    }

    /// Dots as one path; the width of its line is their diameter.
    pub fn dots(&mut self, class: &str, places: &[(f64, f64)]) {
        let dots: String = places.iter().map(|place| format!("M{}h0", point(*place))).collect();
        self.path(class, &dots);
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&mut self, class: &str, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
        let (width, height) = (tenths((right - left).max(0.0)), tenths((bottom - top).max(0.0)));
        let (x, y) = (tenths(left), tenths(top));
        self.push(format_args!(r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#));
    }

    /// A line through these points.
    pub fn polyline(&mut self, class: &str, through: &[(f64, f64)]) {
        let points: Vec<String> = through.iter().map(|place| point(*place)).collect();
        self.push(format_args!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" ")));
    }

    /// A path in SVG's syntax.
    pub fn path(&mut self, class: &str, path: &str) {
        self.push(format_args!(r#"<path class="{class}" d="{path}"/>"#));
    }

    /// A text on the base line through `at`.
    pub fn text(&mut self, class: &str, anchor: Anchor, at: (f64, f64), text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let (x, y, text) = (tenths(at.0), tenths(at.1), escaped(text));
        self.push(format_args!(r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{text}</text>"#));
    }

    /// A text of several lines whose middle is at the height of `at`.
    pub fn lines(&mut self, class: &str, anchor: Anchor, at: (f64, f64), lines: &[String]) {
        let first = at.1 + 4.5 - LINE_HEIGHT / 2.0 * lines.len().saturating_sub(1) as f64;
        for (index, line) in lines.iter().enumerate() {
            self.text(class, anchor, (at.0, first + LINE_HEIGHT * index as f64), line);
        }
    }

    /// A text that reads from bottom to top and ends at the given position.
    pub fn upward_text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        let turn = format!("rotate(-90 {x:.1} {y:.1})");
        self.push(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="end" transform="{turn}">{text}</text>"#
        ));
    }

    /// The complete drawing. `label` describes it in words.
    pub fn finish(self, label: &str) -> String {
        let (height, body, label) = (self.height, self.body, escaped(label));
        format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{body}</svg>"#)
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("a string takes everything");
    }
}

/// Draws the ticks of an axis below rows, which end at `bottom`.
pub fn scale(canvas: &mut Canvas, axis: &Axis, bottom: f64, print: impl Fn(f64) -> String) {
    for (tick, text) in axis.labelled_ticks(|tick| short(&print(tick))) {
        canvas.line("grid", (axis.at(tick), TOP), (axis.at(tick), bottom));
        canvas.text("tick", Anchor::Middle, (axis.at(tick), bottom + 17.0), &text);
    }
}

/// The style of a drawing in a file of its own: that of the page in light colours.
const STYLE: &str = "text{font:13px sans-serif;fill:#1b2226}.tick,.axis-title{font-size:11.5px;fill:#5a656c}\
    .grid{stroke:#e9ecea}.path{fill:none;stroke:#5a656c;stroke-width:1.6}.series1{fill:#0b6e99}.series2{fill:#b0560a}\
    .series3{fill:#5b7a12}.series4{fill:#8d3b8a}.series5{fill:#6b6250}.series6{fill:#b3324b}";

/// A drawing of lines and marks as a file of its own.
pub(crate) fn alone(drawing: &str) -> String {
    let parts = drawing.strip_prefix("<svg ").and_then(|rest| rest.split_once('>'));
    let Some((attributes, body)) = parts else { return String::new() };
    let begin = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {attributes}><style>{STYLE}</style>"#);
    let ground = r##"<rect width="100%" height="100%" fill="#fff"/>"##;
    format!("{begin}{ground}{body}\n")
}

/// Text of an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    HtmlEscape(&visible(text)).to_string()
}

fn point((x, y): (f64, f64)) -> String {
    format!("{},{}", tenths(x), tenths(y))
}

/// A coordinate with at most one decimal: a page has very many of them.
fn tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
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

/// The distance of two lines of a text.
pub const LINE_HEIGHT: f64 = 13.0;

/// `text` in lines of at most `room`, broken after the signs that separate options; a part that is longer is shortened.
pub fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive([':', ',', ' ']) {
        match lines.last_mut() {
            Some(line) if line.is_empty() || text_width(&format!("{line}{}", part.trim_end())) <= room => {
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    lines.iter().map(|line| fitted(line.trim_end(), room)).collect()
}

/// Maximum width of a label in a legend.
const LABEL: f64 = 150.0;

/// The height of a line of a legend.
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

/// The marks of contender `index` at some points, as one path: a page has thousands of them.
pub fn marks(canvas: &mut Canvas, index: usize, places: &[(f64, f64)]) {
    let from = |(x, y): &(f64, f64), dx: f64, dy: f64| format!("M{}", point((x + dx, y + dy)));
    let shape = |place: &(f64, f64)| match index % SHAPES {
        0 => from(place, -3.8, 0.0) + "a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z",
        1 => from(place, -3.4, -3.4) + "h6.8v6.8h-6.8z",
        2 => from(place, 0.0, -4.6) + "l4.4 8h-8.8z",
        3 => from(place, 0.0, -4.8) + "l4.8 4.8-4.8 4.8-4.8-4.8z",
        _ => from(place, 0.0, 4.6) + "l4.4-8h-8.8z",
    };
    canvas.path(&format!("mark {}", class(index)), &places.iter().map(shape).collect::<String>());
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
        marks(canvas, index, &[(x + 6.0, at.1 - 4.0)]);
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

/// The position at which an element of this width begins: on this line, or on the next.
fn place(at: &mut (f64, f64), width: f64) -> f64 {
    if at.0 > 0.0 && at.0 + width > WIDTH {
        *at = (0.0, at.1 + LINE);
    }
    let x = at.0;
    at.0 += width;
    x
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
