//! Trends and changes in data where they are obvious.

use fsarena_stats::{SteadyEffect, own_trends, within_rounds};

/// Three contenders in twelve rounds on a machine that drifts by 10 % per round; the second one gains 3 % per round
/// on the others.
fn drifting() -> Vec<(u32, Vec<f64>)> {
    let wobble = |round: u32, contender: u32| f64::from((7 * round + 5 * contender) % 11) / 1000.0;
    let value = |round: u32, contender: u32| {
        let own = if contender == 1 { 0.03 * f64::from(round) } else { 0.0 };
        0.1 * f64::from(round) + own + wobble(round, contender)
    };
    (0..12).map(|round| (round, (0..3).map(|contender| value(round, contender)).collect())).collect()
}

#[test]
fn a_trend_of_a_contender_is_distinguished_from_that_of_the_machine() {
    let trends = own_trends(&drifting(), 0.05);
    let slopes: Vec<f64> = trends.iter().map(|trend| trend.expect("twelve rounds").size).collect();
    // Relative to the mean of the others: 3 %, and half of it in the opposite direction for each of the others.
    assert!((slopes[1] - 0.03).abs() < 0.001 && (slopes[0] + 0.015).abs() < 0.001, "{slopes:?}");
    assert!(trends[1].is_some_and(|trend| !trend.interval.contains(0.0)));
}

#[test]
fn a_round_that_is_missing_takes_its_time() {
    let mut rounds = drifting();
    rounds.retain(|(round, _)| !(3..6).contains(round));
    let trends = own_trends(&rounds, 0.05);
    assert!(trends[1].is_some_and(|trend| (trend.size - 0.03).abs() < 0.001), "{trends:?}");
}

#[test]
fn a_lone_contender_has_no_trend_of_its_own() {
    let alone: Vec<(u32, Vec<f64>)> = drifting().into_iter().map(|(round, values)| (round, vec![values[0]])).collect();
    assert_eq!(own_trends(&alone, 0.05), [None]);
    assert!(own_trends(&[], 0.05).is_empty());
}

#[test]
fn stable_values_have_no_trend() {
    let values = [1.0, 1.1, 0.9, 1.1, 0.9, 1.0];
    let values: Vec<(f64, f64)> = (1_u8..).map(f64::from).zip(values).collect();
    assert!(SteadyEffect::trend(&values, 0.05).is_some_and(|trend| trend.interval.contains(0.0)));
    assert_eq!(SteadyEffect::trend(&values[..2], 0.05), None);
}

#[test]
fn later_slices_are_compared_with_earlier_ones() {
    let falling = [vec![1.0, 0.9, 0.5, 0.8, 0.7], vec![2.0, 1.91, 9.0, 1.8, 1.7], vec![3.0, 2.9, 3.0, 2.8, 2.71]];
    let effect = within_rounds(&falling, 0.05).expect("three rounds");
    assert!((effect.size + 0.2).abs() < 1e-3 && !effect.interval.contains(0.0), "{effect:?}");
    assert_eq!(within_rounds(&[vec![1.0], vec![1.0, 0.9], vec![1.0, 0.9]], 0.05), None, "only two tell");
}
