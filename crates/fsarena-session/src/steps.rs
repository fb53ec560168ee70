//! The steps of a cell: of each its figures over all rounds that count; and what verifying trials has found.

use fsarena_model::{RunRecord, Step, StepRow, Trial, VerificationRow};
use fsarena_stats::cell_summary;

/// A row for each step that any of the trials has, in the order of the first trial that has them.
pub fn rows(trials: &[&Trial]) -> Vec<StepRow> {
    let Some(first) = trials.iter().find(|trial| !trial.steps.is_empty()) else { return Vec::new() };
    first.steps.iter().filter_map(|step| row(&step.name, trials)).collect()
}

fn row(name: &str, trials: &[&Trial]) -> Option<StepRow> {
    let steps: Vec<&Step> = trials.iter().filter_map(|trial| find(trial, name)).collect();
    let of = |figure: fn(&Step) -> f64| cell_summary(&steps.iter().map(|step| figure(step)).collect::<Vec<_>>());
    let some = |figure: fn(&Step) -> Option<f64>| {
        let values: Option<Vec<f64>> = steps.iter().map(|step| figure(step)).collect();
        Some(cell_summary(&values?)?.median)
    };
    let seconds = of(|step| step.elapsed.as_seconds())?;
    Some(StepRow {
        name: name.to_owned(),
        operations: of(|step| step.operations as f64)?.median as u64,
        bytes: of(|step| step.bytes as f64)?.median as u64,
        seconds: seconds.median,
        low: seconds.low,
        high: seconds.high,
        synced: some(|step| Some(step.synced?.as_seconds())),
        written: some(|step| Some(step.written?.0 as f64)).map(|bytes| bytes as u64),
        rounds: steps.len() as u32,
    })
}

fn find<'a>(trial: &'a Trial, name: &str) -> Option<&'a Step> {
    trial.steps.iter().find(|step| step.name == name)
}

/// What was found, by trial; trials of rounds that do not count are in it.
pub fn verifications(record: &RunRecord) -> Vec<VerificationRow> {
    let row = |trial: &Trial| {
        let (workload, contender) = (trial.workload.clone(), trial.contender.clone());
        Some(VerificationRow { round: trial.round, workload, contender, found: trial.verified.clone()? })
    };
    record.trials.iter().filter_map(row).collect()
}
