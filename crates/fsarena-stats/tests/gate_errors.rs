//! Sides that were not interleaved: values from tables, and error rates in short simulations with a fixed seed;
//! `examples/calibrate` has the long ones.

use std::path::Path;

use fsarena_stats::{
    Drift, Ending, LogEstimate, Precision, Quantity, Rule, Unchanged, Verdict, mean_session, proofs, regressions,
    session, shifts,
};

use crate::gates::{Design, Drifts, Injected, Machine, count};
use crate::trace::Trace;
use crate::world::{Source, Synthetic};

const RUNS: u32 = 60;

fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-4, "{got} instead of {expected}");
}

/// Rounds of one slice each.
fn of(values: &[f64]) -> fsarena_stats::Reduced {
    session(&values.iter().map(|value| vec![*value]).collect::<Vec<_>>())
}

fn quantity(before: &[&[f64]], after: &[&[f64]]) -> Quantity {
    let sessions = |all: &[&[f64]]| all.iter().map(|values| of(values)).collect();
    Quantity { before: sessions(before), after: sessions(after) }
}

/// Student's quantiles for 10 degrees of freedom: 1.8125 at .05, 2.2281 at .025 (any table).
#[test]
fn a_regression_holds_only_beyond_the_limit_and_for_all_tests_together() {
    let known = |estimate: f64| Some(LogEstimate { estimate, precision: Precision { error: 0.01, freedom: 10.0 } });
    let found = |estimates: &[Option<LogEstimate>]| {
        regressions(estimates, 0.05, 0.05, Ending::Planned).into_iter().flatten().collect::<Vec<_>>()
    };
    let alone = found(&[known(-0.07)])[0];
    assert!(alone.holds && !alone.is_excluded);
    close(alone.most, -0.07 + 0.018_125);
    let two = found(&[known(-0.07), known(0.0), None]);
    assert!(!two[0].holds, "2.0 standard errors are less than 2.2281");
    assert!(two[1].is_excluded);
    close(two[0].most, -0.07 + 0.022_281);
    let step_down = found(&[known(-0.07), known(-0.2)]);
    assert!(step_down.iter().all(|regression| regression.holds), "the first one leaves the whole level to the second");
    assert!(!found(&[known(-0.05)])[0].holds, "exactly the limit is none");
    close(alone.detectable, 0.05 + 0.018_125 + 0.008_791);
}

#[test]
fn changes_are_tested_together_and_small_ones_are_equivalent() {
    let known =
        |estimate: f64, error: f64| Some(LogEstimate { estimate, precision: Precision { error, freedom: 10.0 } });
    let verdicts = |estimates: &[Option<LogEstimate>]| -> Vec<Verdict> {
        proofs(estimates, Rule::default()).into_iter().flatten().map(|proof| proof.verdict).collect()
    };
    assert_eq!(verdicts(&[known(0.0235, 0.01)]), [Verdict::Faster]);
    assert_eq!(verdicts(&[known(0.0235, 0.01), known(0.0, 0.05)]), [Verdict::Undecided, Verdict::Undecided]);
    assert_eq!(verdicts(&[known(-0.3, 0.01), known(0.002, 0.001), None]), [Verdict::Slower, Verdict::Equivalent]);
}

#[test]
fn the_drift_is_learned_from_repeated_runs_and_from_work_that_did_not_change() {
    let level = |at: f64| [at - 0.002, at + 0.001, at, at + 0.002, at - 0.001];
    let wide = quantity(&[&level(0.0), &level(0.2), &level(-0.2)], &[&level(0.1), &level(-0.1), &level(0.3)]);
    let narrow = quantity(&[&level(0.0), &level(0.0), &level(0.0)], &[&level(0.1), &level(0.1), &level(0.1)]);
    let (drift, found) = shifts(&[wide], &[], Drift::ASSUMED);
    assert!((0.15..0.21).contains(&drift.deviation), "{drift:?}");
    close(found[0].expect("five rounds each").known.estimate, 0.1);
    let (calm, found) = shifts(&[narrow], &[], Drift::ASSUMED);
    assert!(calm.deviation < 0.02, "{calm:?}");
    let narrow = found[0].expect("five rounds each");
    assert!(narrow.within.error < narrow.known.precision.error && narrow.known.precision.error < 0.02, "{narrow:?}");
    let single = [quantity(&[&level(0.0)], &[&level(0.1)])];
    let changed = |by: f64| vec![Unchanged { before: vec![7.0], after: vec![7.0 + by] }; 12];
    let (with_change, _) = shifts(&single, &changed(0.3), Drift::ASSUMED);
    let (without, _) = shifts(&single, &changed(0.0), Drift::ASSUMED);
    let (unknown, _) = shifts(&single, &[], Drift::ASSUMED);
    assert!(with_change.deviation > 0.15 && without.deviation < 0.02, "{with_change:?} {without:?}");
    assert_eq!(unknown, Drift::ASSUMED);
}

#[test]
fn too_few_rounds_show_no_change_and_sides_can_be_exchanged() {
    let (before, after) = ([0.0, 0.1, 0.05, 0.02], [0.3, 0.2, 0.4, 0.25]);
    let (_, found) = shifts(&[quantity(&[&before], &[&after[..2]]), Quantity::default()], &[], Drift::ASSUMED);
    assert_eq!(found, [None, None]);
    let change = |quantity| shifts(&[quantity], &[], Drift::ASSUMED).1[0].expect("four rounds each");
    let (there, back) = (change(quantity(&[&before], &[&after])), change(quantity(&[&after], &[&before])));
    assert!(
        (there.known.estimate + back.known.estimate).abs() < 1e-12 && there.known.precision == back.known.precision
    );
}

/// Three rounds say little about their own noise; the drift, which is known better, does not make that more.
#[test]
fn an_interval_with_the_drift_is_never_inside_the_one_without() {
    for (noise, drift) in [(0.5, 0.03), (0.5, 0.2), (0.05, 0.1), (0.01, 0.05)] {
        let within = Precision { error: noise, freedom: 2.0 };
        let width = |it: Precision| it.interval(0.0, 0.025).high;
        let with = Drift { deviation: drift, freedom: 12.0 }.added_to(within, 2.0);
        assert!(width(with) >= width(within), "{noise} {drift}");
        assert_eq!(width(with) > width(within), drift >= noise, "{noise} {drift}: {with:?}");
    }
}

#[test]
fn the_mean_of_a_session_has_a_value_for_each_round() {
    let mean = mean_session(&[&of(&[0.0, 0.2, 0.1]), &of(&[1.0, 1.0, 1.3])]).expect("values");
    let quantity = Quantity { before: vec![mean], after: vec![of(&[0.0, 0.0, 0.1])] };
    let shift = shifts(&[quantity], &[], Drift::ASSUMED).1[0].expect("three rounds");
    close(shift.known.estimate, 0.1 / 3.0 - 0.6);
    assert!(mean_session(&[&of(&[0.0]), &of(&[])]).is_none());
}

fn recorded(name: &str) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/traces/{name}.trace.gz"));
    let trace = Trace::read(&path).expect("the trace is in the repository");
    Machine { name: name.to_owned(), source: Source::Recorded(trace), drifts: Drifts { common: 0.0, own: 0.0 } }
}

const SLOWER: Injected = Injected { size: 0.095_310_18, workload: None };

#[test]
fn in_one_run_equal_contenders_pass_and_a_slowdown_of_10_percent_fails() {
    for name in ["quiet", "neighbour-writes"] {
        let machine = recorded(name);
        let equal = count(&machine, Design::Interleaved, Injected::NOTHING, RUNS, 1);
        let slower = count(&machine, Design::Interleaved, SLOWER, RUNS, 1);
        assert!(equal <= 3 && slower >= 57, "{name}: {equal} and {slower} of {RUNS}");
    }
}

#[test]
fn equal_runs_pass_although_the_machine_drifts() {
    for design in [Design::Runs(1), Design::Runs(2), Design::Runs(3), Design::Baselines, Design::Control] {
        let mut machine = recorded("quiet");
        machine.drifts = Drifts { common: 0.05, own: 0.02 };
        let failed = count(&machine, design, Injected::NOTHING, RUNS, 2);
        assert!(failed <= 4, "{design}: {failed} of {RUNS}");
    }
    // Without the drift in the intervals many fail: the test would find a rule that forgets it.
    let mut machine = recorded("quiet");
    machine.drifts = Drifts { common: 0.05, own: 0.02 };
    assert!(count(&machine, Design::Naive, Injected::NOTHING, RUNS, 2) > 6);
}

#[test]
fn repeated_runs_of_a_stable_machine_find_a_slowdown() {
    let stable = Synthetic { slice: 0.05, round: 0.01, machine: 0.01, ..Synthetic::PLAIN };
    let drifts = Drifts { common: 0.01, own: 0.005 };
    let machine = Machine { name: "stable".to_owned(), source: Source::Synthetic(stable), drifts };
    let found = count(&machine, Design::Runs(3), SLOWER, RUNS, 3);
    assert!(found >= 45, "{found} of {RUNS}");
}
