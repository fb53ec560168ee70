//! Runs real fio on a real file system, and checks that it did the work of the workload.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::fio::{JobsPlace, from_file};
use fsarena_engine::{EngineError, Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::{Bytes, ErrorCategory, Explained, Nanos, Workload};
use serde_json::json;

fn workload(job: &str) -> Workload {
    fsarena_testing::parameterised("fio", "none", "warm", json!({ "job": job }))
}

const ANYWHERE: JobsPlace<'static> = JobsPlace { sector: Bytes(512), directories: Vec::new() };

fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

fn run(workload: &Workload, directory: &Path, time: Option<Nanos>) -> Result<RunStats, EngineError> {
    let mut job = engine(&workload.engine).expect("the engine exists").open(workload, directory, 1)?;
    let mut stats = RunStats::default();
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    for _ in 0..2 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
        job.run(&Limit::new(time, &AtomicBool::new(false)), &mut stats)?;
    }
    Ok(stats)
}

/// The workloads of a job file with this text.
fn of_job_file(text: &str) -> Vec<Workload> {
    let folder = place();
    let path = folder.path().join("job.fio");
    std::fs::write(&path, text).expect("written");
    let choices = from_file(&path, &ANYWHERE).expect("fio knows it");
    choices.into_iter().map(|choice| choice.workload).collect()
}

#[test]
fn a_job_file_runs_as_it_is_and_only_in_its_folder() {
    let place = place();
    let text = "[global]\nsize=1m\nbs=64k\nfallocate=none\ndirectory=/no/such/folder\n[w]\nrw=write\nfsync=4\n[r]\nstonewall\nrw=read\nnumjobs=2\n";
    let work = place.path().join("with:colon");
    std::fs::create_dir(&work).expect("made");
    for (workload, jobs) in of_job_file(text).iter().zip([1, 2]) {
        assert!(workload.measures.contains("`directory` is the lane's folder"), "{}", workload.measures);
        let stats = run(workload, &work, None).expect("it works");
        assert_eq!((stats.operations, stats.bytes), (2 * jobs * 16, (2 * jobs) << 20));
    }
    let names = std::fs::read_dir(&work).expect("there").map(|entry| entry.expect("there").file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["r.0.0", "r.1.0", "w.0.0"]);
}

#[test]
fn each_slice_of_a_job_file_takes_its_time_in_the_same_files() {
    let place = place();
    let text = "[x]\nrw=randwrite\noverwrite=1\nsize=1m\nbs=4k\nsync=1\nruntime=2s\ntime_based\n";
    let workloads = of_job_file(text);
    assert_eq!((workloads[0].slices, workloads[0].timed()), (2, Some(Nanos::seconds(1))));
    let stats = run(&workloads[0], place.path(), Some(Nanos::millis(200))).expect("it works");
    assert!(stats.operations > 2 && stats.bytes == stats.operations * 4096, "{stats:?}");
    assert_eq!(stats.latency(Operation::Write).expect("recorded").count, stats.operations);
    assert!(stats.elapsed >= Nanos::millis(400) && stats.elapsed < Nanos::seconds(2), "{}", stats.elapsed);
    assert_eq!(std::fs::metadata(place.path().join("x.0.0")).expect("laid out").len(), 1 << 20);
}

/// Memory that is not backed yet makes the first of two directories slow.
#[test]
fn a_job_file_says_how_much_of_the_page_cache_it_fills() {
    let place = place();
    for (direct, fills) in [("0", Bytes::mib(5)), ("1", Bytes(0))] {
        let text = format!("[global]\nrw=read\ndirect={direct}\n[a]\nsize=1m\n[b]\nsize=2m\nnumjobs=2\n");
        let job = engine("fio").expect("there").open(&of_job_file(&text)[0], place.path(), 1).expect("understood");
        assert_eq!(job.next_run().fills, fills, "direct={direct}");
    }
}

#[test]
fn a_failure_of_fio_is_reported_in_its_words() {
    let place = place();
    let error = run(&workload("[x]\nrw=trim\nsize=1m\n"), place.path(), None).expect_err("files cannot be trimmed");
    assert_eq!(error.category(), ErrorCategory::Trial);
    assert!(error.to_string().contains("Inappropriate ioctl"), "{error}");
}

#[test]
fn a_run_that_is_stopped_ends_at_once() {
    let place = place();
    let job = workload("[x]\nrw=read\nsize=1m\ntime_based\nruntime=1h\nnumjobs=2\n");
    let mut job = engine("fio").expect("it exists").open(&job, place.path(), 1).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("laid out");
    let stop = AtomicBool::new(false);
    let mut stats = RunStats::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(700));
            stop.store(true, Ordering::Relaxed);
        });
        job.run(&Limit::new(None, &stop), &mut stats).expect("to be stopped is no error");
    });
    assert_eq!(stats.operations, 0, "what was interrupted does not count");
}

/// The examples in fio's source: fio runs each, or it is refused with a reason.
#[test]
#[ignore = "needs fio's examples: make test-articles FIO_EXAMPLES=DIR"]
fn of_fios_own_examples_each_is_understood_or_refused_with_a_reason() {
    let folder = std::env::var("FSARENA_FIO_EXAMPLES").expect("the directory `examples` of fio's source");
    let (mut understood, mut refused) = (0, 0);
    for path in std::fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()) {
        if path.extension().is_none_or(|extension| extension != "fio") {
            continue;
        }
        let (count, words) = match from_file(&path, &ANYWHERE) {
            Ok(choices) => {
                (&mut understood, choices.into_iter().map(|choice| choice.note).collect::<Vec<_>>().join("; "))
            }
            Err(error) => (&mut refused, error.to_string()),
        };
        assert!(!words.is_empty());
        println!("{}: {}", path.display(), words.replace('\n', " "));
        *count += 1;
    }
    println!("understood {understood}, refused {refused}");
    assert!(understood > 10 && refused > 5);
}
