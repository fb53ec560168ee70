//! Tests that texts from files, paths and other programs cannot control a terminal, a page or a spreadsheet.

use fsarena_model::Comparison;
use fsarena_report::{FORMATS, TerminalStyle};

use crate::checks::{EVIL, assert_harmless, evil, is_ruling};
use crate::fixture::{fixture, interrupted, open_loops, rename};
use crate::{rendered, text};

#[test]
fn no_text_rules_a_terminal_or_a_page() {
    for comparison in [fixture(), interrupted(), open_loops()] {
        let evil = evil(&comparison);
        assert!(evil.contenders.iter().all(|contender| contender.label.0.ends_with(EVIL)), "or this shows nothing");
        FORMATS.iter().for_each(|format| assert_harmless(format.name, &rendered(format.name, &evil)));
        let narrow = text(&evil, TerminalStyle { color: false, width: 40 }).replace("/\nFORGED", "");
        assert!(!narrow.lines().any(|line| line.starts_with("FORGED")), "{narrow}");
        let colour = text(&evil, TerminalStyle { color: true, width: 100 });
        let without = ["0", "1", "2", "31", "32", "33", "36"]
            .iter()
            .fold(colour, |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
        assert!(!without.replace('\n', "").contains(is_ruling), "{without}");
    }
}

#[test]
fn json_says_the_same_with_escapes() {
    let evil = evil(&fixture());
    let json = rendered("json", &evil);
    assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), evil);
}

#[test]
fn words_from_right_to_left_stay_apart_on_the_page() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", "\u{5e9}\u{5dc}\u{5d5}\u{5dd}");
    let page = rendered("html", &comparison);
    assert!(page.contains("<bdi>\u{5e9}\u{5dc}\u{5d5}\u{5dd}</bdi>"));
    assert!(!page.split_once("</title>").unwrap().0.contains("<bdi>"), "a title has no elements");
}

#[test]
fn no_text_is_a_formula_in_a_spreadsheet() {
    for formula in ["=cmd()", "+1", "-1", "@SUM(A1)"] {
        let mut comparison = fixture();
        rename(&mut comparison, "xfs", formula);
        comparison.cells[0].figure.median = Some(-2.5);
        let csv = rendered("csv", &comparison);
        assert!(csv.contains(&format!(",'{formula},")), "{formula}");
        assert!(!csv.contains(&format!(",{formula},")), "{formula}");
        assert!(csv.contains(",-2.5,"), "figures stay figures");
    }
}
