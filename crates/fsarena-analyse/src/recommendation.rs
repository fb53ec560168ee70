//! The best contender for the user's own mix of workloads: the same decisions and statistics as for the whole suite,
//! with weights.

mod advice;

pub(crate) use advice::{SURE, another};

use std::collections::BTreeMap;

use fsarena_model::{Mix, Plan, Recommendation, Unavailable, Weight};

use crate::decisions::Decisions;

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
    decisions: &'a Decisions<'a>,
    parts: Vec<Part>,
    /// The weight of each workload in the mix, by index in the plan.
    weights: BTreeMap<usize, f64>,
}

impl<'a> Evidence<'a> {
    /// The evidence for a mix whose names all have a workload in the plan ([`covered`]).
    pub(crate) fn of(decisions: &'a Decisions<'a>, mix: &Mix) -> Self {
        let workloads = |name: &str| members(&decisions.analysis.record.plan, name);
        let part = |weight: &Weight| Part {
            name: weight.name.clone(),
            share: weight.share,
            workloads: workloads(&weight.name),
        };
        let parts: Vec<Part> = mix.0.iter().map(part).collect();
        // A workload in two parts gets the sum of both weights.
        let mut weights = BTreeMap::new();
        for part in &parts {
            for workload in &part.workloads {
                *weights.entry(*workload).or_insert(0.0) += part.share / part.workloads.len() as f64;
            }
        }
        Self { decisions, parts, weights }
    }

    fn plan(&self) -> &Plan {
        &self.decisions.analysis.record.plan
    }

    /// The workloads that have no weight, by index in the plan.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        closed(self.plan()).filter(|number| !self.weights.contains_key(number))
    }
}

/// The recommendation for the plan's mix; `None` if the plan has no mix.
pub(crate) fn recommendation(decisions: &Decisions<'_>) -> Option<Recommendation> {
    let plan = &decisions.analysis.record.plan;
    let whole = plan.weighting.mix.as_ref()?;
    let mix = covered(plan, whole)?;
    let evidence = Evidence::of(decisions, &mix);
    let name = |number: &usize| plan.workloads[*number].name.to_string();
    let mut classes = decisions.analysis.classes();
    classes.retain(|(_, members)| members.len() > 1);
    classes.sort_by_key(|(class, _)| *class);
    Some(Recommendation {
        profile: plan.weighting.profile.clone(),
        absent: absent(plan, whole),
        workloads: evidence.weights.iter().map(|(number, weight)| (name(number), *weight)).collect(),
        without: without(plan, whole),
        classes: classes.into_iter().map(|(class, members)| evidence.advice(class, &members)).collect(),
        mix,
    })
}

/// The weights of the names that have a workload in the plan; `None` if no name has one.
pub fn covered(plan: &Plan, mix: &Mix) -> Option<Mix> {
    let is_there = |weight: &&Weight| !members(plan, &weight.name).is_empty();
    Mix::of(mix.0.iter().filter(is_there).cloned().collect()).ok()
}

/// The names that have no workload in the plan.
pub(crate) fn absent(plan: &Plan, mix: &Mix) -> Vec<Weight> {
    mix.0.iter().filter(|weight| members(plan, &weight.name).is_empty()).cloned().collect()
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
