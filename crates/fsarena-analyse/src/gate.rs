//! Whether contenders became slower than is tolerated: of two sides of runs, or of two contenders of one run.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::difference::{FORMAT, Gate, GateCheck, GateOutcome};
use fsarena_model::{Label, Share, Verdict};
use fsarena_stats::{Ending, LogEstimate, Part, Regression, regressions, weighted_mean};

use crate::decisions::Decisions;
use crate::difference::{self, LOAD_DIFFERS, NamedRun, forbidden, withheld};
use crate::evidence::pointwise;
use crate::looks::progress;
use crate::noise;
use crate::sides::{Compared, Sides, joined, left_out_of_mean, slowed};

/// The largest probability that a gate fails although nothing is slower by more than the threshold.
const ALPHA: f64 = 0.05;

/// A comparison that may be tested.
struct Candidate {
    workload: Option<String>,
    contender: Label,
    /// The logarithm of how many times better it is than before, and how well that is known.
    known: Option<LogEstimate>,
    /// Why it must not be tested.
    forbidden: Option<String>,
    /// Why it cannot be tested, or what the mean leaves out; empty if neither.
    caveat: String,
}

/// Checks the runs of `after` against those of `before`, each contender against itself.
pub fn gate(before: &[NamedRun], after: &[NamedRun], control: Option<&Label>, threshold: Share) -> Gate {
    let sides = Sides::of(before, after, control);
    let (drift, compared) = sides.compared();
    let withheld = withheld(&sides);
    let candidate = |compared: &Compared| Candidate {
        workload: compared.workload.as_ref().map(|workload| workload.name.to_string()),
        contender: compared.contender.clone(),
        known: compared.shift.map(|shift| shift.known),
        forbidden: withheld.is_some().then(|| LOAD_DIFFERS.to_owned()).or_else(|| forbidden(&sides, compared)),
        caveat: compared.caveat.clone(),
    };
    let candidates: Vec<Candidate> = compared.iter().map(candidate).collect();
    let names = |runs: &[NamedRun]| runs.iter().map(|run| run.name.clone()).collect::<Vec<_>>().join(", ");
    let drift = difference::session_drift(&sides, drift);
    let mut notes = vec![drift.sentence()];
    notes.extend(control.map(|label| format!("Figures are relative to those of {label} in the same sweeps.")));
    notes.extend(withheld.map(|why| format!("Nothing is tested: {why}.")));
    Gate {
        title: format!("{} against {}", names(after), names(before)),
        is_interleaved: false,
        notes,
        contrasts: sides.contrasts(),
        left_out: sides.left_out(),
        ..tested(candidates, threshold, Ending::Planned)
    }
}

/// Checks all other contenders of a run against the contender `base`, which the run measured in the same sweeps.
pub fn gate_within(run: &NamedRun, base: &Label, threshold: Share) -> Gate {
    let decisions = Decisions::new(&run.record);
    let analysis = &decisions.analysis;
    let place = analysis.contender(base).unwrap_or(usize::MAX);
    let others: Vec<usize> = (0..analysis.count()).filter(|other| *other != place).collect();
    let candidates = others.iter().flat_map(|other| within(&decisions, place, *other)).collect();
    let last = analysis.last_round.max(1);
    let ending = Ending::Stopped { progress: progress(&run.record, last), rounds: last as usize };
    let names = others.iter().map(|other| analysis.label(*other).to_string()).collect::<Vec<_>>().join(", ");
    let interleaved = format!(
        "Both were measured in the same sweeps, so what the machine did to both of them cancels. A gate asks only \
         whether something is slower than {base}. A report asks of each pair which one is faster, so it needs more \
         evidence: it may not decide a pair of which the gate shows a regression."
    );
    Gate {
        title: format!("{names} against {base} in {}", run.name),
        notes: [interleaved].into_iter().chain(noise::sentence(analysis)).collect(),
        ..tested(candidates, threshold, ending)
    }
}

/// A contender against the base in each workload, and in the mean over those that can be compared.
fn within(decisions: &Decisions<'_>, base: usize, other: usize) -> Vec<Candidate> {
    let label = decisions.analysis.label(other);
    let (a, b) = (base.min(other), base.max(other));
    let in_favour = |known: LogEstimate| if other < base { known } else { known.reversed() };
    let slowed = slowed([&decisions.analysis], &[label, decisions.analysis.label(base)]);
    let mut parts = Vec::new();
    let mut without = Vec::new();
    let mut candidates = Vec::new();
    for own in &decisions.analysis.workloads {
        let verdict = decisions.verdict(own.index, a, b);
        let forbidden = verdict.filter(|pair| pair.verdict == Verdict::Invalid).map(PairVerdict::reason);
        let found = decisions.standing.with_rounds(own.index, a, b);
        // Before a contender was on enough lanes, and in three rounds, there is no decision.
        let ready = found.filter(|(pair, _)| pair.latest.decision.is_some());
        let known = ready.and_then(|(pair, _)| pair.latest.known()).map(in_favour);
        match (ready, &forbidden) {
            (Some((pair, workload)), None) => parts.push(Part { weight: 1.0, workload, pair: &pair.latest }),
            _ => without.push(own.workload.name.as_str()),
        }
        candidates.push(Candidate {
            workload: Some(own.workload.name.to_string()),
            contender: label.clone(),
            known,
            forbidden,
            caveat: if known.is_none() { "too few rounds".to_owned() } else { slowed.clone() },
        });
    }
    if parts.len() > 1 {
        let known = weighted_mean(&parts).map(in_favour);
        let caveat = joined([left_out_of_mean(&without), slowed]);
        candidates.push(Candidate { workload: None, contender: label.clone(), known, forbidden: None, caveat });
    }
    candidates
}

/// Tests all candidates together; without words about them.
fn tested(candidates: Vec<Candidate>, threshold: Share, ending: Ending) -> Gate {
    let tested = |candidate: &Candidate| candidate.known.filter(|_| candidate.forbidden.is_none());
    let estimates: Vec<Option<LogEstimate>> = candidates.iter().map(tested).collect();
    let regressions = regressions(&estimates, threshold.0.ln_1p(), ALPHA, ending);
    let check = |(candidate, regression): (Candidate, Option<Regression>)| {
        let (outcome, reason) = outcome(&candidate, regression);
        GateCheck {
            workload: candidate.workload,
            contender: candidate.contender,
            estimate: pointwise(candidate.known),
            at_most: regression.map(|regression| regression.most.exp()),
            finds_from: regression.map(|regression| Share(regression.detectable.exp_m1())),
            outcome,
            reason,
        }
    };
    let gate = Gate {
        format: FORMAT,
        title: String::new(),
        is_interleaved: true,
        threshold,
        requires_finds: None,
        failed: false,
        checks: candidates.into_iter().zip(regressions).map(check).collect(),
        notes: Vec::new(),
        contrasts: Vec::new(),
        left_out: Vec::new(),
    };
    gate.requiring(None)
}

fn outcome(candidate: &Candidate, regression: Option<Regression>) -> (GateOutcome, String) {
    let outcome = match regression {
        _ if candidate.forbidden.is_some() => GateOutcome::Invalid,
        Some(regression) if regression.holds => GateOutcome::Regression,
        Some(regression) if regression.is_excluded => GateOutcome::Passed,
        _ => GateOutcome::Open,
    };
    (outcome, candidate.forbidden.clone().unwrap_or_else(|| candidate.caveat.clone()))
}
