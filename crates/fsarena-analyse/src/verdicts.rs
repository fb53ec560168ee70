//! The verdict of each pair: the statistical decision, restricted by the validity of both cells.

use fsarena_model::comparison::{Cell, DecisionInterval, Medians, Needs, PairVerdict, Reason};
use fsarena_model::event::RoundFacts;
use fsarena_model::{ValidityClass, Verdict};
use fsarena_stats::{FEWEST_ROUNDS, Interval, pairs};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::baselines::{self, Bound};
use crate::evidence::ratio;
use crate::looks::{Pair, Standing};
use crate::{durability, validity};

/// The smallest difference of two medians that three digits show, as a logarithm.
const SMALLEST_VISIBLE: f64 = 0.005;

/// The number of rounds that a verdict needs of a pair, and a mean of each of its pairs.
pub(crate) const LEAST: u32 = FEWEST_ROUNDS as u32;

/// The verdict on the first side of two that a decision of the statistics gives it.
pub(crate) fn verdict_of(decision: fsarena_stats::Verdict) -> Verdict {
    match decision {
        fsarena_stats::Verdict::Faster => Verdict::Faster,
        fsarena_stats::Verdict::Slower => Verdict::Slower,
        fsarena_stats::Verdict::Equivalent => Verdict::Equivalent,
        fsarena_stats::Verdict::Undecided => Verdict::Undecided,
    }
}

/// The verdict, unless it is an equivalence at the limit of the device, which says nothing about the contenders.
pub(crate) fn unless_device_bound(verdict: Verdict, is_device_bound: bool) -> Verdict {
    if verdict == Verdict::Equivalent && is_device_bound { Verdict::Undecided } else { verdict }
}

/// The verdict of each pair of the plan, by workload, then pair.
pub(crate) fn verdicts(analysis: &Analysis<'_>, standing: &Standing, cells: &[Vec<Cell>]) -> Vec<Vec<PairVerdict>> {
    let of_workload = |(own, cells): (&WorkloadTrials<'_>, &Vec<Cell>)| {
        pairs(analysis.count()).map(|(a, b)| verdict(analysis, standing, own, cells, a, b)).collect()
    };
    analysis.workloads.iter().zip(cells).map(of_workload).collect()
}

fn verdict(
    analysis: &Analysis<'_>,
    standing: &Standing,
    own: &WorkloadTrials<'_>,
    cells: &[Cell],
    a: usize,
    b: usize,
) -> PairVerdict {
    let plan = &analysis.record.plan;
    let workload = own.workload;
    let both = [&cells[a], &cells[b]];
    let pair = standing.pair(own.index, a, b);
    let apart = apart(analysis, a, b);
    let takes_no_part = both.iter().any(|cell| !plan.takes_part(&cell.contender, &cell.workload));
    // Before there are enough rounds, what is estimated may be noise.
    let latest = pair.map(|pair| pair.latest).filter(|latest| latest.rounds >= LEAST);
    // How far the steps of the program's clock leave the figures open.
    let unseen: f64 =
        [a, b].iter().map(|one| validity::uncertainty(workload, own.by_contender[*one].iter().copied())).sum();
    let pointwise = latest.and_then(|latest| latest.pointwise).and_then(|interval| widened(interval, unseen));
    let decision = latest.and(pair).and_then(Pair::decision).and_then(|interval| widened(interval, unseen));
    let (verdict, mut reasons) = judge(pair, takes_no_part, apart, both);
    let is_hidden = unseen > 0.0 && !is_shown(verdict, pointwise, decision, plan.margin.0.ln_1p());
    let verdict = if is_hidden { Verdict::Undecided } else { verdict };
    let bound = if verdict == Verdict::Undecided { baselines::bound(analysis, own) } else { Bound::Large };
    let is_small = bound != Bound::Large;
    reasons.extend(is_small.then_some(Reason::Programs));
    let verdict = if bound == Bound::Equal { Verdict::Equivalent } else { verdict };
    let is_open = verdict == Verdict::Undecided;
    let few = pair.filter(|_| is_open && !is_small).and_then(few_rounds);
    let estimate = ratio(latest.and_then(|latest| latest.estimate), pointwise);
    let medians = cells[a].figure.median.zip(cells[b].figure.median).filter(|_| verdict != Verdict::Invalid);
    let medians = medians.map(|(a, b)| workload.metric.better.log_ratio(a, b));
    let contradicting = contradicting(medians, plan.margin.0, latest.and_then(|latest| latest.estimate), decision);
    reasons.extend(contradicting.map(Reason::Medians));
    let may_lean = is_open && contradicting.is_none() && !is_hidden;
    let outlook = latest.and_then(|latest| latest.outlook);
    // An equivalence at the device's limit counts as undecided. Further rounds would not change that, so none are asked
    // for.
    let is_tie = pair.is_some_and(|pair| pair.fell.is_some());
    let needs_rounds =
        outlook.and_then(|outlook| outlook.needed_rounds()).filter(|_| is_open && !is_tie && !is_small && !is_hidden);
    let more = latest.zip(needs_rounds).map(|(latest, needed)| needed.saturating_sub(latest.rounds));
    PairVerdict {
        workload: workload.name.to_string(),
        metric: workload.metric.name.clone(),
        a: cells[a].contender.clone(),
        b: cells[b].contender.clone(),
        estimate,
        decision: DecisionInterval::of(decision.map(|interval| interval.ratios())),
        verdict,
        reasons: reasons.into_iter().chain(few).collect(),
        guarantees: durability::other_guarantees(analysis, a, b),
        leaning: latest.filter(|_| may_lean).and_then(|latest| latest.leaning).map(verdict_of),
        detectable: outlook.map(|outlook| (outlook.detectable + unseen).exp()).filter(|ratio| ratio.is_finite()),
        rounds: pair.map_or(0, |pair| pair.latest.rounds),
        needs: Needs { rounds: needs_rounds, seconds: more.and_then(|more| seconds_of_rounds(analysis, own, more)) },
    }
}

/// The medians over rounds if they say otherwise than the estimate, to a reader who divides them: they are on the other
/// side of 1, or outside of the decision's interval and further from the estimate than the margin. All are logarithms,
/// apart from the margin.
pub(crate) fn contradicting(
    of_medians: Option<f64>,
    margin: f64,
    estimate: Option<f64>,
    decision: Option<Interval>,
) -> Option<Medians> {
    let (medians, estimate) = of_medians.zip(estimate)?;
    let favours_other = medians.abs() > SMALLEST_VISIBLE && (medians > 0.0) != (estimate > 0.0);
    let is_outside = decision.is_some_and(|interval| !interval.contains(medians));
    let is_far = (medians - estimate).abs() > margin.ln_1p();
    (favours_other || (is_outside && is_far)).then_some(Medians { medians: medians.exp(), favours_other })
}

/// The interval if figures may be off by so much; `None` if they may be anything.
fn widened(interval: Interval, by: f64) -> Option<Interval> {
    by.is_finite().then_some(Interval { low: interval.low - by, high: interval.high + by })
}

/// Whether intervals that the clock's steps have widened still show the verdict.
fn is_shown(verdict: Verdict, pointwise: Option<Interval>, decision: Option<Interval>, margin: f64) -> bool {
    match verdict {
        Verdict::Faster => decision.is_some_and(|interval| interval.low > 0.0),
        Verdict::Slower => decision.is_some_and(|interval| interval.high < 0.0),
        Verdict::Equivalent => pointwise.is_some_and(|interval| interval.is_within(margin)),
        Verdict::Undecided | Verdict::Invalid => true,
    }
}

/// `create-fsync: xfs faster than ext4, 1.31×`; `None` for an undecided or invalid pair.
pub(crate) fn in_words(verdict: &PairVerdict) -> Option<String> {
    let PairVerdict { workload, a, b, .. } = verdict;
    let times = verdict.estimate.ratio.map(|ratio| format!(", {:.2}×", ratio.max(1.0 / ratio))).unwrap_or_default();
    match verdict.verdict {
        Verdict::Faster => Some(format!("{workload}: {a} faster than {b}{times}")),
        Verdict::Slower => Some(format!("{workload}: {b} faster than {a}{times}")),
        Verdict::Equivalent => Some(format!("{workload}: {a} and {b} equivalent")),
        Verdict::Undecided | Verdict::Invalid => None,
    }
}

/// The reason if a verdict was decided earlier and the latest interval no longer supports it. The verdict stays.
fn fallen_earlier(pair: &Pair) -> Option<Reason> {
    let has_winner = matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    let shows = pair.latest.pointwise.is_none_or(|interval| !interval.contains(0.0));
    pair.fell.filter(|_| has_winner && !shows).map(|decided| Reason::LessSure { rounds: decided.rounds })
}

/// The reason if no verdict is possible after so few rounds.
fn few_rounds(pair: &Pair) -> Option<Reason> {
    let rounds = pair.latest.rounds;
    (rounds < LEAST).then_some(Reason::FewRounds { rounds, least: LEAST })
}

/// Why two contenders are never ranked with each other; `None` if they are of one class.
fn apart(analysis: &Analysis<'_>, a: usize, b: usize) -> Option<Reason> {
    let (a, b) = (analysis.class(a), analysis.class(b));
    if a.map(|class| class.durability) != b.map(|class| class.durability) {
        return Some(Reason::Durability);
    }
    (a != b).then_some(Reason::Coherence)
}

fn judge(pair: Option<&Pair>, takes_no_part: bool, apart: Option<Reason>, both: [&Cell; 2]) -> (Verdict, Vec<Reason>) {
    let flags =
        || both.into_iter().flat_map(|cell| cell.validity.iter().map(|flag| (cell.contender.clone(), flag.class)));
    let reason = |(contender, class)| Reason::Validity { contender, class };
    let forbidden: Vec<Reason> = flags().filter(|(_, class)| class.forbids_verdict()).map(reason).collect();
    match pair {
        _ if !forbidden.is_empty() => (Verdict::Invalid, apart.into_iter().chain(forbidden).collect()),
        None if takes_no_part => (Verdict::Invalid, vec![Reason::NoPart]),
        None if both.iter().any(|cell| cell.rounds == 0) => (Verdict::Undecided, vec![Reason::NotMeasured]),
        None => (Verdict::Invalid, vec![apart.unwrap_or(Reason::Incomparable)]),
        Some(pair) if pair.is_unsteady => (Verdict::Invalid, vec![Reason::Unsteady]),
        Some(pair) => {
            let is_device_bound = flags().any(|(_, class)| class == ValidityClass::DeviceBound);
            let verdict = unless_device_bound(pair.verdict(), is_device_bound);
            (verdict, fallen_earlier(pair).into_iter().chain(flags().map(reason)).collect())
        }
    }
}

/// Estimated seconds for `rounds` further rounds of the workload; `None` if no finished round contains it.
///
/// The estimate uses the last round in which the workload ran, and divides that round's duration, with making and
/// checking the contenders, equally among its workloads. When further workloads are decided, rounds become shorter, and
/// the share of each remaining workload becomes larger.
fn seconds_of_rounds(analysis: &Analysis<'_>, workload: &WorkloadTrials<'_>, rounds: u32) -> Option<f64> {
    let ran = |own: &WorkloadTrials<'_>, facts: &RoundFacts| own.all.iter().any(|trial| trial.round == facts.round);
    let last = analysis.record.rounds.iter().rev().find(|facts| ran(workload, facts))?;
    let count = analysis.workloads.iter().filter(|own| ran(own, last)).count();
    Some(last.seconds / count as f64 * f64::from(rounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_contradict_a_ratio_on_the_other_side_of_1_or_far_from_it() {
        let of = |medians: f64, ratio: f64, low: f64, high: f64| {
            let interval = Interval { low: low.ln(), high: high.ln() };
            contradicting(Some(medians.ln()), 0.05, Some(ratio.ln()), Some(interval)).map(|it| it.favours_other)
        };
        assert_eq!(of(0.97, 1.04, 0.95, 1.12), Some(true), "the ratio favours the first, the medians the second");
        assert_eq!(of(0.998, 1.003, 0.95, 1.05), None, "which three digits do not show");
        assert_eq!(of(1.06, 1.04, 0.95, 1.12), None);
        assert_eq!(of(1.73, 1.29, 0.94, 1.78), None, "far from the estimate, and within its interval");
        assert_eq!(of(1.5, 1.1, 1.05, 1.15), Some(false), "a reader who divides the medians gets another ratio");
        assert_eq!(of(1.407, 1.4, 1.397, 1.403), None, "within the margin");
        assert_eq!(of(0.9998, 0.92, 0.87, 0.99), Some(false), "the medians are equal where one is shown to be faster");
        assert_eq!(contradicting(None, 0.05, Some(0.1), None), None);
    }
}
