//! The ranks of contenders in a workload and over all workloads, and contenders without a rank.

use fsarena_analyse::assess;
use fsarena_model::comparison::SuiteRow;
use fsarena_model::{Comparison, Durability, Relation, Rounds, Trial, Variant};

use fsarena_fakes::{Effect, Performance, Play, World, workload};

type Rank = Option<(u32, u32)>;

/// The ranks of all contenders in a workload, and the members of its best group.
fn standing(comparison: &Comparison, workload: &str) -> (Vec<Rank>, Vec<String>) {
    let rows: Vec<_> = comparison.judged.standings.iter().filter(|row| row.workload == workload).collect();
    let best = rows.iter().filter(|row| row.in_best_group).map(|row| row.contender.to_string());
    (rows.iter().map(|row| row.rank_best.zip(row.rank_worst)).collect(), best.collect())
}

fn is(standing: (Vec<Rank>, Vec<String>), ranks: &[Rank], best: &[&str]) {
    assert_eq!(standing, (ranks.to_vec(), best.iter().map(|label| (*label).to_owned()).collect()));
}

fn suite_row<'a>(comparison: &'a Comparison, a: &str, b: &str) -> &'a SuiteRow {
    let row = comparison.judged.suite_ratios.iter().find(|row| row.a.0 == a && row.b.0 == b);
    row.unwrap_or_else(|| panic!("no row of {a} and {b}: {:?}", comparison.judged.suite_ratios))
}

/// Rates of 1000, 4000 and 2000; in `append` the second contender is faster by a further factor of nine.
fn clear() -> Play {
    let mut play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0, 4000.0, 2000.0]).noisy(0.01, 1));
    play.world.advantage = Some(("append".to_owned(), 9.0));
    play.with_rounds(Rounds::Exactly(6))
}

#[test]
fn a_proved_order_has_exact_ranks_and_one_best() {
    let comparison = clear().perform().comparison();
    for workload in ["create", "append"] {
        is(standing(&comparison, workload), &[Some((3, 3)), Some((1, 1)), Some((2, 2))], &["xfs"]);
    }
}

#[test]
fn contenders_without_a_proved_difference_share_ranks() {
    let world = World::of(&[3000.0, 1000.0, 1000.0]).noisy(0.005, 2);
    let comparison = Play::new(&["ext4", "xfs", "btrfs"], world).perform().comparison();
    is(standing(&comparison, "create"), &[Some((1, 1)), Some((2, 3)), Some((2, 3))], &["ext4"]);
    let few = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 9000.0])).with_rounds(Rounds::Exactly(2));
    is(standing(&few.perform().comparison(), "create"), &[Some((1, 2)); 2], &["ext4", "xfs"]);
}

#[test]
fn the_suites_ratio_is_the_geometric_mean_within_its_interval() {
    let comparison = clear().perform().comparison();
    assert_eq!(comparison.judged.suite_ratios.len(), 3);
    let row = suite_row(&comparison, "ext4", "xfs");
    let of_pair = |pair: &&fsarena_model::comparison::PairVerdict| pair.a == row.a && pair.b == row.b;
    let product: f64 =
        comparison.judged.verdicts.iter().filter(of_pair).filter_map(|pair| pair.estimate.ratio).product();
    let ratio = row.estimate.ratio.expect("all workloads were measured");
    assert!((ratio / product.sqrt() - 1.0).abs() < 1e-9 && (ratio * 12.0 - 1.0).abs() < 0.03, "{row:?}");
    assert!(
        row.estimate.low < row.estimate.ratio
            && row.estimate.ratio < row.estimate.high
            && row.estimate.low > Some(0.07),
        "{row:?}"
    );
    assert_eq!((row.workloads, row.left_out.len()), (2, 0));
}

fn unfinished() -> Performance {
    let mut play = clear();
    play.world = play.world.trap(Effect::Fail, 2, 2, "run xfs create for 100 ms");
    play.perform()
}

#[test]
fn a_contender_that_did_not_finish_has_no_rank_and_the_others_are_ranked_among_themselves() {
    let comparison = unfinished().comparison();
    is(standing(&comparison, "create"), &[Some((2, 2)), None, Some((1, 1))], &["btrfs"]);
    is(standing(&comparison, "append"), &[Some((3, 3)), Some((1, 1)), Some((2, 2))], &["xfs"]);
}

#[test]
fn a_pair_without_an_estimate_in_a_workload_has_no_mean_and_says_for_want_of_what() {
    let comparison = unfinished().comparison();
    for (a, b) in [("ext4", "xfs"), ("xfs", "btrfs")] {
        let row = suite_row(&comparison, a, b);
        assert_eq!((row.estimate.ratio, row.estimate.low, row.estimate.high, row.workloads), (None, None, None, 2));
        assert_eq!(row.left_out, ["create (xfs: did-not-finish)"]);
    }
    assert!(suite_row(&comparison, "ext4", "btrfs").estimate.ratio.is_some_and(|ratio| (ratio - 0.5).abs() < 0.02));
    let one_round = clear().with_rounds(Rounds::Exactly(1)).perform().comparison();
    let row = suite_row(&one_round, "ext4", "xfs");
    assert_eq!((row.estimate.ratio, row.left_out.len()), (None, 2));
    assert!(row.left_out[0].contains("1 round, a verdict needs at least 3"), "{row:?}");
}

#[test]
fn each_durability_is_ranked_and_averaged_within_itself() {
    let (flushed, unflushed) = (Durability::Flushed, Durability::Unflushed);
    let world = World {
        durability: vec![flushed, unflushed, flushed, unflushed, Durability::Volatile],
        ..World::of(&[1000.0, 9000.0, 2000.0, 5000.0, 99_000.0]).noisy(0.01, 1)
    };
    let play = Play::new(&["ext4", "a=ext4:nobarrier", "xfs", "b=ext3:barrier=0", "tmpfs"], world);
    let comparison = play.with_rounds(Rounds::Exactly(8)).perform().comparison();
    let ranks = [Some((2, 2)), Some((1, 1)), Some((1, 1)), Some((2, 2)), None];
    is(standing(&comparison, "create"), &ranks, &["a", "xfs"]);
    let pairs: Vec<_> = comparison.judged.suite_ratios.iter().map(|row| (row.a.0.as_str(), row.b.0.as_str())).collect();
    assert_eq!(pairs, [("ext4", "xfs"), ("a", "b")]);
}

#[test]
fn unsteady_contenders_are_neither_ranked_nor_averaged() {
    let mut record = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1100.0]).noisy(0.001, 1))
        .with_rounds(Rounds::Exactly(60))
        .perform()
        .record;
    let late = |trial: &&mut Trial| trial.round > 4 && trial.contender.0 == "ext4" && trial.workload == "create";
    for trial in record.trials.iter_mut().filter(late) {
        let factor = if trial.round % 2 == 0 { 1.3 } else { 1.6 };
        trial.slices.iter_mut().for_each(|slice| slice.value *= factor);
    }
    let comparison = assess(&record);
    is(standing(&comparison, "create"), &[None, None], &[]);
    is(standing(&comparison, "append"), &[Some((2, 2)), Some((1, 1))], &["xfs"]);
    let row = suite_row(&comparison, "ext4", "xfs");
    assert!(row.estimate.ratio.is_none() && row.left_out[0].starts_with("create (unsteady"), "{row:?}");
}

#[test]
fn open_loops_are_not_in_the_mean_and_one_workload_has_none() {
    let play = clear().with_workloads(["create", "append", "rename"].map(workload).to_vec());
    let mut record = play.perform().record;
    let variant =
        |of: &str| Variant { of: of.to_owned(), relation: Relation::Rate("50%".parse().expect("well spelled")) };
    record.plan.workloads[2].variant = Some(variant("append"));
    let row = suite_row(&assess(&record), "ext4", "btrfs").clone();
    assert_eq!((row.workloads, row.left_out.len()), (2, 0));
    record.plan.workloads[1].variant = Some(variant("create"));
    assert!(assess(&record).judged.suite_ratios.is_empty());
}
