//! A workload over the runs of a store, with the runs at which its level changed.

use fsarena_model::difference::FORMAT;
use fsarena_model::history::{HistoryPoint, LevelChange, Series};
use fsarena_model::{Better, History, Label, RunRecord, Workload, grouped};
use fsarena_stats::change_points;

use crate::analysis::Analysis;
use crate::evidence::objection;
use crate::{assess, contrasts};

/// The largest probability that a history without any change shows one.
const ALPHA: f64 = 0.05;

/// The history of a workload over `runs`, oldest first, as the latest of them does it; `None` if none has it.
pub fn history(runs: &[RunRecord], workload: &str) -> Option<History> {
    let of = |run: &RunRecord| run.plan.workloads.iter().find(|own| own.name == workload).cloned();
    let latest: Workload = runs.iter().rev().find_map(of)?;
    let (mut left_out, mut compared): (Vec<String>, Vec<Analysis<'_>>) = (Vec::new(), Vec::new());
    for run in runs {
        match of(run).map(|own| latest.unlike(&own)) {
            None => {}
            Some(_) if run.plan.is_smoke() => {}
            Some(unlike) if unlike.is_empty() => match compared.iter().find(|known| known.record.is_copy_of(run)) {
                Some(known) => left_out.push(format!("run {}: a copy of run {}", run.run, known.record.run)),
                None => compared.push(Analysis::new(run)),
            },
            Some(unlike) => left_out.push(format!("run {}: other work ({})", run.run, unlike.join(", "))),
        }
    }
    let points = compared.iter().flat_map(|run| {
        in_run(run, workload, &mut left_out).into_iter().map(move |(label, point)| (label, (run, point)))
    });
    let points = grouped(points);
    let alpha = ALPHA / points.len().max(1) as f64;
    let series = points.into_iter().map(|(label, points)| {
        let (runs, points): (Vec<&Analysis<'_>>, Vec<HistoryPoint>) = points.into_iter().unzip();
        let changes = changes(&runs, &points, latest.metric.better, alpha);
        Series { contender: label.clone(), points, changes }
    });
    Some(History {
        format: FORMAT,
        workload: workload.to_owned(),
        unit: latest.metric.unit.clone(),
        better: latest.metric.better,
        series: series.collect(),
        left_out,
    })
}

/// The figures of a run; those that cannot be trusted are listed instead.
fn in_run<'a>(analysis: &Analysis<'a>, workload: &str, left_out: &mut Vec<String>) -> Vec<(&'a Label, HistoryPoint)> {
    let (run, load) = (analysis.record, analysis.condition.load());
    let mut found = Vec::new();
    let Some(own) = analysis.workload(workload) else { return found };
    for contender in 0..analysis.count() {
        let (label, cell) = (analysis.label(contender), assess::cell(analysis, own, contender));
        let Some(median) = cell.figure.median else { continue };
        let slowed = (run.plan.slowdown(label) > 0.0).then(|| "slowed down on purpose".to_owned());
        if let Some(why) = objection(&cell).or(slowed) {
            left_out.push(format!("run {}, {label}: {why}", run.run));
            continue;
        }
        let point = HistoryPoint {
            run: run.run,
            started: run.started.clone(),
            tags: run.tags.clone(),
            median,
            low: cell.figure.low,
            high: cell.figure.high,
            load: load.clone(),
        };
        found.push((label, point));
    }
    found
}

fn changes(runs: &[&Analysis<'_>], points: &[HistoryPoint], better: Better, alpha: f64) -> Vec<LevelChange> {
    let logs: Vec<f64> = points.iter().map(|point| better.oriented_ln(point.median)).collect();
    let change = |found: fsarena_stats::ChangePoint| {
        let contrasts = contrasts::between(vec![runs[found.index - 1]], vec![runs[found.index]]);
        let differs = contrasts.into_iter().map(|contrast| contrast.what).collect();
        LevelChange { run: runs[found.index].record.run, ratio: found.size.exp(), p: found.p, differs }
    };
    change_points(&logs, alpha).into_iter().map(change).collect()
}
