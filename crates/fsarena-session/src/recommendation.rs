//! Who is best by the reader's own mix: the same decisions and the same statistics as for the whole suite, with weights.

mod advice;

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, PairVerdict};
use fsarena_model::{Durability, Mix, Plan, Recommendation, RunRecord, Unavailable};

use crate::durability::class;
use crate::looks::Standing;

/// What somebody weights, with the workloads that it stands for.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    name: String,
    share: f64,
    /// By number in the plan; within a part all count alike.
    workloads: Vec<usize>,
}

/// All that the advice follows from.
struct Evidence<'a> {
    record: &'a RunRecord,
    standing: &'a Standing,
    cells: &'a [Cell],
    verdicts: &'a [PairVerdict],
    parts: Vec<Part>,
    /// The weight of each workload that counts, by number in the plan.
    weights: BTreeMap<usize, f64>,
}

/// What follows from the plan's mix, if it has one; `cells` and `verdicts` are of the workloads that are shown.
pub fn recommendation(
    record: &RunRecord,
    standing: &Standing,
    cells: &[Cell],
    verdicts: &[PairVerdict],
) -> Option<Recommendation> {
    let mix = record.plan.mix.clone()?;
    let parts = parts(&record.plan, &mix);
    let weights = weights(&parts);
    let workloads = weights.iter().map(|(number, weight)| (record.plan.workloads[*number].name.to_string(), *weight));
    let workloads = workloads.collect();
    let evidence = Evidence { record, standing, cells, verdicts, parts, weights };
    let classes = classes(record).into_iter().map(|(durability, members)| evidence.advice(durability, &members));
    let without = without(&record.plan, &mix);
    Some(Recommendation { mix, workloads, without, classes: classes.collect() })
}

/// A name in the mix that stands for no workload of the plan, with those that would.
pub fn unknown_names(plan: &Plan, mix: &Mix) -> Option<(String, Vec<String>)> {
    let unknown = mix.0.iter().find(|weight| members(plan, &weight.name).is_empty())?;
    let groups = plan.groups.keys().filter(|group| !members(plan, group).is_empty()).cloned();
    let workloads = closed(plan).map(|number| plan.workloads[number].name.to_string());
    Some((unknown.name.clone(), groups.chain(workloads).collect()))
}

/// The workloads that a name stands for and that are not run, since their programs are not there.
pub fn not_here<'a>(plan: &'a Plan, name: &str) -> Vec<&'a Unavailable> {
    plan.unavailable.iter().filter(|missing| is_of(plan, name, &missing.workload)).collect()
}

/// Those of all names of the mix.
fn without(plan: &Plan, mix: &Mix) -> Vec<Unavailable> {
    let counts = |missing: &&Unavailable| mix.0.iter().any(|weight| is_of(plan, &weight.name, &missing.workload));
    plan.unavailable.iter().filter(counts).cloned().collect()
}

/// Whether a name stands for the workload: it is a group that has it, or its own.
fn is_of(plan: &Plan, name: &str, workload: &str) -> bool {
    plan.groups.get(name).map_or(workload == name, |group| group.iter().any(|member| member == workload))
}

/// All workloads but open loops, by number.
fn closed(plan: &Plan) -> impl Iterator<Item = usize> {
    (0..plan.workloads.len()).filter(|number| plan.workloads[*number].variant.is_none())
}

/// The workloads that a name stands for: those of the group, as far as they are run, or the one of that name.
fn members(plan: &Plan, name: &str) -> Vec<usize> {
    closed(plan).filter(|number| is_of(plan, name, &plan.workloads[*number].name)).collect()
}

fn parts(plan: &Plan, mix: &Mix) -> Vec<Part> {
    let part = |weight: &fsarena_model::Weight| Part {
        name: weight.name.clone(),
        share: weight.share,
        workloads: members(plan, &weight.name),
    };
    mix.0.iter().map(part).filter(|part| !part.workloads.is_empty()).collect()
}

/// A workload that is in two parts has both its weights.
fn weights(parts: &[Part]) -> BTreeMap<usize, f64> {
    let mut weights = BTreeMap::new();
    for part in parts {
        for workload in &part.workloads {
            *weights.entry(*workload).or_insert(0.0) += part.share / part.workloads.len() as f64;
        }
    }
    weights
}

/// The contenders of each durability class, by number, where there are two or more.
fn classes(record: &RunRecord) -> Vec<(Durability, Vec<usize>)> {
    let mut classes: BTreeMap<Durability, Vec<usize>> = BTreeMap::new();
    for contender in 0..record.plan.contenders.len() {
        if let Some(class) = class(record, contender) {
            classes.entry(class).or_default().push(contender);
        }
    }
    classes.into_iter().filter(|(_, members)| members.len() > 1).collect()
}
