//! Open loops: the offered rate, the rate achieved, and whether a contender keeps up.

use fsarena_model::event::Note;
use fsarena_model::validity::bounds::KEEPS_UP;
use fsarena_model::{Finding, Probe, ProbeId, Reading, RunRecord, Severity, Trial, Workload, probe};

/// The readings for the offered rate, if any, and for the rate achieved; the latter is recorded for closed loops, too.
pub fn readings(offered: Option<f64>, operations: u64, seconds: f64) -> impl Iterator<Item = (ProbeId, Reading)> {
    let reading = |probe: Probe, value: f64| probe.reading(Some(value).filter(|value| value.is_finite()));
    let offered = offered.map(|offered| reading(probe::RATE_OFFERED, offered));
    offered.into_iter().chain([reading(probe::RATE_DONE, operations as f64 / seconds)])
}

/// What is found in a cell whose contender does not keep up with the offered rate.
pub fn overloaded(trials: &[&Trial]) -> Option<Finding> {
    let value = |probe: Probe| fsarena_stats::median(trials.iter().filter_map(|trial| trial.probe(probe)));
    let (offered, done) = (value(probe::RATE_OFFERED)?, value(probe::RATE_DONE)?);
    (done < KEEPS_UP * offered).then_some(Finding::BehindItsRate { offered, done })
}

/// The note about the workloads that run only as closed loops.
pub fn left_out(record: &RunRecord) -> Option<Note> {
    let workloads = &record.plan.workloads;
    let bases: Vec<&str> = workloads.iter().filter(|workload| workload.is_open_loop()).map(Workload::base).collect();
    let is_left_out = |workload: &&Workload| !workload.is_open_loop() && !bases.contains(&workload.name.as_str());
    let names: Vec<&str> = workloads.iter().filter(is_left_out).map(|workload| workload.name.as_str()).collect();
    let text = format!("only in the closed loop, for they cannot keep a rate: {}", names.join(", "));
    (!bases.is_empty() && !names.is_empty()).then_some(Note { severity: Severity::Info, text })
}
