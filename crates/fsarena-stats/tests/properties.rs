//! What must hold for any data.

use fsarena_stats::{
    Decision, Interval, LaneTerm, Observation, PairDecision, Rule, Verdicts, WorkloadData, WorkloadDecision, decide,
    replay,
};
use proptest::prelude::*;

/// A run: workloads with the same contenders, lanes in cyclic Latin squares, values around one per contender.
fn runs() -> impl Strategy<Value = Vec<WorkloadData>> {
    (2..5_usize, 1..6_usize, 1..14_u32).prop_flat_map(|(contenders, workloads, rounds)| {
        let effects = prop::collection::vec(-0.1..0.1, contenders);
        let cells = prop::collection::vec(-0.03..0.03, contenders * rounds as usize);
        let workload = (effects, cells).prop_map(move |(effects, cells)| workload(&effects, rounds, &cells));
        prop::collection::vec(workload, workloads)
    })
}

fn workload(effects: &[f64], rounds: u32, noise: &[f64]) -> WorkloadData {
    let contenders = effects.len();
    let observation = |(index, noise): (usize, &f64)| {
        let (round, contender) = (index / contenders, index % contenders);
        let lane = Some((round + contender) % contenders);
        Observation { round: round as u32, contender, lane, y: 5.0 + effects[contender] + noise }
    };
    assert_eq!(noise.len(), contenders * rounds as usize);
    WorkloadData { contenders, observations: noise.iter().enumerate().map(observation).collect(), ..Default::default() }
}

fn changed(run: &[WorkloadData], change: impl Fn(&mut Observation)) -> Vec<WorkloadData> {
    let mut run = run.to_vec();
    run.iter_mut().flat_map(|data| &mut data.observations).for_each(change);
    run
}

fn look(run: &[WorkloadData]) -> Vec<WorkloadDecision> {
    decide(&Rule::default(), run).expect("well formed")
}

fn pairs(look: &[WorkloadDecision]) -> Vec<PairDecision> {
    look.iter().flat_map(|workload| workload.pairs.clone()).collect()
}

fn is_close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-8 * left.abs().max(1.0)
}

fn are_close(left: Option<Interval>, right: Option<Interval>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => is_close(left.low, right.low) && is_close(left.high, right.high),
        _ => false,
    }
}

/// Equal up to rounding, verdicts included unless an interval's bound is a hair's breadth from the limit.
fn agree(left: &PairDecision, right: &PairDecision) -> bool {
    is_close(left.estimate.unwrap_or(0.0), right.estimate.unwrap_or(0.0))
        && are_close(left.pointwise, right.pointwise)
        && are_close(left.decision, right.decision)
        && left.verdict == right.verdict
}

fn all_agree(left: &[WorkloadDecision], right: &[WorkloadDecision]) -> bool {
    let (left, right) = (pairs(left), pairs(right));
    left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| agree(left, right))
}

fn mirrored(interval: Interval) -> Interval {
    Interval { low: -interval.high, high: -interval.low }
}

fn flipped(pair: &PairDecision) -> PairDecision {
    let verdict = match pair.verdict {
        Decision::Better => Decision::Worse,
        Decision::Worse => Decision::Better,
        other => other,
    };
    PairDecision {
        a: pair.b,
        b: pair.a,
        estimate: pair.estimate.map(|estimate| -estimate),
        pointwise: pair.pointwise.map(mirrored),
        decision: pair.decision.map(mirrored),
        verdict,
        ..*pair
    }
}

fn pair_of(workload: &WorkloadDecision, a: usize, b: usize) -> PairDecision {
    let pair = workload.pairs.iter().find(|pair| (pair.a, pair.b) == (a.min(b), a.max(b)));
    let pair = pair.expect("every pair is there");
    if a < b { *pair } else { flipped(pair) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn renaming_contenders_renames_the_verdicts(run in runs()) {
        let last = run[0].contenders - 1;
        let renamed = changed(&run, |seen| seen.contender = last - seen.contender);
        for (before, after) in look(&run).iter().zip(&look(&renamed)) {
            for pair in &before.pairs {
                let other = pair_of(after, last - pair.a, last - pair.b);
                prop_assert!(agree(&flipped(pair), &flipped(&other)), "{pair:?} {other:?}");
            }
        }
    }

    #[test]
    fn turning_the_metric_around_flips_the_verdicts(run in runs()) {
        let turned = changed(&run, |seen| seen.y = -seen.y);
        for (before, after) in pairs(&look(&run)).iter().zip(&pairs(&look(&turned))) {
            let flipped = PairDecision { a: before.a, b: before.b, ..flipped(before) };
            prop_assert!(agree(&flipped, after), "{before:?} {after:?}");
        }
    }

    #[test]
    fn the_order_of_observations_and_the_labels_do_not_matter(run in runs(), gap in 1..5_u32) {
        let mut other = changed(&run, |seen| {
            seen.round = 7 + gap * seen.round;
            seen.lane = seen.lane.map(|lane| 90 - 3 * lane);
        });
        other.iter_mut().for_each(|data| data.observations.reverse());
        prop_assert!(all_agree(&look(&run), &look(&other)));
    }

    #[test]
    fn what_a_round_has_in_common_changes_nothing(run in runs(), shift in -3.0..3.0) {
        let shifted = changed(&run, |seen| seen.y += shift * f64::from(seen.round % 3));
        prop_assert!(all_agree(&look(&run), &look(&shifted)));
    }

    #[test]
    fn what_a_lane_has_in_common_changes_nothing(run in runs(), shift in -3.0..3.0) {
        let shifted = changed(&run, |seen| seen.y += shift * seen.lane.map_or(0.0, |lane| (lane * lane) as f64));
        let before = look(&run);
        prop_assume!(before[0].lane_term == LaneTerm::Fitted);
        prop_assert!(all_agree(&before, &look(&shifted)));
    }

    #[test]
    fn a_contender_that_gains_moves_by_what_it_gains(run in runs(), gain in -1.0..1.0) {
        let shifted = changed(&run, |seen| seen.y += if seen.contender == 0 { gain } else { 0.0 });
        for (before, after) in pairs(&look(&run)).iter().zip(&pairs(&look(&shifted))) {
            let moved = if before.a == 0 { gain } else { 0.0 };
            let (before, after) = (before.estimate.expect("rounds"), after.estimate.expect("rounds"));
            prop_assert!(is_close(before + moved, after));
        }
    }

    #[test]
    fn logarithms_scale(run in runs(), scale in 0.1..10.0) {
        let scaled = changed(&run, |seen| seen.y *= scale);
        let stretch = |interval: Interval| Interval { low: scale * interval.low, high: scale * interval.high };
        for (before, after) in pairs(&look(&run)).iter().zip(&pairs(&look(&scaled))) {
            prop_assert!(is_close(scale * before.estimate.expect("rounds"), after.estimate.expect("rounds")));
            prop_assert!(are_close(before.pointwise.map(stretch), after.pointwise));
            prop_assert!(are_close(before.decision.map(stretch), after.decision));
        }
    }

    #[test]
    fn intervals_hold_the_estimate_and_the_decision_holds_the_pointwise(run in runs()) {
        for pair in pairs(&look(&run)) {
            let estimate = pair.estimate.expect("rounds");
            prop_assert!(pair.pointwise.is_none_or(|interval| interval.contains(estimate)));
            if let (Some(pointwise), Some(decision)) = (pair.pointwise, pair.decision) {
                prop_assert!(decision.contains(pointwise.low) && decision.contains(pointwise.high));
            }
        }
    }

    #[test]
    fn a_price_is_more_than_what_was_paid(run in runs()) {
        for pair in pairs(&look(&run)) {
            prop_assert!(pair.needs_rounds.is_none_or(|price| price > pair.rounds && price >= 4));
            prop_assert!(pair.verdict == Decision::Undecided || pair.needs_rounds.is_none());
        }
    }

    #[test]
    fn replay_is_the_looks_one_by_one(run in runs()) {
        let mut live = Verdicts::new(&Rule::default());
        for last in 0..14 {
            let known: Vec<WorkloadData> = run.iter().map(|data| data.until(last)).collect();
            live.update(&look(&known));
        }
        prop_assert_eq!(live, replay(&Rule::default(), &run).expect("well formed"));
    }

    #[test]
    fn any_lanes_are_survived(run in runs(), lanes in prop::collection::vec(prop::option::of(0..4_usize), 60)) {
        let wild = changed(&run, |seen| seen.lane = lanes[(seen.round as usize * 5 + seen.contender) % 60]);
        for pair in pairs(&look(&wild)) {
            prop_assert!(pair.estimate.is_some_and(f64::is_finite));
            prop_assert!(pair.decision.is_none_or(|interval| interval.low.is_finite() && interval.high.is_finite()));
        }
    }
}
