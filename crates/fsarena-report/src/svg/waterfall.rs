//! From the time of the slower contender to that of the faster one, part by part.

use fsarena_model::explanation::Explanation;

use super::axis::Axis;
use super::{Anchor, BOTTOM, Canvas, ROW, TOP, WIDTH, scale, wrapped};
use crate::number::seconds;
use crate::why::{activity, change, unit};
use crate::words::capitalised;

/// Width of the names.
const LABEL: f64 = 190.0;

/// Space to the right of the bars for a figure.
const FIGURE: f64 = 70.0;

/// Half of a bar's height.
const HALF: f64 = 9.0;

/// Most parts that have a bar of their own.
const MOST: usize = 7;

/// A bar: its name, where it begins and ends, and what is printed next to it.
struct Bar {
    name: String,
    class: &'static str,
    from: f64,
    to: f64,
    figure: String,
}

/// The drawing; `None` without a difference.
pub fn waterfall(explanation: &Explanation) -> Option<String> {
    let bars = bars(explanation);
    let time = format!("time per {}", unit(explanation));
    let most = bars.iter().flat_map(|bar| [bar.from, bar.to]).fold(0.0, f64::max);
    let left = LABEL + 14.0;
    let axis = Axis::from_zero(most, (left, WIDTH - FIGURE))?;
    let names: Vec<Vec<String>> = bars.iter().map(|bar| wrapped(&bar.name, LABEL)).collect();
    let row = ROW * 1.15;
    let bottom = TOP + row * bars.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    scale(&mut canvas, &axis, bottom, seconds);
    canvas.text("axis-title", Anchor::End, (WIDTH - FIGURE, bottom + 38.0), &format!("← lower is better; {time}"));
    for (index, (bar, name)) in bars.iter().zip(&names).enumerate() {
        let y = TOP + row * (index as f64 + 0.5);
        let (start, end) = (axis.at(bar.from.min(bar.to)), axis.at(bar.from.max(bar.to)));
        canvas.lines("label", Anchor::End, (left - 10.0, y), name);
        canvas.rectangle(bar.class, (start, y - HALF), (end.max(start + 1.0), y + HALF));
        canvas.text("figure", Anchor::Start, (end + 6.0, y + 4.5), &bar.figure);
    }
    let words: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.figure)).collect();
    Some(canvas.finish(&format!("{}, from the slower to the faster: {}", capitalised(&time), words.join(", "))))
}

fn bars(explanation: &Explanation) -> Vec<Bar> {
    let Explanation { slower, faster, slower_seconds, faster_seconds, .. } = explanation;
    let whole = |name: String, class, seconds_of: f64| Bar {
        name,
        class,
        from: 0.0,
        to: seconds_of,
        figure: seconds(seconds_of),
    };
    let mut bars = vec![whole(slower.to_string(), "bar worst", *slower_seconds)];
    let mut at = *slower_seconds;
    let shown = explanation.parts.iter().take(MOST).map(|part| (activity(part.activity), part.difference.seconds));
    let rest: f64 = explanation.parts.iter().skip(MOST).map(|part| part.difference.seconds).sum();
    for (name, difference) in shown.chain((rest != 0.0).then_some(("all others", rest))) {
        let class = if difference > 0.0 { "bar best" } else { "bar worst" };
        bars.push(Bar { name: name.to_owned(), class, from: at, to: at - difference, figure: change(difference) });
        at -= difference;
    }
    bars.push(whole(faster.to_string(), "bar best", *faster_seconds));
    bars
}
