//! CSV as one long table (RFC 4180 with line feeds). Any program can read it at once and filter by `kind`;
//! `docs/interface.md` has the kinds, and what `value` is in each.
//!
//! Every row has the run's number, start, seed, SHA-256 of the plan, kernel and processor, so that files of several
//! runs can be joined.
//!
//! A `cell` also has the shares of the harness, of the device's rate and of mere process starts (0 to 1), and seconds
//! and syncs per operation. A `verdict` also has what one contender of the pair guarantees and the other does not. The
//! three clocks and space are probes.
//!
//! Values that do not apply or could not be read are empty. Numbers have all their digits and a decimal point. Control
//! characters are shown as escapes. A text that a spreadsheet would take for a formula begins with `'`
//! (<https://owasp.org/www-community/attacks/CSV_Injection>).

use std::borrow::Cow;

use fsarena_model::Comparison;
use fsarena_model::comparison::{BaselineRow, Cell, PairVerdict, StandingRow, SuiteRow};

use crate::{finding, visible};

const COLUMNS: &str = "kind,workload,contender,against,round,metric,unit,value,low,high,decision_low,decision_high,\
    verdict,rounds,samples,needs_rounds,validity,reason,needs_seconds,in_best_group,workloads,harness_share,\
    ceiling_share,start_share,seconds_per_operation,syncs_per_operation,guarantees,leaning,detectable,run,started,seed,\
    plan_hash,kernel,processor";

/// Columns of text, which may come from a file or a path.
const TEXTS: [&str; 10] =
    ["workload", "contender", "against", "metric", "unit", "validity", "reason", "guarantees", "kernel", "processor"];

pub fn render(comparison: &Comparison) -> String {
    let cells = comparison.cells.iter().flat_map(cell_rows);
    let baselines = comparison.baselines.iter().map(reference_row);
    let verdicts = comparison.judged.verdicts.iter().map(verdict_row);
    let ranks = comparison.judged.standings.iter().map(rank_row);
    let suite = comparison.judged.suite_ratios.iter().map(suite_row);
    let of_run = of_run(comparison);
    let rows = cells.chain(baselines).chain(verdicts).chain(ranks).chain(suite);
    let lines = rows.map(|own| line(&[own, of_run.clone()].concat()));
    std::iter::once(format!("{COLUMNS}\n")).chain(lines).collect()
}

/// What every row says about the run.
fn of_run(comparison: &Comparison) -> NamedFields {
    let environment = &comparison.environment;
    vec![
        ("run", comparison.run.number.to_string()),
        ("started", comparison.run.started.clone()),
        ("seed", comparison.run.seed.clone()),
        ("plan_hash", comparison.run.plan_hash.clone()),
        ("kernel", environment.kernel.clone().unwrap_or_default()),
        ("processor", environment.cpu.clone().unwrap_or_default()),
    ]
}

/// A row's fields, each with the name of its column.
type NamedFields = Vec<(&'static str, String)>;

fn cell_rows(cell: &Cell) -> Vec<NamedFields> {
    let mut rows = vec![cell_row(cell)];
    for (index, value) in cell.by_round.iter().enumerate() {
        let mut row = base("round", cell, &cell.metric, &cell.unit);
        let is_excluded = cell.stability.excluded.contains(&(index as u32 + 1));
        let reason = if is_excluded { "excluded" } else { "" };
        row.extend([("round", (index + 1).to_string()), ("value", number(*value)), ("reason", reason.to_owned())]);
        rows.push(row);
    }
    for (name, reading) in &cell.probes {
        let mut row = base("probe", cell, name, &reading.unit);
        row.push(("value", number(reading.value)));
        rows.push(row);
    }
    for histogram in &cell.latencies.histograms {
        for bucket in &histogram.buckets {
            let mut row = base("bucket", cell, &format!("latency.{}", histogram.operation), "ops");
            row.extend([("value", bucket.count.to_string()), ("high", number(Some(bucket.at_most)))]);
            rows.push(row);
        }
    }
    rows
}

fn base(kind: &str, cell: &Cell, metric: &str, unit: &str) -> NamedFields {
    vec![
        ("kind", kind.to_owned()),
        ("workload", cell.workload.clone()),
        ("contender", cell.contender.to_string()),
        ("metric", metric.to_owned()),
        ("unit", unit.to_owned()),
    ]
}

fn cell_row(cell: &Cell) -> NamedFields {
    let mut row = base("cell", cell, &cell.metric, &cell.unit);
    let classes: Vec<_> = cell.validity.iter().map(|validity| validity.class.to_string()).collect();
    let texts: Vec<_> = cell.validity.iter().map(|validity| finding::sentence(&validity.finding)).collect();
    row.extend([
        ("value", number(cell.figure.median)),
        ("low", number(cell.figure.low)),
        ("high", number(cell.figure.high)),
        ("rounds", cell.rounds.to_string()),
        ("samples", cell.samples.to_string()),
        ("validity", classes.join(" ")),
        ("reason", texts.join(" ")),
        ("harness_share", number(cell.shares.harness)),
        ("ceiling_share", number(cell.shares.ceiling)),
        ("start_share", number(cell.shares.start)),
        ("seconds_per_operation", number(cell.per_operation.seconds)),
        ("syncs_per_operation", number(cell.per_operation.syncs)),
    ]);
    row
}

fn reference_row(row: &BaselineRow) -> NamedFields {
    vec![
        ("kind", "baseline".to_owned()),
        ("workload", row.workload.clone()),
        ("against", row.kind.to_string()),
        ("unit", row.unit.clone()),
        ("value", number(row.median)),
        ("rounds", row.rounds.to_string()),
        ("seconds_per_operation", number(row.seconds_per_operation)),
    ]
}

fn verdict_row(pair: &PairVerdict) -> NamedFields {
    vec![
        ("kind", "verdict".to_owned()),
        ("workload", pair.workload.clone()),
        ("contender", pair.a.to_string()),
        ("against", pair.b.to_string()),
        ("metric", pair.metric.clone()),
        ("value", number(pair.estimate.ratio)),
        ("low", number(pair.estimate.low)),
        ("high", number(pair.estimate.high)),
        ("decision_low", number(pair.decision.low)),
        ("decision_high", number(pair.decision.high)),
        ("verdict", pair.verdict.to_string()),
        ("rounds", pair.rounds.to_string()),
        ("needs_rounds", pair.needs.rounds.map(|rounds| rounds.to_string()).unwrap_or_default()),
        ("reason", pair.reason()),
        ("needs_seconds", number(pair.needs.seconds)),
        ("guarantees", pair.guarantees.clone()),
        ("leaning", pair.leaning.map(|side| side.to_string()).unwrap_or_default()),
        ("detectable", number(pair.detectable)),
    ]
}

fn rank_row(row: &StandingRow) -> NamedFields {
    let rank = |rank: Option<u32>| rank.map(|rank| rank.to_string()).unwrap_or_default();
    vec![
        ("kind", "rank".to_owned()),
        ("workload", row.workload.clone()),
        ("contender", row.contender.to_string()),
        ("low", rank(row.rank_best)),
        ("high", rank(row.rank_worst)),
        ("in_best_group", row.in_best_group.to_string()),
    ]
}

fn suite_row(row: &SuiteRow) -> NamedFields {
    vec![
        ("kind", "suite".to_owned()),
        ("contender", row.a.to_string()),
        ("against", row.b.to_string()),
        ("value", number(row.estimate.ratio)),
        ("low", number(row.estimate.low)),
        ("high", number(row.estimate.high)),
        ("reason", row.left_out.join("; ")),
        ("workloads", row.workloads.to_string()),
    ]
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

fn line(fields: &NamedFields) -> String {
    let of = |column: &str| fields.iter().find(|(name, _)| *name == column).map_or("", |(_, text)| text.as_str());
    COLUMNS.split(',').map(|column| quoted(&harmless(column, of(column)))).collect::<Vec<_>>().join(",") + "\n"
}

fn harmless<'a>(column: &str, text: &'a str) -> Cow<'a, str> {
    match TEXTS.contains(&column) && text.starts_with(['=', '+', '-', '@']) {
        true => format!("'{}", visible(text)).into(),
        false => visible(text),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
