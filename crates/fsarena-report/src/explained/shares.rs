//! Where the time goes: the harness, the host beneath the lane, and how close a contender comes to the bare device,
//! with the baselines that show it.

use fsarena_model::comparison::{BaselineRow, Cell, WorkloadRow};
use fsarena_model::{BaselineKind, Comparison};

use super::{CellFigure, ExplainedLine, ExplainedWorkload, computed, line, values};
use crate::number::{self, DASH, seconds, share};
use crate::report::{Role, Sentence};
use crate::words;

pub const SUBJECT: ExplainedWorkload = ExplainedWorkload {
    title: "Where the time goes",
    meaning: "Harness: the share of a contender's time that the same work takes in memory (tmpfs). Lane: what the host \
              beneath it takes for its flushes, beyond the device. Device: the share of the bare device's rate that is \
              reached. Starts: the share of its time that as many starts of a program that does nothing take.",
    lines: of_workload,
    brief: of_workload,
};

/// A share, its name in a table of figures, and its baseline.
#[rustfmt::skip]
const SHARES: [(CellFigure, &str, BaselineKind); 3] = [
    (computed("harness, of the time", |_, cell| cell.shares.harness, share,
        "The share of its time that the same work takes in memory."), "harness", BaselineKind::Memory),
    (computed("device, of its rate", |_, cell| cell.shares.ceiling, share,
        "The share of the bare device's rate that it reaches."), "device", BaselineKind::Device),
    (computed("starts, of the time", |_, cell| cell.shares.start, share,
        "The share of its time that as many mere starts of programs take."), "starts", BaselineKind::Start),
];

/// Share of the time from which the lane is mentioned.
const LANE_WORTH: f64 = 0.01;

/// The host's time for flushes has no baseline. The lane's cost is among the facts about the machine.
const LANE: CellFigure = computed(
    "lane, of the time",
    |_, cell| cell.shares.lane,
    share,
    "Its flushes, times what the host beneath the lane adds to each, but no more than they took.",
);

fn of_workload(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let [harness, device, starts] = SHARES.map(|(figure, _, place)| {
        let baselines = baseline(comparison, workload, place);
        let empty = || ExplainedLine {
            what: figure.what.into(),
            meaning: figure.meaning,
            values: vec![DASH.to_owned(); comparison.contenders.len()],
            baselines: String::new(),
        };
        let line = line(comparison, workload, &figure).or_else(|| baselines.as_ref().map(|_| empty()));
        line.map(|line| ExplainedLine { baselines: baselines.unwrap_or_default(), ..line })
    });
    let lane = values(comparison, workload, |_, cell| cell.shares.lane);
    let is_worth_it = lane.into_iter().flatten().any(|share| share >= LANE_WORTH);
    let lane = line(comparison, workload, &LANE).filter(|_| is_worth_it);
    harness.into_iter().chain(lane).chain(device).chain(starts).collect()
}

/// `in memory 260k files/s, 3.84 µs/op`.
fn baseline(comparison: &Comparison, workload: &WorkloadRow, place: BaselineKind) -> Option<String> {
    let row = comparison.baselines.iter().find(|row| row.workload == workload.name && row.kind == place)?;
    let median = row.median.map(|median| format!("{} {}", number::value(median, &row.unit), row.unit));
    let each = each(row);
    let figures: Vec<_> = [median, each].into_iter().flatten().collect();
    (!figures.is_empty()).then(|| format!("{} {}", words::place(place), figures.join(", ")))
}

/// `3.84 µs/op`, or `1.62 ms each` for process starts.
pub fn each(row: &BaselineRow) -> Option<String> {
    let seconds = seconds(row.seconds_per_operation?);
    Some(match row.kind {
        BaselineKind::Memory | BaselineKind::Device => format!("{seconds}/op"),
        BaselineKind::Start => format!("{seconds} each"),
    })
}

/// A baseline's median, with its unit if that is another one than the workload's.
pub fn median(workload: &WorkloadRow, row: &BaselineRow) -> String {
    let unit = if row.unit == workload.unit { String::new() } else { format!(" {}", row.unit) };
    row.median.map_or(DASH.to_owned(), |median| format!("{}{unit}", number::value(median, &row.unit)))
}

/// A cell's shares, each as `harness 97 %` with its explanation.
pub fn of_cell(comparison: &Comparison, cell: &Cell) -> Sentence {
    let [harness, device, starts] = SHARES.map(|(figure, word, _)| (figure, word));
    let lane = cell.shares.lane.filter(|share| *share >= LANE_WORTH).map(|_| (LANE, "lane"));
    let shares = [Some(harness), lane, Some(device), Some(starts)].into_iter().flatten();
    let shares = shares.filter_map(|(figure, word)| {
        let share = figure.of(comparison, cell).filter(|share| share.is_finite())?;
        Some((format!("{word} {}", (figure.print)(share)), figure.meaning))
    });
    shares.fold(Sentence::default(), |all, (share, meaning)| all.and_explained(Role::Share, share, meaning))
}
