//! What changed between two sides of runs that were not interleaved.

use fsarena_model::comparison::DecisionInterval;
use fsarena_model::difference::{Change, Difference, DriftSource, FORMAT, MachineChange, SessionDrift, SideRun};
use fsarena_model::{Better, Label, RunRecord, Share, ValidityClass, Verdict, Workload};
use fsarena_stats::{Drift, Proof, Rule, proofs};

use crate::analysis::Analysis;
use crate::decisions::Decisions;
use crate::evidence::ratio;
use crate::sides::{Compared, Sides, joined};
use crate::verdicts::{contradicting, unless_device_bound, verdict_of};

/// Why nothing is decided where [`withheld`] has more to say.
pub(crate) const LOAD_DIFFERS: &str = "the load differs";

/// A run with the name that the user gave it: its number, or a file.
#[derive(Debug, Clone)]
pub struct NamedRun {
    /// The name.
    pub name: String,
    /// What it measured.
    pub record: RunRecord,
}

/// Compares the second side with the first, each contender with itself; with a control, relative to that contender.
/// Without a contender or a workload that all runs have, there is no change.
pub fn difference(before: &[NamedRun], after: &[NamedRun], control: Option<&Label>) -> Difference {
    let sides = Sides::of(before, after, control);
    let (drift, compared) = sides.compared();
    let withheld = withheld(&sides);
    let estimate = |compared: &Compared| compared.shift.map(|shift| shift.known);
    let rule = Rule { margin: sides.margin().0, ..Rule::default() };
    let proofs = proofs(&compared.iter().map(estimate).collect::<Vec<_>>(), rule);
    let rows = compared.iter().zip(proofs);
    let changes = rows.map(|(compared, proof)| change(&sides, compared, proof, withheld.is_some())).collect();
    Difference {
        format: FORMAT,
        before: before.iter().map(side_run).collect(),
        after: after.iter().map(side_run).collect(),
        margin: sides.margin(),
        control: control.cloned(),
        drift: session_drift(&sides, drift),
        changes,
        machine: machine(&sides),
        contrasts: sides.contrasts(),
        left_out: sides.left_out(),
        withheld,
    }
}

pub(crate) fn side_run(run: &NamedRun) -> SideRun {
    let record = &run.record;
    SideRun { name: run.name.clone(), started: record.started.clone(), rounds: record.rounds.len() as u32 }
}

pub(crate) fn session_drift(sides: &Sides<'_>, drift: Drift) -> SessionDrift {
    let has_repeats = sides.before.len() > 1 || sides.after.len() > 1;
    let source = match sides.control {
        _ if has_repeats => DriftSource::Repeats,
        None if !sides.baselines(&sides.workloads()).is_empty() => DriftSource::Baselines,
        _ => DriftSource::Assumed,
    };
    SessionDrift { deviation: Share(drift.deviation.exp_m1()), source }
}

/// A quiet and a busy machine are two conditions, and file systems may rank otherwise in each of them.
pub(crate) fn withheld(sides: &Sides<'_>) -> Option<String> {
    let busy = |runs: &[Decisions<'_>]| runs.iter().filter_map(|run| run.analysis.condition.load()).collect::<Vec<_>>();
    let (before, after) = (busy(&sides.before), busy(&sides.after));
    let some = before.first().or(after.first())?;
    let is_same = before.len() == sides.before.len() && after.len() == sides.after.len();
    (!is_same).then(|| format!("some of the runs were made on a busy machine ({some}), the others on a quiet one"))
}

fn change(sides: &Sides<'_>, compared: &Compared, proof: Option<Proof>, is_withheld: bool) -> Change {
    let workload = compared.workload.as_ref();
    let figure = |runs: &[Decisions<'_>]| workload.and_then(|workload| median(runs, workload, &compared.contender));
    let (verdict, reason) = judged(sides, compared, proof.as_ref(), is_withheld);
    let (before, after) = (figure(&sides.before), figure(&sides.after));
    // Relative to a control, a change is not that of the two medians.
    let alone = workload.filter(|_| sides.control.is_none() && verdict != Verdict::Invalid);
    let medians = alone.zip(before.zip(after));
    let medians = medians.map(|(workload, (before, after))| workload.metric.better.log_ratio(after, before));
    let known = compared.shift.map(|shift| shift.known.estimate);
    let medians = contradicting(medians, sides.margin().0, known, proof.map(|proof| proof.decision));
    let reasons = [Some(reason).filter(|reason| !reason.is_empty()), medians.map(|medians| medians.to_string())];
    let within = compared.shift.map(|shift| shift.within.interval(shift.known.estimate, 0.025).ratios());
    Change {
        workload: workload.map(|workload| workload.name.to_string()),
        contender: compared.contender.clone(),
        unit: workload.map(|workload| workload.metric.unit.clone()).unwrap_or_default(),
        before,
        after,
        estimate: ratio(known, proof.map(|proof| proof.pointwise)),
        decision: DecisionInterval::of(proof.map(|proof| proof.decision.ratios())),
        within_low: within.map(|ends| ends.0),
        within_high: within.map(|ends| ends.1),
        verdict,
        reason: reasons.into_iter().flatten().collect::<Vec<_>>().join("; "),
        detectable: proof.map(|proof| proof.detectable.exp()),
        rounds: compared.rounds.map(|rounds| rounds as u32),
    }
}

fn median(runs: &[Decisions<'_>], workload: &Workload, contender: &Label) -> Option<f64> {
    let logs = runs.iter().map(|run| run.cell(workload, contender)?.figure.median.map(f64::ln));
    Some((logs.sum::<Option<f64>>()? / runs.len() as f64).exp())
}

fn judged(sides: &Sides<'_>, compared: &Compared, proof: Option<&Proof>, is_withheld: bool) -> (Verdict, String) {
    let of_workload = |workload: &Workload| sides.flags(workload, &compared.contender);
    let flags = compared.workload.as_ref().map(of_workload).unwrap_or_default();
    let words = |flags: &[ValidityClass]| flags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let forbidden: Vec<ValidityClass> = flags.iter().copied().filter(|class| class.forbids_verdict()).collect();
    let is_device_bound = flags.contains(&ValidityClass::DeviceBound);
    match proof {
        _ if !forbidden.is_empty() => (Verdict::Invalid, words(&forbidden)),
        _ if durability_differs(sides, &compared.contender) => (Verdict::Invalid, "its durability differs".to_owned()),
        None => (Verdict::Undecided, compared.caveat.clone()),
        Some(_) if is_withheld => (Verdict::Undecided, LOAD_DIFFERS.to_owned()),
        Some(proof) => {
            let caveat = joined([words(&flags), compared.caveat.clone()]);
            (unless_device_bound(verdict_of(proof.verdict), is_device_bound), caveat)
        }
    }
}

/// Whether a contender has several durability classes.
pub(crate) fn durability_differs(sides: &Sides<'_>, contender: &Label) -> bool {
    let mut classes = sides.all().map(|run| run.analysis.durability(contender));
    let first = classes.next().flatten();
    classes.any(|class| class != first)
}

/// Whether a figure can be used for a decision.
pub(crate) fn forbidden(sides: &Sides<'_>, compared: &Compared) -> Option<String> {
    let (verdict, reason) = judged(sides, compared, None, false);
    (verdict == Verdict::Invalid).then_some(reason)
}

/// The baselines and the cost of the lanes on both sides.
fn machine(sides: &Sides<'_>) -> Vec<MachineChange> {
    let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let row = |what: String, unit: String, better: Better, before: f64, after: f64| {
        let figure = |log: f64| if better == Better::Higher { log.exp() } else { (-log).exp() };
        MachineChange { what, unit, before: figure(before), after: figure(after), ratio: (after - before).exp() }
    };
    let baselines = sides.baselines(&sides.workloads()).into_iter();
    let baselines = baselines.map(|it| row(it.what, it.unit, it.better, mean(&it.logs.before), mean(&it.logs.after)));
    let lanes = |of: fn(&Analysis<'_>) -> Option<f64>, what: &str, unit: &str, better: Better| {
        let logs = |runs: &[Decisions<'_>]| {
            let logs = runs.iter().map(|run| of(&run.analysis).filter(|it| *it > 0.0).map(|it| better.oriented_ln(it)));
            logs.collect::<Option<Vec<f64>>>()
        };
        let (before, after) = logs(&sides.before).zip(logs(&sides.after))?;
        Some(row(what.to_owned(), unit.to_owned(), better, mean(&before), mean(&after)))
    };
    let flush = |run: &Analysis<'_>| run.lane_cost.as_ref().map(|cost| cost.back_to_back.as_seconds() * 1e6);
    let copy = |run: &Analysis<'_>| run.record.environment.memory_bandwidth.map(|rate| rate / f64::from(1 << 30));
    let others = [
        lanes(flush, "write and flush of a bare lane", "µs", Better::Lower),
        lanes(copy, "copying, all cores", "GiB/s", Better::Higher),
    ];
    baselines.chain(others.into_iter().flatten()).collect()
}
