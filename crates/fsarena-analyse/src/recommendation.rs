//! The best contender for the user's own mix of workloads: the same decisions and statistics as for the whole suite,
//! with weights.

mod advice;
mod preferences;

pub(crate) use advice::{SURE, another};

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, PairVerdict};
use fsarena_model::{Class, Mix, Plan, Recommendation, RunRecord, Unavailable, Weight};

use crate::durability::class;
use crate::looks::Standing;

/// One weighted name of the mix, with the workloads that it stands for.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    name: String,
    share: f64,
    /// Indices in the plan; all workloads of a part have equal weights.
    workloads: Vec<usize>,
}

/// The data that the advice follows from.
pub(crate) struct Evidence<'a> {
    record: &'a RunRecord,
    standing: &'a Standing,
    cells: &'a [Cell],
    verdicts: &'a [PairVerdict],
    parts: Vec<Part>,
    /// The weight of each workload in the mix, by index in the plan.
    weights: BTreeMap<usize, f64>,
}

impl<'a> Evidence<'a> {
    /// The evidence for a mix whose names all have a workload in the plan ([`covered`]).
    pub(crate) fn of(
        record: &'a RunRecord,
        standing: &'a Standing,
        cells: &'a [Cell],
        verdicts: &'a [PairVerdict],
        mix: &Mix,
    ) -> Self {
        let parts = parts(&record.plan, mix);
        let weights = weights(&parts);
        Self { record, standing, cells, verdicts, parts, weights }
    }

    /// The workloads that have no weight, by index in the plan.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        closed(&self.record.plan).filter(|number| !self.weights.contains_key(number))
    }
}

/// The recommendation for the plan's mix; `None` if the plan has no mix. `cells` and `verdicts` are those of the
/// comparison.
pub fn recommendation(
    record: &RunRecord,
    standing: &Standing,
    cells: &[Cell],
    verdicts: &[PairVerdict],
) -> Option<Recommendation> {
    let whole = record.plan.weighting.mix.as_ref()?;
    let mix = covered(&record.plan, whole)?;
    let evidence = Evidence::of(record, standing, cells, verdicts, &mix);
    let name = |number: &usize| record.plan.workloads[*number].name.to_string();
    let workloads = evidence.weights.iter().map(|(number, weight)| (name(number), *weight)).collect();
    let classes = classes(record).into_iter().map(|(class, members)| evidence.advice(class, &members));
    let (absent, without) = (absent(&record.plan, whole), without(&record.plan, whole));
    let profile = record.plan.weighting.profile.clone();
    Some(Recommendation { profile, mix, absent, workloads, without, classes: classes.collect() })
}

/// The weights of the names that have a workload in the plan; `None` if no name has one.
pub fn covered(plan: &Plan, mix: &Mix) -> Option<Mix> {
    let is_there = |weight: &&Weight| !members(plan, &weight.name).is_empty();
    Mix::of(mix.0.iter().filter(is_there).cloned().collect()).ok()
}

/// The names that have no workload in the plan, for another reason than missing programs.
pub(crate) fn absent(plan: &Plan, mix: &Mix) -> Vec<Weight> {
    let is_absent =
        |weight: &&Weight| members(plan, &weight.name).is_empty() && not_here(plan, &weight.name).is_empty();
    mix.0.iter().filter(is_absent).cloned().collect()
}

/// The first name in the mix that matches no workload of the plan, with all names that do match; `None` if all match.
pub fn unknown_names(plan: &Plan, mix: &Mix) -> Option<(String, Vec<String>)> {
    let unknown = mix.0.iter().find(|weight| members(plan, &weight.name).is_empty())?;
    let groups = plan.suite.groups.keys().filter(|group| !members(plan, group).is_empty()).cloned();
    let workloads = closed(plan).map(|number| plan.workloads[number].name.to_string());
    Some((unknown.name.clone(), groups.chain(workloads).collect()))
}

/// The workloads that `name` stands for and that cannot run here, because their programs are not installed.
pub fn not_here<'a>(plan: &'a Plan, name: &str) -> Vec<&'a Unavailable> {
    plan.suite.unavailable.iter().filter(|missing| is_of(plan, name, &missing.workload)).collect()
}

/// The unavailable workloads of all names in the mix.
fn without(plan: &Plan, mix: &Mix) -> Vec<Unavailable> {
    let counts = |missing: &&Unavailable| mix.0.iter().any(|weight| is_of(plan, &weight.name, &missing.workload));
    plan.suite.unavailable.iter().filter(counts).cloned().collect()
}

/// Whether a name stands for the workload: it is the workload's name, or the name of a group that contains it.
fn is_of(plan: &Plan, name: &str, workload: &str) -> bool {
    plan.suite.groups.get(name).map_or(workload == name, |group| group.iter().any(|member| member == workload))
}

/// The indices of all workloads except open loops.
fn closed(plan: &Plan) -> impl Iterator<Item = usize> {
    (0..plan.workloads.len()).filter(|number| !plan.workloads[*number].is_open_loop())
}

/// The indices of the workloads that a name stands for: the members of a group that are run, or the workload of that
/// name.
fn members(plan: &Plan, name: &str) -> Vec<usize> {
    closed(plan).filter(|number| is_of(plan, name, &plan.workloads[*number].name)).collect()
}

fn parts(plan: &Plan, mix: &Mix) -> Vec<Part> {
    let part = |weight: &Weight| Part {
        name: weight.name.clone(),
        share: weight.share,
        workloads: members(plan, &weight.name),
    };
    mix.0.iter().map(part).collect()
}

/// The weight of each workload; a workload in two parts gets the sum of both weights.
fn weights(parts: &[Part]) -> BTreeMap<usize, f64> {
    let mut weights = BTreeMap::new();
    for part in parts {
        for workload in &part.workloads {
            *weights.entry(*workload).or_insert(0.0) += part.share / part.workloads.len() as f64;
        }
    }
    weights
}

/// The contenders (indices in the plan) of each durability class that has two or more.
fn classes(record: &RunRecord) -> Vec<(Class, Vec<usize>)> {
    let mut classes: BTreeMap<Class, Vec<usize>> = BTreeMap::new();
    for contender in 0..record.plan.contenders.len() {
        if let Some(class) = class(record, contender) {
            classes.entry(class).or_default().push(contender);
        }
    }
    classes.into_iter().filter(|(_, members)| members.len() > 1).collect()
}
