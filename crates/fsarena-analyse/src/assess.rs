//! From a record to a comparison: cells, rows, verdicts and notes.

use fsarena_model::comparison::{
    Cell, Checks, ContenderRow, FORMAT, Figure, Judged, Latencies, OpenLoop, PairVerdict, PerOperation, RunInfo,
    Scaling, Shares, Stability, WorkloadRow,
};
use fsarena_model::event::Note;
use fsarena_model::{
    Comparison, Contender, ContenderFacts, Label, Plan, Rounds, RunRecord, Severity, Status, Trial, Workload,
};
use fsarena_stats::{FEWEST_ROUNDS, cell_summary};

use crate::command::command;
use crate::effects::effects;
use crate::evidence::median;
use crate::looks::{Standing, standing};
use crate::recommendation::recommendation;
use crate::standings::{standings, suite_ratios};
use crate::verdicts::verdicts;
use crate::{
    baselines, durability, histograms, noise, over_time, per_operation, probes, rate, scaling, slice_lengths,
    stability, stake, steps, validity,
};

/// Derives the comparison from a record. The same record always gives the same comparison.
pub fn assess(record: &RunRecord) -> Comparison {
    let plan = &record.plan;
    let standing = standing(record);
    let mut cells = cells(record);
    stability::judge(record, &standing, &mut cells);
    // A smoke run gets no verdicts.
    let judged = if plan.is_smoke() { Judged::default() } else { judged(record, &standing, &cells) };
    Comparison {
        run: run_info(record),
        environment: record.environment.clone(),
        contenders: plan.contenders.iter().map(|contender| contender_row(record, contender)).collect(),
        workloads: plan.workloads.iter().map(|workload| workload_row(record, workload)).collect(),
        notes: notes(record, &cells),
        cells,
        judged,
        scaling: Scaling {
            rows: scaling::rows(record),
            pairs: if plan.is_smoke() { Vec::new() } else { scaling::exponent_pairs(record) },
        },
        baselines: baselines::rows(record),
        checks: Checks {
            verifications: steps::verifications(record),
            clean: record.checks.iter().filter(|check| check.clean).count() as u32,
            damage: record.checks.iter().filter(|check| !check.clean).cloned().collect(),
        },
        round_facts: record.rounds.clone(),
    }
}

fn run_info(record: &RunRecord) -> RunInfo {
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
        condition: noise::condition(record),
        without_verdicts: without_verdicts(plan),
    }
}

/// The verdicts of a run in progress, in the same order as in a comparison.
pub fn verdicts_so_far(record: &RunRecord, standing: &Standing) -> Vec<PairVerdict> {
    verdicts(record, standing, &cells(record))
}

/// All cells, by workload, then contender. Their stability is not filled in.
pub(crate) fn cells(record: &RunRecord) -> Vec<Cell> {
    let plan = &record.plan;
    let excluded = noise::Excluded::of(record);
    let of_workload = |workload| {
        let rounds = excluded.rounds(workload);
        plan.contenders.iter().map(move |contender| cell(record, workload, &contender.label, rounds))
    };
    plan.workloads.iter().flat_map(of_workload).collect()
}

fn judged(record: &RunRecord, standing: &Standing, cells: &[Cell]) -> Judged {
    let verdicts = verdicts(record, standing, cells);
    Judged {
        standings: standings(record, cells, &verdicts),
        suite_ratios: suite_ratios(record, standing, &verdicts),
        effects: effects(record, standing, &verdicts),
        recommendation: recommendation(record, standing, cells, &verdicts).map(Box::new),
        verdicts,
    }
}

/// Notes that follow from the figures, then notes that were recorded during the run.
fn notes(record: &RunRecord, cells: &[Cell]) -> Vec<Note> {
    let found = noise::held_back(record).into_iter().chain(rate::notes(record, cells));
    let found = found.chain(stability::notes(cells, record.plan.margin.0));
    let found = found.chain(slice_lengths::unchecked(record)).chain(durability::notes(record));
    let found = found.chain(shared_folders(record)).chain(too_few_rounds(record));
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
    let lacking = FEWEST_ROUNDS
        .checked_sub(count)
        .filter(|lacking| *lacking > 0 && is_by_time && record.status == Status::Complete)?;
    let rounds = if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") };
    let text = format!(
        "only {rounds} of up to {longest:.0} s fitted into the budget, and fewer than {FEWEST_ROUNDS} decide nothing: fsarena resume {} \
         --rounds {lacking}",
        record.run
    );
    Some(Note { severity: Severity::Warning, text })
}

/// Notes about contenders that are shared folders.
fn shared_folders(record: &RunRecord) -> Vec<Note> {
    let text = |facts: &ContenderFacts| Some(format!("{} is {}", facts.label, facts.shared_folder.as_ref()?));
    let texts = record.contenders.iter().filter_map(text);
    texts.map(|text| Note { severity: Severity::Info, text }).collect()
}

fn contender_row(record: &RunRecord, contender: &Contender) -> ContenderRow {
    let facts = record.contenders.iter().find(|facts| facts.label == contender.label);
    let guest = record.plan.guest.as_ref();
    ContenderRow {
        label: contender.label.clone(),
        kind: contender.kind.clone(),
        kernel: contender.kernel.as_ref().and_then(|kernel| guest?.kernels.get(kernel).cloned()),
        mkfs: facts.map(|facts| facts.mkfs.clone()).unwrap_or_default(),
        mount: facts.map(|facts| facts.mount.clone()),
        durability: durability::of_label(record, &contender.label),
        guarantees: facts.map(|facts| facts.guarantees.clone()).unwrap_or_default(),
        features: facts.map(|facts| facts.features.clone()).unwrap_or_default(),
        read_ahead_kib: facts.and_then(|facts| facts.read_ahead_kib),
        sharing: durability::sharing(record, &contender.label),
        risks: facts.map(|facts| facts.risks.clone()).unwrap_or_default(),
    }
}

fn workload_row(record: &RunRecord, workload: &Workload) -> WorkloadRow {
    let plan = &record.plan;
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
        at_stake: stake::at_stake(record, workload),
        open_loop: OpenLoop {
            of: workload.rate().map(|_| workload.base().to_owned()),
            rate: workload.rate().map(|rate| rate.to_string()),
        },
        memory_limit: workload.memory_limit,
        clock: crate::per_operation::clock(workload),
    }
}

fn cell(record: &RunRecord, workload: &Workload, contender: &Label, excluded: &[u32]) -> Cell {
    let is_of = |trial: &&Trial| trial.workload == workload.name && trial.contender == *contender;
    let trials: Vec<&Trial> = record.trials.iter().filter(is_of).collect();
    let last = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let in_round = |round: u32| trials.iter().find(|trial| trial.round == round).and_then(|trial| median(trial));
    let kept = noise::counted(&trials, excluded);
    let values: Vec<f64> = kept.iter().filter_map(|trial| median(trial)).collect();
    let summary = cell_summary(&values);
    Cell {
        workload: workload.name.to_string(),
        contender: contender.clone(),
        metric: workload.metric.name.clone(),
        unit: workload.metric.unit.clone(),
        figure: Figure {
            median: summary.map(|summary| summary.median),
            low: summary.and_then(|summary| summary.low),
            high: summary.and_then(|summary| summary.high),
        },
        rounds: values.len() as u32,
        samples: kept.iter().map(|trial| trial.slices.len() as u32).sum(),
        per_operation: PerOperation {
            seconds: per_operation::seconds(kept.iter().copied()),
            syncs: per_operation::syncs(workload, kept.iter().copied()),
        },
        validity: validity::of_cell(record, workload, &kept),
        shares: Shares {
            harness: baselines::harness_share(record, workload, &kept),
            ceiling: baselines::ceiling_share(record, workload, &kept),
            start: baselines::start_share(record, workload, &kept),
        },
        probes: probes::of_cell_or_all(&kept, &trials),
        by_round: (1..=last).map(in_round).collect(),
        steps: steps::rows(&kept),
        latencies: Latencies { histograms: histograms::of_cell(&kept), over_time: over_time::of_cell(&trials) },
        stability: Stability::default(),
    }
}
