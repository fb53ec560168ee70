//! Open loops: the offered rate, the rate achieved, and whether a contender keeps up.

use fsarena_model::comparison::Cell;
use fsarena_model::event::Note;
use fsarena_model::validity::bounds::KEEPS_UP;
use fsarena_model::{Finding, Probe, ProbeId, Reading, RunRecord, Severity, Trial, Workload, probe};

/// Whether a rate is about all of what was offered; both are operations per second.
fn keeps_up(offered: f64, done: f64) -> bool {
    done >= KEEPS_UP * offered
}

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
    (!keeps_up(offered, done)).then_some(Finding::BehindItsRate { offered, done })
}

/// For each open loop, which contenders keep up; and the workloads that run only as closed loops.
pub fn notes(record: &RunRecord, cells: &[Vec<Cell>]) -> Vec<Note> {
    let variants = record.plan.workloads.iter().zip(cells).filter(|(workload, _)| workload.is_open_loop());
    let notes = variants.filter_map(|(workload, cells)| of_variant(workload, cells)).chain(left_out(record));
    notes.map(|text| Note { severity: Severity::Info, text }).collect()
}

fn of_variant(workload: &Workload, cells: &[Cell]) -> Option<String> {
    let of = |cell: &Cell| {
        let (offered, done) = (cell.probe(probe::RATE_OFFERED)?, cell.probe(probe::RATE_DONE)?);
        let verb = if keeps_up(offered, done) { "keeps up" } else { "does not keep up" };
        Some(format!("{} {verb} (offered {}/s, done {}/s)", cell.contender, thousands(offered), thousands(done)))
    };
    let parts: Vec<String> = cells.iter().filter_map(of).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", workload.name, parts.join("; ")))
}

fn left_out(record: &RunRecord) -> Option<String> {
    let workloads = &record.plan.workloads;
    let bases: Vec<&str> = workloads.iter().filter(|workload| workload.is_open_loop()).map(Workload::base).collect();
    let is_left_out = |workload: &&Workload| !workload.is_open_loop() && !bases.contains(&workload.name.as_str());
    let names: Vec<&str> = workloads.iter().filter(is_left_out).map(|workload| workload.name.as_str()).collect();
    let text = format!("only in the closed loop, for they cannot keep a rate: {}", names.join(", "));
    (!bases.is_empty() && !names.is_empty()).then_some(text)
}

/// `22,000`; below 100 with two decimal places.
fn thousands(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let digits: Vec<char> = format!("{value:.0}").chars().collect();
    digits.rchunks(3).rev().map(String::from_iter).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(
            [5.0, 812.4, 1_999.6, 22_000.0, 1_234_567.0].map(thousands),
            ["5.00", "812", "2,000", "22,000", "1,234,567"]
        );
    }
}
