//! What the layers below a file system cost, in all reports.

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
    assert!(words("text", &of_layers(0, "xfs")).contains("ext4 costs −33 % [−43, −20] against xfs in "));
    assert!(!words("text", &of_layers(0, "nilfs2")).contains("What the layers cost"));
}

#[test]
fn a_pair_that_shows_no_ratio_has_no_cost() {
    let mut comparison = of_layers(1, "ext4");
    comparison.judged.verdicts[0].verdict = Verdict::Invalid;
    assert!(words("text", &comparison).contains("xfs against ext4: no cost is shown."));
}
