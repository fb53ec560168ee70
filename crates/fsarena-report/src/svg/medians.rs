//! The figures of a workload, a row for each contender or pair: medians with their intervals and rounds, and the ratios
//! of pairs.

use fsarena_model::comparison::{Cell, PairVerdict};
use fsarena_model::{Better, Verdict};

use super::axis::{Axis, Scale, short};
use super::{Anchor, BOTTOM, Canvas, ROW, TOP, WIDTH, fitted, text_width};
use crate::number::{self, three_digits};
use crate::pair;

/// Maximum width of a label.
const LABEL: f64 = 140.0;

/// Space for the figure to the right.
const FIGURE: f64 = 64.0;

/// One contender in a drawing.
#[derive(Debug, Clone, Copy)]
pub struct Dot<'a> {
    /// Its cell. An implausible or missing figure is not drawn.
    pub cell: &'a Cell,
    /// Whether no contender in the drawing is proved to be faster.
    pub leads: bool,
}

/// The drawing of the contenders' medians with their intervals, and each round's value as a faint dot, or as a ring if
/// it was set aside; `None` if there is no figure.
pub fn medians(dots: &[Dot<'_>], unit: &str, better: Better) -> Option<String> {
    let widest = dots.iter().map(|dot| text_width(&dot.cell.contender.0)).fold(0.0, f64::max);
    let left = widest.min(LABEL) + 14.0;
    let values: Vec<f64> = dots.iter().filter(|dot| dot.cell.is_plausible()).flat_map(|dot| values(dot.cell)).collect();
    let axis = Axis::of_figures(&values, (left, WIDTH - FIGURE))?;
    let bottom = TOP + ROW * dots.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    scale(&mut canvas, &axis, bottom, |tick| short(&number::value(tick, unit)));
    canvas.text("axis-title", Anchor::End, (WIDTH - FIGURE, bottom + 38.0), &title(&axis, unit, better));
    for (index, dot) in dots.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        let class = if dot.leads { "label leads" } else { "label" };
        canvas.text(class, Anchor::End, (left - 10.0, y + 4.5), &fitted(&dot.cell.contender.0, LABEL));
        contender(&mut canvas, &axis, dot, y, unit);
    }
    Some(canvas.finish(&format!("Medians of {} contenders in {unit}", dots.len())))
}

fn values(cell: &Cell) -> impl Iterator<Item = f64> {
    let rounds = cell.by_round.iter().copied().flatten();
    [cell.median, cell.low, cell.high].into_iter().flatten().chain(rounds)
}

/// Draws the ticks below rows.
fn scale(canvas: &mut Canvas, axis: &Axis, bottom: f64, print: impl Fn(f64) -> String) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        canvas.line("grid", (x, TOP), (x, bottom));
        canvas.text("tick", Anchor::Middle, (x, bottom + 17.0), &print(tick));
    }
}

/// The title of the axis, including properties of the scale that could mislead a reader.
fn title(axis: &Axis, unit: &str, better: Better) -> String {
    let scale = match axis.scale {
        Scale::Logarithmic => ", logarithmic",
        Scale::Linear if axis.has_zero() => "",
        Scale::Linear => ", not from 0",
    };
    match better {
        Better::Higher => format!("{unit}{scale}; higher is better →"),
        Better::Lower => format!("← lower is better; {unit}{scale}"),
    }
}

fn contender(canvas: &mut Canvas, axis: &Axis, dot: &Dot<'_>, y: f64, unit: &str) {
    let right = WIDTH - FIGURE + 8.0;
    let Some(median) = dot.cell.median.filter(|_| dot.cell.is_plausible()) else {
        return canvas.text("figure", Anchor::Start, (right, y + 4.5), "no figure");
    };
    let class = if dot.leads { "leads" } else { "" };
    for (index, value) in dot.cell.by_round.iter().enumerate() {
        let lift = (index % 5) as f64 * 2.6 - 5.2;
        let is_excluded = dot.cell.stability.excluded.contains(&(index as u32 + 1));
        let class = if is_excluded { "excluded" } else { "round" };
        value.iter().for_each(|value| canvas.circle(class, (axis.at(*value), y + lift), 2.6));
    }
    if let (Some(low), Some(high)) = (dot.cell.low, dot.cell.high) {
        let (from, to) = (axis.at(low), axis.at(high));
        canvas.line(&format!("interval {class}"), (from, y), (to, y));
        [from, to].iter().for_each(|x| canvas.line(&format!("cap {class}"), (*x, y - 5.0), (*x, y + 5.0)));
    }
    canvas.circle(&format!("median {class}"), (axis.at(median), y), 4.6);
    canvas.text("figure", Anchor::Start, (right, y + 4.5), &number::value(median, unit));
}

/// Maximum width of a pair's name.
const PAIR: f64 = 165.0;

/// Space for the verdict to the right.
const OUTCOME: f64 = 126.0;

/// The drawing of the ratios of pairs around 1, with both intervals and the band within which contenders count as
/// equivalent; `None` if there is no pair. `margin` is the equivalence margin, 0 to 1.
pub fn ratios(pairs: &[&PairVerdict], margin: f64) -> Option<String> {
    let widest = pairs.iter().map(|pair| text_width(&pair::name(pair))).fold(0.0, f64::max);
    let room = (widest.min(PAIR) + 14.0, WIDTH - OUTCOME);
    let values: Vec<f64> = pairs.iter().filter(|pair| is_drawn(pair)).flat_map(|pair| ratio_values(pair)).collect();
    let axis = Axis::of_ratios(&values, 1.0 + margin, room).filter(|_| !pairs.is_empty())?;
    let bottom = TOP + ROW * pairs.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    canvas.rectangle("margin", (axis.at(1.0 / (1.0 + margin)), TOP), (axis.at(1.0 + margin), bottom));
    scale(&mut canvas, &axis, bottom, tick_label);
    canvas.line("one", (axis.at(1.0), TOP - 4.0), (axis.at(1.0), bottom + 4.0));
    canvas.text("axis-title", Anchor::Start, (room.0, bottom + 38.0), "← second better");
    canvas.text("axis-title", Anchor::End, (room.1, bottom + 38.0), "first better →");
    for (index, pair) in pairs.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        canvas.text("label", Anchor::End, (room.0 - 10.0, y + 4.5), &fitted(&pair::name(pair), PAIR));
        ratio(&mut canvas, &axis, pair, y);
        canvas.text(&format!("figure {}", pair.verdict), Anchor::Start, (room.1 + 8.0, y + 4.5), &words(pair));
    }
    Some(canvas.finish(&format!("Ratios of {} pairs", pairs.len())))
}

fn is_drawn(pair: &PairVerdict) -> bool {
    pair.verdict != Verdict::Invalid
}

fn ratio_values(pair: &PairVerdict) -> impl Iterator<Item = f64> {
    [pair.ratio, pair.low, pair.high, pair.decision_low, pair.decision_high].into_iter().flatten()
}

fn tick_label(tick: f64) -> String {
    format!("{}×", short(&three_digits(tick)))
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

fn words(pair: &PairVerdict) -> String {
    match pair::ratio(pair).filter(|_| is_drawn(pair)) {
        Some(ratio) => format!("{} {}", ratio.times(), pair.verdict),
        None => pair.verdict.to_string(),
    }
}
