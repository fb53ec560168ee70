//! Tests that texts from files, paths and other programs cannot control a terminal, a page or a spreadsheet.

use std::collections::BTreeSet;

use fsarena_model::Comparison;
use fsarena_report::{Document, FORMATS, Style, text};
use serde_json::Value;

use crate::fixture::{fixture, grids, interrupted, open_loops, rename};
use crate::rendered;

/// Escape sequences, a bell, a C1 control character, a separate line, and a change of the reading direction.
const EVIL: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\nFORGED \r\u{202e}ltr\u{2066}\u{200f}\u{2028}";

fn is_ruling(c: char) -> bool {
    c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c) || "\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}".contains(c)
}

/// The comparison with `EVIL` appended to every string that may be any text. Strings of closed sets are unchanged.
fn evil(comparison: &Comparison) -> Comparison {
    let mut json = serde_json::to_value(comparison).unwrap();
    let mut keys = BTreeSet::new();
    visit(&mut json, "", &mut |key, _| {
        keys.insert(key.to_owned());
    });
    for wanted in keys {
        let mut spoiled = json.clone();
        visit(&mut spoiled, "", &mut |key, text| {
            if key == wanted {
                text.push_str(EVIL)
            }
        });
        if serde_json::from_value::<Comparison>(spoiled.clone()).is_ok() {
            json = spoiled;
        }
    }
    serde_json::from_value(json).unwrap()
}

/// Calls `see` for all strings, each with its key.
fn visit(value: &mut Value, key: &str, see: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => see(key, text),
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, key, see)),
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| visit(value, key, see)),
        _ => {}
    }
}

/// All text formats, each with its report of the comparison.
fn reports(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let text = |name: &'static str| match (fsarena_report::format(name).unwrap().render)(comparison) {
        Ok(Document::Text(text)) => Some((name, text)),
        _ => None,
    };
    FORMATS.iter().filter_map(|format| text(format.name)).collect()
}

#[test]
fn no_text_rules_a_terminal_or_a_page() {
    for comparison in [fixture(), interrupted(), grids(), open_loops()] {
        let evil = evil(&comparison);
        assert!(evil.contenders.iter().all(|contender| contender.label.0.ends_with(EVIL)), "or this shows nothing");
        let reports = reports(&evil);
        assert!(reports.len() >= 5);
        for (format, report) in reports {
            let ruling: Vec<&str> = report.lines().filter(|line| line.contains(is_ruling)).collect();
            assert_eq!(ruling, Vec::<&str>::new(), "{format}");
            assert!(format == "json" || report.contains(r"\u{1b}") || report.contains(r"\\u{1b}"), "{format}");
            // Words are wrapped, so a line may begin with one, after the `/` that replaces a line end.
            let forged = report.replace("/\nFORGED", "").lines().any(|line| line.starts_with("FORGED"));
            assert!(!forged, "{format}");
        }
        let narrow = text(&evil, Style { color: false, width: 40 }).replace("/\nFORGED", "");
        assert!(!narrow.lines().any(|line| line.starts_with("FORGED")), "{narrow}");
        let colour = text(&evil, Style { color: true, width: 100 });
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
        comparison.cells[0].median = Some(-2.5);
        let csv = rendered("csv", &comparison);
        assert!(csv.contains(&format!(",'{formula},")), "{formula}");
        assert!(!csv.contains(&format!(",{formula},")), "{formula}");
        assert!(csv.contains(",-2.5,"), "figures stay figures");
    }
}
