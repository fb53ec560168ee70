//! Every workload of the catalogue runs for one real round. Workloads of programs that may be missing run in
//! `make test-articles`.

use std::collections::BTreeSet;

use fsarena_testing::{Need, has};
use serde_json::Value;

use crate::stage::{Stage, run};

/// Runs the workloads of these suites.
fn tried(suites: &[&str], lane: &str) {
    let suites = suites.iter().map(|suite| fsarena_catalog::suite(suite).expect("it exists"));
    ran(&suites.flat_map(|suite| suite.workloads).collect(), lane);
}

/// Runs the workloads at the smallest scale, on a lane in memory. Every workload has a figure.
fn ran(workloads: &BTreeSet<String>, lane: &str) {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "--scale", "smoke", "--baselines", "never", "--lane-size", lane, "--storage"]);
    command.arg(stage.storage()).args(workloads.iter().flat_map(|name| ["--workload", name]));
    run(&mut command, 0);
    let report = stage.json();
    let cells = report["cells"].as_array().expect("cells");
    let without: Vec<&Value> =
        cells.iter().filter(|cell| cell["median"].is_null()).map(|cell| &cell["workload"]).collect();
    assert_eq!((cells.len(), without), (workloads.len(), Vec::new()));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_workloads_without_programs_run() {
    if !has(&[Need::MemoryGroups]) {
        return;
    }
    tried(&["operations", "flushes", "memory", "shell", "metadata", "io", "axvisor", "vagrant"], "1500M");
}

/// All real work that a suite or profile has, on a real lane, and what it leaves is compared.
#[test]
fn the_real_work_of_the_profiles_runs() {
    let profiles = fsarena_catalog::profiles().expect("well-formed").into_iter();
    let names: BTreeSet<String> = profiles.flat_map(|profile| profile.workloads).collect();
    let suite = fsarena_catalog::suite("work").expect("there");
    assert!(suite.workloads.iter().all(|name| names.contains(name)));
    ran(&names, "1500M");
}

#[test]
#[ignore = "minutes, with servers: make test-articles"]
fn the_workloads_of_articles_with_programs_run() {
    tried(&["openeuler", "trading", "phoronix-2009"], "4G");
}

#[test]
#[ignore = "minutes, with servers: make test-articles"]
fn every_article_is_reproduced_at_the_smallest_scale() {
    for article in ["axvisor", "openeuler", "phoronix-2009", "trading", "vagrant"] {
        let Some(stage) = Stage::of_root() else { return };
        let arguments = ["reproduce", article, "--scale", "smoke", "--contenders", "ext4", "--storage"];
        run(stage.fsarena().args(arguments).arg(stage.storage()), 0);
        let figures = stage.json()["reproduction"]["figures"].as_array().map_or(0, Vec::len);
        assert!(figures > 0, "{article}");
        assert_eq!(stage.left(), Vec::<String>::new());
    }
}
