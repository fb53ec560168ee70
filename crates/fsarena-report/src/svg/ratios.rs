//! The ratios of pairs around 1, with both intervals and the band within which contenders count as equivalent.

use fsarena_model::Verdict;
use fsarena_model::comparison::PairVerdict;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, fitted, text_width};
use super::{BOTTOM, ROW, TOP, WIDTH};
use crate::number::three_digits;
use crate::pair;

/// Maximum width of a pair's name.
const LABEL: f64 = 165.0;

/// Space for the verdict to the right.
const OUTCOME: f64 = 126.0;

/// The drawing; `None` if there is no pair. `margin` is the equivalence margin, 0 to 1.
pub fn draw(pairs: &[&PairVerdict], margin: f64) -> Option<String> {
    let widest = pairs.iter().map(|pair| text_width(&pair::name(pair))).fold(0.0, f64::max);
    let room = (widest.min(LABEL) + 14.0, WIDTH - OUTCOME);
    let values: Vec<f64> = pairs.iter().filter(|pair| is_drawn(pair)).flat_map(|pair| values(pair)).collect();
    let axis = Axis::of_ratios(&values, 1.0 + margin, room).filter(|_| !pairs.is_empty())?;
    let bottom = TOP + ROW * pairs.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    canvas.rectangle("margin", (axis.at(1.0 / (1.0 + margin)), TOP), (axis.at(1.0 + margin), bottom));
    scale(&mut canvas, &axis, bottom);
    canvas.text("axis-title", Anchor::Start, (room.0, bottom + 38.0), "← second better");
    canvas.text("axis-title", Anchor::End, (room.1, bottom + 38.0), "first better →");
    for (index, pair) in pairs.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        canvas.text("label", Anchor::End, (room.0 - 10.0, y + 4.5), &fitted(&pair::name(pair), LABEL));
        ratio(&mut canvas, &axis, pair, y);
        canvas.text(word_class(pair.verdict), Anchor::Start, (room.1 + 8.0, y + 4.5), &words(pair));
    }
    Some(canvas.finish(&format!("Ratios of {} pairs", pairs.len())))
}

fn is_drawn(pair: &PairVerdict) -> bool {
    pair.verdict != Verdict::Invalid
}

fn values(pair: &PairVerdict) -> impl Iterator<Item = f64> {
    [pair.ratio, pair.low, pair.high, pair.decision_low, pair.decision_high].into_iter().flatten()
}

fn scale(canvas: &mut Canvas, axis: &Axis, bottom: f64) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        canvas.line("grid", (x, TOP), (x, bottom));
        canvas.text("tick", Anchor::Middle, (x, bottom + 17.0), &tick_label(tick));
    }
    canvas.line("one", (axis.at(1.0), TOP - 4.0), (axis.at(1.0), bottom + 4.0));
}

fn tick_label(tick: f64) -> String {
    let digits = three_digits(tick);
    let short = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{short}×")
}

fn ratio(canvas: &mut Canvas, axis: &Axis, pair: &PairVerdict, y: f64) {
    let Some(middle) = pair.ratio.filter(|_| is_drawn(pair)) else { return };
    let verdict = pair.verdict.to_string();
    if let (Some(low), Some(high)) = (pair.decision_low, pair.decision_high) {
        let (from, to) = (axis.at(low), axis.at(high));
        canvas.line(&format!("decision {verdict}"), (from, y), (to, y));
        [from, to].iter().for_each(|x| canvas.line(&format!("cap {verdict}"), (*x, y - 4.0), (*x, y + 4.0)));
    }
    if let (Some(low), Some(high)) = (pair.low, pair.high) {
        canvas.line(&format!("pointwise {verdict}"), (axis.at(low), y), (axis.at(high), y));
    }
    canvas.circle(&format!("median {verdict}"), (axis.at(middle), y), 4.6);
}

fn word_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "figure faster",
        Verdict::Slower => "figure slower",
        Verdict::Equivalent => "figure equivalent",
        Verdict::Undecided => "figure undecided",
        Verdict::Invalid => "figure invalid",
    }
}

fn words(pair: &PairVerdict) -> String {
    match pair::ratio(pair).filter(|_| is_drawn(pair)) {
        Some(ratio) => format!("{} {}", ratio.times(), pair.verdict),
        None => pair.verdict.to_string(),
    }
}
