//! The input of the statistics: for each workload, the comparable contenders and their figures.

use std::collections::BTreeMap;

use fsarena_model::comparison::Cell;
use fsarena_model::{Estimate, Label, Outcome, Trial, Workload};
use fsarena_stats::{Interval, LogEstimate, Round, Sweep, round_value};

use crate::analysis::{Analysis, WorkloadTrials};

/// The contenders of one workload that may be ranked with each other.
pub(crate) struct Field {
    /// The workload's index in the plan.
    pub(crate) workload: usize,
    /// The contenders' indices in the plan.
    pub(crate) members: Vec<usize>,
    /// The rounds that count and in which each member has a value, in chronological order.
    pub(crate) rounds: Vec<FieldRound>,
    /// The slices of the members in all rounds from the first on; a round that does not count is empty.
    pub(crate) sweeps: fsarena_stats::Workload,
}

/// One round of a field; its vectors are in the order of the members.
pub(crate) struct FieldRound {
    /// The round's number.
    pub(crate) round: u32,
    /// The logarithm of each member's value, larger is better.
    pub(crate) values: Vec<f64>,
    /// The lane of each member; `None` for a contender with storage of its own.
    pub(crate) lanes: Vec<Option<u32>>,
}

/// The median of a trial's slices, in the metric's unit; `None` if it did not finish.
pub(crate) fn median(trial: &Trial) -> Option<f64> {
    let values: Vec<f64> = trial.slices.iter().map(|slice| slice.value).collect();
    (trial.outcome == Outcome::Finished).then(|| round_value(&values)).flatten()
}

/// The value of a trial: its median, turned so that larger is better, as a logarithm.
pub(crate) fn value(trial: &Trial, workload: &Workload) -> Option<f64> {
    median(trial).map(|value| workload.metric.better.oriented_ln(value))
}

/// A logarithm and its interval, as a ratio.
pub(crate) fn ratio(log: Option<f64>, interval: Option<Interval>) -> Estimate {
    Estimate::of(log.map(f64::exp), interval.map(|interval| interval.ratios()))
}

/// What is known of a logarithm, as a ratio with its pointwise 95 % interval.
pub(crate) fn pointwise(known: Option<LogEstimate>) -> Estimate {
    ratio(known.map(|known| known.estimate), known.map(|known| known.pointwise()))
}

/// Why a cell's figure must not be used; `None` if it may.
pub(crate) fn objection(cell: &Cell) -> Option<String> {
    let forbidden = cell.validity.iter().find(|flag| flag.class.forbids_verdict());
    forbidden.map(|flag| flag.class.to_string()).or((cell.rounds == 0).then(|| "no round counts".to_owned()))
}

/// The fields of all workloads, in their order; a field with a single member has no pair and is left out.
pub(crate) fn fields(analysis: &Analysis<'_>) -> Vec<Field> {
    let classes = analysis.classes();
    let each = analysis.workloads.iter().flat_map(|own| classes.iter().map(move |(_, members)| (own, members)));
    each.map(|(own, members)| field(analysis, own, members)).filter(|field| field.members.len() > 1).collect()
}

/// The field of the members of a class that take part in the workload and never failed in a counting round.
fn field(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>, class: &[usize]) -> Field {
    let workload = own.workload;
    let takes_part = |member: &usize| analysis.record.plan.takes_part(analysis.label(*member), &workload.name);
    let members = class.iter().copied().filter(|member| !own.failed(*member));
    let members: Vec<usize> = members.filter(takes_part).collect();
    let labels: Vec<&Label> = members.iter().map(|member| analysis.label(*member)).collect();
    let mut by_round: BTreeMap<u32, Vec<&Trial>> = BTreeMap::new();
    for trial in own.all.iter().filter(|trial| own.counts(trial.round)) {
        by_round.entry(trial.round).or_default().push(trial);
    }
    let whole = |(round, trials): (&u32, &Vec<&Trial>)| {
        let of = |label: &&Label| trials.iter().find(|trial| trial.contender == **label);
        let own: Vec<&&Trial> = labels.iter().map(of).collect::<Option<_>>()?;
        let values = own.iter().map(|trial| value(trial, workload)).collect::<Option<Vec<f64>>>()?;
        Some(FieldRound { round: *round, values, lanes: own.iter().map(|trial| trial.lane).collect() })
    };
    let rounds = by_round.iter().filter_map(whole).collect();
    let sweeps = |round| sweeps(workload, &labels, by_round.get(&round).map_or(&[][..], Vec::as_slice));
    let sweeps = (1..=analysis.last_round).map(sweeps).collect();
    let sweeps = fsarena_stats::Workload { contenders: members.len(), rounds: sweeps };
    Field { workload: own.index, members, rounds, sweeps }
}

/// The slices of `labels` in one round of a workload, sweep by sweep; `trials` holds the trials of all contenders.
pub(crate) fn sweeps(workload: &Workload, labels: &[&Label], trials: &[&Trial]) -> Round {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let own = trials.iter().filter(|trial| trial.contender == **label && trial.outcome == Outcome::Finished);
        for slice in own.flat_map(|trial| &trial.slices) {
            let sweep = slice.position as usize / trials.len();
            if sweeps.len() <= sweep {
                sweeps.resize(sweep + 1, vec![None; labels.len()]);
            }
            let y = workload.metric.better.oriented_ln(slice.value);
            sweeps[sweep][place] = Some(y).filter(|y| y.is_finite());
        }
    }
    Round { sweeps }
}
