//! A lane that is faster than the other must neither make a winner nor hide one.

use fsarena_model::Verdict;

use fsarena_fakes::{Performance, Play, World, workload};

/// One lane is 5 % faster, another 5 % slower; the noise between rounds is 1 %.
fn biased(rates: &[f64], seed: u64) -> Performance {
    let world =
        World { lane_speed: vec![1.0, 1.05, 0.95], operation_noise: 0.02, ..World::of(rates).noisy(0.01, seed) };
    let contenders = &["ext4", "xfs", "btrfs"][..rates.len()];
    Play::new(contenders, world).with_workloads(vec![workload("create")]).with_seed(seed).perform()
}

/// One workload with two contenders has the fewest data about noise: the calibration finds 95 of 100 such differences.
#[test]
fn a_difference_as_large_as_the_bias_is_found_within_twelve_rounds() {
    let mut found = 0;
    for seed in 1..=8 {
        for (rates, wanted) in [([1050.0, 1000.0], Verdict::Faster), ([1000.0, 1050.0], Verdict::Slower)] {
            let performance = biased(&rates, seed);
            let verdict = performance.verdicts()[0];
            assert!([wanted, Verdict::Undecided].contains(&verdict), "seed {seed}: {verdict:?}");
            found += usize::from(verdict == wanted);
            let ratio = performance.comparison().judged.verdicts[0].estimate.ratio.expect("measured");
            assert!((ratio - rates[0] / rates[1]).abs() < 0.025, "seed {seed}: {ratio}");
        }
    }
    assert!(found >= 14, "{found} of 16");
}

#[test]
fn without_a_difference_none_wins() {
    for seed in 1..=12 {
        for rates in [&[1000.0; 2][..], &[1000.0; 3]] {
            let verdicts = biased(rates, seed).verdicts();
            let won = |verdict: &Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
            assert!(!verdicts.iter().any(won), "seed {seed}: {verdicts:?}");
        }
    }
}
