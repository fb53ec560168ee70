//! Weighted means over workloads whose rounds have luck in common, or not.

use fsarena_stats::{Interval, Means, MixPart, Observation, Rule, SuiteRatio, WorkloadData, decide};
use proptest::prelude::*;

/// How the first of two contenders did against the other, round by round, and without anything else that changes.
fn workload(first_round: u32, ratios: &[f64]) -> WorkloadData {
    let rounds = (first_round..).zip(ratios);
    let of_round = |(round, ratio): (u32, &f64)| {
        [(0, *ratio), (1, 0.0)].map(|(contender, y)| Observation { round, contender, lane: None, y })
    };
    WorkloadData { contenders: 2, peers: 0, observations: rounds.flat_map(of_round).collect() }
}

fn parts(data: &[WorkloadData], weights: &[f64]) -> Vec<MixPart> {
    let decided = decide(&Rule::default(), data).expect("well formed");
    let all = decided.iter().zip(weights).enumerate();
    all.map(|(workload, (decided, weight))| MixPart { weight: *weight, workload, pair: decided.pairs[0] }).collect()
}

fn mean(data: &[WorkloadData], weights: &[f64]) -> SuiteRatio {
    Means::new(&Rule::default(), data).expect("well formed").of(&parts(data, weights)).expect("known")
}

fn as_if_independent(data: &[WorkloadData]) -> SuiteRatio {
    let pairs: Vec<_> = parts(data, &vec![1.0; data.len()]).iter().map(|part| part.pair).collect();
    SuiteRatio::new(&pairs).expect("known")
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs().max(other.abs()))
}

fn excludes_zero(Interval { low, high }: Interval) -> bool {
    low > 0.0 || high < 0.0
}

/// Mean .07; the deviations ±.05 and ±.03 make s² = .0068/3, and s/√4 = .0238. With three degrees of freedom t = 3.182, and .0758 is more than .07:
/// a workload alone does not show a difference. Two with the same luck know no more than one; only if their noise were
/// independent they would: .0238/√2 with six degrees of freedom, t = 2.447, is .0412.
#[test]
fn two_workloads_that_share_their_luck_know_no_more_than_one() {
    let data = vec![workload(1, &[0.12, 0.02, 0.10, 0.04]); 2];
    let error = (0.0068_f64 / 3.0).sqrt() / 2.0;
    let mean = mean(&data, &[0.7, 0.3]);
    assert!(close(mean.estimate, 0.07) && close(mean.precision.error, error), "{mean:?}");
    assert!(close(mean.precision.freedom, 3.0), "{mean:?}");
    assert!(!excludes_zero(mean.interval(0.05)), "{:?}", mean.interval(0.05));
    let independent = as_if_independent(&data);
    assert!(close(independent.precision.error, error / 2.0_f64.sqrt()) && close(independent.precision.freedom, 6.0));
    assert!(excludes_zero(independent.interval(0.05)), "{:?}", independent.interval(0.05));
}

/// With the weights 3 and 1, and the second's luck three times that of the first, each round is (3 + 3)/4 times the first's.
#[test]
fn each_counts_by_its_weight() {
    let first = [0.12, 0.02, 0.10, 0.04];
    let data = [workload(1, &first), workload(1, &first.map(|ratio| 3.0 * ratio))];
    let mean = mean(&data, &[3.0, 1.0]);
    let error = 1.5 * (0.0068_f64 / 3.0).sqrt() / 2.0;
    assert!(close(mean.estimate, 0.105) && close(mean.precision.error, error), "{mean:?}");
}

/// Weighted 3 to 1 the rounds are .095, .045, .085 and .055: deviations ±.025 and ±.015, s² = .0017/3, for one's luck is
/// the other's turned round: they agree better than independent ones would.
#[test]
fn rounds_that_agree_by_chance_are_not_believed() {
    let data = [workload(1, &[0.12, 0.02, 0.10, 0.04]), workload(1, &[0.02, 0.12, 0.04, 0.10])];
    let one_sided = mean(&data, &[3.0, 1.0]);
    let [own, seen] = [0.0068_f64, 0.0017].map(|square| (square / 3.0).sqrt() / 2.0);
    let apart = own * (0.75_f64.powi(2) + 0.25_f64.powi(2)).sqrt();
    assert!(seen < apart && close(one_sided.precision.error, apart), "{one_sided:?}");
    assert!(close(one_sided.precision.freedom, 3.0) && close(one_sided.estimate, 0.07), "{one_sided:?}");
}

#[test]
fn with_other_rounds_the_errors_add_up() {
    let data = [workload(1, &[0.12, 0.02, 0.10, 0.04]), workload(2, &[0.02, 0.12, 0.04, 0.10])];
    let mean = mean(&data, &[3.0, 1.0]);
    let error = (0.0068_f64 / 3.0).sqrt() / 2.0;
    assert!(close(mean.precision.error, error) && close(mean.precision.freedom, 3.0), "{mean:?}");
}

fn suites() -> impl Strategy<Value = Vec<(f64, Vec<f64>)>> {
    proptest::collection::vec((0.01..10.0_f64, proptest::collection::vec(-1.0..1.0_f64, 5)), 1..7)
}

fn split(all: &[(f64, Vec<f64>)], sign: f64) -> (Vec<WorkloadData>, Vec<f64>) {
    let turned = |ratios: &[f64]| ratios.iter().map(|ratio| sign * ratio).collect::<Vec<_>>();
    all.iter().map(|(weight, ratios)| (workload(1, &turned(ratios)), *weight)).unzip()
}

proptest! {
    #[test]
    fn a_workload_alone_has_its_own_ratio(all in suites(), at in 0..7_usize, weight in 0.01..100.0_f64) {
        let (data, weights) = split(&all, 1.0);
        let mut part = parts(&data, &weights)[at % all.len()];
        part.weight = weight;
        let mean = Means::new(&Rule::default(), &data).expect("well formed").of(&[part]).expect("known");
        let own = part.pair.precision.expect("known");
        prop_assert!(close(mean.estimate, part.pair.estimate.expect("known")));
        prop_assert!(close(mean.precision.error, own.error) && close(mean.precision.freedom, own.freedom));
    }

    #[test]
    fn equal_weights_are_the_suites_mean_whatever_they_add_up_to(all in suites(), weight in 0.01..100.0_f64) {
        let (data, _) = split(&all, 1.0);
        let (mean, plain) = (mean(&data, &vec![weight; data.len()]), as_if_independent(&data));
        prop_assert!(close(mean.estimate, plain.estimate) && mean.workloads == plain.workloads);
        prop_assert!(mean.precision.error >= plain.precision.error * (1.0 - 1e-9), "never better known");
    }

    #[test]
    fn contenders_in_the_other_order_give_the_inverse(all in suites()) {
        let [one, other] = [1.0, -1.0].map(|sign| {
            let (data, weights) = split(&all, sign);
            let mean = mean(&data, &weights);
            (mean.estimate, mean.interval(0.05))
        });
        prop_assert!(close(one.0, -other.0) && close(one.1.low, -other.1.high) && close(one.1.high, -other.1.low));
    }

    #[test]
    fn what_is_unknown_in_one_workload_is_unknown(all in suites(), at in 0..7_usize) {
        let (data, weights) = split(&all, 1.0);
        let mut parts = parts(&data, &weights);
        let at = at % parts.len();
        parts[at].pair.precision = None;
        prop_assert_eq!(Means::new(&Rule::default(), &data).expect("well formed").of(&parts), None);
    }
}
