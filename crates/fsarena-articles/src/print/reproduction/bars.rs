//! Bars as articles draw them: the best is green, the worst is red, all others are blue.

use fsarena_report::number;
use fsarena_report::report::Shade;
use fsarena_report::svg::axis::{Axis, short};
use fsarena_report::svg::{Anchor, BOTTOM, Canvas, ROW, TOP, WIDTH, fitted, scale, text_width};

/// Maximum width of a label.
const LABEL: f64 = 150.0;

/// Space for the figure after a bar.
const FIGURE: f64 = 84.0;

/// Height of the plane of upright bars.
const HEIGHT: f64 = 170.0;

/// Space for the ticks to the left of upright bars.
const LEFT: f64 = 58.0;

/// Bars within this relative distance of the best or the worst count as equal to it.
const CLOSE: f64 = 0.01;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureBar {
    /// The label of its contender.
    pub label: String,
    /// Its length; 0 if the contender did not finish.
    pub value: f64,
    /// The figure next to it.
    pub text: String,
}

/// The properties that all bars of a drawing share.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The title of the axis, with the unit.
    pub title: &'a str,
    /// Whether longer bars are better.
    pub is_higher_better: bool,
    /// Whether lengths show values, not only an order.
    pub has_scale: bool,
}

/// Horizontal bars, one below the other, in the given order; `None` without bars.
pub fn lying(bars: &[FigureBar], frame: Frame<'_>) -> Option<String> {
    let widest = bars.iter().map(|bar| text_width(&bar.label)).fold(0.0, f64::max);
    let left = widest.min(LABEL) + 12.0;
    let most = bars.iter().map(|bar| bar.value).reduce(f64::max)?;
    let axis = Axis::from_zero(most, (left, WIDTH - FIGURE))?;
    let bottom = TOP + ROW * bars.len() as f64;
    let mut canvas = Canvas::new(bottom + if frame.has_scale { BOTTOM } else { BOTTOM - 16.0 });
    if frame.has_scale {
        scale(&mut canvas, &axis, bottom, figure);
    }
    let title = bottom + if frame.has_scale { 38.0 } else { 22.0 };
    canvas.text("axis-title", Anchor::End, (WIDTH - FIGURE, title), frame.title);
    for (index, bar) in bars.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        canvas.text("label", Anchor::End, (left - 8.0, middle + 4.5), &fitted(&bar.label, LABEL));
        let class = class(bar, bars, frame);
        canvas.rectangle(&class, (left, middle - 9.0), (axis.at(bar.value), middle + 9.0));
        canvas.text("figure", Anchor::Start, (axis.at(bar.value) + 6.0, middle + 4.5), &fitted(&bar.text, FIGURE));
    }
    Some(canvas.finish(&format!("Bars of {}: {}", bars.len(), frame.title)))
}

/// Groups of upright bars, each above its place on the axis; `None` without bars.
pub fn upright(groups: &[(String, Vec<FigureBar>)], axis: &str, frame: Frame<'_>) -> Option<String> {
    let most = groups.iter().flat_map(|(_, bars)| bars).map(|bar| bar.value).reduce(f64::max)?;
    let bottom = TOP + HEIGHT;
    let scale = Axis::from_zero(most, (bottom, TOP))?;
    let room = (WIDTH - LEFT) / groups.len() as f64;
    let longest = groups.iter().flat_map(|(_, bars)| bars).map(|bar| text_width(&bar.label)).fold(0.0, f64::max);
    let most_bars = groups.iter().map(|(_, bars)| bars.len()).max().unwrap_or(1).max(1);
    // Names that have no room next to each other read upwards.
    let length_upwards = (longest > room * 0.84 / most_bars as f64).then(|| longest.min(LABEL));
    let below = bottom + length_upwards.map_or(16.0, |length| length + 8.0);
    let mut canvas = Canvas::new(below + BOTTOM + 14.0);
    for tick in scale.ticks().into_iter().filter(|_| frame.has_scale) {
        canvas.line("grid", (LEFT, scale.at(tick)), (WIDTH, scale.at(tick)));
        canvas.text("tick", Anchor::End, (LEFT - 6.0, scale.at(tick) + 4.0), &short(&figure(tick)));
    }
    for (index, (place, bars)) in groups.iter().enumerate() {
        let left = LEFT + room * index as f64 + room * 0.08;
        let width = room * 0.84 / bars.len().max(1) as f64;
        for (number, bar) in bars.iter().enumerate() {
            let x = left + width * number as f64;
            canvas.rectangle(&class(bar, bars, frame), (x + 1.0, scale.at(bar.value)), (x + width - 1.0, bottom));
            let middle = x + width / 2.0;
            match length_upwards {
                None => canvas.text("tick", Anchor::Middle, (middle, bottom + 13.0), &bar.label),
                Some(length) => canvas.upward_text("tick", (middle + 4.0, bottom + 5.0), &fitted(&bar.label, length)),
            }
        }
        canvas.text("label", Anchor::Middle, (left + room * 0.42, below + 13.0), place);
    }
    canvas.text("axis-title", Anchor::End, (WIDTH, below + 34.0), axis);
    canvas.text("axis-title", Anchor::Start, (0.0, below + 52.0), &format!("↑ {}", frame.title));
    Some(canvas.finish(&format!("Bars over {axis}: {}", frame.title)))
}

/// The class of a bar. One that is alone is neither best nor worst.
fn class(bar: &FigureBar, group: &[FigureBar], frame: Frame<'_>) -> String {
    let shade = shade(bar, group, frame.is_higher_better).unwrap_or(Shade::Between);
    let ranked = if frame.has_scale { "" } else { " ranked" };
    format!("bar {shade}{ranked}")
}

/// Whether a bar is best, worst or between within its group; `None` if it is alone. If all are equally good, none is
/// the worst.
pub fn shade(bar: &FigureBar, group: &[FigureBar], is_higher_better: bool) -> Option<Shade> {
    let ends = |best: bool| {
        let values = group.iter().map(|bar| bar.value).filter(|value| *value > 0.0);
        if best == is_higher_better { values.fold(0.0, f64::max) } else { values.fold(f64::INFINITY, f64::min) }
    };
    let is_at = |end: f64| (bar.value - end).abs() / bar.value.abs().max(end.abs()) <= CLOSE;
    let shade = match bar.value {
        ..=0.0 => Shade::Worst,
        _ if is_at(ends(true)) => Shade::Best,
        _ if is_at(ends(false)) => Shade::Worst,
        _ => Shade::Between,
    };
    (group.len() > 1).then_some(shade)
}

/// The text of a tick.
fn figure(value: f64) -> String {
    number::value(value, "things/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64]) -> Vec<FigureBar> {
        let bar = |value: &f64| FigureBar { label: "ext4".to_owned(), value: *value, text: value.to_string() };
        values.iter().map(bar).collect()
    }

    const FRAME: Frame<'static> = Frame { title: "files/s", is_higher_better: true, has_scale: true };

    #[test]
    fn the_best_is_green_the_worst_red_and_the_others_blue() {
        let of = |values: &[f64], frame| {
            let bars = bars(values);
            bars.iter().map(|bar| class(bar, &bars, frame)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[10.0, 20.0, 30.0], FRAME), ["bar worst", "bar between", "bar best"]);
        let lower = Frame { is_higher_better: false, ..FRAME };
        assert_eq!(of(&[10.0, 20.0, 30.0], lower), ["bar best", "bar between", "bar worst"]);
        assert_eq!(of(&[150.0, 151.0], FRAME), ["bar best", "bar best"], "equal: none is the worst");
        assert_eq!(of(&[1.0], FRAME), ["bar between"]);
        let ranks = Frame { has_scale: false, ..FRAME };
        assert_eq!(of(&[1.0, 2.0], ranks), ["bar worst ranked", "bar best ranked"]);
    }

    #[test]
    fn drawings_stay_within_their_width() {
        for svg in [
            lying(&bars(&[1.0, 2e6]), FRAME).expect("bars"),
            upright(&[("1".to_owned(), bars(&[1.0, 2.0]))], "threads", FRAME).expect("bars"),
        ] {
            for part in svg.split("<rect ").skip(1) {
                let number = |name: &str| {
                    let (_, rest) = part.split_once(&format!("{name}=\"")).expect("there");
                    rest.split('"').next().and_then(|text| text.parse::<f64>().ok()).expect("a number")
                };
                assert!(number(" x") >= 0.0 && number(" x") + number("width") <= WIDTH, "{part}");
            }
        }
        assert_eq!(lying(&[], FRAME), None);
    }

    #[test]
    fn names_that_do_not_fit_next_to_each_other_are_upright_and_whole() {
        let group = |place: usize| (place.to_string(), bars(&[1.0, 2.0]));
        let many: Vec<(String, Vec<FigureBar>)> = (0..20).map(group).collect();
        let drawn = upright(&many, "threads", FRAME).expect("bars");
        assert!(drawn.contains("rotate(-90") && !drawn.contains('…'), "{drawn}");
        let few = upright(&[group(1)], "threads", FRAME).expect("bars");
        assert!(!few.contains("rotate"), "{few}");
    }
}
