//! The same comparison on several machines: what holds on all of them, and what depends on the machine.

use fsarena_model::across::{Across, AcrossPair, FORMAT, MachineRuns, MissingMachine, PairOnMachine, Sample};
use fsarena_model::comparison::{DecisionInterval, PairVerdict};
use fsarena_model::difference::{DriftSource, SessionDrift};
use fsarena_model::{Label, Share, ValidityClass, Verdict, Workload, distinct};
use fsarena_stats::{Drift, LogEstimate, Pooled, Proof, Reduced, Rule, depending, levels, on_each, pairs, proofs};

use crate::analysis::Analysis;
use crate::contrasts;
use crate::decisions::Decisions;
use crate::difference::{NamedRun, side_run};
use crate::evidence::ratio;
use crate::sides::{common_contenders, common_workloads, left_out, sessions, slowed};
use crate::verdicts::{unless_device_bound, verdict_of};

/// A machine and its runs.
struct MachineAnalyses<'a> {
    name: &'a str,
    runs: Vec<Decisions<'a>>,
}

/// A pair of contenders in a workload, and its sessions on each machine.
struct Compared<'a> {
    workload: &'a Workload,
    a: &'a Label,
    b: &'a Label,
    sessions: Vec<Vec<Reduced>>,
}

/// Compares machines, each given as its runs. `missing` are those that have none. Without a pair of contenders and a
/// workload that all runs have, there is no pair.
pub fn across(machines: &[Vec<NamedRun>], missing: Vec<MissingMachine>) -> Across {
    let names = names(machines);
    let each = machines.iter().zip(&names);
    let known = each.map(|(runs, name)| MachineAnalyses {
        name,
        runs: runs.iter().map(|run| Decisions::new(&run.record)).collect(),
    });
    let known: Vec<MachineAnalyses<'_>> = known.collect();
    let analyses: Vec<Vec<&Analysis<'_>>> =
        known.iter().map(|own| own.runs.iter().map(|run| &run.analysis).collect()).collect();
    let all: Vec<&Analysis<'_>> = analyses.concat();
    let margin = all.first().map_or(Share(0.05), |run| run.record.plan.margin);
    let source = if machines.iter().any(|runs| runs.len() > 1) { DriftSource::Repeats } else { DriftSource::Assumed };
    let compared = compared(&known, &all);
    let sessions: Vec<Vec<&[Reduced]>> =
        compared.iter().map(|it| it.sessions.iter().map(Vec::as_slice).collect()).collect();
    let (drift, levels) = levels(&sessions, Drift::ASSUMED_RELATIVE);
    let of_machine = |(runs, name): (&Vec<NamedRun>, &String)| MachineRuns {
        name: name.clone(),
        runs: runs.iter().map(side_run).collect(),
    };
    Across {
        format: FORMAT,
        machines: machines.iter().zip(&names).map(of_machine).collect(),
        missing,
        margin,
        drift: SessionDrift { deviation: Share(drift.deviation.exp_m1()), source },
        pairs: judged(&known, &compared, &levels, Rule { margin: margin.0, ..Rule::default() }),
        facts: contrasts::among(&analyses),
        left_out: left_out(&all),
        notes: notes(machines, &all),
    }
}

/// Host names where they tell the machines apart, else the names of their runs.
fn names(machines: &[Vec<NamedRun>]) -> Vec<String> {
    let hosts: Vec<Option<&String>> = machines.iter().map(|runs| host(runs)).collect();
    let of_runs = |runs: &Vec<NamedRun>| runs.iter().map(|run| run.name.clone()).collect::<Vec<_>>().join(", ");
    let name = |(runs, host): (&Vec<NamedRun>, &Option<&String>)| {
        let is_unique = hosts.iter().filter(|other| *other == host).count() == 1;
        (*host).filter(|_| is_unique).cloned().unwrap_or_else(|| of_runs(runs))
    };
    machines.iter().zip(&hosts).map(name).collect()
}

/// The host name that all runs of a machine have.
fn host(runs: &[NamedRun]) -> Option<&String> {
    let mut hosts = runs.iter().map(|run| run.record.environment.host.as_ref());
    let first = hosts.next()??;
    hosts.all(|host| host == Some(first)).then_some(first)
}

fn notes(machines: &[Vec<NamedRun>], all: &[&Analysis<'_>]) -> Vec<String> {
    let slowed = all.iter().map(|run| slowed([*run], &run.labels().collect::<Vec<_>>()));
    let mut notes: Vec<String> = slowed.filter(|it| !it.is_empty()).collect();
    for (index, runs) in machines.iter().enumerate() {
        let Some(own) = host(runs) else { continue };
        if machines[..index].iter().any(|other| host(other) == Some(own)) {
            notes.push(format!(
                "Several of these machines have the host name {own}. Runs of one machine are no sample of machines: name \
                 them as one, as in `fsarena across 12,13 14`."
            ));
        }
    }
    distinct(notes)
}

fn compared<'a>(machines: &[MachineAnalyses<'a>], all: &[&Analysis<'a>]) -> Vec<Compared<'a>> {
    let (workloads, contenders) = (common_workloads(all), common_contenders(all));
    let each = workloads.into_iter().flat_map(|workload| pairs(contenders.len()).map(move |pair| (workload, pair)));
    let of = |(workload, (a, b)): (&'a Workload, (usize, usize))| {
        let (a, b) = (contenders[a], contenders[b]);
        let sessions = |machine: &MachineAnalyses<'_>| sessions(&machine.runs, &workload.name, a, Some(b));
        Compared { workload, a, b, sessions: machines.iter().map(sessions).collect() }
    };
    each.map(of).collect()
}

/// A pair on a machine, before the tests: why it is not valid, and its level.
struct Known {
    session: Verdict,
    /// The interval of the verdict of the only run; `None` if there are several.
    single: Option<DecisionInterval>,
    invalid: Option<String>,
    is_device_bound: bool,
    level: Option<LogEstimate>,
    /// Rounds that count, of all runs.
    rounds: usize,
}

impl Known {
    fn of(
        machine: &MachineAnalyses<'_>,
        pair: &Compared<'_>,
        sessions: &[Reduced],
        level: Option<LogEstimate>,
    ) -> Self {
        let own: Vec<PairVerdict> = machine.runs.iter().filter_map(|run| verdict_in(run, pair)).collect();
        let invalid = own.iter().find(|own| own.verdict == Verdict::Invalid).map(PairVerdict::reason);
        let first = own.first().map_or(Verdict::Undecided, |own| own.verdict);
        let is_shared = own.iter().all(|own| own.verdict == first);
        let cells = machine.runs.iter().flat_map(|run| [pair.a, pair.b].map(|label| run.cell(pair.workload, label)));
        let is_device_bound =
            cells.flatten().any(|cell| cell.validity.iter().any(|flag| flag.class == ValidityClass::DeviceBound));
        let session = if is_shared { first } else { Verdict::Undecided };
        let rounds = sessions.iter().map(Reduced::rounds).sum();
        let single = own.first().filter(|_| machine.runs.len() == 1).map(|own| own.decision);
        Self { session, single, level: level.filter(|_| invalid.is_none()), invalid, is_device_bound, rounds }
    }

    /// What is proved of the machine. Of a single run it cannot be more than the verdict of the run, whose rule knows
    /// that the run may have ended because of its figures.
    fn judged(&self, decision: fsarena_stats::Verdict) -> Verdict {
        let verdict = unless_device_bound(verdict_of(decision), self.is_device_bound);
        if self.single.is_some() && verdict != self.session { Verdict::Undecided } else { verdict }
    }

    /// The interval that the verdict rests on: of a single run, all that the run's own verdict leaves open, too.
    fn decision(&self, proof: &Proof) -> (f64, f64) {
        let (low, high) = proof.decision.ratios();
        let own = self.single.unwrap_or_default();
        (own.low.map_or(low, |own| own.min(low)), own.high.map_or(high, |own| own.max(high)))
    }

    /// Why there is no verdict; empty if there can be one.
    fn lacks(&self) -> String {
        match (&self.invalid, self.level) {
            (Some(reason), _) => reason.clone(),
            (None, None) => "fewer than three rounds".to_owned(),
            (None, Some(_)) => String::new(),
        }
    }
}

/// The verdict of a run on the pair, from the point of view of its first contender.
fn verdict_in(run: &Decisions<'_>, pair: &Compared<'_>) -> Option<PairVerdict> {
    let workload = run.analysis.workload(&pair.workload.name)?.index;
    let (a, b) = (run.analysis.contender(pair.a)?, run.analysis.contender(pair.b)?);
    let found = run.verdict(workload, a.min(b), a.max(b))?.clone();
    if a < b {
        return Some(found);
    }
    let DecisionInterval { low, high } = found.decision;
    let decision = DecisionInterval { low: high.map(f64::recip), high: low.map(f64::recip) };
    Some(PairVerdict { verdict: found.verdict.reversed(), decision, ..found })
}

fn judged(
    machines: &[MachineAnalyses<'_>],
    compared: &[Compared<'_>],
    levels: &[Vec<Option<LogEstimate>>],
    rule: Rule,
) -> Vec<AcrossPair> {
    let of_pair = |(pair, levels): (&Compared<'_>, &Vec<Option<LogEstimate>>)| {
        let each = machines.iter().zip(&pair.sessions).zip(levels);
        each.map(|((machine, sessions), level)| Known::of(machine, pair, sessions, *level)).collect()
    };
    let known: Vec<Vec<Known>> = compared.iter().zip(levels).map(of_pair).collect();
    let complete = |on: &Vec<Known>| on.iter().map(|on| on.level).collect::<Option<Vec<_>>>().unwrap_or_default();
    let each = on_each(&known.iter().map(complete).collect::<Vec<_>>(), rule);
    let usable = |on: &Vec<Known>| Pooled::of(&on.iter().filter_map(|on| on.level).collect::<Vec<_>>());
    let pooled: Vec<Option<Pooled>> = known.iter().map(usable).collect();
    let alike: Vec<Option<f64>> = pooled.iter().map(|pooled| pooled.map(|pooled| pooled.alike)).collect();
    let depends = depending(&alike, rule.alpha);
    let proofs_on = |machine: usize| proofs(&known.iter().map(|on| on[machine].level).collect::<Vec<_>>(), rule);
    let proofs: Vec<Vec<Option<Proof>>> = (0..machines.len()).map(proofs_on).collect();
    let pair = |index: usize| {
        let on = &known[index];
        let (verdict, reason) = on_all(machines, on, each[index]);
        let row = |(machine, on): (usize, &Known)| on_machine(on, proofs[machine][index].as_ref());
        AcrossPair {
            workload: compared[index].workload.name.to_string(),
            a: compared[index].a.clone(),
            b: compared[index].b.clone(),
            machines: on.iter().enumerate().map(row).collect(),
            verdict,
            reason,
            depends: depends[index],
            sample: pooled[index].map(sample),
        }
    };
    (0..compared.len()).map(pair).collect()
}

fn on_machine(known: &Known, proof: Option<&Proof>) -> PairOnMachine {
    let verdict = match proof {
        _ if known.invalid.is_some() => Verdict::Invalid,
        Some(proof) => known.judged(proof.verdict),
        None => Verdict::Undecided,
    };
    PairOnMachine {
        estimate: ratio(known.level.map(|level| level.estimate), proof.map(|proof| proof.pointwise)),
        decision: DecisionInterval::of(proof.map(|proof| known.decision(proof))),
        session: known.session,
        verdict,
        reason: known.lacks(),
        rounds: known.rounds as u32,
    }
}

/// What holds on each of these machines, and what it lacks.
fn on_all(
    machines: &[MachineAnalyses<'_>],
    on: &[Known],
    verdict: Option<fsarena_stats::Verdict>,
) -> (Verdict, String) {
    let lacking = machines.iter().zip(on).map(|(machine, known)| (machine, known.lacks()));
    let lacking = lacking.filter(|(_, lacks)| !lacks.is_empty());
    let reason = lacking.map(|(machine, lacks)| format!("{}: {lacks}", machine.name)).collect::<Vec<_>>().join("; ");
    match verdict {
        _ if on.iter().any(|known| known.invalid.is_some()) => (Verdict::Invalid, reason),
        None => (Verdict::Undecided, reason),
        Some(verdict) => {
            let all: Vec<Verdict> = on.iter().map(|known| known.judged(verdict)).collect();
            let shared = all.first().copied().filter(|first| all.iter().all(|other| other == first));
            (shared.unwrap_or(Verdict::Undecided), reason)
        }
    }
}

fn sample(pooled: Pooled) -> Sample {
    let (low, high) = pooled.mean.ratios();
    let further = pooled.further.map(|further| further.ratios());
    Sample {
        ratio: pooled.estimate.exp(),
        low,
        high,
        further_low: further.map(|ends| ends.0),
        further_high: further.map(|ends| ends.1),
        deviation: Share(pooled.deviation.exp_m1()),
        share: Share(pooled.share),
        alike: pooled.alike,
    }
}
