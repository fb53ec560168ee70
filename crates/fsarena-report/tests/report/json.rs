//! Tests of the keys that scripts rely on.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::comparison::Reason;
use fsarena_model::{Comparison, ValidityClass};
use fsarena_testing::schema::mistakes;
use serde_json::Value;

use crate::baselines::findings;
use crate::fixture::{bare, fixture, interrupted, open_loops};
use crate::recommendation::mixed;
use crate::why::explained;

fn render(comparison: &Comparison) -> String {
    crate::rendered("json", comparison)
}

/// The keys of each part, as docs/interface.md has them.
fn documented() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let page = include_str!("../../../../docs/interface.md");
    let (_, table) = page.split_once("| part | keys |").expect("the table of keys");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let row = |row: &'static str| {
        let (part, keys) = row.trim_matches('|').split_once('|')?;
        let keys = keys.split('`').skip(1).step_by(2).collect();
        Some((part.trim().trim_matches('`'), keys))
    };
    table.lines().skip(2).filter_map(row).collect()
}

/// Optional parts: left out where there is nothing.
const OPTIONAL: [&str; 24] = [
    "guest", "is_of_runs", "preface", "without_verdicts", "scaling", "scaling_pairs", "title", "at_stake", "condition",
    "verifications", "reproduction", "unavailable", "recommendation", "memory_limit", "group", "variant_of", "rate",
    "steps", "leaning", "risks", "layers", "without_layers", "withheld", "limited",
];

#[test]
fn the_keys_are_those_of_the_page_about_the_interface() {
    let report: Value = serde_json::from_str(&render(&explained())).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    for (part, documented) in documented() {
        let objects: Vec<&Value> = match part {
            "top" => vec![&report],
            part => report[part].as_array().unwrap().iter().collect(),
        };
        let found: BTreeSet<String> = objects.into_iter().flat_map(keys).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let unnamed: Vec<&str> = found.difference(&documented).copied().collect();
        assert!(unnamed.is_empty(), "{part}: {unnamed:?} are not on the page");
        let missing = documented.difference(&found).copied().filter(|key| !OPTIONAL.contains(key));
        let missing: Vec<&str> = missing.collect();
        assert!(missing.is_empty(), "{part}: {missing:?} are on the page only");
    }
    assert_eq!(
        (&report["format"], &report["status"], &report["seed"]),
        (&1.into(), &"complete".into(), &"7351".into())
    );
    assert!(report["cells"][0]["probes"]["device.written"]["unit"].is_string());
    assert!(report["round_facts"][0]["lane_cost"]["back_to_back"].is_u64());
}

#[test]
fn every_report_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    for comparison in [fixture(), bare(), interrupted(), open_loops(), mixed(), explained()] {
        let report = serde_json::from_str(&render(&comparison)).unwrap();
        assert_eq!(mistakes(&schema, &report), Vec::<String>::new());
    }
}

#[test]
fn unreadable_values_are_null() {
    let report: Value = serde_json::from_str(&render(&interrupted())).unwrap();
    assert!(report["cells"][0]["low"].is_null());
    assert!(report["cells"][0]["probes"]["cpu.steal"]["value"].is_null());
    assert!(report["verdicts"][0]["needs_rounds"].is_null());
}

#[test]
fn every_finding_and_every_reason_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    let mut all = bare();
    all.cells[0].validity = findings().into_iter().map(|(finding, _)| finding.into()).collect();
    all.judged.verdicts[0].reasons = vec![
        Reason::Validity { contender: "xfs".into(), class: ValidityClass::Cached },
        Reason::NoPart,
        Reason::NotMeasured,
        Reason::Durability,
        Reason::Coherence,
        Reason::Incomparable,
        Reason::Unsteady,
        Reason::LessSure { rounds: 5 },
    ];
    let json = render(&all);
    assert_eq!(mistakes(&schema, &serde_json::from_str(&json).unwrap()), Vec::<String>::new());
    assert!(serde_json::from_str::<Comparison>(&json).unwrap() == all);
}

#[test]
fn a_report_can_be_read_back() {
    for comparison in [fixture(), interrupted()] {
        assert!(serde_json::from_str::<Comparison>(&render(&comparison)).unwrap() == comparison);
    }
}
