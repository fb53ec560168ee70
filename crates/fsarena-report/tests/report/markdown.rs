//! Tests of the report for issues and articles.

use crate::fixture::{fixture, interrupted, rename};

fn render(comparison: &fsarena_model::Comparison) -> String {
    crate::rendered("markdown", comparison)
}

#[test]
fn three_contenders() {
    insta::assert_snapshot!(render(&fixture()));
}

#[test]
fn an_interrupted_run() {
    insta::assert_snapshot!(render(&interrupted()));
}

#[test]
fn a_label_is_no_markup() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", "<script>|*x*");
    let report = render(&comparison);
    assert!(!report.contains("<script>") && !report.contains(">|"), "{report}");
}
