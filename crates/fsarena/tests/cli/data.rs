//! JSON of commands that make no report.

use serde_json::Value;

use crate::several::store;
use crate::stage::{Stage, err, out, run};

/// What a command prints as JSON.
fn json(stage: &Stage, arguments: &[&str]) -> Value {
    let text = out(&run(stage.fsarena().args(arguments).args(["--format", "json"]), 0));
    serde_json::from_str(&text).expect("JSON")
}

fn names(entries: &Value) -> Vec<&str> {
    entries.as_array().expect("an array").iter().map(|entry| entry["name"].as_str().expect("a name")).collect()
}

/// The keys that docs/interface.md lists for `name`.
fn require_documented(name: &str, value: &Value) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interface.md");
    let page = std::fs::read_to_string(page).expect("readable");
    let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect("a row");
    let mut documented: Vec<&str> = row.split('`').skip(3).step_by(2).collect();
    documented.sort_unstable();
    let keys: Vec<&String> = value.as_object().expect("an object").keys().filter(|key| *key != "format").collect();
    assert_eq!(keys, documented, "{name}");
    assert!(value["format"].is_null() || value["format"] == 1, "{name}");
}

#[test]
fn a_list_is_data() {
    let stage = Stage::without_runs();
    let all = json(&stage, &["list"]);
    require_documented("list", &all);
    require_documented("list: kinds", &all["kinds"][0]);
    require_documented("list: layers", &all["layers"][0]);
    require_documented("list: workloads", &all["workloads"][0]);
    require_documented("list: suites", &all["suites"][0]);
    require_documented("list: profiles", &all["profiles"][0]);
    require_documented("list: published", &all["published"][0]);
    assert!(names(&all["kinds"]).contains(&"xfs") && names(&all["suites"]).contains(&"operations"));
    let workloads = json(&stage, &["list", "workloads"]);
    assert_eq!(workloads["workloads"], all["workloads"]);
    assert_eq!(workloads["kinds"], Value::Array(Vec::new()));
    let one = json(&stage, &["list", "append-fsync"]);
    assert_eq!((names(&one["workloads"]), names(&one["suites"]).len()), (vec!["append-fsync"], 0));
    for word in ["database", "postgres"] {
        let found = json(&stage, &["list", word]);
        assert!(names(&found["profiles"]).contains(&"database"), "{found}");
        assert!(names(&found["workloads"]).contains(&"phoronix-pgbench"), "{found}");
    }
    let refused = err(&run(stage.fsarena().args(["list", "append-fsymc", "--format", "json"]), 2));
    assert!(refused.contains("did you mean `append-fsync`?"), "{refused}");
}

#[test]
fn stored_runs_are_data() {
    let stage = Stage::without_runs();
    store(&stage, "small", 1.0);
    store(&stage, "small", 0.9);
    run(stage.fsarena().args(["runs", "tag", "2", "nightly"]), 0);
    let all = json(&stage, &["runs"]);
    require_documented("runs", &all);
    require_documented("runs: runs", &all["runs"][0]);
    assert_eq!(all["runs"][0]["contenders"], serde_json::json!(["base", "new"]));
    let tagged = json(&stage, &["runs", "--tag", "nightly"]);
    assert_eq!((tagged["runs"].as_array().map(Vec::len), &tagged["runs"][0]["run"]), (Some(1), &Value::from(2)));
}

#[test]
fn the_doctors_page_is_data() {
    let stage = Stage::without_runs();
    let page = json(&stage, &["doctor"]);
    require_documented("doctor", &page);
    require_documented("doctor: sections", &page["sections"][0]);
    require_documented("doctor: lines", &page["sections"][0]["lines"][0]);
    let lines = page["sections"].as_array().expect("an array").iter().flat_map(|section| section["lines"].as_array());
    let kernel = lines.flatten().find(|line| line["subject"] == "kernel").expect("a line");
    assert_eq!(kernel["state"], "ok");
}

#[test]
fn a_plan_is_data() {
    let stage = Stage::without_runs();
    let small = stage.small();
    let line = ["compare", "ext4", "xfs:noatime", "--dry-run", "--workload", &small, "--rounds", "3", "--seed", "7"];
    let plan = json(&stage, &line);
    require_documented("--dry-run", &plan);
    require_documented("--dry-run: contenders", &plan["contenders"][0]);
    require_documented("--dry-run: workloads", &plan["workloads"][0]);
    assert_eq!((&plan["rounds"], &plan["seed"]), (&Value::from(3), &Value::from("7")));
    assert_eq!((&plan["contenders"][1]["mount"], &plan["budget_seconds"]), (&Value::from("noatime"), &Value::Null));
    let text = out(&run(stage.fsarena().args(line), 0));
    assert!(text.starts_with(&format!("plan {}", &plan["plan_hash"].as_str().expect("a text")[..12])), "{text}");
    assert!(err(&run(stage.fsarena().args(line).args(["--format", "csv"]), 2)).contains("a plan has no format `csv`"));
}

#[test]
fn a_calibration_is_data() {
    let stage = Stage::without_runs();
    for _ in 0..2 {
        store(&stage, "small", 1.0);
    }
    let found = json(&stage, &["calibrate", "--of", "1,2"]);
    require_documented("calibrate", &found);
    require_documented("calibrate: workloads", &found["workloads"][0]);
    let row = &found["workloads"][0];
    assert_eq!((&found["runs"], &row["equal"], &row["winners"]), (&Value::from(2), &Value::from(2), &Value::from(0)));
}
