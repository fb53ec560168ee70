//! Tests of the estimate of what more time would decide.

use fsarena_model::{Comparison, Verdict};
use fsarena_report::advised;

use crate::fixture::fixture;

/// The report's sentence about more time.
fn price(comparison: &Comparison) -> Option<String> {
    let report = crate::rendered("text", comparison);
    let mut blocks = report.split("\n\n").filter(|block| block.contains(" probably "));
    blocks.next().map(|block| block.replace('\n', " "))
}

/// The fixture in which only these pairs are undecided: place, rounds, seconds. Each has six rounds so far.
fn with_open(open: &[(usize, Option<u32>, Option<f64>)]) -> Comparison {
    let mut comparison = fixture();
    for pair in &mut comparison.judged.verdicts {
        (pair.verdict, pair.needs.rounds, pair.needs.seconds) = (Verdict::Equivalent, None, None);
    }
    for (place, rounds, seconds) in open {
        let pair = &mut comparison.judged.verdicts[*place];
        (pair.verdict, pair.needs.rounds, pair.needs.seconds) = (Verdict::Undecided, *rounds, *seconds);
    }
    comparison
}

#[test]
fn time_is_shared_by_the_workloads_that_are_undecided() {
    // 20 s of each round for the first workload, 45 s for the second: three rounds of both take 195 s.
    let comparison = with_open(&[(0, Some(9), Some(60.0)), (1, Some(15), Some(180.0)), (3, Some(10), Some(180.0))]);
    assert_eq!(comparison.decided_within(190.0).len(), 0);
    assert_eq!(comparison.decided_within(200.0).len(), 1);
    let all = "A further 10 min would probably decide all 3 undecided pairs.";
    assert_eq!(price(&comparison).as_deref(), Some(all));
    assert_eq!(advised(&comparison), Some(600.0));
}

#[test]
fn each_further_time_is_named_that_decides_more() {
    let comparison = with_open(&[(0, Some(7), Some(60.0)), (1, Some(15), Some(540.0)), (2, Some(26), Some(1200.0))]);
    let all = "A further 3 min would probably decide 1 of the 3 undecided pairs, 10 min 2, 30 min 3.";
    assert_eq!(price(&comparison).as_deref(), Some(all));
    assert_eq!(advised(&comparison), Some(600.0), "half of what the longest decides");
}

#[test]
fn of_what_no_time_decides_it_is_said_how_far_apart_it_is_at_most() {
    let mut comparison = with_open(&[(0, None, None), (1, Some(7), Some(27.0))]);
    (comparison.judged.verdicts[0].estimate.low, comparison.judged.verdicts[0].estimate.high) = (Some(0.9), Some(1.05));
    let wanted =
        "A further 3 min would probably decide 1 of the 2 undecided pairs; the rest probably differ by less than 11 %.";
    assert_eq!(price(&comparison).as_deref(), Some(wanted));
    let mut none = with_open(&[(0, None, None)]);
    (none.judged.verdicts[0].estimate.low, none.judged.verdicts[0].estimate.high) = (Some(0.9), Some(1.05));
    assert_eq!(price(&none).as_deref(), Some("The undecided pair probably differs by less than 11 %."));
    assert_eq!(advised(&none), None);
    assert_eq!(price(&with_open(&[])), None);
}
