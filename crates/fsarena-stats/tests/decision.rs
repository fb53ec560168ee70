//! The decision rule compared with other programs' figures, and properties that hold for any data.

use fsarena_stats::{Judge, LogEstimate, Pair, Part, Reduced, Round, Rule, Sweep, Verdict, Workload, weighted_mean};

use serde::Deserialize;

use crate::noise::Noise;

// ---------------------------------------------------------------- worlds

/// Workloads with a normal spread of the slices and no differences except `effects`.
fn world(effects: &[f64], workloads: usize, rounds: usize, spread: f64, seed: u64) -> Vec<Workload> {
    let mut noise = Noise::new(seed, 0);
    let mut sweep = || effects.iter().map(|effect| Some(5.0 + effect + spread * noise.normal())).collect::<Sweep>();
    let mut round = || Round { sweeps: (0..6).map(|_| sweep()).collect() };
    let mut workload = || Workload { contenders: effects.len(), rounds: (0..rounds).map(|_| round()).collect() };
    (0..workloads).map(|_| workload()).collect()
}

fn changed(workloads: &[Workload], change: impl Fn(&mut Sweep)) -> Vec<Workload> {
    let mut workloads = workloads.to_vec();
    workloads.iter_mut().flat_map(|data| &mut data.rounds).flat_map(|round| &mut round.sweeps).for_each(change);
    workloads
}

fn judge() -> Judge {
    Judge::new(Rule::default())
}

/// All pairs at a first look at the planned end.
fn look(workloads: &[Workload]) -> Vec<Pair> {
    judge().look(workloads, 1.0).concat()
}

fn verdicts(pairs: &[Pair]) -> Vec<Verdict> {
    pairs.iter().map(|pair| pair.verdict).collect()
}

fn assert_near(left: f64, right: f64, what: &str) {
    assert!((left - right).abs() <= 1e-6 * right.abs().max(1e-3), "{what}: {left} instead of {right}");
}

// ---------------------------------------------------------------- reference values

#[derive(Deserialize)]
struct Case {
    workloads: Vec<Workload>,
    progress: f64,
    pairs: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    rounds: u32,
    estimate: Option<f64>,
    error: Option<f64>,
    freedom: Option<f64>,
    pointwise: Option<f64>,
    decision: Option<f64>,
    verdict: Option<Verdict>,
    detectable: Option<f64>,
}

#[test]
fn agrees_with_scipy() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("reference/decision.json")).expect("well formed");
    for (number, case) in cases.iter().enumerate() {
        let pairs = judge().look(&case.workloads, case.progress).concat();
        assert_eq!(pairs.len(), case.pairs.len());
        for (index, (pair, expected)) in pairs.iter().zip(&case.pairs).enumerate() {
            let name = |what| format!("case {number}, pair {index}, {what}");
            assert_eq!(pair.rounds, expected.rounds, "{}", name("rounds"));
            assert_eq!(pair.estimate.is_some(), expected.estimate.is_some());
            assert_near(pair.estimate.unwrap_or(0.0), expected.estimate.unwrap_or(0.0), &name("estimate"));
            assert_eq!(pair.precision.is_some(), expected.error.is_some(), "{}", name("precision"));
            let Some(precision) = pair.precision else { continue };
            assert_near(precision.error, expected.error.expect("given"), &name("error"));
            assert_near(precision.freedom, expected.freedom.expect("given"), &name("freedom"));
            let half = |interval: fsarena_stats::Interval| f64::midpoint(interval.high, -interval.low);
            assert_near(half(pair.pointwise.expect("known")), expected.pointwise.expect("given"), &name("pointwise"));
            if let Some(decision) = pair.decision {
                assert_near(half(decision), expected.decision.expect("given"), &name("decision"));
            }
            assert_eq!(Some(pair.verdict), expected.verdict, "{}", name("verdict"));
            let detectable = pair.outlook.expect("known").detectable;
            assert_near(detectable, expected.detectable.expect("given"), &name("detectable"));
        }
    }
}

// ---------------------------------------------------------------- properties

#[test]
fn exchanging_contenders_turns_every_figure_round() {
    for seed in 0..20 {
        let workloads = world(&[0.0, 0.2, -0.1], 5, 5, 0.1, seed);
        let there = look(&workloads);
        let back = look(&changed(&workloads, |sweep| sweep.reverse()));
        // Contenders 0 1 2 are now 2 1 0: the pairs (0,1) (0,2) (1,2) are (1,2) (0,2) (0,1), each reversed.
        for (pairs, mirrored) in there.chunks(3).zip(back.chunks(3)) {
            for (pair, mirror) in pairs.iter().zip(mirrored.iter().rev()) {
                assert_near(pair.estimate.expect("known"), -mirror.estimate.expect("known"), "estimate");
                let (left, right) = (pair.decision.expect("known"), mirror.decision.expect("known"));
                assert_near(left.low, -right.high, "bound");
                let turned = match mirror.verdict {
                    Verdict::Faster => Verdict::Slower,
                    Verdict::Slower => Verdict::Faster,
                    other => other,
                };
                assert_eq!(pair.verdict, turned);
            }
        }
    }
}

#[test]
fn units_and_what_all_contenders_share_do_not_matter() {
    for seed in 0..20 {
        let workloads = world(&[0.0, 0.2, -0.1], 5, 5, 0.1, seed);
        let shifts = std::cell::RefCell::new(Noise::new(seed, 1));
        let shifted = changed(&workloads, |sweep| {
            let shift = 7.0 + shifts.borrow_mut().normal();
            sweep.iter_mut().flatten().for_each(|value| *value += shift);
        });
        for (pair, other) in look(&workloads).iter().zip(&look(&shifted)) {
            assert_eq!(pair.verdict, other.verdict);
            assert_near(pair.decision.expect("known").low, other.decision.expect("known").low, "bound");
        }
    }
}

#[test]
fn single_disturbed_slices_do_not_move_a_round() {
    let calm = world(&[0.0, 0.0], 1, 4, 0.05, 3);
    let mut disturbed = calm.clone();
    disturbed[0].rounds[1].sweeps[2][1] = Some(-3.0);
    let [before, after] = [&calm, &disturbed].map(|data| look(data)[0].estimate.expect("known"));
    assert!((before - after).abs() < 0.02, "{before} and {after}");
}

#[test]
fn two_rounds_prove_nothing() {
    for rounds in 0..3 {
        let pairs = look(&world(&[0.0, 3.0], 6, rounds, 0.01, 1));
        assert_eq!(verdicts(&pairs), [Verdict::Undecided; 6]);
        assert!(pairs.iter().all(|pair| pair.decision.is_none() && pair.estimate.is_some() == (rounds > 0)));
    }
    assert_eq!(look(&world(&[0.0, 3.0], 1, 3, 0.01, 1))[0].verdict, Verdict::Slower);
}

#[test]
fn values_without_any_spread_are_judged() {
    assert_eq!(verdicts(&look(&world(&[0.0, 0.0], 3, 4, 0.0, 1))), [Verdict::Equivalent; 3]);
    let pairs = look(&world(&[0.0, 1.0, 0.001], 1, 4, 0.0, 1));
    assert_eq!(verdicts(&pairs), [Verdict::Slower, Verdict::Equivalent, Verdict::Faster]);
    assert_eq!(verdicts(&look(&world(&[0.0], 2, 4, 0.0, 1))), []);
    assert_eq!(verdicts(&look(&world(&[], 2, 4, 0.0, 1))), []);
}

#[test]
fn a_pair_uses_the_sweeps_that_have_both() {
    let mut workloads = world(&[0.0, 1.0, 1.0], 4, 4, 0.02, 5);
    workloads[0].rounds.iter_mut().flat_map(|round| &mut round.sweeps).for_each(|sweep| sweep[2] = None);
    workloads[1].rounds[0].sweeps.truncate(1);
    workloads[1].rounds[1].sweeps.clear();
    workloads[1].rounds[2].sweeps[0][0] = None;
    let pairs = look(&workloads);
    assert_eq!(pairs[0].verdict, Verdict::Slower);
    assert_eq!((pairs[1].estimate, pairs[1].rounds), (None, 0));
    assert_eq!((pairs[3].verdict, pairs[3].rounds), (Verdict::Slower, 3));
}

#[test]
fn a_verdict_stays_and_a_contrary_look_shows() {
    let mut workloads = world(&[0.0, 0.5], 4, 4, 0.02, 7);
    let mut judge = judge();
    judge.look(&workloads, 0.1);
    let late = world(&[0.0, -4.0], 4, 40, 0.02, 8);
    workloads[0].rounds.extend(late[0].rounds.clone());
    let pair = judge.look(&workloads, 1.0)[0][0];
    assert_eq!((pair.verdict, pair.latest), (Verdict::Slower, Verdict::Faster));
}

#[test]
fn a_share_of_the_budget_goes_to_every_pair_of_the_run() {
    let few = world(&[0.0, 0.1], 5, 5, 0.1, 9);
    let mut many = few.clone();
    many.extend((0..20).map(|_| Workload { contenders: 2, rounds: vec![] }));
    let width = |workloads: &[Workload]| {
        let interval = look(workloads)[0].decision.expect("known");
        interval.high - interval.low
    };
    assert!(width(&many) > 1.05 * width(&few));
}

#[test]
fn an_early_look_asks_for_more() {
    let workloads = world(&[0.0, 0.1], 5, 5, 0.1, 9);
    let width = |progress| {
        let interval = judge().look(&workloads, progress)[0][0].decision.expect("known");
        interval.high - interval.low
    };
    let widths = [0.1, 0.4, 0.7, 1.0].map(width);
    assert!(widths.is_sorted_by(|early, late| early >= late), "{widths:?}");
    assert!(widths[1] > 1.3 * widths[3]);
    // Rounds beyond the plan use a small reserve of the error budget.
    assert!(width(1.1) > widths[3]);
}

#[test]
fn an_open_pair_says_where_it_leans_and_what_it_would_take() {
    let pairs = look(&world(&[0.0, 0.04], 8, 6, 0.1, 11));
    let leaning: Vec<&Pair> = pairs.iter().filter(|pair| pair.leaning.is_some()).collect();
    assert!(!leaning.is_empty());
    for pair in pairs.iter().filter(|pair| pair.verdict == Verdict::Undecided) {
        let pointwise = pair.pointwise.expect("known");
        let expected = match pointwise {
            _ if pointwise.low > 0.0 => Some(Verdict::Faster),
            _ if pointwise.high < 0.0 => Some(Verdict::Slower),
            _ => None,
        };
        assert_eq!(pair.leaning, expected);
        let outlook = pair.outlook.expect("known");
        let half_width = pair.decision.expect("known").high - pair.estimate.expect("known");
        assert!(outlook.detectable > half_width && outlook.detectable < 2.0 * half_width);
        assert!(outlook.detectable_after(24) < 0.6 * outlook.detectable);
        if let Some(rounds) = outlook.needed_rounds() {
            let size = pair.estimate.expect("known").abs();
            assert!(outlook.detectable_after(rounds) <= size || size < 0.05);
        }
    }
}

#[test]
fn more_rounds_decide_more() {
    let workloads = world(&[0.0, 0.05], 10, 24, 0.1, 13);
    let decided = |rounds: usize| {
        let cut = |data: &Workload| Workload { contenders: 2, rounds: data.rounds[..rounds].to_vec() };
        let pairs = look(&workloads.iter().map(cut).collect::<Vec<_>>());
        pairs.iter().filter(|pair| pair.verdict == Verdict::Slower).count()
    };
    assert_eq!(decided(3), 0);
    assert!(decided(24) >= 8);
}

// ---------------------------------------------------------------- means over a mix

/// One workload of two contenders with these differences, one sweep per round; a round has no sweep if its difference
/// is not finite.
fn rounds(differences: &[f64]) -> Workload {
    let sweeps =
        |difference: &f64| if difference.is_finite() { vec![vec![Some(*difference), Some(0.0)]] } else { vec![] };
    let round = |difference: &f64| Round { sweeps: sweeps(difference) };
    Workload { contenders: 2, rounds: differences.iter().map(round).collect() }
}

fn mean(workloads: &[Workload], weights: &[f64]) -> LogEstimate {
    let reduced: Vec<Reduced> = workloads.iter().map(Reduced::new).collect();
    let pairs = look(workloads);
    let parts = reduced.iter().zip(&pairs).zip(weights);
    let parts: Vec<Part<'_>> = parts.map(|((workload, pair), &weight)| Part { weight, workload, pair }).collect();
    weighted_mean(&parts).expect("known")
}

/// Mean .07; the deviations ±.05 and ±.03 make s² = .0068/3.
#[test]
fn workloads_with_the_same_luck_know_no_more_than_one() {
    let same = mean(&vec![rounds(&[0.12, 0.02, 0.10, 0.04]); 2], &[0.7, 0.3]);
    assert_near(same.estimate, 0.07, "estimate");
    assert_near(same.precision.error, (0.0068_f64 / 3.0 / 4.0).sqrt(), "error");
    assert_near(same.precision.freedom, 3.0, "freedom");
}

#[test]
fn workloads_with_opposite_luck_are_taken_for_independent() {
    let first = [0.12, 0.02, 0.10, 0.04];
    let workloads = [rounds(&first), rounds(&first.map(|difference| 0.14 - difference))];
    let errors: Vec<f64> = look(&workloads).iter().map(|pair| pair.precision.expect("known").error).collect();
    let expected = (errors[0].powi(2) + errors[1].powi(2)).sqrt() / 2.0;
    assert_near(mean(&workloads, &[1.0, 1.0]).precision.error, expected, "error");
}

#[test]
fn errors_of_workloads_with_other_rounds_are_added_up() {
    let absent = f64::NAN;
    let workloads = [rounds(&[0.12, 0.02, 0.10, 0.04]), rounds(&[absent, 0.08, 0.05, 0.06, 0.03])];
    let errors: Vec<f64> = look(&workloads).iter().map(|pair| pair.precision.expect("known").error).collect();
    assert_near(mean(&workloads, &[3.0, 1.0]).precision.error, (3.0 * errors[0] + errors[1]) / 4.0, "error");
}
