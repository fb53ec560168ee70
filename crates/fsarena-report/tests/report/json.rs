//! Tests of the keys that scripts rely on.

use fsarena_model::Comparison;
use fsarena_model::comparison::Clock;
use serde_json::Value;

use crate::fixture::{bare, fixture, interrupted};

fn render(comparison: &Comparison) -> String {
    crate::rendered("json", comparison)
}

fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "{key} is missing in {value:#}");
    }
}

#[test]
fn format_1_has_the_keys_of_the_interface() {
    let report: Value = serde_json::from_str(&render(&fixture())).unwrap();
    let keys = ["format", "run", "status", "seed", "started", "environment", "contenders", "workloads", "cells"];
    has_keys(&report, &keys);
    assert_eq!(
        (&report["format"], &report["status"], &report["seed"]),
        (&1.into(), &"complete".into(), &"7351".into())
    );
    has_keys(&report["contenders"][0], &["label", "kind", "mkfs", "mount", "durability", "guarantees"]);
    has_keys(&report["workloads"][0], &["name", "version", "metric", "unit", "better", "mode"]);
    has_keys(
        &report["cells"][0],
        &[
            "workload",
            "contender",
            "metric",
            "unit",
            "median",
            "low",
            "high",
            "rounds",
            "samples",
            "validity",
            "probes",
        ],
    );
    has_keys(&report["cells"][0]["probes"]["device.written"], &["value", "unit"]);
    has_keys(
        &report["verdicts"][0],
        &["workload", "metric", "a", "b", "ratio", "low", "high", "decision_low", "decision_high", "verdict", "rounds"],
    );
    has_keys(&report["verdicts"][0], &["needs_rounds", "needs_seconds"]);
    has_keys(&report["standings"][0], &["workload", "contender", "rank_best", "rank_worst", "in_best_group"]);
    let beside = ["harness_share", "ceiling_share", "start_share", "seconds_per_operation", "syncs_per_operation"];
    has_keys(&report["cells"][0], &beside);
    has_keys(&report["baselines"][0], &["workload", "kind", "median", "unit", "seconds_per_operation", "rounds"]);
    has_keys(&report["verdicts"][0], &["guarantees"]);
    has_keys(&report["workloads"][7], &["memory_limit"]);
    has_keys(&report["round_facts"][0]["lane_cost"], &["back_to_back", "paced", "device"]);
    has_keys(&report["suite_ratios"][0], &["a", "b", "ratio", "low", "high", "workloads", "left_out"]);
}

#[test]
fn what_could_not_be_read_is_null() {
    let report: Value = serde_json::from_str(&render(&interrupted())).unwrap();
    assert!(report["cells"][0]["low"].is_null());
    assert!(report["cells"][0]["probes"]["cpu.steal"]["value"].is_null());
    assert!(report["verdicts"][0]["needs_rounds"].is_null());
}

#[test]
fn a_comparison_from_before_anything_was_measured_beside_can_be_read() {
    let mut old: Value = serde_json::from_str(&render(&bare())).unwrap();
    old.as_object_mut().unwrap().remove("baselines");
    for (rows, names) in [
        (
            "cells",
            &["harness_share", "ceiling_share", "start_share", "seconds_per_operation", "syncs_per_operation"][..],
        ),
        ("verdicts", &["guarantees"]),
        ("workloads", &["clock"]),
        ("round_facts", &["lane_cost", "conditions"]),
    ] {
        for row in old[rows].as_array_mut().unwrap() {
            names.iter().for_each(|name| assert!(row.as_object_mut().unwrap().remove(*name).is_some(), "{name}"));
        }
    }
    let mut expected = bare();
    expected.workloads.iter_mut().for_each(|row| row.clock = Clock::Returned);
    assert!(serde_json::from_value::<Comparison>(old).unwrap() == expected);
}

#[test]
fn a_report_can_be_read_back() {
    for comparison in [fixture(), interrupted()] {
        assert!(serde_json::from_str::<Comparison>(&render(&comparison)).unwrap() == comparison);
    }
}
