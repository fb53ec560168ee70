//! A record, with what several rules derive from it: trials by workload and contender, the rounds that count, and the
//! classes of contenders that are ranked with each other.

use fsarena_model::grouped;
use fsarena_model::{
    Baseline, BaselineKind, Class, Contender, ContenderFacts, Durability, Label, LaneCost, Outcome, RunRecord, Trial,
    Workload,
};
use fsarena_stats::pairs;

use crate::evidence::value;
use crate::noise::Condition;
use crate::{baselines, durability};

/// A record and what follows from it, made once.
pub struct Analysis<'a> {
    pub(crate) record: &'a RunRecord,
    /// The machine's condition, which the verdicts refer to.
    pub(crate) condition: Condition<'a>,
    /// In the plan's order.
    pub(crate) workloads: Vec<WorkloadTrials<'a>>,
    /// The cost of a write and flush on the lanes.
    pub(crate) lane_cost: Option<LaneCost>,
    /// The last round with a trial; 0 if there is none.
    pub(crate) last_round: u32,
    /// By contender of the plan; `None` for a contender that was never made.
    pub(crate) facts: Vec<Option<&'a ContenderFacts>>,
    classes: Vec<Option<Class>>,
}

pub(crate) struct WorkloadTrials<'a> {
    pub(crate) workload: &'a Workload,
    /// The workload's index in the plan.
    pub(crate) index: usize,
    /// All trials, in the order of the record.
    pub(crate) all: Vec<&'a Trial>,
    pub(crate) by_contender: Vec<Vec<&'a Trial>>,
    /// The rounds that do not count, because the machine was in another condition than most often.
    pub(crate) excluded: Vec<u32>,
    /// All baselines, each with whether it counts.
    baselines: Vec<(&'a Baseline, bool)>,
}

impl<'a> Analysis<'a> {
    /// Derives from a record what several rules need.
    pub fn new(record: &'a RunRecord) -> Self {
        let condition = Condition::of(record);
        let workloads = record.plan.workloads.iter().enumerate();
        let made = |own: &Contender| record.contenders.iter().find(|facts| facts.label == own.label);
        let facts: Vec<Option<&ContenderFacts>> = record.plan.contenders.iter().map(made).collect();
        Self {
            workloads: workloads.map(|workload| WorkloadTrials::new(record, &condition, workload)).collect(),
            lane_cost: baselines::lane_cost(record),
            last_round: record.trials.iter().map(|trial| trial.round).max().unwrap_or(0),
            classes: facts.iter().map(|facts| Some(durability::class(record, (*facts)?))).collect(),
            facts,
            condition,
            record,
        }
    }

    /// The number of contenders in the plan.
    pub(crate) fn count(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn label(&self, contender: usize) -> &'a Label {
        &self.record.plan.contenders[contender].label
    }

    /// The labels of all contenders, in the plan's order.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &'a Label> {
        self.record.plan.contenders.iter().map(|contender| &contender.label)
    }

    /// The index of a contender in the plan.
    pub(crate) fn contender(&self, label: &Label) -> Option<usize> {
        self.labels().position(|own| own == label)
    }

    pub(crate) fn workload(&self, name: &str) -> Option<&WorkloadTrials<'a>> {
        self.workloads.iter().find(|own| own.workload.name == name)
    }

    /// The trials of a contender in a workload, in rounds that count; empty if the plan lacks one of them.
    pub fn counted_trials(&self, workload: &str, label: &Label) -> Vec<&'a Trial> {
        let own = self.workload(workload).zip(self.contender(label));
        own.map(|(own, contender)| own.counted(contender)).unwrap_or_default()
    }

    /// The durability class of a contender; `None` if it was never made.
    pub fn durability(&self, label: &Label) -> Option<Durability> {
        Some(self.class(self.contender(label)?)?.durability)
    }

    pub(crate) fn class(&self, contender: usize) -> Option<Class> {
        self.classes[contender]
    }

    /// The contenders of each class; a contender that was never made belongs to none.
    pub(crate) fn classes(&self) -> Vec<(Class, Vec<usize>)> {
        grouped(self.classes.iter().enumerate().filter_map(|(contender, class)| Some(((*class)?, contender))))
    }

    /// The pairs of contenders of one class, in command-line order.
    pub(crate) fn ranked_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        pairs(self.count()).filter(|(a, b)| self.class(*a).is_some() && self.class(*a) == self.class(*b))
    }
}

impl<'a> WorkloadTrials<'a> {
    fn new(record: &'a RunRecord, condition: &Condition<'a>, (index, workload): (usize, &'a Workload)) -> Self {
        let all: Vec<&Trial> = record.trials.iter().filter(|trial| trial.workload == workload.name).collect();
        let of = |label: &Label| all.iter().copied().filter(|trial| trial.contender == *label).collect();
        let baselines = record.baselines.iter().filter(|baseline| baseline.trial.workload == workload.name);
        Self {
            workload,
            index,
            by_contender: record.plan.contenders.iter().map(|contender| of(&contender.label)).collect(),
            all,
            excluded: condition.excluded(workload),
            baselines: baselines.map(|it| (it, baselines::counts(record, &it.trial))).collect(),
        }
    }

    /// The trials of a contender that count; all of its trials if none of these finished.
    pub(crate) fn counted(&self, contender: usize) -> Vec<&'a Trial> {
        let trials = &self.by_contender[contender];
        let kept: Vec<&Trial> = trials.iter().copied().filter(|trial| self.counts(trial.round)).collect();
        let has_any = kept.iter().any(|trial| trial.outcome == Outcome::Finished);
        if has_any { kept } else { trials.clone() }
    }

    pub(crate) fn in_round(&self, contender: usize, round: u32) -> Option<&'a Trial> {
        self.by_contender[contender].iter().copied().find(|trial| trial.round == round)
    }

    pub(crate) fn counts(&self, round: u32) -> bool {
        !self.excluded.contains(&round)
    }

    /// Whether a contender failed in any counting round.
    pub(crate) fn failed(&self, contender: usize) -> bool {
        let mut counting = self.by_contender[contender].iter().filter(|trial| self.counts(trial.round));
        counting.any(|trial| value(trial, self.workload).is_none())
    }

    /// The baselines of a kind, also those that do not count.
    pub(crate) fn all_baselines(&self, kind: BaselineKind) -> impl Iterator<Item = &'a Trial> {
        self.baselines.iter().filter(move |(own, _)| own.kind == kind).map(|(own, _)| &own.trial)
    }

    /// The baselines of a kind that count.
    pub(crate) fn baselines(&self, kind: BaselineKind) -> impl Iterator<Item = &'a Trial> {
        self.baselines.iter().filter(move |(own, counts)| own.kind == kind && *counts).map(|(own, _)| &own.trial)
    }
}
