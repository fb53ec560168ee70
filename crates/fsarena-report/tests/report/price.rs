//! What it would cost to settle everything that is undecided.

use fsarena_model::{Comparison, Verdict};

use crate::fixture::fixture;

/// What the report says that it would cost.
fn price(comparison: &Comparison) -> Option<String> {
    let report = crate::rendered("text", comparison);
    report.lines().find(|line| line.contains("would probably settle the undecided")).map(str::to_owned)
}

/// The fixture, each of whose undecided pairs has six rounds, with only these undecided: place, rounds, seconds.
fn with_open(open: &[(usize, Option<u32>, Option<f64>)]) -> Comparison {
    let mut comparison = fixture();
    for pair in &mut comparison.verdicts {
        (pair.verdict, pair.needs_rounds, pair.needs_seconds) = (Verdict::Equivalent, None, None);
    }
    for (place, rounds, seconds) in open {
        let pair = &mut comparison.verdicts[*place];
        (pair.verdict, pair.needs_rounds, pair.needs_seconds) = (Verdict::Undecided, *rounds, *seconds);
    }
    comparison
}

#[test]
fn pairs_of_a_workload_share_its_rounds_and_workloads_add_up() {
    let comparison = with_open(&[(0, Some(9), Some(60.0)), (1, Some(15), Some(180.0)), (3, Some(10), Some(180.0))]);
    let all = "About 9 more rounds, 6 min, would probably settle the undecided ones.";
    assert_eq!(price(&comparison).as_deref(), Some(all));
}

#[test]
fn what_has_no_price_or_no_time_is_not_passed_over() {
    let some = with_open(&[(0, Some(7), Some(27.0)), (1, None, None)]);
    let wanted = "About 1 more round, 27 s, would probably settle the undecided ones that have a price.";
    assert_eq!(price(&some).as_deref(), Some(wanted));
    let timeless = with_open(&[(0, Some(9), Some(27.0)), (1, Some(9), None)]);
    let wanted = "About 3 more rounds would probably settle the undecided ones.";
    assert_eq!(price(&timeless).as_deref(), Some(wanted));
    assert_eq!(price(&with_open(&[(0, None, None)])), None);
    assert_eq!(price(&with_open(&[])), None);
}
