//! Whole runs with known truth: the rule keeps its promises, and a rule that does not would be caught.

use fsarena_stats::Rule;
use fsarena_stats::simulate::{Method, Scenario, Share, Tally, simulate};

const RUNS: u32 = 200;

fn play(scenario: &Scenario, method: Method) -> Tally {
    simulate(&Rule::default(), scenario, method, RUNS, 20_261_120).expect("in range")
}

fn fraction(share: Share) -> f64 {
    share.fraction().expect("cases")
}

/// 5 % plus three standard deviations of a binomial count.
fn slack() -> f64 {
    0.05 + 3.0 * (0.05 * 0.95 / f64::from(RUNS)).sqrt()
}

fn one_better(ratio: f64, deviation: f64) -> Scenario {
    Scenario::new(vec![f64::ln_1p(ratio), 0.0, 0.0], deviation)
}

#[test]
fn false_winners_are_rare_where_nothing_differs() {
    let tally = play(&Scenario::new(vec![0.0; 3], 0.03), Method::Recipe);
    assert!(fraction(tally.runs_with_false_winner) <= slack(), "{tally:?}");
    assert!(fraction(tally.runs_covered) >= 1.0 - slack(), "{tally:?}");
}

#[test]
fn false_winners_abound_without_correction() {
    let tally = play(&Scenario::new(vec![0.0; 3], 0.03), Method::RepeatedTTest);
    assert!(fraction(tally.runs_with_false_winner) > 0.9, "{tally:?}");
}

#[test]
fn ten_per_cent_are_found_in_three_per_cent_of_noise() {
    let tally = play(&one_better(0.10, 0.03), Method::Recipe);
    assert!(fraction(tally.found) >= 0.95, "{:?}", tally.found);
    assert!(tally.median_rounds_to_find() <= Some(7));
    assert!(fraction(tally.runs_with_false_winner) <= slack());
}

#[test]
fn five_per_cent_are_found_behind_biased_lanes() {
    let scenario = Scenario { lane_deviation: 0.05, ..one_better(0.05, 0.01) };
    let tally = play(&scenario, Method::Recipe);
    assert!(fraction(tally.found) >= 0.95, "{:?}", tally.found);
}

#[test]
fn a_seed_is_a_simulation() {
    let scenario = Scenario { autocorrelation: 0.5, workloads: 4, ..one_better(0.05, 0.02) };
    let play = |seed| simulate(&Rule::default(), &scenario, Method::Recipe, 5, seed).expect("in range");
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}
