//! The most important cells of the calibration with few runs: the rule keeps its promises, and a broken one is caught.

use fsarena_stats::Rule;
use fsarena_stats::simulate::{Cell, FieldRule, Goal, Histogram, Met, Method, Scenario, Section, Share, Tally};
use fsarena_stats::simulate::{cells, simulate};

const RUNS: u32 = 200;
const SEED: u64 = 20_261_120;

/// The tally of the one cell of that table and name with so many contenders and workloads.
fn tally(section: Section, contenders: usize, workloads: usize, name: &str) -> (Cell, Tally) {
    let is_it = |cell: &Cell| {
        let Scenario { effects, workloads: count, .. } = &cell.scenario;
        cell.section == section && cell.name == name && effects.len() == contenders && *count == workloads
    };
    let mut found = cells().into_iter().filter(is_it);
    let cell = found.next().expect("there is such a cell");
    assert!(found.next().is_none(), "{name} is there twice");
    let tally = simulate(&Rule::default(), &cell.scenario, cell.method, 0..RUNS, SEED).expect("in range");
    (cell, tally)
}

/// No goal is missed by more than chance explains.
fn assert_kept(section: Section, contenders: usize, workloads: usize, name: &str) {
    let (cell, tally) = tally(section, contenders, workloads, name);
    assert!(!cell.goals.is_empty(), "{name} promises something");
    for goal in &cell.goals {
        assert_ne!(goal.judge(&tally), Some(Met::Missed), "{name}: {goal:?} {tally:?}");
    }
}

#[test]
fn false_winners_are_rare_where_nothing_differs() {
    assert_kept(Section::NoDifference, 3, 10, "lane bias 5 %");
    assert_kept(Section::NoDifference, 3, 10, "one contender with 3-fold noise");
    assert_kept(Section::NoDifference, 2, 10, "workloads unlike (sd × e^±1)");
    assert_kept(Section::NoDifference, 3, 1, "rounds 16 and 20 bought");
}

#[test]
fn false_winners_are_rare_where_rounds_depend_on_each_other() {
    assert_kept(Section::NoDifference, 2, 10, "own AR .5, no lanes");
    assert_kept(Section::NoDifference, 3, 10, "own AR .5, lane bias 5 %");
    assert_kept(Section::NoDifference, 3, 1, "own AR .5, no lanes");
}

#[test]
fn what_is_the_margin_apart_is_not_called_equivalent() {
    assert_kept(Section::AtTheMargin, 3, 10, "5 %, sd 1 %, own AR .5");
    assert_kept(Section::AtTheMargin, 2, 10, "5 %, sd 3 %");
}

#[test]
fn ten_per_cent_are_found_in_three_per_cent_of_noise() {
    assert_kept(Section::Power, 3, 10, "10 %, sd 3 %");
    assert_kept(Section::Power, 3, 10, "10 %, sd 3 %, no lanes");
}

#[test]
fn five_per_cent_are_found_behind_biased_lanes() {
    assert_kept(Section::Power, 3, 10, "5 %, sd 1 %, lane bias 5 %");
}

#[test]
fn every_break_is_noticed() {
    let broken: Vec<Cell> = cells().into_iter().filter(|cell| cell.section == Section::Broken).collect();
    assert!(broken.len() >= 5);
    for cell in broken {
        let Scenario { effects, workloads, .. } = &cell.scenario;
        let (cell, tally) = tally(Section::Broken, effects.len(), *workloads, &cell.name);
        for goal in &cell.goals {
            assert_eq!(goal.judge(&tally), Some(Met::Surely), "{}: {tally:?}", cell.name);
        }
    }
}

#[test]
fn the_rules_of_the_field_call_winners_that_are_none() {
    let scenario = Scenario::new(vec![0.0; 3], 0.03);
    for rule in [FieldRule::DeviationBelow, FieldRule::UntilSignificant, FieldRule::ThreeBars] {
        let tally = simulate(&Rule::default(), &scenario, Method::Field(rule), 0..50, SEED).expect("in range");
        assert_eq!(Goal::NoFalseWinner.judge(&tally), Some(Met::Missed), "{rule:?}");
    }
}

#[test]
fn a_seed_is_a_simulation_and_runs_may_be_shared_out() {
    let scenario = Scenario { autocorrelation: 0.5, workloads: 4, ..Scenario::new(vec![0.05, 0.0, 0.0], 0.02) };
    let play = |runs, seed| simulate(&Rule::default(), &scenario, Method::Recipe, runs, seed).expect("in range");
    let mut parts = play(3..6, 1);
    parts.add(&play(0..3, 1));
    assert_eq!(parts, play(0..6, 1));
    assert_ne!(play(0..6, 1), play(0..6, 2));
}

/// Reference: statsmodels.stats.proportion.proportion_confint(hits, of, method='wilson').
#[test]
fn shares_have_wilson_s_interval() {
    for (hits, of, low, high) in REFERENCE_WILSON {
        let (seen_low, seen_high) = Share { hits, of }.interval().expect("cases");
        assert!((seen_low - low).abs() < 1e-12 && (seen_high - high).abs() < 1e-12, "{hits} of {of}");
    }
    assert_eq!(Share::default().interval(), None);
}

const REFERENCE_WILSON: [(u32, u32, f64, f64); 4] = [
    (0, 50, 0.0, 0.071_347_599_133_358_74),
    (3, 200, 0.005_114_237_793_258_307, 0.043_165_728_792_690_275),
    (95, 100, 0.888_249_530_768_080_8, 0.978_456_320_845_631_9),
    (20, 20, 0.838_874_841_947_180_4, 1.0),
];

#[test]
fn the_median_of_rounds_is_one_that_half_of_the_cases_did_not_exceed() {
    assert_eq!(Histogram::default().quantile(0.5), None);
    let (_, tally) = tally(Section::Power, 3, 1, "30 %, sd 5 %");
    let rounds = &tally.rounds_to_find;
    let median = rounds.quantile(0.5).expect("some are found");
    assert!(2 * rounds.at_most(median) >= rounds.total() && 2 * rounds.at_most(median - 1) < rounds.total());
    assert_eq!((tally.found_by(3).hits, tally.found_by(12).hits), (0, tally.found.hits));
}
