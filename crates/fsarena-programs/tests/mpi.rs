//! The programs that measure parallel file systems, with the real programs. Debian does not package them, so these
//! tests run only when asked for (`make test-mpi`).

use std::fs;

use fsarena_engine::{Engine, Job, Limit, NEVER, RunStats, Upkeep};
use fsarena_model::Scale;
use fsarena_model::{Nanos, Workload};
use serde_json::json;

use crate::ENGINES;

fn workloads(suite: &str) -> Vec<Workload> {
    let suite = fsarena_catalog::suite(suite).expect("in the catalogue");
    suite.workloads.iter().map(|name| small(name)).collect()
}

fn small(workload: &str) -> Workload {
    let workload = fsarena_catalog::workload(workload).expect("in the catalogue");
    fsarena_catalog::at_scale(workload, Scale::Smoke).expect("sound")
}

fn engine(workload: &Workload) -> &'static Engine {
    ENGINES.of(workload).expect("there")
}

fn run(job: &mut dyn Job) -> RunStats {
    let mut stats = RunStats::new();
    job.upkeep(Upkeep::Reset, &NEVER).and_then(|()| job.upkeep(Upkeep::DropCaches, &NEVER)).expect("made ready");
    job.run(&Limit::new(None, &NEVER), &mut stats).expect("done");
    stats
}

#[test]
#[ignore = "needs ior and mdtest: make test-mpi"]
fn all_phases_of_io500_run_again_and_again() {
    require_repeatable("io500");
}

#[test]
#[ignore = "needs elbencho: make test-mpi"]
fn all_phases_of_elbencho_run_again_and_again() {
    require_repeatable("elbencho");
}

fn require_repeatable(suite: &str) {
    for workload in workloads(suite) {
        // A path with a character that the programs take for a separator.
        let place = tempfile::Builder::new().prefix("two@clients ").tempdir_in("/var/tmp").expect("a folder");
        let mut job = engine(&workload).open(&workload, place.path(), 7).expect("understood");
        job.upkeep(Upkeep::Prepare, &NEVER).unwrap_or_else(|error| panic!("{}: {error}", workload.name));
        for stats in [run(&mut *job), run(&mut *job)] {
            assert!(stats.operations > 0 && stats.elapsed > Nanos(0), "{}: {stats:?}", workload.name);
        }
    }
}

#[test]
#[ignore = "needs ior and mdtest: make test-mpi"]
fn one_process_will_do_and_its_file_is_removed() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let mut workload = fsarena_catalog::workload("ior-hard-write").expect("in the catalogue");
    workload.parameters["processes"] = json!(1);
    let mut job = engine(&workload).open(&workload, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).expect("nothing to do");
    let stats = run(&mut *job);
    assert_eq!((stats.operations, stats.bytes), (512, 512 * 47_008));
    assert_eq!(fs::read_dir(place.path()).expect("there").count(), 0);
}

#[test]
#[ignore = "needs ior and mdtest: make test-mpi"]
fn wrong_data_fail_the_trial() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let workload = small("ior-hard-read");
    let mut job = engine(&workload).open(&workload, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).expect("written");
    let data = place.path().join("data");
    let mut content = fs::read(&data).expect("written");
    content[100_000] ^= 1;
    fs::write(&data, content).expect("changed");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("it is wrong").to_string();
    assert!(error.contains("ior"), "{error}");
}

#[test]
#[ignore = "needs elbencho: make test-mpi"]
fn a_file_that_is_missing_fails_elbenchos_trial() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let workload = small("elbencho-stat");
    let mut job = engine(&workload).open(&workload, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("made");
    fs::remove_file(place.path().join("files/r1/d9/r1-f99")).expect("made before");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("one is missing").to_string();
    assert!(error.contains("File stat failed") && error.contains("r1-f99"), "{error}");
}

#[test]
#[ignore = "needs ior and mdtest: make test-mpi"]
fn wrong_data_in_a_small_file_fail_the_trial() {
    let place = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let workload = small("mdtest-hard-read");
    let mut job = engine(&workload).open(&workload, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).expect("written");
    let mut file = place.path().to_owned();
    while file.is_dir() {
        file = fs::read_dir(&file).expect("a folder").next().expect("not empty").expect("listed").path();
    }
    let mut content = fs::read(&file).expect("written");
    content[1000] ^= 1;
    fs::write(&file, content).expect("changed");
    let error = job.run(&Limit::new(None, &NEVER), &mut RunStats::new()).expect_err("it is wrong").to_string();
    assert!(error.contains("verifying the data"), "{error}");
}
