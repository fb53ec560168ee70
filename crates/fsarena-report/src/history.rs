//! The history of a workload, as a report with a chart of characters.

use std::collections::BTreeSet;

use fsarena_model::History;
use fsarena_model::history::{HistoryPoint, LevelChange, Series};

use crate::number::{self, or_dash, percent};
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{Entry, List, ListLook, Paragraph, Report, Role, Section, Sentence, Shade, TableLook, TableOf};
use crate::words::{better, counted, listed};

/// Columns of a chart.
const WIDTH: usize = 40;

const METHOD: &str = "A change of level is found where the mean of the runs before and after it differ most (binary \
    segmentation), and counts if a permutation test confirms it: a history without any change shows one with a \
    probability of at most 5 %. Runs of different days were not interleaved, so a change may be one of the machine; \
    `fsarena diff` shows what the machine did. The bar of a run is the 95 % interval of its median, by the noise \
    within the run.";

/// The report on a history.
pub fn report(history: &History, version: &str) -> Report {
    let points = history.series.iter().flat_map(|series| &series.points);
    let runs: BTreeSet<i64> = points.map(|point| point.run).collect();
    let head = format!("{} in {}, {}", history.workload, counted(runs.len(), "run"), better(history.better));
    let range = Range::of(history);
    let sections = history.series.iter().map(|series| section(history, series, range));
    let last = [
        Section::titled("Left out").with(List::new(ListLook::Notes, history.left_out.clone())),
        Section::titled("How changes are found").with(Paragraph::legend(METHOD)),
    ];
    Report::new(format!("History of {}", history.workload), head, version)
        .answering([answer(history)], sections.chain(last))
}

fn answer(history: &History) -> String {
    let of = |series: &Series| {
        let change = |change: &LevelChange| format!("{} {} from run {} on", series.contender, size(change), change.run);
        series.changes.iter().map(change).collect::<Vec<String>>()
    };
    match history.series.iter().flat_map(of).collect::<Vec<String>>() {
        none if none.is_empty() => "No change of level is found.".to_owned(),
        found => format!("{}.", listed(found)),
    }
}

/// `is 12 % better`.
fn size(change: &LevelChange) -> String {
    match change.ratio {
        better @ 1.0.. => format!("is {} better", percent(better - 1.0)),
        worse => format!("is {} worse", percent(worse.recip() - 1.0)),
    }
}

fn section(history: &History, series: &Series, range: Range) -> Section {
    let change = |point: &HistoryPoint| series.changes.iter().find(|change| change.run == point.run);
    let words = |point: &HistoryPoint| match change(point) {
        Some(change) => {
            let shade = if change.ratio > 1.0 { Shade::Faster } else { Shade::Slower };
            Sentence::new(Role::Verdict(shade), size(change))
        }
        None => Sentence::from(point.load.as_ref().map(|_| "busy").unwrap_or_default()),
    };
    let interval = |point: &HistoryPoint| or_dash(number::interval(point.low, point.high, &history.unit));
    let day = |point: &HistoryPoint| point.started.split('T').next().unwrap_or_default().to_owned();
    let table = TableOf::new(TableLook::Narrow, &series.points)
        .column(Figure, "run", |point| point.run.to_string())
        .column(Name, "day", day)
        .column(Words, "tags", |point| point.tags.join(" "))
        .column(Figure, history.unit.as_str(), |point| number::value(point.median, &history.unit))
        .column(Figure, "95 %", interval)
        .column(Words, range.title(&history.unit), |point| Entry::from(range.bar(point)).tinted("bar"))
        .column(Words, "level", words);
    let differs = |change: &LevelChange| {
        let what = match &change.differs[..] {
            [] => "nothing else that is recorded differs from the run before".to_owned(),
            differs => format!("other than in the run before: {}", listed(differs)),
        };
        format!("Run {}: {} than before; {what}.", change.run, size(change))
    };
    Section::titled(series.contender.to_string())
        .with(table)
        .with(List::new(ListLook::Notes, series.changes.iter().map(differs)))
}

/// The figures that a chart shows, as logarithms.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// All contenders have the same scale.
    fn of(history: &History) -> Self {
        let points = history.series.iter().flat_map(|series| &series.points);
        let ends = points.flat_map(|point| [point.low.unwrap_or(point.median), point.high.unwrap_or(point.median)]);
        let (low, high) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        Self { low: low.ln(), high: high.ln() }
    }

    /// `31.2k … 41.0k`: the ends of the scale.
    fn title(self, unit: &str) -> String {
        format!("{} … {}", number::value(self.low.exp(), unit), number::value(self.high.exp(), unit))
    }

    fn place(self, figure: f64) -> usize {
        let share = (figure.ln() - self.low) / (self.high - self.low);
        if share.is_finite() { (share.clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize } else { WIDTH / 2 }
    }

    fn bar(self, point: &HistoryPoint) -> String {
        let [low, middle, high] =
            [point.low, Some(point.median), point.high].map(|end| self.place(end.unwrap_or(point.median)));
        let cell = |column: usize| match column {
            _ if column == middle => '●',
            _ if (low..=high).contains(&column) => '─',
            _ => '·',
        };
        (0..WIDTH).map(cell).collect()
    }
}
