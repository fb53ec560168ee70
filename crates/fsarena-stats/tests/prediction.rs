//! Predictions for another program: how often they hold, in short simulations with a fixed seed, and their properties.

use fsarena_stats::{BetweenPrograms, MixProgram, Precision, PredictedPair, Programs, expanded};
use proptest::prelude::*;

use crate::noise::Noise;

const MIXES: u64 = 2000;
/// Standard deviation of the pairs' true means over all programs of the kind, a compressed logarithm.
const SPREAD: f64 = 0.1;
/// Standard error of one program, a logarithm.
const ERROR: f64 = 0.03;
const TYPICAL: BetweenPrograms = BetweenPrograms { deviation: 0.04, freedom: 8.0 };

/// A mix of programs with these weights, and what a further program shows. Each pair has a variance between programs of
/// its own: the typical one, scaled by an inverse χ².
fn outcome(weights: &[f64], noise: &mut Noise) -> PredictedPair {
    let squares: f64 = (0..TYPICAL.freedom as u32).map(|_| noise.normal().powi(2)).sum();
    let deviation = TYPICAL.deviation * (TYPICAL.freedom / squares).sqrt();
    let centre = SPREAD * noise.normal();
    let mut shown = || expanded(centre + deviation * noise.normal()) + ERROR * noise.normal();
    let programs: Vec<MixProgram> = weights.iter().map(|weight| MixProgram::of(*weight, shown(), ERROR)).collect();
    let noise = programs.iter().map(|program| (program.weight * program.error).powi(2)).sum::<f64>().sqrt();
    let error = noise / weights.iter().sum::<f64>();
    let precision = Precision { error, freedom: 5.0 * weights.len() as f64 };
    PredictedPair { programs: Programs::with_precision(precision, &programs), measured: shown(), error: ERROR }
}

fn outcomes(weights: &[f64], seed: u64) -> Vec<PredictedPair> {
    (0..MIXES).map(|mix| outcome(weights, &mut Noise::new(seed, mix))).collect()
}

#[test]
fn intervals_contain_what_another_program_shows_as_often_as_they_promise() {
    let equal = (3..=8).map(|count| vec![1.0; count]);
    let weights: Vec<Vec<f64>> = equal.chain([vec![5.0, 3.0, 1.0, 1.0], vec![6.0, 2.0, 1.0]]).collect();
    for weights in weights {
        let holds =
            |outcome: &PredictedPair| outcome.programs.predict(TYPICAL).interval(0.1).contains(outcome.measured);
        let share = outcomes(&weights, 39).iter().filter(|outcome| holds(outcome)).count() as f64 / MIXES as f64;
        assert!((0.85..=0.95).contains(&share), "{weights:?}: {share}");
    }
}

#[test]
fn a_sure_prediction_has_the_right_sign_as_often_as_it_says() {
    let all = outcomes(&[1.0; 4], 40);
    let sure: Vec<(f64, bool)> = all
        .iter()
        .map(|outcome| (outcome.programs.predict(TYPICAL).better(), outcome.measured > 0.0))
        .filter(|(better, _)| *better >= 0.9)
        .collect();
    let right = sure.iter().filter(|(_, is_better)| *is_better).count() as f64 / sure.len() as f64;
    let promised = sure.iter().map(|(better, _)| better).sum::<f64>() / sure.len() as f64;
    assert!(sure.len() > 500 && (right - promised).abs() < 0.025, "{right} of {}, {promised}", sure.len());
}

#[test]
fn the_typical_deviation_is_found_from_outcomes() {
    let fitted = BetweenPrograms::fitted(&outcomes(&[1.0; 5], 41)).expect("there are outcomes");
    assert!((fitted.deviation / TYPICAL.deviation).ln().abs() < 0.12, "{fitted:?}");
    assert!((6.0..=12.0).contains(&fitted.freedom), "{fitted:?}");
    assert_eq!(BetweenPrograms::fitted(&[]), None);
}

fn mixes() -> impl Strategy<Value = (Precision, Vec<MixProgram>)> {
    let program = (0.1..5.0_f64, -1.0..1.0_f64, 0.0..0.2_f64);
    let program = program.prop_map(|(weight, estimate, error)| MixProgram { weight, estimate, error });
    let precision = (0.0..0.1_f64, 2.0..40.0_f64).prop_map(|(error, freedom)| Precision { error, freedom });
    (precision, proptest::collection::vec(program, 1..9))
}

proptest! {
    #[test]
    fn the_swapped_pair_is_predicted_the_other_way_round((mean, programs) in mixes()) {
        let turned: Vec<MixProgram> = programs.iter().map(|it| MixProgram { estimate: -it.estimate, ..*it }).collect();
        let [one, other] = [&programs, &turned].map(|it| Programs::with_precision(mean, it).predict(TYPICAL));
        prop_assert!((one.better() + other.better() - 1.0).abs() < 1e-9);
        let (one, other) = (one.interval(0.1), other.interval(0.1));
        prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
    }

    #[test]
    fn only_the_proportions_of_weights_count((mean, programs) in mixes(), factor in 0.01..100.0_f64) {
        let scaled: Vec<MixProgram> = programs.iter().map(|it| MixProgram { weight: it.weight * factor, ..*it }).collect();
        let [one, other] = [&programs, &scaled].map(|it| Programs::with_precision(mean, it).predict(TYPICAL));
        prop_assert!((one.precision.error - other.precision.error).abs() < 1e-9);
        prop_assert!((one.precision.freedom - other.precision.freedom).abs() < 1e-6);
    }

    #[test]
    fn another_program_is_less_certain_than_the_mean((mean, programs) in mixes()) {
        let prediction = Programs::with_precision(mean, &programs).predict(TYPICAL);
        let most = TYPICAL.freedom + (programs.len() - 1) as f64 + mean.freedom;
        prop_assert!(prediction.precision.error > prediction.deviation.max(mean.error));
        prop_assert!(prediction.precision.freedom <= most + 1e-9);
        prop_assert!((0.0..=1.0).contains(&prediction.better()));
        prop_assert_eq!(prediction.better() > 0.5, prediction.estimate > 0.0);
    }
}
