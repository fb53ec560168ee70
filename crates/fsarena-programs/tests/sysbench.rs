//! The engine `sysbench`: a real run of the program.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Lack, Limit, Operation, RunStats, Upkeep};
use fsarena_model::{Explained, Workload};
use fsarena_testing::{Need, has};
use serde_json::json;

use crate::ENGINES;

static NEVER: AtomicBool = AtomicBool::new(false);

fn workload(mode: &str, files: u32) -> Workload {
    let parameters = json!({
        "mode": mode, "file-total-size": "4M", "file-num": files, "file-block-size": "4K", "threads": 2, "time": 1,
    });
    fsarena_testing::workload("sysbench", json!({ "parameters": parameters }))
}

fn run(mode: &str, directory: &Path) -> Result<RunStats, EngineError> {
    let mut job = ENGINES.named("sysbench").expect("there").open(&workload(mode, 4), directory, 7)?;
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
    let mut stats = RunStats::new();
    job.run(&Limit::new(None, &NEVER), &mut stats).map(|()| stats)
}

#[test]
fn it_lays_its_files_out_and_says_what_it_did() {
    if !has(&[Need::Program("sysbench")]) {
        return;
    }
    let place = tempfile::tempdir().expect("temporary folder");
    let stats = run("rndrw", place.path()).expect("done");
    assert_eq!(std::fs::read_dir(place.path()).expect("there").count(), 4, "what it says is kept elsewhere");
    assert!(stats.operations > 0 && stats.bytes == stats.operations * 4096, "{stats:?}");
    assert!(stats.elapsed.as_seconds() > 0.5, "{:?}", stats.elapsed);
    assert!(
        stats.reported.iter().any(|(probe, value)| probe.id == "sysbench.fsyncs" && *value > 0.0),
        "{:?}",
        stats.reported
    );
    assert!(stats.latency(Operation::Run).is_some(), "a sync cannot be distinguished from the others");
    let place = tempfile::tempdir().expect("temporary folder");
    let reads = run("rndrd", place.path()).expect("done").latency(Operation::Read).expect("only reads");
    assert!(reads.count > 0 && reads.p50.0 > 0);
}

#[test]
fn a_failure_is_reported_in_its_words() {
    if !has(&[Need::Program("sysbench")]) {
        return;
    }
    let place = tempfile::tempdir().expect("temporary folder");
    let mut job =
        ENGINES.named("sysbench").expect("there").open(&workload("rndrd", 4), place.path(), 7).expect("understood");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("there are no files");
    assert!(error.to_string().contains("FATAL: Cannot open file"), "{error}");
    let missing = EngineError::NoProgram {
        workload: "w".to_owned(),
        program: "sysbench",
        package: "sysbench",
        lack: Lack::Package,
    };
    assert_eq!(
        missing.hint().as_deref(),
        Some("apt-get install sysbench; `make apps` installs those of all suites and starts no service")
    );
}
