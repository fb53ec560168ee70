//! Trends and outliers in data where they are obvious.

use fsarena_stats::{SteadyEffect, outliers, own_trends};

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
fn only_an_outlier_is_named() {
    assert_eq!(outliers(&[1.0, 1.1, 0.9, 5.0, 1.05, 0.95]), [3]);
    assert!(outliers(&[1.0, 1.1, 0.9, 5.0]).is_empty(), "too few to say");
    assert!(outliers(&[1.0, 1.0, 1.0, 1.0, 5.0]).is_empty(), "no scale to measure by");
}
