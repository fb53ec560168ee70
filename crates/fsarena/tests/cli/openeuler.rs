//! The methods of the openEuler article, small but real: steps of a shell, sysbench, iostat's columns.

use fsarena_testing::{Need, has};
use serde_json::Value;

use crate::stage::{Stage, accounts_for, binary, err, out, run};

/// Writes a workload to a file.
fn workload(stage: &Stage, name: &str, head: &str, parameters: &str) -> String {
    stage.workload(name, &format!("mode = 'whole'\nends-by-itself = true\n{head}\n[parameters]\n{parameters}"))
}

fn steps(stage: &Stage) -> String {
    let metric = "metric = { name = 'total-time', unit = 's', measure = 'seconds', better = 'lower' }";
    let parameters = "shell = 'bash'\nbefore = 'rm -rf tree && mkdir tree'\n\
                      [[parameters.steps]]\nname = 'create'\noperations = 20\nstarts = 21\ncold = true\n\
                      script = 'for j in {1..20}; do echo \"file $j - $(date)\" > tree/file_$j.txt; done; sync'\n\
                      [[parameters.steps]]\nname = 'read'\noperations = 20\nstarts = 1\ncold = true\n\
                      script = 'cat tree/file_*.txt > /dev/null'\n";
    workload(stage, "steps", &format!("engine = 'program'\ncache = 'warm'\n{metric}"), parameters)
}

fn requests(stage: &Stage) -> String {
    let metric = "metric = { name = 'rate', unit = 'IOPS', measure = 'operations-per-second', better = 'higher' }";
    let parameters = "mode = 'rndrw'\nfile-total-size = '8M'\nfile-num = 4\nfile-block-size = '4K'\nthreads = 2\ntime = 1\n\
                      file-extra-flags = ['direct']\n";
    workload(stage, "requests", &format!("engine = 'sysbench'\ncache = 'direct'\n{metric}"), parameters)
}

fn value(cell: &Value, probe: &str) -> f64 {
    cell["probes"][probe]["value"].as_f64().unwrap_or_else(|| panic!("{probe} in {cell}"))
}

#[test]
fn steps_and_requests_are_measured_with_the_articles_columns() {
    let Some(stage) = Stage::of_root() else { return };
    let (steps, requests) = (steps(&stage), requests(&stage));
    run(&mut stage.compare(&["ext4", "xfs", "--rounds", "1", "--workload", &steps, "--workload", &requests]), 0);
    let report = stage.json();
    for cell in report["cells"].as_array().expect("an array") {
        assert!(accounts_for(cell, 1) && cell["median"].as_f64().is_some_and(|figure| figure > 0.0), "{cell}");
        assert!(value(cell, "iostat.w/s") > 0.0 && value(cell, "iostat.w_await") >= 0.0, "{cell}");
        // Both are counted in ticks, so that a small value may be zero.
        assert!(value(cell, "iostat.%util") >= 0.0 && value(cell, "cpu.system") >= 0.0, "{cell}");
        let is_steps = cell["workload"] == "steps";
        let names: Vec<&Value> = cell["steps"].as_array().into_iter().flatten().map(|step| &step["name"]).collect();
        assert_eq!(names, if is_steps { vec!["create", "read"] } else { Vec::new() }, "{cell}");
        if !is_steps {
            assert!(value(cell, "sysbench.writes") > 0.0 && value(cell, "sysbench.fsyncs") > 0.0, "{cell}");
        }
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn without_sysbench_the_error_names_its_package() {
    if !has(&[Need::Root, Need::Program("sysbench")]) {
        return;
    }
    let stage = Stage::new();
    let requests = requests(&stage);
    // A mount namespace in which an unusable file covers the program.
    let script = "mount --bind /dev/null \"$(command -v sysbench)\" && exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).arg(binary());
    command.args(["compare", "ext4", "xfs", "--rounds", "1", "--workload", &requests]);
    let output = run(command.env("HOME", stage.path("home")), 4);
    assert!(err(&output).contains("hint: apt-get install sysbench"), "{}", err(&output));
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
