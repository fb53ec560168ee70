//! The methods of the openEuler article, small but real: steps of a shell, iostat's columns.

use serde_json::Value;

use crate::stage::{Stage, accounts_for, out, run};

fn steps(stage: &Stage) -> String {
    let metric = "metric = { name = 'total-time', unit = 's', measure = 'seconds', better = 'lower' }";
    let parameters = "shell = 'bash'\nbefore = 'rm -rf tree && mkdir tree'\n\
                      [[parameters.steps]]\nname = 'create'\noperations = 20\nstarts = 21\ncold = true\n\
                      script = 'for j in {1..20}; do echo \"file $j - $(date)\" > tree/file_$j.txt; done; sync'\n\
                      [[parameters.steps]]\nname = 'read'\noperations = 20\nstarts = 1\ncold = true\n\
                      script = 'cat tree/file_*.txt > /dev/null'\n";
    let head = format!("mode = 'whole'\nends-by-itself = true\nengine = 'program'\ncache = 'warm'\n{metric}");
    stage.workload("steps", &format!("{head}\n[parameters]\n{parameters}"))
}

fn value(cell: &Value, probe: &str) -> f64 {
    cell["probes"][probe]["value"].as_f64().unwrap_or_else(|| panic!("{probe} in {cell}"))
}

#[test]
fn steps_are_measured_with_the_articles_columns() {
    let Some(stage) = Stage::of_root() else { return };
    run(&mut stage.compare(&["ext4", "xfs", "--rounds", "1", "--workload", &steps(&stage)]), 0);
    let report = stage.json();
    for cell in report["cells"].as_array().expect("an array") {
        assert!(accounts_for(cell, 1) && cell["median"].as_f64().is_some_and(|figure| figure > 0.0), "{cell}");
        assert!(value(cell, "iostat.w/s") > 0.0 && value(cell, "iostat.w_await") >= 0.0, "{cell}");
        // Both are counted in ticks, so that a small value may be zero.
        assert!(value(cell, "iostat.%util") >= 0.0 && value(cell, "cpu.system") >= 0.0, "{cell}");
        let names: Vec<&Value> = cell["steps"].as_array().into_iter().flatten().map(|step| &step["name"]).collect();
        assert_eq!(names, ["create", "read"], "{cell}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_suite_is_planned_in_the_articles_order() {
    let stage = Stage::without_runs();
    let plan = out(&run(
        stage.fsarena().args(["compare", "ext4", "xfs", "btrfs", "--suite", "openeuler", "--rounds", "3", "--dry-run"]),
        0,
    ));
    let places: Vec<usize> = ["seqwrite", "seqread", "randwrite", "randread", "mixed"]
        .into_iter()
        .flat_map(|test| [format!("openeuler-{test}-fio"), format!("openeuler-{test} ")])
        .map(|name| plan.find(&name).unwrap_or_else(|| panic!("{name} in {plan}")))
        .collect();
    assert!(places.is_sorted(), "{plan}");
}
