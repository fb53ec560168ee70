//! The page's pictures of a reproduction: all tests in one table, the article's charts, and the same charts as measured
//! here.

use fsarena_model::{Better, distinct, grouped};
use fsarena_report::number::{self, DASH};
use fsarena_report::report::ColumnKind::{Name, Words};
use fsarena_report::report::{
    Arrangement, Drawing, Drawings, Entry, Fold, List, ListLook, Paragraph, Role, Section, Sentence, TableLook, TableOf,
};

use super::bars::{self, FigureBar, Frame, shade};
use super::{FigureForm, FoundFigure, UNFINISHED, times};
use crate::article::{CurveLine, PublishedMetric, PublishedTest, Shown, StatedOrder};
use crate::print::lines::{self, PlottedLine};
use crate::reproduction::{RatioOfArticle, ReproducedFigure, Reproduction};

/// The explanation of the charts.
const MEANING: &str = "The best is green, the worst red, those between blue, as articles draw them: colours of an \
    order, not of a verdict. Bars without a scale are an order only: of the article's picture just the text survives.";

/// The explanation of the table.
const ORDER: &str = "The main figure of each test, as published and as measured here in the same way. Best, between \
    and worst are the order of the figures on each side, not verdicts. A test leads to its charts.";

/// A test at one place of its axis.
struct ChartRow<'a> {
    test: &'a PublishedTest,
    metric: &'a PublishedMetric,
    anchor: String,
    place: String,
    published: Vec<FigureBar>,
    here: Vec<FigureBar>,
}

/// The table of all tests with several published figures.
pub fn matrix(reproduction: &Reproduction) -> Section {
    let rows: Vec<ChartRow<'_>> =
        (1..).zip(&reproduction.article.tests).flat_map(|(number, test)| rows_of(reproduction, number, test)).collect();
    let published = columns(&rows, |row| &row.published).map(|label| (format!("{label} published"), label));
    let here = columns(&rows, |row| &row.here).map(|label| (format!("{label} here"), label));
    let table = TableOf::new(TableLook::Standings, &rows)
        .column(Name, "test", name_of)
        .column(Words, "unit", |row| &row.metric.unit)
        .columns(Words, published, |row, label| entry(row, &row.published, label))
        .columns(Words, here, |row, label| entry(row, &row.here, label));
    Section::titled("Published, and measured in the same way").with(table).with(Paragraph::legend(ORDER))
}

fn rows_of<'a>(reproduction: &'a Reproduction, number: usize, test: &'a PublishedTest) -> Vec<ChartRow<'a>> {
    let Some(metric) = test.metrics.first() else { return Vec::new() };
    let here = groups(reproduction, test, metric, FigureForm::AsPublished);
    let row = |(place, published): (String, Vec<FigureBar>)| {
        let here = here.iter().find(|(other, _)| *other == place).map(|(_, bars)| bars.clone()).unwrap_or_default();
        (published.len() > 1).then(|| ChartRow { test, metric, anchor: anchor(number), place, published, here })
    };
    groups(reproduction, test, metric, FigureForm::Published).into_iter().filter_map(row).collect()
}

/// The labels of all bars, without duplicates.
fn columns(
    rows: &[ChartRow<'_>],
    bars: for<'r> fn(&'r ChartRow<'_>) -> &'r Vec<FigureBar>,
) -> impl Iterator<Item = String> {
    distinct(rows.iter().flat_map(bars).map(|bar| bar.label.clone())).into_iter()
}

fn name_of(row: &ChartRow<'_>) -> Sentence {
    let place = if row.place.is_empty() { String::new() } else { format!("at {}", row.place) };
    Sentence::new(Role::Link(row.anchor.clone()), &row.test.title).and(Role::Plain, place)
}

fn entry(row: &ChartRow<'_>, bars: &[FigureBar], label: &str) -> Entry {
    let Some(bar) = bars.iter().find(|bar| bar.label == label) else { return DASH.into() };
    let figure = Sentence::new(Role::Link(row.anchor.clone()), &bar.text);
    match shade(bar, bars, row.metric.better == Better::Higher) {
        Some(shade) => Entry::from(figure.and(Role::Verdict(shade), shade.to_string())).tinted(shade.to_string()),
        None => figure.into(),
    }
}

/// The charts of each test: published, and measured here.
pub fn charts(reproduction: &Reproduction) -> Section {
    let part = Section::titled("The article's charts next to ours");
    let tests = (1..).zip(&reproduction.article.tests);
    let tests = tests.filter_map(|(number, test)| charts_of(reproduction, number, test));
    part.with(Paragraph::legend(MEANING)).with_all(tests)
}

/// The anchor of the charts of a test, by its position in the article from 1 on.
fn anchor(number: usize) -> String {
    format!("test-{number}")
}

fn charts_of(reproduction: &Reproduction, number: usize, test: &PublishedTest) -> Option<Section> {
    let metric = test.metrics.first()?;
    let chart = |(form, caption): (FigureForm, &str)| {
        let svg = chart(reproduction, test, metric, form)?;
        Some(Drawing { caption: caption.to_owned(), svg })
    };
    let charts: Vec<Drawing> = CHARTS.into_iter().filter_map(chart).collect();
    (!charts.is_empty()).then(|| {
        Section::titled(&test.title)
            .with_hint(&test.original)
            .folded(Fold::Named(anchor(number)))
            .with(Paragraph::plain(Sentence::new(Role::Faint, &test.method)))
            .with(List::new(ListLook::Cares, &test.remark))
            .with(Drawings::new(Arrangement::Grid, charts))
    })
}

/// The forms of a test's charts, with their captions.
const CHARTS: [(FigureForm, &str); 3] = [
    (FigureForm::Published, "published"),
    (FigureForm::AsPublished, "measured here as published"),
    (FigureForm::Properly, "measured here properly"),
];

fn bar(form: FigureForm, figure: &ReproducedFigure) -> Option<FigureBar> {
    let FoundFigure { value, text, .. } = form.of(figure)?;
    Some(FigureBar { label: form.label(figure)?.to_owned(), value, text })
}

/// The chart of a test in one form, as the article's kind of chart.
fn chart(
    reproduction: &Reproduction,
    test: &PublishedTest,
    metric: &PublishedMetric,
    form: FigureForm,
) -> Option<String> {
    let direction = fsarena_report::better(metric.better);
    let title = format!("{}, {}; {direction}", metric.name, metric.unit);
    let frame = Frame { title: &title, is_higher_better: metric.better == Better::Higher, has_scale: true };
    let groups = groups(reproduction, test, metric, form);
    let ranks = || Some(ranks(metric)).filter(|svg| form == FigureForm::Published && !svg.is_empty());
    drawn(test, &groups, frame).or_else(ranks)
}

fn drawn(test: &PublishedTest, groups: &[(String, Vec<FigureBar>)], frame: Frame<'_>) -> Option<String> {
    match (groups, &test.axis) {
        ([], _) => None,
        ([(_, bars)], None) => bars::lying(bars, frame),
        (groups, axis) if test.shown == Shown::LineChart => series(groups, axis.as_deref().unwrap_or_default(), frame),
        (groups, axis) => bars::upright(groups, axis.as_deref().unwrap_or_default(), frame),
    }
}

/// Bars by place on the axis. Places without bars are left out.
fn groups(
    reproduction: &Reproduction,
    test: &PublishedTest,
    metric: &PublishedMetric,
    form: FigureForm,
) -> Vec<(String, Vec<FigureBar>)> {
    let own = reproduction.figures.iter().filter(|figure| figure.test == test.name && figure.metric == metric.name);
    grouped(own.filter_map(|figure| Some((figure.at.clone().unwrap_or_default(), bar(form, figure)?))))
}

/// A drawing for each order that the article states. The bars are horizontal, because names need space.
fn ranks(metric: &PublishedMetric) -> String {
    let svg = |(place, bars): (String, Vec<FigureBar>)| {
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let title = format!("{at}the order by {} only; the picture is lost", metric.name);
        bars::lying(&bars, Frame { title: &title, is_higher_better: true, has_scale: false })
    };
    ranked(metric).into_iter().filter_map(svg).collect()
}

/// Bars whose lengths show an order: the best is the longest.
fn ranked(metric: &PublishedMetric) -> Vec<(String, Vec<FigureBar>)> {
    let group = |ranking: &StatedOrder| {
        let count = ranking.order.len();
        let bars = ranking.order.iter().enumerate().flat_map(|(place, names)| {
            names.iter().map(move |name| FigureBar {
                label: name.clone(),
                value: (count - place) as f64,
                text: format!("{}.", place + 1),
            })
        });
        let unfinished = ranking.did_not_finish.iter().cloned();
        let unfinished = unfinished.map(|label| FigureBar { label, value: 0.0, text: UNFINISHED.to_owned() });
        (ranking.at.clone().unwrap_or_default(), bars.chain(unfinished).collect())
    };
    metric.rankings.iter().map(group).collect()
}

/// One line per contender over the places, without points where it did not finish. If a place is no number, upright
/// bars.
fn series(groups: &[(String, Vec<FigureBar>)], axis: &str, frame: Frame<'_>) -> Option<String> {
    let mut points: Vec<(&String, (f64, f64))> = Vec::new();
    for (place, bars) in groups {
        let Ok(x) = place.parse::<f64>() else { return bars::upright(groups, axis, frame) };
        points.extend(bars.iter().filter(|bar| bar.value > 0.0).map(|bar| (&bar.label, (x, bar.value))));
    }
    let line = |(name, points): (&String, Vec<(f64, f64)>)| PlottedLine { name: name.clone(), points };
    let all: Vec<PlottedLine> = grouped(points).into_iter().map(line).collect();
    lines::draw(&all, (axis, frame.title), |value| number::value(value, "things/s"))
}

/// The article's curves of speed-ups, published and measured here.
pub fn curves(reproduction: &Reproduction) -> Drawings {
    let of = |form: FigureForm, factor: &RatioOfArticle| match form {
        FigureForm::Published => factor.published,
        FigureForm::AsPublished => factor.as_published,
        FigureForm::Properly => factor.properly,
    };
    let mut charts = Vec::new();
    for curve in &reproduction.article.curves {
        for (form, caption) in CHARTS {
            let line = |line: &CurveLine| {
                let factor = |test: &str| reproduction.factors.iter().find(|factor| factor.test == test);
                let speed_up = |test: &str| of(form, factor(test)?);
                let points = line.points.iter().filter_map(|point| Some((point.x, speed_up(&point.test)?)));
                PlottedLine { name: line.name.clone(), points: points.collect() }
            };
            let all: Vec<PlottedLine> = curve.lines.iter().map(line).filter(|line| !line.points.is_empty()).collect();
            let svg = lines::draw(&all, (&curve.axis, "times better"), |value| times(Some(value)));
            charts.extend(svg.map(|svg| Drawing { caption: format!("{}, {caption}", curve.title), svg }));
        }
    }
    Drawings::new(Arrangement::Grid, charts)
}
