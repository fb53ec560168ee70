//! Whether a program's run on a file system that was just made agrees with further runs on the same file system.
//!
//! A suite makes the file systems once a round, and programs find the files of others there. This compares the first
//! run after mkfs with the runs that follow it, round by round, with the code that decides comparisons.

use fsarena_model::{Estimate, Label, Relation, RunRecord, Variant, Workload};
use fsarena_stats::{Pair, Round, Rule, Sweep};
use serde::Serialize;

use crate::analysis::Analysis;
use crate::evidence::{Field, fields, ratio};
use crate::slice_lengths::{Agreement, agreement, one_look, one_sweep};

/// Number of runs of the workload on each file system.
const RUNS: u32 = 4;

/// The workload with several runs on each file system.
pub fn several_runs(workload: &Workload) -> Workload {
    let variant = Some(Variant { of: workload.name.to_string(), relation: Relation::Runs(RUNS) });
    let name = workload.name.variant(format_args!("{RUNS}-runs"));
    Workload { name, slices: RUNS, variant, ..workload.clone() }
}

/// A pair of contenders in a workload with several runs on each file system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FreshPair {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// How many times better the first contender is in the first run, with the pointwise 95 % interval.
    pub first: Estimate,
    /// The same in the runs that follow.
    pub later: Estimate,
    /// Whether both ratios agree.
    #[serde(rename = "agree")]
    pub agreement: Agreement,
}

/// The pairs of all workloads that were made by [`several_runs`].
///
/// Pairs with a contender that failed are left out.
pub fn fresh_pairs(record: &RunRecord) -> Vec<FreshPair> {
    let fields = fields(&Analysis::new(record));
    fields.iter().flat_map(|field| of_field(record, field)).collect()
}

fn of_field(record: &RunRecord, field: &Field) -> Vec<FreshPair> {
    let variant = record.plan.workloads[field.workload].variant.as_ref();
    let Some(Variant { of, relation: Relation::Runs(_) }) = variant else { return Vec::new() };
    let rule = Rule { margin: record.plan.margin.0, ..Rule::default() };
    let judged = |value: fn(&[Sweep], usize) -> Option<f64>| -> Vec<Pair> {
        let round =
            |round: &Round| one_sweep((0..field.members.len()).map(|member| value(&round.sweeps, member)).collect());
        let rounds = field.sweeps.rounds.iter().map(round).collect();
        let data = fsarena_stats::Workload { contenders: field.members.len(), rounds };
        one_look(rule, &[data]).pop().unwrap_or_default()
    };
    let (firsts, laters) = (judged(first), judged(later));
    let differences = judged(|sweeps, member| Some(later(sweeps, member)? - first(sweeps, member)?));
    let label = |member: usize| record.plan.contenders[field.members[member]].label.clone();
    let each = firsts.iter().zip(&laters).zip(&differences);
    each.map(|((first, later), difference)| FreshPair {
        workload: of.clone(),
        a: label(first.a),
        b: label(first.b),
        first: ratio(first.estimate, first.pointwise),
        later: ratio(later.estimate, later.pointwise),
        agreement: agreement(difference, rule.margin),
    })
    .collect()
}

/// A contender's logarithm in the first run.
fn first(sweeps: &[Sweep], member: usize) -> Option<f64> {
    *sweeps.first()?.get(member)?
}

/// The mean of a contender's logarithms in the runs after the first.
fn later(sweeps: &[Sweep], member: usize) -> Option<f64> {
    let later: Vec<f64> = sweeps.iter().skip(1).map(|sweep| *sweep.get(member)?).collect::<Option<_>>()?;
    (!later.is_empty()).then(|| later.iter().sum::<f64>() / later.len() as f64)
}
