//! The engine `oltp` with a real server and a real sysbench, on a directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Limit, Operation, RunStats, Upkeep};
use fsarena_model::{Workload, probe};
use serde_json::{Value, json};

use crate::ENGINES;

fn workload(parameters: &Value) -> Workload {
    let metric = json!({ "name": "m", "unit": "us", "measure": "mean-latency-microseconds", "better": "lower" });
    let fields = json!({ "metric": metric, "durable": "fdatasync", "cache": "cold", "parameters": parameters });
    fsarena_testing::workload("oltp", fields)
}

#[test]
fn transactions_are_counted_and_those_that_write_are_commits() {
    for (test, is_writing) in [("read-only", false), ("read-write", true)] {
        let place = tempfile::tempdir().expect("temporary folder");
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o711)).expect("changed");
        let parameters = json!({ "test": test, "tables": 2, "table-size": 500, "threads": 4, "time": 1 });
        let engine = ENGINES.named("oltp").expect("there");
        let mut job = engine.open(&workload(&parameters), place.path(), 3).expect("understood");
        let (stop, mut stats) = (AtomicBool::new(false), RunStats::new());
        job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
        job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
        job.run(&Limit::new(None, &stop), &mut stats).expect("runs");
        job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
        assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("all rows are there").files, 2);
        fs::write(place.path().join("mysql/sbtest/sbtest2.ibd"), "rubbish".repeat(30_000)).expect("overwritten");
        let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("a table is damaged").to_string();
        assert!(error.contains("sbtest2") || error.contains("has ended"), "{error}");
        assert!(stats.operations > 0 && stats.elapsed.as_seconds() >= 0.9, "{stats:?}");
        assert_eq!(stats.latency(Operation::Run).map(|latency| latency.count), Some(stats.operations));
        let commits = stats.reported.iter().find(|(probe, _)| *probe == probe::COMMITS).map(|(_, count)| *count as u64);
        assert_eq!(commits, is_writing.then_some(stats.operations));
    }
}

#[test]
fn settings_are_in_the_report_and_senseless_ones_are_refused() {
    let engine = ENGINES.named("oltp").expect("there");
    let good = json!({ "test": "read-write", "tables": 4, "table-size": 500_000, "threads": 100, "time": 60 });
    let settings = engine.programs(&workload(&good)).settings.join("\n");
    for wanted in
        ["oltp_read_write", "--tables=4", "--table-size=500000", "--rand-type=uniform", "--threads=100 --time=60"]
    {
        assert!(settings.contains(wanted), "{wanted}: {settings}");
    }
    for (name, value) in
        [("threads", json!(0)), ("time", json!(0)), ("test", json!("write-only")), ("colour", json!(1))]
    {
        let mut bad = good.clone();
        bad[name] = value;
        assert!(engine.traits(&workload(&bad)).is_err(), "{name}");
    }
}
