//! Cases with an answer that one can see.

use fsarena_stats::{
    Decision, Interval, LaneTerm, Observation, PairDecision, Rule, StatsError, Steadiness, Verdicts, WorkloadData,
    WorkloadDecision, cell_summary, decide, replay, round_value,
};

/// Rounds from 1, one row of values per round, no lanes.
fn data<Row: AsRef<[f64]>>(rows: &[Row]) -> WorkloadData {
    let row = |(round, row): (u32, &Row)| {
        let seen = |(contender, &y)| Observation { round, contender, lane: None, y };
        row.as_ref().iter().enumerate().map(seen).collect::<Vec<_>>()
    };
    let contenders = rows.first().map_or(2, |row| row.as_ref().len());
    WorkloadData { contenders, observations: (1..).zip(rows).flat_map(row).collect(), ..Default::default() }
}

fn only_pair(workload: &WorkloadData) -> PairDecision {
    decide(&Rule::default(), std::slice::from_ref(workload)).expect("well formed")[0].pairs[0]
}

#[test]
fn identical_values_are_equivalent_from_the_first_look_on() {
    for rounds in 0..4 {
        assert_eq!(only_pair(&data(&vec![[3.3, 3.3]; rounds])).verdict, Decision::Undecided);
    }
    let pair = only_pair(&data(&[[3.3, 3.3]; 4]));
    assert_eq!(pair.verdict, Decision::Equivalent);
    assert!(pair.decision.is_some_and(|interval| interval.low == 0.0 && interval.high == 0.0));
}

#[test]
fn a_difference_without_noise_is_a_winner() {
    let pair = only_pair(&data(&[[3.5, 3.3]; 4]));
    assert_eq!((pair.verdict, pair.needs_rounds), (Decision::Better, None));
    assert_eq!(only_pair(&data(&[[3.1, 3.3]; 4])).verdict, Decision::Worse);
}

/// Four noisy workloads and one whose rounds differ by the same constant each.
fn with_a_noiseless_one(base: f64) -> Vec<WorkloadData> {
    let noisy = |seed: u32| {
        let wobble = |round: u32| f64::from(seed * 7 * round * round % 11) / 500.0;
        data(&[1, 2, 3, 4, 5].map(|round| [1.0 + wobble(round), 1.0]))
    };
    let steps = [0.1, 0.2, 0.3, 0.4, 0.7];
    (1..5).map(noisy).chain([data(&steps.map(|step| [base * (step + 0.6), base * step]))]).collect()
}

#[test]
fn rounding_errors_are_not_taken_for_noise() {
    let rule = Rule::default();
    let rounded = decide(&rule, &with_a_noiseless_one(1.0)).expect("well formed");
    let exact = decide(&rule, &with_a_noiseless_one(0.0)).expect("well formed");
    assert_eq!(rounded[..4], exact[..4]);
}

#[test]
fn few_rounds_say_what_they_can() {
    let none = only_pair(&data::<[f64; 2]>(&[]));
    assert_eq!((none.estimate, none.pointwise, none.decision), (None, None, None));
    let one = only_pair(&data(&[[1.5, 1.0]]));
    assert_eq!((one.estimate, one.pointwise, one.needs_rounds), (Some(0.5), None, None));
    let two = only_pair(&data(&[[1.5, 1.0], [1.6, 1.0]]));
    assert!(two.pointwise.is_some() && two.decision.is_none() && two.needs_rounds >= Some(4));
}

#[test]
fn one_contender_or_none_has_no_pairs() {
    for contenders in [0, 1] {
        let lonely = WorkloadData { contenders, ..Default::default() };
        let full = data(&[[1.0], [1.1]]);
        assert!(decide(&Rule::default(), &[lonely, full]).expect("well formed")[0].pairs.is_empty());
    }
}

#[test]
fn lanes_that_never_change_are_left_out() {
    let mut fixed = data(&[[1.0, 1.1], [1.01, 1.1], [1.0, 1.12], [1.0, 1.11]]);
    fixed.observations.iter_mut().for_each(|seen| seen.lane = Some(seen.contender));
    let decision = &decide(&Rule::default(), &[fixed]).expect("well formed")[0];
    assert_eq!(decision.lane_term, LaneTerm::Confounded);
    assert!(decision.pairs[0].decision.is_some());
}

#[test]
fn malformed_data_is_named() {
    let rule = Rule::default();
    let mut data = data(&[[1.0, f64::NAN]]);
    let error = decide(&rule, std::slice::from_ref(&data)).expect_err("not a number");
    assert_eq!(error.to_string(), "workload 0, round 1, contender 1: NaN is not the logarithm of a positive number");
    data.observations.pop();
    let incomplete = StatsError::IncompleteRound { workload: 0, round: 1 };
    assert_eq!(decide(&rule, std::slice::from_ref(&data)), Err(incomplete));
    data.observations[0].contender = 2;
    assert!(matches!(decide(&rule, &[data]), Err(StatsError::UnknownContender { contender: 2, .. })));
    let greedy = Rule { alpha: 0.5, ..rule };
    assert!(matches!(decide(&greedy, &[]), Err(StatsError::Rule { field: "alpha", .. })));
}

/// A look at one pair, with a decision interval of ±.01 around the estimate.
fn look(rounds: u32, estimate: f64, verdict: Decision) -> WorkloadDecision {
    let interval = Some(Interval { low: estimate - 0.01, high: estimate + 0.01 });
    let (pointwise, decision, needs_rounds, precision) = (interval, interval, None, None);
    let estimate = Some(estimate);
    let pair = PairDecision { a: 0, b: 1, estimate, precision, pointwise, decision, verdict, rounds, needs_rounds };
    WorkloadDecision { rounds, lane_term: LaneTerm::Absent, pairs: vec![pair] }
}

fn standing(looks: &[(f64, Decision)]) -> (Decision, Steadiness) {
    let mut verdicts = Verdicts::new(&Rule::default());
    for (rounds, &(estimate, verdict)) in (4..).zip(looks) {
        verdicts.update(&[look(rounds, estimate, verdict)]);
    }
    let pair = verdicts.workloads()[0].pairs[0];
    (pair.verdict(), pair.steadiness)
}

#[test]
fn a_verdict_stays_and_a_contradiction_marks_it() {
    use Decision::{Better, Equivalent, Undecided, Worse};
    use Steadiness::{Steady, Unsteady};
    assert_eq!(standing(&[(0.2, Undecided), (0.2, Better), (0.0, Undecided)]), (Better, Steady));
    assert_eq!(standing(&[(0.2, Better), (-0.2, Worse), (0.2, Better)]), (Better, Unsteady));
    assert_eq!(standing(&[(0.0, Equivalent), (0.2, Better)]), (Equivalent, Unsteady));
    assert_eq!(standing(&[(-0.2, Worse), (0.0, Equivalent)]), (Worse, Unsteady));
    assert_eq!(standing(&[(0.03, Better), (0.02, Equivalent)]), (Better, Steady));
    assert_eq!(standing(&[(0.03, Equivalent), (0.03, Better)]), (Equivalent, Steady));
}

#[test]
fn replay_remembers_the_look_at_which_the_verdict_fell() {
    let verdicts = replay(&Rule::default(), &[data(&[[1.0, 1.2]; 7])]).expect("well formed");
    assert_eq!(verdicts.workloads()[0].pairs[0].decided.map(|look| look.rounds), Some(4));
    assert_eq!((verdicts.open().count(), verdicts.workloads()[0].rounds), (0, 7));
    let undecided = replay(&Rule::default(), &[data(&[[1.0, 1.2]; 3])]).expect("well formed");
    assert_eq!(undecided.open().collect::<Vec<_>>(), [0]);
}

#[test]
fn a_workload_without_a_new_round_is_not_looked_at_again() {
    let rule = Rule::default();
    let mut look = decide(&rule, &[data(&[[1.0, 1.2]; 3])]).expect("well formed");
    let mut verdicts = Verdicts::new(&rule);
    verdicts.update(&look);
    look[0].pairs[0].verdict = Decision::Better;
    verdicts.update(&look);
    assert_eq!(verdicts.workloads()[0].pairs[0].verdict(), Decision::Undecided);
}

#[test]
fn a_round_is_the_median_of_its_slices() {
    assert_eq!(round_value(&[]), None);
    assert_eq!(round_value(&[3.0, 0.0]), None);
    assert_eq!(round_value(&[3.0, f64::INFINITY]), None);
    assert_eq!(round_value(&[9.0, 2.0, 1000.0]), Some(9.0));
    assert!((round_value(&[1.0, 4.0, 9.0, 1000.0]).expect("positive") - 6.0).abs() < 1e-12);
}

#[test]
fn a_cell_has_an_interval_from_three_rounds_on() {
    assert_eq!(cell_summary(&[]), None);
    let two = cell_summary(&[4.0, 9.0]).expect("positive");
    assert_eq!((two.low, two.high), (None, None));
    assert!((two.median - 6.0).abs() < 1e-12);
    let three = cell_summary(&[1.0, std::f64::consts::E, std::f64::consts::E.powi(2)]).expect("positive");
    // t(2, .975) / √3 = 4.302652729911275 / 1.7320508…, around ln e = 1
    let width = 4.302_652_729_911_275 / 3.0_f64.sqrt();
    assert!((three.high.expect("three").ln() - (1.0 + width)).abs() < 1e-9);
    assert!((three.low.expect("three").ln() - (1.0 - width)).abs() < 1e-9);
}

#[test]
fn noisy_workloads_of_other_peers_do_not_widen_a_calm_ones_interval() {
    let rows = |noise: f64| -> Vec<[f64; 2]> {
        (0..6).map(|round| [0.3 + noise * f64::from(round * 7 % 5 - 2), noise * f64::from(round * 3 % 5 - 2)]).collect()
    };
    let calm: Vec<WorkloadData> = (0..4).map(|index| data(&rows(0.01 + 0.001 * f64::from(index)))).collect();
    let of = |peers: u32| (0..4).map(move |_| WorkloadData { peers, ..data(&rows(0.1)) });
    let width = |peers: u32| {
        let all: Vec<WorkloadData> = calm.iter().cloned().chain(of(peers)).collect();
        let interval = replay(&Rule::default(), &all).expect("well formed").workloads()[0].pairs[0].latest.pointwise;
        interval.map(|interval| interval.high - interval.low).expect("six rounds")
    };
    assert!(width(1) < width(0), "{} against {}", width(1), width(0));
}
