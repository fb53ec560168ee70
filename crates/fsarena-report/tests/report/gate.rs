//! The answer of a gate, for readers and for continuous-integration servers.

use fsarena_model::difference::{Contrast, GateCheck, GateOutcome};
use fsarena_model::{Estimate, Gate, Label, Share};
use fsarena_report::{TerminalStyle, gate as report, html, junit, markdown, report_text};

fn check(workload: Option<&str>, ratio: f64, at_most: f64, outcome: GateOutcome) -> GateCheck {
    GateCheck {
        workload: workload.map(str::to_owned),
        contender: Label::from("xfs"),
        estimate: Estimate::of(Some(ratio), Some((ratio * 0.98, ratio * 1.02))),
        at_most: Some(at_most),
        outcome,
        reason: if outcome == GateOutcome::Invalid { "xfs: <impossible>".to_owned() } else { String::new() },
        finds_from: Some(Share(0.09)),
    }
}

fn gate(first: GateOutcome) -> Gate {
    Gate {
        format: 1,
        title: "run 12 against run 8".to_owned(),
        is_interleaved: false,
        threshold: Share(0.05),
        checks: vec![
            check(Some("create-fsync"), 0.8, 0.85, first),
            check(Some("append&\u{1b}[31m"), 1.0, 1.03, GateOutcome::Passed),
            check(Some("stat-tree"), 0.97, 1.01, GateOutcome::Open),
            check(Some("randread-4k"), 0.5, 0.6, GateOutcome::Invalid),
            check(None, 0.9, 0.96, GateOutcome::Open),
        ],
        notes: vec!["Figures drift.".to_owned()],
        left_out: vec!["xfs: not in all runs".to_owned()],
        requires_finds: None,
        failed: first == GateOutcome::Regression,
        contrasts: vec![Contrast { what: "kernel".to_owned(), before: "6.12".to_owned(), after: "7.0".to_owned() }],
    }
}

#[test]
fn a_regression_is_the_first_sentence_and_power_is_stated() {
    let failed =
        report_text(report(&gate(GateOutcome::Regression), "0.0.0"), TerminalStyle { color: false, width: 400 });
    let mut lines = failed.lines();
    assert_eq!(lines.next(), Some("run 12 against run 8, threshold 5 %"));
    assert!(failed.contains("xfs in create-fsync is 25 % slower (at least 18 %)."), "{failed}");
    assert!(
        failed.contains("Of 5 checks, 1 cannot be slower by more than the threshold, 2 could be slower, but that"),
        "{failed}"
    );
    assert!(
        failed.contains("5 of 5 checks would have found a slowdown of 10 % with a probability of 80 %"),
        "{failed}"
    );
    let passed = markdown(report(&gate(GateOutcome::Open), "0.0.0"));
    assert!(passed.starts_with("# No regression is proved: run 12 against run 8\n"), "{passed}");
    assert!(passed.contains("No regression of more than 5 % is proved."), "{passed}");
    assert!(passed.contains("| kernel | 6.12 | 7.0 |"), "{passed}");
    assert!(html(report(&gate(GateOutcome::Open), "0.0.0")).contains("<h1>No regression is proved"));
    // A reason is where the regression is, and lines of a program are apart in all formats.
    let mut slowed = gate(GateOutcome::Regression);
    slowed.checks[0].reason = "slowed\ndown".to_owned();
    let (text, xml) = (html(report(&slowed, "0.0.0")), junit(&slowed));
    for found in [text, xml, markdown(report(&slowed, "0.0.0"))] {
        assert!(found.replace("&#x2f;", "/").contains("(at least 18 %; slowed / down)"), "{found}");
    }
}

#[test]
fn a_reason_below_a_narrow_table_names_the_contender_and_the_workload() {
    let text = report_text(report(&gate(GateOutcome::Open), "0.0.0"), TerminalStyle { color: false, width: 90 });
    assert!(text.contains("\nxfs, randread-4k: xfs: <impossible>\n"), "{text}");
}

#[test]
fn a_gate_that_finds_only_large_slowdowns_says_that_it_is_blind() {
    let mut blind = gate(GateOutcome::Open);
    blind.checks.iter_mut().for_each(|check| check.finds_from = Some(Share(0.3)));
    let text = report_text(report(&blind, "0.0.0"), TerminalStyle { color: false, width: 200 });
    assert!(
        text.contains("This gate is blind to slowdowns below 30 %: it needs more rounds, more runs per side"),
        "{text}"
    );
}

#[test]
fn a_gate_that_fails_for_what_it_cannot_find_says_so_wherever_it_is_read() {
    let mut gate = gate(GateOutcome::Open);
    gate.checks[0].finds_from = Some(Share(0.302));
    let gate = gate.requiring(Some(Share(0.2)));
    let why = "The gate fails, though no regression of more than 5 % is proved: 1 of 5 checks would not have found a \
               slowdown of 20 %, which is required.";
    let text = markdown(report(&gate, "0.0.0"));
    assert!(text.starts_with("# The gate fails without a regression: run 12") && text.contains(why), "{text}");
    let xml = junit(&gate);
    assert!(xml.contains("failures=\"1\" errors=\"0\" skipped=\"3\""), "{xml}");
    let failure = "type=\"blind\">neither passed nor a regression; would find a slowdown from 31 %; 20 % is required<";
    assert!(xml.contains(failure), "{xml}");
}

#[test]
fn junit_has_a_case_for_each_check_and_no_character_that_xml_forbids() {
    let xml = junit(&gate(GateOutcome::Regression));
    let suite = "<testsuite name=\"fsarena gate: run 12 against run 8\" tests=\"5\" failures=\"1\" errors=\"0\"";
    assert!(xml.contains(suite), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), 5);
    assert!(
        xml.contains(
            "<testcase classname=\"xfs\" name=\"create-fsync\"><failure message=\"xfs in create-fsync is 25 % slower"
        ),
        "{xml}"
    );
    assert!(xml.contains("name=\"append&amp;\\u{1b}[31m\"/>"), "{xml}");
    assert!(xml.contains("<skipped message=\"xfs: &lt;impossible&gt;\"/>"), "{xml}");
    assert!(!xml.contains('\u{1b}'));
}

#[test]
fn text_in_runs_of_others_cannot_control_a_terminal() {
    let mut hostile = gate(GateOutcome::Open);
    hostile.title = "run \u{1b}]0;x".to_owned();
    hostile.contrasts[0].after = "7.0\u{1b}[31m\n# FORGED".to_owned();
    hostile.notes = vec!["\u{202e}<script>".to_owned()];
    let made = || report(&hostile, "0.0.0");
    let style = TerminalStyle { color: false, width: 100 };
    for text in [report_text(made(), style), markdown(made()), html(made()), junit(&hostile)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("\n# FORGED"), "{text}");
    }
    assert!(!markdown(made()).contains("<script") && html(made()).matches("<script").count() == 1);
}
