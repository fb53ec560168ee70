//! The steps of a cell: the figures of each step over all rounds that count, and the results of verifying trials.

use fsarena_model::{RunRecord, Step, StepRow, Trial, VerificationRow};
use fsarena_stats::{cell_summary, upper_median};

/// A row for each step, in the order of the first trial that has steps.
pub fn rows(trials: &[&Trial]) -> Vec<StepRow> {
    let Some(first) = trials.iter().find(|trial| !trial.steps.is_empty()) else { return Vec::new() };
    first.steps.iter().filter_map(|step| row(&step.name, trials)).collect()
}

fn row(name: &str, trials: &[&Trial]) -> Option<StepRow> {
    let steps: Vec<&Step> =
        trials.iter().filter_map(|trial| trial.steps.iter().find(|step| step.name == name)).collect();
    let of = |figure: fn(&Step) -> f64| cell_summary(&steps.iter().map(|step| figure(step)).collect::<Vec<_>>());
    // Counts may be 0, unlike ratios.
    let counted = |figure: fn(&Step) -> Option<u64>| {
        let values: Option<Vec<f64>> = steps.iter().map(|step| Some(figure(step)? as f64)).collect();
        upper_median(values?).map(|count| count as u64)
    };
    let synced: Option<Vec<f64>> = steps.iter().map(|step| Some(step.synced?.as_seconds())).collect();
    let seconds = of(|step| step.elapsed.as_seconds())?;
    Some(StepRow {
        name: name.to_owned(),
        operations: counted(|step| Some(step.operations))?,
        bytes: counted(|step| Some(step.bytes))?,
        seconds: seconds.median,
        low: seconds.low,
        high: seconds.high,
        synced: synced.and_then(|synced| Some(cell_summary(&synced)?.median)),
        written: counted(|step| Some(step.written?.0)),
        rounds: steps.len() as u32,
    })
}

/// The results of verification, by trial, including trials of rounds that do not count.
pub fn verifications(record: &RunRecord) -> Vec<VerificationRow> {
    let row = |trial: &Trial| {
        let (workload, contender) = (trial.workload.clone(), trial.contender.clone());
        Some(VerificationRow { round: trial.round, workload, contender, found: trial.verified.clone()? })
    };
    record.trials.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Bytes, Label, Nanos, Outcome};

    use super::*;

    fn trial(steps: Vec<Step>) -> Trial {
        Trial { steps, ..Trial::empty(1, "w", Label::from("ext4"), Outcome::Finished) }
    }

    #[test]
    fn a_step_that_carries_and_writes_nothing_has_a_row_too() {
        let step = |written| Step {
            name: "mkdir".to_owned(),
            operations: 50,
            bytes: 0,
            elapsed: Nanos(2_000_000),
            synced: None,
            written,
        };
        let trials = [Some(Bytes(0)), Some(Bytes(0)), Some(Bytes(4096))].map(|written| trial(vec![step(written)]));
        let row = rows(&trials.iter().collect::<Vec<_>>()).pop().expect("a row");
        assert_eq!((row.operations, row.bytes, row.written, row.synced, row.rounds), (50, 0, Some(0), None, 3));
        let uncounted = [trial(vec![step(Some(Bytes(1)))]), trial(vec![step(None)])];
        assert_eq!(rows(&uncounted.iter().collect::<Vec<_>>()).pop().expect("a row").written, None, "absent, not 0");
    }
}
