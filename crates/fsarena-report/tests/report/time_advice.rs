//! Tests of the estimate of what more time would decide.

use fsarena_model::comparison::Reason;
use fsarena_model::{Comparison, Verdict};
use fsarena_report::advised;

use crate::fixture::fixture;

/// The report's sentence about more time.
fn time_advice(comparison: &Comparison) -> Option<String> {
    let report = crate::rendered("markdown", comparison);
    let counts = report.lines().find(|line| line.contains(" comparisons: ") && line.contains(" probably "))?;
    counts.split_once(" comparisons: ")?.1.split_once(". ").map(|(_, advice)| advice.to_owned())
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
    let all = "A further 10 min would probably decide 3 of the 3 undecided pairs.";
    assert_eq!(time_advice(&comparison).as_deref(), Some(all));
    assert_eq!(advised(&comparison), Some(600.0));
}

#[test]
fn each_further_time_is_named_that_decides_more() {
    let comparison = with_open(&[(0, Some(7), Some(60.0)), (1, Some(15), Some(540.0)), (2, Some(26), Some(1200.0))]);
    let all = "A further 3 min would probably decide 1 of the 3 undecided pairs, 10 min 2, 30 min 3.";
    assert_eq!(time_advice(&comparison).as_deref(), Some(all));
    assert_eq!(advised(&comparison), Some(600.0), "half of what the longest decides");
}

#[test]
fn what_no_time_decides_is_said() {
    let one_of_two = with_open(&[(0, None, None), (1, Some(7), Some(27.0))]);
    let some = "A further 3 min would probably decide 1 of the 2 undecided pairs.";
    assert_eq!(time_advice(&one_of_two).as_deref(), Some(some));
    let none = with_open(&[(0, None, None)]);
    let one = "A further 30 min would probably not decide the undecided pair.";
    assert_eq!(time_advice(&none).as_deref(), Some(one));
    assert_eq!(advised(&none), None);
    assert_eq!(time_advice(&with_open(&[])), None);
}

#[test]
fn comparisons_that_lack_rounds_are_followed_by_the_command_that_adds_them() {
    let mut comparison = with_open(&[(0, None, None), (1, None, None)]);
    for (pair, rounds) in comparison.judged.verdicts.iter_mut().zip([1, 2]) {
        (pair.rounds, pair.reasons) = (rounds, vec![Reason::FewRounds { rounds, least: 3 }]);
    }
    let said = |comparison: &Comparison| {
        let report = crate::rendered("text", comparison).split_whitespace().collect::<Vec<_>>().join(" ");
        let of = format!(
            "For the 2 comparisons with fewer than 3 rounds that count: fsarena resume {}",
            comparison.run.number
        );
        report.contains(&format!("{of} --rounds 2."))
    };
    assert!(said(&comparison));
    let mut few = comparison.clone();
    few.workloads.iter_mut().for_each(|row| row.most_rounds = Some(2));
    assert!(!said(&few));
    let text = crate::rendered("text", &few).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("No verdict is possible in "), "{text}");
    comparison.run.status = fsarena_model::Status::Interrupted;
    assert!(!said(&comparison));
    let text = crate::rendered("text", &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The run was interrupted after 6 rounds; to go on: fsarena resume 12."), "{text}");
}

/// How much they vary is not known, so neither is how long it takes.
#[test]
fn of_pairs_with_few_rounds_no_time_is_said() {
    let mut comparison = with_open(&[(0, Some(9), Some(60.0)), (1, None, None), (2, Some(900), Some(90_000.0))]);
    for pair in &mut comparison.judged.verdicts[1..3] {
        pair.reasons = vec![Reason::FewRounds { rounds: 2, least: 3 }];
    }
    let said = "A further 3 min would probably decide the undecided pair. For the 2 comparisons with fewer than 3 rounds \
                that count: fsarena resume 12 --rounds 1.";
    assert_eq!(time_advice(&comparison).as_deref(), Some(said));
    let report = crate::rendered("markdown", &comparison);
    assert!(report.contains("1 undecided and 2 not decided, with fewer than 3 rounds that count."), "{report}");
    comparison.judged.verdicts[0].verdict = Verdict::Equivalent;
    assert_eq!(time_advice(&comparison), None);
}

#[test]
fn undecided_pairs_have_one_number() {
    let mut comparison = with_open(&[(0, Some(9), Some(60.0)), (1, Some(9), Some(60.0)), (2, None, None)]);
    comparison.judged.verdicts[2].reasons = vec![Reason::Programs];
    let report = crate::rendered("markdown", &comparison);
    let said = "1 with little at stake and 2 undecided.";
    assert!(report.contains(said) || report.contains("1 with little at stake, 2 undecided"), "{report}");
    assert!(report.contains("would probably decide 2 of the 2 undecided pairs."), "{report}");
}
