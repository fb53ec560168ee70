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

/// The rows of the table in Markdown.
fn rows(comparison: &Comparison) -> Vec<String> {
    let report = crate::rendered("markdown", comparison);
    let section = report.split("## What the layers cost").nth(1).unwrap_or_default();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

#[test]
fn every_format_for_people_says_what_the_layers_cost() {
    let comparison = of_layers(1, "ext4");
    let workload = &comparison.judged.verdicts[0].workload;
    assert_eq!(rows(&comparison), [format!("| {workload} | xfs | ext4 | 50 % | [25, 74] | ext4 1.50× faster |")]);
    for format in ["text", "markdown", "html"] {
        assert!(crate::rendered(format, &comparison).contains("What the layers cost"), "{format}");
        assert!(!crate::rendered(format, &fixture()).contains("What the layers cost"), "{format}");
    }
    assert!(crate::rendered("html", &comparison).contains("cryptsetup luksFormat"));
}

#[test]
fn a_cost_is_that_of_the_layers_whichever_contender_is_named_first() {
    let [row] = &rows(&of_layers(0, "xfs"))[..] else { panic!("one row") };
    assert!(row.contains("| ext4 | xfs | −33 % | [−43, −20] |"), "{row}");
    assert!(rows(&of_layers(0, "nilfs2")).is_empty());
}

#[test]
fn an_invalid_pair_shows_no_cost() {
    let mut comparison = of_layers(1, "ext4");
    comparison.judged.verdicts[0].verdict = Verdict::Invalid;
    assert!(rows(&comparison)[0].contains("| – | – | invalid |"), "{:?}", rows(&comparison));
}
