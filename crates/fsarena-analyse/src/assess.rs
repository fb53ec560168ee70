//! From a record to a comparison: cells, rows, verdicts and notes.

use std::collections::BTreeMap;

use fsarena_model::comparison::{
    Cell, Checks, ContenderRow, FORMAT, Figure, Judged, Latencies, OpenLoop, PerOperation, RunInfo, Scaling, Stability,
    WorkloadRow,
};
use fsarena_model::event::Note;
use fsarena_model::{
    Comparison, Contender, ContenderFacts, Label, Plan, Rounds, RunRecord, Severity, Status, Workload,
};
use fsarena_stats::{FEWEST_ROUNDS, cell_summary};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::command::command;
use crate::decisions::Decisions;
use crate::effects::effects;
use crate::evidence::median;
use crate::explanation::{self, EventCost, explanations, tested_knobs};
use crate::looks::Standing;
use crate::recommendation::recommendation;
use crate::standings::{standings, suite_ratios};
use crate::validity::Evidence;
use crate::verdicts::in_words;
use crate::{baselines, durability, latencies, noise, per_operation, probes, scaling, slice_lengths, stability, steps};

/// Derives the comparison from a record. The same record always gives the same comparison.
pub fn assess(record: &RunRecord) -> Comparison {
    let decisions = Decisions::new(record);
    let analysis = &decisions.analysis;
    let plan = &record.plan;
    let contenders = plan.contenders.iter().enumerate();
    // A smoke run gets no verdicts.
    let (judged, pairs) =
        if plan.is_smoke() { Default::default() } else { (judged(&decisions), scaling::exponent_pairs(analysis)) };
    Comparison {
        run: run_info(analysis),
        environment: record.environment.clone(),
        contenders: contenders.map(|(index, contender)| contender_row(analysis, index, contender)).collect(),
        workloads: analysis.workloads.iter().map(|own| workload_row(plan, own)).collect(),
        judged,
        scaling: Scaling { rows: scaling::rows(analysis), pairs },
        baselines: baselines::rows(analysis),
        checks: Checks {
            verifications: steps::verifications(record),
            clean: record.checks.iter().filter(|check| check.clean).count() as u32,
            damage: record.checks.iter().filter(|check| !check.clean).cloned().collect(),
        },
        round_facts: record.rounds.clone(),
        notes: notes(&decisions),
        cells: decisions.cells.into_iter().flatten().collect(),
    }
}

fn run_info(analysis: &Analysis<'_>) -> RunInfo {
    let record = analysis.record;
    let plan = &record.plan;
    RunInfo {
        format: FORMAT,
        number: record.run,
        status: record.status,
        seed: plan.seed.to_string(),
        started: record.started.clone(),
        suite: plan.suite.name.clone(),
        preface: plan.suite.preface.clone(),
        unavailable: plan.suite.unavailable.clone(),
        margin: plan.margin.0,
        plan_hash: plan.hash(),
        command: command(record),
        rounds: record.rounds.len() as u32,
        guest: plan.guest.as_ref().map(|guest| guest.accelerator),
        condition: noise::sentence(analysis),
        without_verdicts: without_verdicts(plan),
    }
}

/// What is known about a run in progress.
pub struct RunSoFar {
    /// The state of all pairs.
    pub standing: Standing,
    /// The decided pairs in words, by their index among the verdicts of a comparison.
    pub decided: BTreeMap<usize, String>,
    /// The workloads, by index in the plan, whose contenders are all equal within the margin because none can be faster
    /// than the work in memory.
    equal: Vec<usize>,
}

impl RunSoFar {
    /// What the record of the run shows.
    pub fn of(record: &RunRecord) -> Self {
        let Decisions { analysis, standing, verdicts, .. } = Decisions::new(record);
        let verdicts = verdicts.iter().flatten().enumerate();
        let decided = verdicts.filter_map(|(pair, verdict)| Some((pair, in_words(verdict)?))).collect();
        let equal = analysis.workloads.iter().filter(|own| baselines::bound(&analysis, own) == baselines::Bound::Equal);
        let equal = equal.map(|own| own.index).collect();
        Self { standing, decided, equal }
    }

    /// The workloads, by index in the plan, that further rounds could decide.
    pub fn open(&self) -> Vec<usize> {
        self.standing.open().into_iter().filter(|workload| !self.equal.contains(workload)).collect()
    }
}

/// All cells, by workload, then contender. Their stability is not filled in.
pub(crate) fn cells(analysis: &Analysis<'_>) -> Vec<Vec<Cell>> {
    let of_workload = |own| (0..analysis.count()).map(|contender| cell(analysis, own, contender)).collect();
    analysis.workloads.iter().map(of_workload).collect()
}

fn judged(decisions: &Decisions<'_>) -> Judged {
    let cost = EventCost::of(&decisions.analysis);
    Judged {
        standings: standings(decisions),
        suite_ratios: suite_ratios(decisions),
        effects: effects(decisions),
        explanations: explanations(decisions, cost),
        tested_knobs: tested_knobs(&decisions.analysis, cost),
        recommendation: recommendation(decisions).map(Box::new),
        verdicts: decisions.verdicts.iter().flatten().cloned().collect(),
    }
}

/// Notes that follow from the figures, then notes that were recorded during the run.
fn notes(decisions: &Decisions<'_>) -> Vec<Note> {
    let Decisions { analysis, cells, .. } = decisions;
    let record = analysis.record;
    let found = noise::held_back(analysis).into_iter().chain(without_open_loop(record));
    let found =
        found.chain(stability::notes(cells)).chain(slice_lengths::unchecked(record)).chain(durability::notes(record));
    let found = found.chain(explanation::notes(record)).chain(shared_folders(record)).chain(too_few_rounds(record));
    found.chain(record.notes.iter().cloned()).collect()
}

/// Why a smoke run gets no verdicts.
fn without_verdicts(plan: &Plan) -> Option<String> {
    let why = "This run has no verdicts: at --scale smoke it only shows that everything works, with too little work for \
               a comparison. For verdicts, leave out --scale smoke.";
    plan.is_smoke().then(|| why.to_owned())
}

/// The note that the budget ended a run before anything could be decided.
fn too_few_rounds(record: &RunRecord) -> Option<Note> {
    let is_by_time = matches!(record.plan.rounds, Rounds::Within(_)) && record.plan.contenders.len() > 1;
    let longest = record.rounds.iter().map(|facts| facts.seconds).reduce(f64::max)?;
    let count = record.rounds.len();
    // A workload that runs in fewer rounds at most needs no budget for more.
    let needs_more = |workload: &Workload| workload.most_rounds.is_none_or(|most| most as usize > count);
    let is_short = count < FEWEST_ROUNDS && record.plan.workloads.iter().any(needs_more);
    (is_short && is_by_time && record.status == Status::Complete).then_some(())?;
    let rounds = if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") };
    let text = format!(
        "only {rounds} of up to {longest:.0} s fitted into the budget, and fewer than {FEWEST_ROUNDS} decide nothing"
    );
    Some(Note { severity: Severity::Warning, text })
}

/// The note about the workloads that run only as closed loops.
fn without_open_loop(record: &RunRecord) -> Option<Note> {
    let workloads = &record.plan.workloads;
    let bases: Vec<&str> = workloads.iter().filter(|workload| workload.is_open_loop()).map(Workload::base).collect();
    let is_left_out = |workload: &&Workload| !workload.is_open_loop() && !bases.contains(&workload.name.as_str());
    let names: Vec<&str> = workloads.iter().filter(is_left_out).map(|workload| workload.name.as_str()).collect();
    let text = format!("only in the closed loop, for they cannot keep a rate: {}", names.join(", "));
    (!bases.is_empty() && !names.is_empty()).then_some(Note { severity: Severity::Info, text })
}

/// Notes about contenders that are shared folders.
fn shared_folders(record: &RunRecord) -> Vec<Note> {
    let text = |facts: &ContenderFacts| Some(format!("{} is {}", facts.label, facts.shared_folder.as_ref()?));
    let texts = record.contenders.iter().filter_map(text);
    texts.map(|text| Note { severity: Severity::Info, text }).collect()
}

fn contender_row(analysis: &Analysis<'_>, index: usize, contender: &Contender) -> ContenderRow {
    let made = analysis.facts[index];
    let facts = made.cloned().unwrap_or_default();
    let guest = analysis.record.plan.guest.as_ref();
    ContenderRow {
        label: contender.label.clone(),
        kind: contender.kind.clone(),
        kernel: contender.kernel.as_ref().and_then(|kernel| guest?.kernels.get(kernel).cloned()),
        mkfs: facts.mkfs,
        mount: made.map(|facts| facts.mount.clone()),
        durability: analysis.class(index).map(|class| class.durability),
        guarantees: facts.guarantees,
        features: facts.features,
        read_ahead_kib: facts.read_ahead_kib,
        sharing: made.and_then(|facts| durability::sharing(analysis.record, facts)),
        risks: facts.risks,
        layers: facts.layers,
        without_layers: without_layers(contender, &analysis.record.plan),
    }
}

/// The contenders of the plan from which `contender` differs by further layers alone.
fn without_layers(contender: &Contender, plan: &Plan) -> Vec<Label> {
    let bare = |it: &Contender| Contender { label: Label::default(), layers: Vec::new(), ..it.clone() };
    let has_fewer = |other: &&Contender| {
        let mut layers = contender.layers.iter();
        other.layers.len() < contender.layers.len()
            && other.layers.iter().all(|wanted| layers.any(|layer| layer == wanted))
            && bare(other) == bare(contender)
    };
    plan.contenders.iter().filter(has_fewer).map(|other| other.label.clone()).collect()
}

fn workload_row(plan: &Plan, own: &WorkloadTrials<'_>) -> WorkloadRow {
    let workload = own.workload;
    let has_it = |(_, members): &(&String, &Vec<String>)| members.iter().any(|name| name == workload.base());
    let of_suite = plan.suite.groups.iter().find(has_it).map(|(name, _)| name.clone());
    WorkloadRow {
        engine: workload.engine.clone(),
        name: workload.name.to_string(),
        version: workload.version,
        metric: workload.metric.name.clone(),
        unit: workload.metric.unit.clone(),
        better: workload.metric.better,
        mode: workload.mode,
        durable: workload.durable,
        cache: workload.cache,
        measures: workload.measures.clone(),
        why: workload.why.clone(),
        title: workload.title.clone(),
        group: of_suite.or((!workload.group.is_empty()).then(|| workload.group.clone())),
        at_stake: baselines::at_stake(own),
        open_loop: OpenLoop {
            of: workload.rate().map(|_| workload.base().to_owned()),
            rate: workload.rate().map(|rate| rate.to_string()),
        },
        most_rounds: workload.most_rounds,
        memory_limit: workload.memory_limit,
        clock: per_operation::clock(workload),
    }
}

/// The figures of a contender in a workload. Their stability is not filled in.
pub(crate) fn cell(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>, contender: usize) -> Cell {
    let workload = own.workload;
    let trials = &own.by_contender[contender];
    let in_round = |round: u32| median(own.in_round(contender, round)?);
    let kept = own.counted(contender);
    let values: Vec<f64> = kept.iter().filter_map(|trial| median(trial)).collect();
    let summary = cell_summary(&values);
    // Without a round that counts, the figure is that of the others.
    let counting = kept.iter().filter(|trial| own.counts(trial.round) && median(trial).is_some()).count();
    let ends = summary.filter(|_| counting > 0);
    let evidence = Evidence::of(analysis, own, contender, &kept);
    Cell {
        workload: workload.name.to_string(),
        contender: analysis.label(contender).clone(),
        metric: workload.metric.name.clone(),
        unit: workload.metric.unit.clone(),
        figure: Figure {
            median: summary.map(|summary| summary.median),
            low: ends.and_then(|summary| summary.low),
            high: ends.and_then(|summary| summary.high),
        },
        rounds: counting as u32,
        samples: kept.iter().map(|trial| trial.slices.len() as u32).sum(),
        per_operation: PerOperation {
            seconds: per_operation::seconds(kept.iter().copied()),
            syncs: per_operation::syncs(workload, kept.iter().copied()),
        },
        validity: evidence.flags(),
        shares: evidence.shares,
        probes: probes::of_cell_or_all(&kept, trials),
        by_round: (1..=analysis.last_round).map(in_round).collect(),
        steps: steps::rows(&kept),
        latencies: Latencies { histograms: latencies::histograms(&kept), over_time: latencies::over_time(trials) },
        stability: Stability::default(),
    }
}
