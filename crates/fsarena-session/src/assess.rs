//! From a record to a comparison: cells, their validity, and the verdict of each pair.

use fsarena_model::comparison::{Cell, ContenderRow, FORMAT, PairVerdict, WorkloadRow};
use fsarena_model::event::{Note, RoundFacts};
use fsarena_model::{
    Comparison, Contender, Durability, Label, Outcome, Plan, RunRecord, Severity, Storage, Trial, Validity, Verdict,
    Workload,
};
use fsarena_stats::{Interval, cell_summary, round_value};

use crate::evidence::{Standing, standing};
use crate::{course, probes, rate, validity};

/// Decides what a record says. The same record always gives the same comparison.
pub fn assess(record: &RunRecord) -> Comparison {
    let plan = &record.plan;
    let cells: Vec<Cell> = plan
        .workloads
        .iter()
        .flat_map(|workload| plan.contenders.iter().map(move |contender| cell(record, workload, &contender.label)))
        .collect();
    let verdicts = verdicts(record, &standing(record), &cells);
    Comparison {
        format: FORMAT,
        run: record.run,
        status: record.status,
        seed: plan.seed.to_string(),
        started: record.started.clone(),
        suite: plan.suite.clone(),
        margin: plan.margin.0,
        plan_hash: plan.hash(),
        command: command(record),
        rounds: record.rounds.len() as u32,
        environment: record.environment.clone(),
        contenders: plan.contenders.iter().map(|contender| contender_row(record, contender)).collect(),
        workloads: plan.workloads.iter().map(workload_row).collect(),
        notes: notes(record, &cells),
        cells,
        verdicts,
        damage: record.checks.iter().filter(|check| !check.clean).cloned().collect(),
        round_facts: record.rounds.clone(),
    }
}

/// What the figures give reason to say, then what was said during the run.
fn notes(record: &RunRecord, cells: &[Cell]) -> Vec<Note> {
    let found = disturbed(record).into_iter().chain(rate::notes(record, cells));
    found.chain(record.notes.iter().cloned()).collect()
}

/// Cores' worth of others' work or of stolen time from which on a round counts as disturbed.
const DISTURBED: f64 = 0.2;

/// The sentence about rounds in which the machine was busy with other things, if there were any.
fn disturbed(record: &RunRecord) -> Option<Note> {
    let busy = |facts: &&RoundFacts| {
        facts.foreign_cores.unwrap_or(0.0) > DISTURBED || facts.steal_cores.unwrap_or(0.0) > DISTURBED
    };
    let rounds: Vec<&RoundFacts> = record.rounds.iter().filter(busy).collect();
    let most = rounds.iter().filter_map(|facts| facts.foreign_cores).fold(0.0, f64::max);
    let stolen = rounds.iter().filter_map(|facts| facts.steal_cores).fold(0.0, f64::max);
    let text = format!(
        "the machine was busy with other things in {} of {} rounds (up to {most:.1} cores by other programs, {stolen:.1} \
         taken by the hypervisor): intervals are wider than they need to be; a quiet machine decides more",
        rounds.len(),
        record.rounds.len()
    );
    (!rounds.is_empty()).then_some(Note { severity: Severity::Warning, text })
}

/// With the rounds that there were: a budget might give more or fewer another time.
fn command(record: &RunRecord) -> Vec<String> {
    let plan = &record.plan;
    let last = record.rounds.iter().map(|facts| facts.round).max().unwrap_or(1);
    let spelling = |contender: &Contender| contender.spelling().unwrap_or_else(|| contender.label.to_string());
    let mut words: Vec<String> = ["fsarena", "compare"].map(str::to_owned).to_vec();
    words.extend(plan.contenders.iter().map(spelling));
    match &plan.suite {
        Some(suite) => words.extend(["--suite".to_owned(), suite.clone()]),
        None => words.extend(as_typed(plan).flat_map(|work| ["--workload".to_owned(), work.name.clone()])),
    }
    words.extend(rates(plan));
    for handicap in &plan.handicaps {
        words.extend(["--handicap".to_owned(), format!("{}={}%", handicap.label, handicap.share.0 * 100.0)]);
    }
    let storage = match &plan.storage {
        Storage::Directory(path) => format!("dir:{}", path.display()),
        Storage::Disk(path) => path.display().to_string(),
        Storage::Memory => "memory".to_owned(),
    };
    let options = [
        ("--rounds", last.to_string()),
        ("--margin", format!("{}%", (plan.margin.0 * 1e8).round() / 1e6)),
        ("--storage", storage),
        ("--lane-size", plan.lane_size.0.to_string()),
        ("--medium", plan.medium.to_string()),
        ("--seed", plan.seed.to_string()),
    ];
    words.extend(options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
    words
}

/// The workloads that were named, not those that `--rate` made of them.
fn as_typed(plan: &Plan) -> impl Iterator<Item = &Workload> {
    plan.workloads.iter().filter(|workload| workload.variant.is_none())
}

/// `--rate 50%,90%`, if there are open loops.
fn rates(plan: &Plan) -> Vec<String> {
    let mut rates: Vec<String> = Vec::new();
    for variant in plan.workloads.iter().filter_map(|workload| workload.variant.as_ref()) {
        if !rates.contains(&variant.rate.to_string()) {
            rates.push(variant.rate.to_string());
        }
    }
    if rates.is_empty() { Vec::new() } else { vec!["--rate".to_owned(), rates.join(",")] }
}

fn contender_row(record: &RunRecord, contender: &Contender) -> ContenderRow {
    let facts = record.contenders.iter().find(|facts| facts.label == contender.label);
    ContenderRow {
        label: contender.label.clone(),
        kind: contender.kind.clone(),
        mkfs: facts.map(|facts| facts.mkfs.clone()).unwrap_or_default(),
        mount: facts.map(|facts| facts.mount.clone()),
        durability: facts.map(|facts| facts.durability),
        promises: facts.map(|facts| facts.promises.clone()).unwrap_or_default(),
        features: facts.map(|facts| facts.features.clone()).unwrap_or_default(),
        read_ahead_kib: facts.and_then(|facts| facts.read_ahead_kib),
    }
}

fn workload_row(workload: &Workload) -> WorkloadRow {
    WorkloadRow {
        name: workload.name.clone(),
        version: workload.version,
        metric: workload.metric.name.clone(),
        unit: workload.metric.unit.clone(),
        better: workload.metric.better,
        mode: workload.mode,
        durable: workload.durable,
        cache: workload.cache,
        measures: workload.measures.clone(),
        why: workload.why.clone(),
        variant_of: workload.variant.as_ref().map(|variant| variant.of.clone()),
        rate: workload.variant.as_ref().map(|variant| variant.rate.to_string()),
    }
}

fn cell(record: &RunRecord, workload: &Workload, contender: &Label) -> Cell {
    let is_of = |trial: &&Trial| trial.workload == workload.name && trial.contender == *contender;
    let trials: Vec<&Trial> = record.trials.iter().filter(is_of).collect();
    let last = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let by_round: Vec<Option<f64>> = (1..=last).map(|round| value_of_round(&trials, round)).collect();
    let values: Vec<f64> = by_round.iter().flatten().copied().collect();
    let summary = cell_summary(&values);
    Cell {
        workload: workload.name.clone(),
        contender: contender.clone(),
        metric: workload.metric.name.clone(),
        unit: workload.metric.unit.clone(),
        median: summary.map(|summary| summary.median),
        low: summary.and_then(|summary| summary.low),
        high: summary.and_then(|summary| summary.high),
        rounds: values.len() as u32,
        samples: trials.iter().map(|trial| trial.slices.len() as u32).sum(),
        validity: validity::of_cell(record, workload, &trials),
        probes: probes::of_cell(&trials),
        by_round,
        over_time: course::of_cell(&trials),
    }
}

fn value_of_round(trials: &[&Trial], round: u32) -> Option<f64> {
    let trial = trials.iter().find(|trial| trial.round == round && trial.outcome == Outcome::Finished)?;
    round_value(&trial.slices.iter().map(|slice| slice.value).collect::<Vec<f64>>())
}

fn verdicts(record: &RunRecord, standing: &Standing, cells: &[Cell]) -> Vec<PairVerdict> {
    let count = record.plan.contenders.len();
    let pairs = move || (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let workloads = record.plan.workloads.iter().enumerate();
    workloads
        .flat_map(|(index, workload)| pairs().map(move |(a, b)| (index, workload, a, b)))
        .map(|(index, workload, a, b)| {
            let cell = |contender: usize| &cells[index * count + contender];
            verdict(record, standing, workload, index, (a, cell(a)), (b, cell(b)))
        })
        .collect()
}

fn class(record: &RunRecord, contender: usize) -> Option<Durability> {
    let label = &record.plan.contenders[contender].label;
    record.contenders.iter().find(|facts| facts.label == *label).map(|facts| facts.durability)
}

fn verdict(
    record: &RunRecord,
    standing: &Standing,
    workload: &Workload,
    index: usize,
    a: (usize, &Cell),
    b: (usize, &Cell),
) -> PairVerdict {
    let pair = standing.pair(index, a.0, b.0);
    let durability_differs = class(record, a.0) != class(record, b.0);
    let latest = pair.map(|pair| pair.standing.latest);
    // Of a verdict that fell earlier, the interval that the decision used is the one of that look.
    let decided = pair.map(|pair| pair.standing.decided.unwrap_or(pair.standing.latest));
    let pointwise = latest.and_then(|latest| latest.pointwise);
    let decision = decided.and_then(|decided| decided.decision);
    let (verdict, reason) = judge(pair.as_ref(), durability_differs, a.1, b.1);
    let low = |interval: Option<Interval>| interval.map(|interval| interval.low.exp());
    let high = |interval: Option<Interval>| interval.map(|interval| interval.high.exp());
    PairVerdict {
        workload: workload.name.clone(),
        metric: workload.metric.name.clone(),
        a: a.1.contender.clone(),
        b: b.1.contender.clone(),
        ratio: latest.and_then(|latest| latest.estimate).map(f64::exp),
        low: low(pointwise),
        high: high(pointwise),
        decision_low: low(decision),
        decision_high: high(decision),
        verdict,
        reason,
        rounds: latest.map_or(0, |latest| latest.rounds),
        needs_rounds: latest.and_then(|latest| latest.needs_rounds).filter(|_| verdict == Verdict::Undecided),
    }
}

/// A verdict that fell stands; where the latest interval would no longer show it, that is said.
fn fallen_earlier(pair: &crate::evidence::Pair) -> String {
    let latest = &pair.standing.latest;
    let has_winner = matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    let shows = latest.pointwise.is_none_or(|interval| !interval.contains(0.0));
    match pair.standing.decided {
        Some(decided) if has_winner && !shows => {
            format!("decided after round {}; the rounds since then make it less sure", decided.rounds)
        }
        _ => String::new(),
    }
}

fn joined(parts: &[String]) -> String {
    let said: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    said.join("; ")
}

fn judge(pair: Option<&crate::evidence::Pair>, durability_differs: bool, a: &Cell, b: &Cell) -> (Verdict, String) {
    let flags: Vec<(&Label, &Validity)> =
        [a, b].into_iter().flat_map(|cell| cell.validity.iter().map(move |flag| (&cell.contender, flag))).collect();
    let reasons = |chosen: &dyn Fn(&Validity) -> bool| {
        let chosen = flags.iter().filter(|(_, flag)| chosen(flag));
        chosen.map(|(label, flag)| format!("{label}: {}", flag.class)).collect::<Vec<_>>().join(", ")
    };
    let forbidden = reasons(&|flag| flag.class.forbids_verdict());
    match pair {
        _ if !forbidden.is_empty() => (Verdict::Invalid, forbidden),
        None if a.rounds == 0 || b.rounds == 0 => (Verdict::Undecided, "not measured".to_owned()),
        None if durability_differs => {
            (Verdict::Invalid, "different durability: never ranked with each other".to_owned())
        }
        None => (Verdict::Invalid, "the figures cannot be compared".to_owned()),
        Some(pair) if pair.is_unsteady => {
            (Verdict::Invalid, "unsteady: later rounds contradict earlier ones".to_owned())
        }
        Some(pair) => (pair.verdict(), joined(&[fallen_earlier(pair), reasons(&|_| true)])),
    }
}
