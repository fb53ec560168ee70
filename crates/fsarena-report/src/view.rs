//! Tables of words that the text and the Markdown report share, before layout.

use fsarena_model::comparison::{Cell, ContenderRow, PairVerdict, SuiteRow, WorkloadRow};
use fsarena_model::{Comparison, ValidityClass, Verdict};

use crate::footnote::Footnotes;
use crate::group::{Group, groups};
use crate::number::DASH;
use crate::ranking::ranking;
use crate::{group, number, pair, ranking, remark, words};

/// A report's tables, and the sentences that they refer to.
#[derive(Debug)]
pub struct View {
    /// One table per durability class.
    pub groups: Vec<GroupView>,
    /// The footnotes; their marks count from 1.
    pub footnotes: Vec<String>,
}

/// The tables of the contenders of one durability class.
#[derive(Debug)]
pub struct GroupView {
    /// Why the group is shown separately; `None` for the first group.
    pub apart: Option<String>,
    /// The contenders' labels.
    pub contenders: Vec<String>,
    /// One row per workload.
    pub rows: Vec<Row>,
    /// One line per workload and pair, in a group of more than two contenders; otherwise empty.
    pub pairs: Vec<PairLine>,
    /// Each best group with its workloads; empty if no contender is proved worse than another.
    pub best: Vec<String>,
    /// One per pair, over all workloads.
    pub suite: Vec<SuiteLine>,
}

/// A workload of a group.
#[derive(Debug)]
pub struct Row {
    /// Its name, with a mark if its memory was limited.
    pub workload: Figure,
    /// The metric's unit.
    pub unit: String,
    /// Median and spread per contender, with marks.
    pub cells: Vec<Figure>,
    /// For two contenders: the statement, its interval, and the smallest difference that the run would have found. For
    /// more: the ranking. For one: nothing.
    pub outcome: Vec<Figure>,
    /// The best group; `None` in a group of fewer than three contenders.
    pub best: Option<String>,
}

/// A pair in a workload.
#[derive(Debug)]
pub struct PairLine {
    /// The workload's name.
    pub workload: String,
    /// `ext4 / xfs`.
    pub name: String,
    /// `1.18×`.
    pub ratio: String,
    /// The interval that the decision used.
    pub decision: String,
    /// The smallest difference that the run would have decided.
    pub finds_from: String,
    /// The verdict in words.
    pub outcome: Figure,
}

/// A pair over all workloads.
#[derive(Debug)]
pub struct SuiteLine {
    /// `ext4 / xfs`.
    pub name: String,
    /// `1.18×`, or a dash with the mark of its reason.
    pub ratio: Figure,
    /// The pointwise interval.
    pub interval: String,
    /// Number of workloads in the mean.
    pub workloads: String,
    /// Whether a mean exists.
    pub has_mean: bool,
}

/// A text with its verdict and its footnotes.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The text, without marks.
    pub text: String,
    /// Determines the colour; the text says the same.
    pub verdict: Option<Verdict>,
    /// Numbers of footnotes.
    pub marks: Vec<usize>,
}

impl View {
    /// The view of a comparison.
    pub fn new(comparison: &Comparison) -> Self {
        let mut notes = Footnotes::default();
        let groups = groups(comparison);
        let view = |(index, group)| group_view(comparison, group, index, &mut notes);
        let groups = groups.iter().enumerate().map(view).collect();
        Self { groups, footnotes: notes.sentences() }
    }
}

fn group_view(comparison: &Comparison, group: &Group<'_>, index: usize, notes: &mut Footnotes) -> GroupView {
    let rows = comparison.workloads.iter().map(|workload| row(comparison, group, workload, notes)).collect();
    let with_pairs = comparison.workloads.iter().filter(|_| group.contenders.len() > 2);
    let pairs = with_pairs.flat_map(|workload| group::verdicts(comparison, &workload.name, &group.contenders));
    let pairs = pairs.map(|pair| pair_line(comparison, pair, notes)).collect();
    GroupView {
        apart: (index > 0).then(|| remark::apart(group)).flatten(),
        contenders: group::labels(&group.contenders),
        rows,
        pairs,
        best: ranking::best_groups(comparison, group),
        suite: pair::suite_rows(comparison, group).into_iter().map(|row| suite_line(row, notes)).collect(),
    }
}

fn row(comparison: &Comparison, group: &Group<'_>, workload: &WorkloadRow, notes: &mut Footnotes) -> Row {
    let mut figure_of =
        |row: &&ContenderRow| figure(group::cell(comparison, &workload.name, &row.label), &workload.unit, notes);
    let cells = group.contenders.iter().map(&mut figure_of).collect();
    let outcome = outcomes(comparison, group, &workload.name, notes);
    let best = ranking::best(comparison, group, &workload.name);
    let marks = words::memory(workload).map(|limit| notes.of_sentence(limit)).into_iter().collect();
    let workload_name = Figure { text: workload.name.to_string(), verdict: None, marks };
    Row { workload: workload_name, unit: workload.unit.clone(), cells, outcome, best }
}

fn outcomes(comparison: &Comparison, group: &Group<'_>, workload: &str, notes: &mut Footnotes) -> Vec<Figure> {
    match group.contenders.len() {
        0 | 1 => Vec::new(),
        // The run judges nothing.
        2 if comparison.verdicts.is_empty() => vec![plain(DASH.to_owned()); 3],
        _ if comparison.verdicts.is_empty() => vec![plain(DASH.to_owned())],
        2 => match group::verdicts(comparison, workload, &group.contenders).next() {
            Some(pair) => only_pair(comparison, pair, notes),
            None => vec![plain(Verdict::Undecided.to_string()), plain(DASH.to_owned()), plain(DASH.to_owned())],
        },
        _ => vec![plain(ranking(comparison, group, workload).to_string())],
    }
}

fn only_pair(comparison: &Comparison, pair: &PairVerdict, notes: &mut Footnotes) -> Vec<Figure> {
    let decision = pair::decision(pair).map(|ratio| pair::better(pair, ratio).1);
    let decision = decision.filter(|_| pair.verdict != Verdict::Invalid);
    let marks = notes.of_pair(comparison, pair);
    vec![
        Figure { text: pair::statement(pair), verdict: Some(pair.verdict), marks },
        plain(pair::interval(decision)),
        plain(pair::finds_from(pair)),
    ]
}

fn pair_line(comparison: &Comparison, pair: &PairVerdict, notes: &mut Footnotes) -> PairLine {
    let valid = |ratio| Some(ratio).filter(|_| pair.verdict != Verdict::Invalid).flatten();
    let marks = notes.of_pair(comparison, pair);
    PairLine {
        workload: pair.workload.clone(),
        name: pair::name(pair),
        ratio: pair::times(valid(pair::ratio(pair))),
        decision: pair::interval(valid(pair::decision(pair))),
        finds_from: pair::finds_from(pair),
        outcome: Figure { text: pair::words(pair), verdict: Some(pair.verdict), marks },
    }
}

fn suite_line(row: &SuiteRow, notes: &mut Footnotes) -> SuiteLine {
    let marks = pair::suite_missing(row).map(|reason| notes.of_sentence(reason)).into_iter().collect();
    SuiteLine {
        name: pair::suite_name(row),
        ratio: Figure { text: pair::times(pair::suite_ratio(row)), verdict: None, marks },
        interval: pair::interval(pair::suite_ratio(row)),
        workloads: pair::suite_workloads(row),
        has_mean: row.ratio.is_some(),
    }
}

/// A cell's median and spread, with its marks.
fn figure(cell: Option<&Cell>, unit: &str, notes: &mut Footnotes) -> Figure {
    let Some(cell) = cell else { return plain(DASH.to_owned()) };
    let marks = notes.of_cell(cell);
    Figure { text: median(cell, unit), verdict: None, marks }
}

/// `31.2k ±1.3 %`, or why this figure is missing. An impossible figure is never printed as a result.
pub fn median(cell: &Cell, unit: &str) -> String {
    let has = |class| cell.validity.iter().any(|validity| validity.class == class);
    if has(ValidityClass::Impossible) {
        return "impossible".to_owned();
    }
    let Some(median) = cell.median else {
        return if has(ValidityClass::DidNotFinish) { "did not finish" } else { DASH }.to_owned();
    };
    let spread = number::spread(median, cell.low, cell.high);
    format!("{} {}", number::value(median, unit), spread.unwrap_or_else(|| "±?".to_owned()))
}

fn plain(text: String) -> Figure {
    Figure { text, verdict: None, marks: Vec::new() }
}
