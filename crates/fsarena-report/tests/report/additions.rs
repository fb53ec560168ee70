//! Tests of what other crates add to a report.

use std::collections::BTreeMap;

use fsarena_model::Comparison;
use fsarena_report::report::{Content, Paragraph, Section};
use fsarena_report::{Additions, FORMATS};

use crate::fixture::fixture;

fn additions() -> Additions {
    let drawings: Content = Paragraph::plain("Added to a workload.").into();
    Additions {
        answer: vec!["An added answer.".into()],
        sections: vec![Section::titled("Added").with(Paragraph::plain("An added sentence."))],
        of_workloads: BTreeMap::from([("create-fsync".to_owned(), vec![drawings])]),
        members: BTreeMap::from([("further", "Data.".into())]),
        ..Additions::default()
    }
}

fn rendered(format: &str) -> String {
    let format = FORMATS.iter().find(|known| known.name == format).unwrap();
    String::from_utf8((format.render)(&fixture(), additions()).unwrap().bytes().to_vec()).unwrap()
}

#[test]
fn an_added_section_comes_first_in_every_format_for_readers() {
    for (format, heading) in [("text", "Added\n"), ("markdown", "## Added\n"), ("html", "<h2>Added</h2>")] {
        let report = rendered(format);
        let (_, after) = report.split_once(heading).unwrap_or_else(|| panic!("{format}"));
        assert!(after.contains("An added sentence."), "{format}");
        let next = if format == "html" { "Workload by workload" } else { "Verdicts" };
        assert!(after.contains(next), "{format}: the other sections follow");
    }
}

#[test]
fn an_added_answer_precedes_the_others() {
    for format in ["text", "markdown", "html"] {
        let report = rendered(format);
        let (before, _) = report.split_once("An added answer.").unwrap();
        assert!(!before.contains("fastest"), "{format}");
    }
}

#[test]
fn the_page_has_an_addition_in_the_part_of_its_workload_only() {
    let page = rendered("html");
    let parts = page.split("<article").filter(|part| part.contains("Added to a workload."));
    let parts: Vec<&str> = parts.collect();
    assert!(parts.len() == 1 && parts[0].contains("<h3>create-fsync"), "{parts:?}");
}

#[test]
fn json_has_added_members_and_is_read_as_without_them() {
    let value: serde_json::Value = serde_json::from_str(&rendered("json")).unwrap();
    assert_eq!(value["further"], "Data.");
    assert!(serde_json::from_value::<Comparison>(value).unwrap() == fixture());
}

#[test]
fn data_have_no_added_text() {
    for format in ["json", "csv"] {
        assert!(!rendered(format).contains("dded"), "{format}");
    }
}
