//! A workload's section: description, drawings, figures, pairs, latencies, probes, and reasons to read it with care.

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, PairVerdict, WorkloadRow};
use fsarena_model::{Comparison, ValidityClass, Verdict};
use serde::Serialize;

use super::grids::{Grids, grids};
use super::latencies::{Latencies, latencies};
use super::matrix::anchor;
use crate::group::{Group, groups};
use crate::number::{self, DASH};
use crate::probe::ProbeRow;
use crate::svg::{medians, ratios};
use crate::table::{self, Baseline, Table};
use crate::{group, pair, probe, ranking, remark, view, words};

/// A workload on the page.
#[derive(Serialize)]
pub struct Section {
    anchor: String,
    name: String,
    version: u32,
    metric: String,
    unit: String,
    measures: String,
    why: String,
    facts: Vec<String>,
    parts: Vec<Part>,
    labels: Vec<String>,
    probes: Vec<ProbeRow>,
    grids: Option<Grids>,
    latencies: Latencies,
    explained: Vec<Table>,
    cares: Vec<Care>,
}

/// The contenders of one durability class within a section.
#[derive(Serialize)]
struct Part {
    apart: Option<String>,
    medians: Option<String>,
    ratios: Option<String>,
    is_ranked: bool,
    has_shares: bool,
    figures: Vec<FigureRow>,
    baselines: Vec<Baseline>,
    pairs: Vec<PairRow>,
}

#[derive(Serialize)]
struct FigureRow {
    contender: String,
    rank: String,
    leads: bool,
    median: String,
    interval: String,
    rounds: String,
    samples: u32,
    /// Where the time goes: `harness 97 %`, with its explanation.
    shares: Vec<(String, &'static str)>,
    validity: Vec<String>,
}

#[derive(Serialize)]
struct PairRow {
    class: String,
    name: String,
    ratio: String,
    decision: String,
    finds_from: String,
    words: String,
    reason: String,
    guarantees: String,
    rounds: u32,
}

/// A reason to read some cells with care.
#[derive(Serialize)]
struct Care {
    class: String,
    meaning: &'static str,
    contenders: String,
    text: String,
}

/// The sections in the suite's order.
pub fn sections(comparison: &Comparison) -> Vec<Section> {
    let groups = groups(comparison);
    let section = |(index, workload)| section(comparison, &groups, index, workload);
    comparison.workloads.iter().enumerate().map(section).collect()
}

fn section(comparison: &Comparison, groups: &[Group<'_>], index: usize, workload: &WorkloadRow) -> Section {
    let cells: Vec<_> = comparison
        .contenders
        .iter()
        .map(|contender| group::cell(comparison, &workload.name, &contender.label))
        .collect();
    let part = |(index, group)| part(comparison, group, index, workload);
    Section {
        anchor: anchor(index),
        name: workload.name.to_string(),
        version: workload.version,
        metric: workload.metric.clone(),
        unit: workload.unit.clone(),
        measures: workload.measures.clone(),
        why: workload.why.clone(),
        facts: facts(workload),
        parts: groups.iter().enumerate().map(part).collect(),
        labels: group::labels(&comparison.contenders.iter().collect::<Vec<_>>()),
        probes: probe::rows(&cells),
        grids: grids(&cells, &anchor(index)),
        latencies: latencies(comparison, workload, &cells),
        explained: table::of_workload(comparison, workload),
        cares: cares(&cells),
    }
}

/// How the workload is done, in a few words each.
fn facts(workload: &WorkloadRow) -> Vec<String> {
    let fixed = [
        words::better(workload.better),
        words::durable(workload.durable),
        words::cache(workload.cache),
        words::mode(workload.mode),
    ];
    fixed.map(str::to_owned).into_iter().chain(words::memory(workload)).collect()
}

fn part(comparison: &Comparison, group: &Group<'_>, index: usize, workload: &WorkloadRow) -> Part {
    let name = &workload.name;
    let cells: Vec<_> = group.contenders.iter().filter_map(|row| group::cell(comparison, name, &row.label)).collect();
    let pairs: Vec<_> = group::verdicts(comparison, name, &group.contenders).collect();
    let ranking = (group.contenders.len() > 1).then(|| ranking::ranking(comparison, group, name));
    let leaders = ranking.as_ref().and_then(|ranking| ranking.leaders()).unwrap_or_default();
    let leads = |cell: &Cell| leaders.iter().any(|label| **label == cell.contender);
    let dots: Vec<_> =
        cells.iter().map(|cell| medians::Dot { cell, leads: leads(cell), is_plausible: is_plausible(cell) }).collect();
    let figures: Vec<_> = cells.iter().map(|cell| figure(comparison, cell, leads(cell))).collect();
    Part {
        apart: (index > 0).then(|| remark::apart(group)).flatten(),
        medians: medians::draw(&dots, &workload.unit, workload.better),
        ratios: ratios::draw(&pairs, comparison.margin),
        is_ranked: group.contenders.len() > 1,
        has_shares: figures.iter().any(|row| !row.shares.is_empty()),
        figures,
        baselines: if index == 0 { table::baselines(comparison, workload) } else { Vec::new() },
        pairs: pairs.iter().map(|pair| pair_row(pair)).collect(),
    }
}

fn is_plausible(cell: &Cell) -> bool {
    !cell.validity.iter().any(|validity| validity.class == ValidityClass::Impossible)
}

fn figure(comparison: &Comparison, cell: &Cell, leads: bool) -> FigureRow {
    let unit = &cell.unit;
    let end = |value: Option<f64>| value.map(|value| number::value(value, unit));
    let interval = end(cell.low).zip(end(cell.high)).filter(|_| is_plausible(cell));
    FigureRow {
        contender: cell.contender.to_string(),
        rank: ranking::rank(comparison, &cell.workload, &cell.contender),
        leads,
        median: view::median(cell, unit),
        interval: interval.map_or(DASH.to_owned(), |(low, high)| format!("[{low}, {high}]")),
        rounds: rounds(cell),
        samples: cell.samples,
        shares: table::chips(comparison, cell),
        validity: cell.validity.iter().map(|validity| validity.class.to_string()).collect(),
    }
}

/// `6`, or `6 (3 excluded)`.
fn rounds(cell: &Cell) -> String {
    match cell.stability.excluded.len() {
        0 => cell.rounds.to_string(),
        count => format!("{} ({count} excluded)", cell.rounds),
    }
}

fn pair_row(pair: &PairVerdict) -> PairRow {
    let valid = |ratio| Some(ratio).filter(|_| pair.verdict != Verdict::Invalid).flatten();
    PairRow {
        class: class(pair),
        name: pair::name(pair),
        ratio: pair::times(valid(pair::ratio(pair))),
        decision: pair::interval(valid(pair::decision(pair))),
        finds_from: pair::finds_from(pair),
        words: pair::words(pair),
        reason: pair.reason.clone(),
        guarantees: pair.guarantees.clone(),
        rounds: pair.rounds,
    }
}

/// The style sheet's class of a pair.
fn class(pair: &PairVerdict) -> String {
    match pair.leaning.filter(|_| pair.verdict == Verdict::Undecided) {
        Some(_) => "leaning".to_owned(),
        None => pair.verdict.to_string(),
    }
}

/// A reason that several contenders share is listed once.
fn cares(cells: &[Option<&Cell>]) -> Vec<Care> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for cell in cells.iter().flatten() {
        for validity in &cell.validity {
            found.entry(validity).or_default().push(&cell.contender);
        }
    }
    let care = |(validity, contenders): (&fsarena_model::Validity, Vec<_>)| Care {
        class: validity.class.to_string(),
        meaning: words::validity(validity.class),
        contenders: words::listed(contenders),
        text: validity.text.clone(),
    };
    found.into_iter().map(care).collect()
}
