//! The figures of a workload, a row for each contender or pair: medians with their intervals and rounds, and the ratios
//! of pairs.

use fsarena_model::comparison::{Cell, PairVerdict};
use fsarena_model::{Better, Label};

use super::axis::Axis;
use super::{Anchor, BOTTOM, Canvas, LINE_HEIGHT, ROW, TOP, WIDTH, fitted, scale, text_width, wrapped};
use crate::number::{self, three_digits};
use crate::pair;
use crate::report::Shade;

/// Maximum width of a label.
const LABEL: f64 = 165.0;

/// Space for the figure and its word to the right.
const FIGURE: f64 = 124.0;

/// Half of a bar's height.
const HALF: f64 = 10.0;

/// One contender in a drawing.
#[derive(Debug, Clone)]
pub struct Dot<'a> {
    /// Its cell. An implausible or missing figure is not drawn.
    pub cell: &'a Cell,
    /// The colour of its bar; `None` if there is nothing to compare it with.
    pub shade: Option<Shade>,
    pub word: String,
}

/// The drawing of the contenders' medians as bars from 0 with their intervals, and each round's value as a faint dot,
/// or as a ring if it was set aside; `None` if there is no figure.
pub fn medians(dots: &[Dot<'_>], unit: &str, better: Better) -> Option<String> {
    let names: Vec<Vec<String>> = dots.iter().map(|dot| wrapped(&dot.cell.contender.0, LABEL)).collect();
    let left = widest(&names) + 14.0;
    let row = row_height(&names);
    let plausible = dots.iter().filter(|dot| dot.cell.is_plausible());
    let most = plausible.flat_map(|dot| values(dot.cell)).fold(0.0, f64::max);
    let axis = Axis::from_zero(most, (left, WIDTH - FIGURE))?;
    let bottom = TOP + row * dots.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    scale(&mut canvas, &axis, bottom, |tick| number::value(tick, unit));
    canvas.text("axis-title", Anchor::End, (WIDTH - FIGURE, bottom + 38.0), &title(unit, better));
    for (index, (dot, name)) in dots.iter().zip(&names).enumerate() {
        let y = TOP + row * (index as f64 + 0.5);
        canvas.lines("label", Anchor::End, (left - 10.0, y), name);
        contender(&mut canvas, &axis, dot, y, unit);
    }
    let words: Vec<String> = dots.iter().map(|dot| format!("{} {}", dot.cell.contender, figure(dot, unit))).collect();
    Some(canvas.finish(&format!("{}: {}", title(unit, better), words.join(", "))))
}

fn values(cell: &Cell) -> impl Iterator<Item = f64> {
    let rounds = cell.by_round.iter().copied().flatten();
    [cell.figure.median, cell.figure.low, cell.figure.high].into_iter().flatten().chain(rounds)
}

fn title(unit: &str, better: Better) -> String {
    match better {
        Better::Higher => format!("{unit}; higher is better →"),
        Better::Lower => format!("← lower is better; {unit}"),
    }
}

/// `15.1k best`.
fn figure(dot: &Dot<'_>, unit: &str) -> String {
    match dot.cell.figure.median.filter(|_| dot.cell.is_plausible()) {
        Some(median) => format!("{} {}", number::value(median, unit), dot.word).trim_end().to_owned(),
        None => "no figure".to_owned(),
    }
}

fn contender(canvas: &mut Canvas, axis: &Axis, dot: &Dot<'_>, y: f64, unit: &str) {
    let right = WIDTH - FIGURE + 8.0;
    let shade = dot.shade.map(|shade| shade.to_string()).unwrap_or_default();
    canvas.text(&format!("figure {shade}"), Anchor::Start, (right, y + 4.5), &fitted(&figure(dot, unit), FIGURE));
    let Some(median) = dot.cell.figure.median.filter(|_| dot.cell.is_plausible()) else { return };
    canvas.rectangle(&format!("bar {shade}"), (axis.at(0.0), y - HALF), (axis.at(median), y + HALF));
    let mut counted = Vec::new();
    for (index, value) in dot.cell.by_round.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?))) {
        let place = (axis.at(value), y + (index % 5) as f64 * 2.6 - 5.2);
        match dot.cell.stability.excluded.contains(&(index as u32 + 1)) {
            true => canvas.circle("excluded", place, 2.2),
            false => counted.push(place),
        }
    }
    canvas.dots("round", &counted);
    if let (Some(low), Some(high)) = (dot.cell.figure.low, dot.cell.figure.high) {
        let (from, to) = (axis.at(low), axis.at(high));
        canvas.line("interval", (from, y), (to, y));
        [from, to].iter().for_each(|x| canvas.line("cap", (*x, y - 5.0), (*x, y + 5.0)));
    }
}

/// Maximum width of a line of a pair's name.
const PAIR: f64 = 150.0;

/// Space for the verdict to the right.
const OUTCOME: f64 = 150.0;

/// Space between the line of 1 and the words on both sides of it.
const GAP: f64 = 6.0;

/// The drawing of the ratios of pairs around 1, with both intervals and the band within which contenders count as
/// equivalent; `None` if there is no pair. `margin` is the equivalence margin, 0 to 1; `class` is that of a contender.
pub fn ratios(pairs: &[&PairVerdict], margin: f64, class: impl Fn(&Label) -> String) -> Option<String> {
    let name = |pair: &&PairVerdict| match pair::name(pair) {
        one if text_width(&one) <= PAIR => vec![one],
        _ => [wrapped(&format!("{} /", pair.a), PAIR), wrapped(&pair.b.0, PAIR)].concat(),
    };
    let names: Vec<Vec<String>> = pairs.iter().map(name).collect();
    let outcomes: Vec<Vec<String>> = pairs.iter().map(|pair| wrapped(&words(pair), OUTCOME - 8.0)).collect();
    let room = (widest(&names) + 14.0, WIDTH - OUTCOME);
    let row = row_height(&names).max(row_height(&outcomes));
    let values: Vec<f64> =
        pairs.iter().filter(|pair| pair::has_ratio(pair)).flat_map(|pair| ratio_values(pair)).collect();
    let axis = Axis::of_ratios(&values, 1.0 + margin, room).filter(|_| !pairs.is_empty())?;
    let bottom = TOP + row * pairs.len() as f64;
    let mut canvas = Canvas::new(bottom + BOTTOM);
    canvas.rectangle("margin", (axis.at(1.0 / (1.0 + margin)), TOP), (axis.at(1.0 + margin), bottom));
    scale(&mut canvas, &axis, bottom, |tick| format!("{}×", three_digits(tick)));
    canvas.line("one", (axis.at(1.0), TOP - 4.0), (axis.at(1.0), bottom + 4.0));
    canvas.text("axis-title", Anchor::End, (axis.at(1.0) - GAP, bottom + 38.0), "← second better");
    canvas.text("axis-title", Anchor::Start, (axis.at(1.0) + GAP, bottom + 38.0), "first better →");
    for (index, pair) in pairs.iter().enumerate() {
        let y = TOP + row * (index as f64 + 0.5);
        let class = pair::winner(pair).map_or(pair.verdict.to_string(), &class);
        ratio(&mut canvas, &axis, pair, y, &class);
        canvas.lines("label", Anchor::End, (room.0 - 10.0, y), &names[index]);
        canvas.lines(&format!("figure {class}"), Anchor::Start, (room.1 + 8.0, y), &outcomes[index]);
    }
    let words: Vec<String> = pairs.iter().map(|pair| format!("{}: {}", pair::name(pair), words(pair))).collect();
    Some(canvas.finish(&format!("Ratios: {}", words.join(", "))))
}

fn ratio_values(pair: &PairVerdict) -> impl Iterator<Item = f64> {
    [pair.estimate.ratio, pair.estimate.low, pair.estimate.high, pair.decision.low, pair.decision.high]
        .into_iter()
        .flatten()
}

fn ratio(canvas: &mut Canvas, axis: &Axis, pair: &PairVerdict, y: f64, class: &str) {
    let Some(middle) = pair.estimate.ratio.filter(|_| pair::has_ratio(pair)) else { return };
    if let (Some(low), Some(high)) = (pair.decision.low, pair.decision.high) {
        let (from, to) = (axis.at(low), axis.at(high));
        canvas.line(&format!("decision {class}"), (from, y), (to, y));
        [from, to].iter().for_each(|x| canvas.line(&format!("cap {class}"), (*x, y - 4.0), (*x, y + 4.0)));
    }
    if let (Some(low), Some(high)) = (pair.estimate.low, pair.estimate.high) {
        canvas.line(&format!("pointwise {class}"), (axis.at(low), y), (axis.at(high), y));
    }
    canvas.circle(&format!("median {class}"), (axis.at(middle), y), 4.6);
}

/// The width of the widest line.
fn widest(names: &[Vec<String>]) -> f64 {
    names.iter().flatten().map(|line| text_width(line)).fold(0.0, f64::max)
}

/// The height of a row that has room for the lines of each of the texts.
fn row_height(texts: &[Vec<String>]) -> f64 {
    let most = texts.iter().map(Vec::len).max().unwrap_or(1);
    ROW.max(LINE_HEIGHT * most as f64 + 6.0)
}

/// `1.15× xfs`, `1.02× xfs undecided`, `undecided`: how many times better which one is, and the verdict if it names
/// none.
fn words(pair: &PairVerdict) -> String {
    let Some(ratio) = pair::valid(pair, pair::ratio(pair)) else { return pair::words(pair) };
    let (better, ratio) = pair::better(pair, ratio);
    let verdict = if pair::winner(pair).is_some() { String::new() } else { format!(" {}", pair.verdict) };
    format!("{} {better}{verdict}", ratio.times())
}
