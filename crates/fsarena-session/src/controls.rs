//! Control rounds, which runs of earlier versions have: every second round runs the open workloads once more, whole. Where
//! whole runs and slices disagree beyond their intervals, the whole runs count.
//!
//! A control is a workload of the plan like any other, so that its trials, its lanes and its share of the error budget need
//! no rules of their own.

use fsarena_model::comparison::ControlRow;
use fsarena_model::event::Note;
use fsarena_model::{Mode, Plan, RunRecord, Severity, Workload};
use fsarena_stats::{PairDecision, Rule, WorkloadData, replay};

use crate::evidence::{Field, Standing, pairs};
use crate::ladder::{Agreement, agreement, climbed, differences, whole};

/// Every so many-th round is a control round.
const EVERY: u32 = 2;
/// Control rounds that a workload gets at most once its slices are decided, if it stays unknown whether they agree.
const AT_MOST: usize = 8;

/// The controls of `workloads`: one for each that is sliced by an engine of our own and as fast as it can.
pub fn controls(workloads: &[Workload]) -> Vec<Workload> {
    let control = |workload: &Workload| Workload { control_of: Some(workload.name.clone()), ..whole(workload) };
    workloads.iter().filter(|workload| can_be_controlled(workload)).map(control).collect()
}

/// Sliced by an engine of our own, and as fast as it can.
fn can_be_controlled(workload: &Workload) -> bool {
    let is_ours = fsarena_apps::program_of(workload).is_none();
    is_ours && workload.mode == Mode::Sliced && workload.variant.is_none() && workload.control_of.is_none()
}

/// The control of each workload of the plan, by number; `None` for those without one, and for controls.
pub fn control_numbers(plan: &Plan) -> Vec<Option<usize>> {
    let control =
        |workload: &Workload| plan.workloads.iter().position(|other| other.control_of.as_ref() == Some(&workload.name));
    plan.workloads.iter().map(control).collect()
}

/// Whether slices and whole runs of each workload say the same; `None` without a control. Where there is no pair, nothing
/// disagrees.
pub fn agreements(record: &RunRecord, controls: &[Option<usize>]) -> Vec<Option<Agreement>> {
    let controlled = controls.iter().enumerate().filter_map(|(sliced, control)| Some((sliced, (*control)?)));
    let compared: Vec<Field> = controlled.flat_map(|(sliced, control)| differences(record, sliced, control)).collect();
    let data: Vec<WorkloadData> = compared.iter().map(|field| field.data.clone()).collect();
    let rule = Rule { margin: record.plan.margin.0, ..Rule::default() };
    let verdicts = replay(&rule, &data);
    let standings = verdicts.as_ref().map_or(&[][..], |verdicts| verdicts.workloads());
    let of = |sliced: usize| {
        let own = compared.iter().zip(standings).filter(move |(field, _)| field.workload == sliced);
        together(own.flat_map(|(_, standing)| &standing.pairs).map(|pair| agreement(pair.verdict())).collect())
    };
    controls.iter().enumerate().map(|(sliced, control)| control.map(|_| of(sliced))).collect()
}

/// One pair that differs is enough: the slices are not to be trusted with the others.
fn together(pairs: Vec<Agreement>) -> Agreement {
    match () {
        () if pairs.contains(&Agreement::Differs) => Agreement::Differs,
        () if pairs.iter().all(|pair| *pair == Agreement::Agrees) => Agreement::Agrees,
        () => Agreement::Open,
    }
}

/// The workloads that round `round` runs, by number; none if nothing is left to do.
pub fn due(standing: &Standing, round: u32) -> Vec<usize> {
    let in_turn = due_in(standing, round.is_multiple_of(EVERY));
    // Where only controls are missing, they need not wait for their turn.
    if in_turn.is_empty() { due_in(standing, true) } else { in_turn }
}

/// The workloads of a round without controls.
pub fn due_plainly(standing: &Standing) -> Vec<usize> {
    due_in(standing, false)
}

fn due_in(standing: &Standing, is_control_round: bool) -> Vec<usize> {
    let mut due = Vec::new();
    for (sliced, control) in standing.controls().iter().enumerate() {
        let is_open = !standing.is_settled(sliced);
        match control {
            _ if standing.is_control(sliced) => {}
            None => due.extend(is_open.then_some(sliced)),
            Some(control) if standing.counted(sliced) == *control => due.extend(is_open.then_some(*control)),
            Some(control) => {
                let is_unknown = standing.agreement(sliced) != Some(Agreement::Agrees);
                let wants_control = is_unknown && (is_open || standing.rounds(*control) < AT_MOST);
                let is_checked = is_control_round && wants_control;
                due.extend((is_open || is_checked).then_some(sliced));
                due.extend(is_checked.then_some(*control));
            }
        }
    }
    due
}

/// What whole runs said beside the slices, by workload, then pair.
pub fn rows(record: &RunRecord, standing: &Standing) -> Vec<ControlRow> {
    let controls = standing.controls().iter().enumerate();
    let controlled = controls.filter_map(|(sliced, control)| Some((sliced, (*control)?)));
    controlled.flat_map(|(sliced, control)| rows_of(record, standing, sliced, control)).collect()
}

fn rows_of(record: &RunRecord, standing: &Standing, sliced: usize, control: usize) -> Vec<ControlRow> {
    let contenders = &record.plan.contenders;
    let row = |(a, b): (usize, usize)| {
        let [slices, whole] = [sliced, control].map(|workload| standing.pair_of(workload, a, b));
        let (slices, whole) = (slices?.standing.latest, whole?.standing.latest);
        if whole.rounds == 0 {
            return None;
        }
        let ends = |pair: &PairDecision| {
            let ends = pair.pointwise.map(|interval| interval.ratios());
            (pair.estimate.map(f64::exp), ends.map(|ends| ends.0), ends.map(|ends| ends.1))
        };
        let (sliced_ratio, sliced_low, sliced_high) = ends(&slices);
        let (whole_ratio, whole_low, whole_high) = ends(&whole);
        Some(ControlRow {
            workload: record.plan.workloads[sliced].name.to_string(),
            a: contenders[a].label.clone(),
            b: contenders[b].label.clone(),
            sliced: sliced_ratio,
            sliced_low,
            sliced_high,
            whole: whole_ratio,
            whole_low,
            whole_high,
            rounds: whole.rounds,
            agrees: match standing.agreement(sliced) {
                Some(Agreement::Agrees) => Some(true),
                Some(Agreement::Differs) => Some(false),
                _ => None,
            },
        })
    };
    pairs(contenders.len()).filter_map(row).collect()
}

/// Why a pair's verdict rests on whole runs; empty if it does not.
pub fn reason(standing: &Standing, workload: usize) -> String {
    match standing.counted(workload) == workload {
        true => String::new(),
        false => "the whole runs count, for they contradict the slices".to_owned(),
    }
}

/// What is to be said of the control rounds.
pub fn notes(rows: &[ControlRow]) -> Vec<Note> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
    names.dedup();
    let of = |agrees: Option<bool>| -> Vec<&str> {
        let is_so = |name: &&&str| rows.iter().any(|row| row.workload == ***name && row.agrees == agrees);
        names.iter().filter(is_so).copied().collect()
    };
    let (same, open, differing) = (of(Some(true)), of(None), of(Some(false)));
    let contradicted = differing.iter().map(|name| contradiction(rows, name));
    let checked = format!(
        "whole runs were made beside the slices as a check: they tell the same within the margin in {}; in {} they neither \
         show that nor contradict it",
        listed(&same),
        listed(&open)
    );
    let checked = (!names.is_empty()).then_some(Note { severity: Severity::Info, text: checked });
    contradicted.chain(checked).collect()
}

/// The sentence about slices of which nobody knows whether whole runs would say the same.
pub fn unchecked(record: &RunRecord, standing: &Standing) -> Option<Note> {
    let shown = standing.shown().into_iter().filter(|number| standing.controls()[*number].is_none());
    let workloads = shown.map(|number| &record.plan.workloads[number]).filter(|workload| can_be_controlled(workload));
    if climbed(&record.plan.workloads).is_some() {
        return None;
    }
    let names: Vec<&str> =
        workloads.filter(|workload| workload.agrees_from_ms.is_none()).map(|workload| workload.name.as_str()).collect();
    let text = format!(
        "the slices of {} were not compared with whole runs; `fsarena calibrate --slices` does that",
        listed(&names)
    );
    (!names.is_empty()).then_some(Note { severity: Severity::Info, text })
}

fn contradiction(rows: &[ControlRow], workload: &str) -> Note {
    let ratio = |ratio: Option<f64>| ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}×"));
    let own = rows.iter().filter(|row| row.workload == workload);
    let pairs: Vec<String> = own
        .map(|row| format!("{} / {} {} in slices and {} whole", row.a, row.b, ratio(row.sliced), ratio(row.whole)))
        .collect();
    let text = format!("{workload}: whole runs contradict the slices ({}): the whole runs count", pairs.join(", "));
    Note { severity: Severity::Warning, text }
}

/// `7 workloads`, or which one, or `none`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        many => format!("{} workloads ({})", many.len(), many.join(", ")),
    }
}
