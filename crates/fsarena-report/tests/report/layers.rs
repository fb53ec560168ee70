//! What the layers below a file system cost, in all reports.

use fsarena_model::comparison::Reason;
use fsarena_model::{Comparison, Estimate, Label, Verdict};

use crate::fixture::fixture;

/// The fixture with one verdict, in which xfs differs from ext4 by layers alone, or the other way round.
fn of_layers(layered: usize, base: &str) -> Comparison {
    let mut comparison = fixture();
    comparison.judged.verdicts.truncate(1);
    let pair = &mut comparison.judged.verdicts[0];
    pair.estimate = Estimate { ratio: Some(1.5), low: Some(1.25), high: Some(1.74) };
    (pair.a, pair.b, pair.verdict, pair.reasons) = ("ext4".into(), "xfs".into(), Verdict::Faster, Vec::new());
    comparison.contenders[layered].without_layers = vec![Label::from(base)];
    comparison.contenders[layered].layers = vec!["cryptsetup luksFormat".to_owned()];
    comparison
}

fn words(format: &str, comparison: &Comparison) -> String {
    crate::rendered(format, comparison).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_for_people_says_what_the_layers_cost() {
    let comparison = of_layers(1, "ext4");
    let workload = &comparison.judged.verdicts[0].workload;
    for format in ["text", "markdown", "html"] {
        let report = words(format, &comparison);
        assert!(report.contains(&format!("xfs costs 50 % [25, 74] against ext4 in {workload}.")), "{format}: {report}");
        assert!(!words(format, &fixture()).contains("What the layers cost"), "{format}");
    }
    assert!(words("html", &comparison).contains("cryptsetup luksFormat"));
}

#[test]
fn a_cost_is_that_of_the_layers_whichever_contender_is_named_first() {
    assert!(words("text", &of_layers(0, "xfs")).contains("ext4 against xfs: no cost is shown (−33 % [−43, −20] in "));
    assert!(!words("text", &of_layers(0, "nilfs2")).contains("What the layers cost"));
}

/// A verdict takes all pairs together, so a pair may be undecided although its own interval does not contain 0 %.
#[test]
fn a_cost_is_shown_by_its_interval_and_decided_by_its_verdict() {
    let mut comparison = of_layers(1, "ext4");
    comparison.judged.verdicts[0].verdict = Verdict::Undecided;
    let workload = comparison.judged.verdicts[0].workload.clone();
    let leaning = format!("xfs leans to a cost of 50 % [25, 74] against ext4 in {workload}: undecided.");
    comparison.judged.verdicts[0].estimate.low = Some(0.95);
    let none = format!("xfs against ext4: no cost is shown (50 % [−5, 74] in {workload}).");
    for format in ["text", "markdown", "html"] {
        assert!(words(format, &comparison).contains(&none), "{format}");
    }
    comparison.judged.verdicts[0].estimate.low = Some(1.25);
    assert!(words("text", &comparison).contains(&leaning), "{leaning}");
    // The largest cost that is shown, not the largest figure.
    let mut other = comparison.judged.verdicts[0].clone();
    (other.workload, other.estimate.low, other.estimate.ratio) = ("another".to_owned(), Some(0.5), Some(1.7));
    comparison.judged.verdicts.push(other);
    let leaning = leaning.replace(": undecided", ", the most of 2 workloads: undecided");
    assert!(words("text", &comparison).contains(&leaning), "{leaning}");
}

#[test]
fn a_pair_that_shows_no_ratio_has_no_cost() {
    let mut comparison = of_layers(1, "ext4");
    let pair = &mut comparison.judged.verdicts[0];
    (pair.verdict, pair.reasons) = (Verdict::Invalid, vec![Reason::Unsteady]);
    let unsteady = "xfs against ext4: invalid (unsteady: later rounds contradict earlier ones).";
    assert!(words("text", &comparison).contains(unsteady));
    let pair = &mut comparison.judged.verdicts[0];
    (pair.verdict, pair.estimate) = (Verdict::Undecided, Estimate::default());
    pair.reasons = vec![Reason::FewRounds { rounds: 2, least: 3 }];
    let few = "xfs against ext4: not decided: 2 rounds, a verdict needs at least 3.";
    assert!(words("text", &comparison).contains(few));
}
