//! Several machines: how often a statement about them is wrong, in short simulations with a fixed seed.

use fsarena_stats::{LogEstimate, Pooled, Rule, Verdict, depending, on_each};

use crate::noise::Noise;

const FAMILIES: u64 = 2000;
/// Pairs of a family that are tested together.
const PAIRS: usize = 6;
/// Rounds per machine.
const ROUNDS: usize = 5;
/// Standard deviation of a round.
const SPREAD: f64 = 0.05;

/// What is measured on a machine whose true value is `truth`.
fn measured(truth: f64, noise: &mut Noise) -> LogEstimate {
    let values: Vec<f64> = (0..ROUNDS).map(|_| truth + SPREAD * noise.normal()).collect();
    LogEstimate::mean_of(&values).expect("several rounds")
}

/// The share of families for which `is_wrong`.
fn wrong(mut is_wrong: impl FnMut(&mut Noise) -> bool) -> f64 {
    let count = (0..FAMILIES).filter(|family| is_wrong(&mut Noise::new(20_261_123, *family))).count();
    count as f64 / FAMILIES as f64
}

#[test]
fn a_difference_on_all_but_one_machine_is_rarely_called_one_on_all() {
    // Each pair is equal on another machine, the worst case for a rule that tests each machine alone.
    let share = wrong(|noise| {
        let pair =
            |pair: usize| (0..3).map(|machine| measured(if machine == pair % 3 { 0.0 } else { 1.0 }, noise)).collect();
        let pairs: Vec<Vec<LogEstimate>> = (0..PAIRS).map(pair).collect();
        let verdicts = on_each(&pairs, Rule::default());
        verdicts.iter().any(|verdict| matches!(verdict, Some(Verdict::Faster | Verdict::Slower)))
    });
    assert!(share <= 0.06, "{share}");
}

#[test]
fn equal_machines_are_rarely_said_to_differ() {
    let share = wrong(|noise| {
        let alike = |_| {
            let machines: Vec<LogEstimate> = (0..4).map(|_| measured(0.2, noise)).collect();
            Pooled::of(&machines).map(|pooled| pooled.alike)
        };
        depending(&(0..PAIRS).map(alike).collect::<Vec<_>>(), 0.05).contains(&true)
    });
    assert!(share <= 0.08, "{share}");
}

#[test]
fn intervals_of_the_mean_and_of_a_further_machine_hold() {
    for (machines, between) in [(3, 0.0), (3, 0.1), (5, 0.02), (8, 0.3)] {
        let mut missed = 0;
        let share = wrong(|noise| {
            let mut truth = || 0.2 + between * noise.normal();
            let truths: Vec<f64> = (0..=machines).map(|_| truth()).collect();
            let (further, own) = truths.split_first().expect("several");
            let measured: Vec<LogEstimate> = own.iter().map(|truth| measured(*truth, noise)).collect();
            let pooled = Pooled::of(&measured).expect("several");
            missed += u32::from(!pooled.further.expect("three or more").contains(*further));
            !pooled.mean.contains(0.2)
        });
        let missed = f64::from(missed) / FAMILIES as f64;
        assert!(share <= 0.065, "{machines} machines, {between}: the mean is missed in {share}");
        // With few machines, the variance between them is hardly known.
        assert!(missed <= 0.09, "{machines} machines, {between}: a further one is missed in {missed}");
    }
}
