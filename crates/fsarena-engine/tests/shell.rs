//! The engine `shell`: scripts are run, timed, counted and stopped, and their messages are kept.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fsarena_engine::{Engine, EngineError, Job, Limit, Operation, RunStats, engine, starts_job};
use fsarena_model::{Bytes, Explained, Nanos, Workload};
use serde_json::{Value, json};

static NEVER: AtomicBool = AtomicBool::new(false);

fn workload(parameters: Value) -> Workload {
    let metric = json!({ "name": "rate", "unit": "1/s", "measure": "operations-per-second", "better": "higher" });
    let workload = json!({
        "name": "under-test", "version": 1, "measures": "", "why": "", "engine": "shell", "metric": metric,
        "durable": "none", "cache": "warm", "mode": "whole", "ends-by-itself": true, "parameters": parameters,
    });
    serde_json::from_value(workload).expect("a workload")
}

fn shell() -> &'static dyn Engine {
    engine("shell").expect("there")
}

fn open(parameters: Value, directory: &Path) -> Box<dyn Job> {
    shell().open(&workload(parameters), directory, 7).expect("understood")
}

fn run(job: &mut dyn Job) -> Result<RunStats, EngineError> {
    let mut stats = RunStats::new();
    job.run(&Limit::new(None, &NEVER), &mut stats)?;
    Ok(stats)
}

#[test]
fn a_script_works_in_the_jobs_directory_and_is_counted_as_its_operations() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({
        "shell": "bash", "operations": 7,
        "prepare": "mkdir there",
        "before": "rm -f there/*; echo once >> before",
        "script": "for ((i = 0; i < N; i++)); do echo $i > there/file$i; done",
    });
    let mut job = open(parameters, place.path());
    job.prepare(&fsarena_engine::NEVER).expect("prepared");
    for runs in 1..=2 {
        job.reset(&fsarena_engine::NEVER).expect("ready");
        assert_eq!(fs::read_dir(place.path().join("there")).expect("prepared").count(), 0);
        let stats = run(&mut *job).expect("done");
        assert_eq!(fs::read_dir(place.path().join("there")).expect("prepared").count(), 7);
        assert_eq!(fs::read_to_string(place.path().join("before")).expect("said").lines().count(), runs);
        assert_eq!(stats.operations, 7);
        let latency = stats.latency(Operation::Run).expect("one run");
        assert_eq!(latency.count, 1);
        assert!(stats.elapsed > Nanos(0) && stats.windows().len() == 1);
    }
    assert_eq!(fs::read_dir(place.path()).expect("there").count(), 2, "what the shell says is kept elsewhere");
}

#[test]
fn steps_share_a_directory_and_are_timed_one_by_one() {
    let place = tempfile::tempdir().expect("temporary folder");
    let steps = json!([
        { "name": "make", "operations": 3, "starts": 4, "bytes": "6K", "script": "for i in $(seq $N); do echo $i > file$i; done",
          "before": "echo $N > before" },
        { "name": "read", "operations": 4, "starts": 1, "script": "cat file* before", "cold": true },
    ]);
    let parameters = json!({ "steps": steps });
    assert_eq!(shell().traits(&workload(parameters.clone())).expect("sound").starts, Some(5), "the sum");
    let mut job = open(parameters, place.path());
    job.prepare(&fsarena_engine::NEVER).and_then(|()| job.reset(&fsarena_engine::NEVER)).expect("nothing to do");
    let stats = run(&mut *job).expect("done");
    assert_eq!(fs::read_to_string(place.path().join("before")).expect("done before"), "3\n");
    let steps: Vec<(&str, u64, u64)> =
        stats.steps.iter().map(|step| (step.name.as_str(), step.operations, step.bytes)).collect();
    assert_eq!(steps, [("make", 3, 6144), ("read", 4, 0)]);
    assert_eq!((stats.operations, stats.bytes), (7, 6144));
    assert_eq!(stats.elapsed, stats.steps[0].elapsed + stats.steps[1].elapsed);
    assert!(stats.steps.iter().all(|step| step.elapsed > Nanos(0) && step.synced.is_none()));
}

#[test]
fn a_step_that_fails_is_named_and_those_after_it_are_not_done() {
    let place = tempfile::tempdir().expect("temporary folder");
    let step = |name: &str, script: &str| json!({ "name": name, "operations": 1, "script": script });
    let steps = json!([step("one", ":"), step("two", "echo what a pity >&2; exit 5"), step("three", "touch there")]);
    let mut job = open(json!({ "steps": steps }), place.path());
    let error = run(&mut *job).expect_err("it fails").to_string();
    assert!(error.contains("`two` ended with exit status: 5") && error.contains("what a pity"), "{error}");
    assert!(!place.path().join("there").exists());
}

#[test]
fn one_that_fails_is_named_with_its_last_words_and_its_status() {
    let place = tempfile::tempdir().expect("temporary folder");
    let script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; exit 3";
    let mut job = open(json!({ "operations": 1, "script": script }), place.path());
    job.prepare(&fsarena_engine::NEVER).expect("nothing to do");
    let error = run(&mut *job).expect_err("it fails").to_string();
    assert!(error.contains("`script` ended with exit status: 3"), "{error}");
    assert!(error.contains("line 12") && !error.contains("line 2\n"), "{error}");
    let mut job = open(json!({ "operations": 1, "script": ":", "before": "ls /no/such" }), place.path());
    let error = job.reset(&fsarena_engine::NEVER).expect_err("it fails").to_string();
    assert!(error.contains("`before`") && error.contains("/no/such"), "{error}");
}

#[test]
fn who_wants_to_stop_does_not_wait_and_nothing_of_it_stays() {
    let place = tempfile::tempdir().expect("temporary folder");
    let script = "sleep 600 & echo $! > child; mv child started; sleep 600; :";
    let mut job = open(json!({ "operations": 1, "script": script }), place.path());
    let stop = AtomicBool::new(false);
    let mut stats = RunStats::new();
    let marker = format!("{}", place.path().display());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !place.path().join("started").exists() {
                std::thread::sleep(Duration::from_millis(2));
            }
            stop.store(true, Ordering::Relaxed);
        });
        job.run(&Limit::new(None, &stop), &mut stats).expect("stopped");
    });
    assert_eq!(stats.operations, 0);
    let left = || {
        let processes = fs::read_dir("/proc").expect("there").flatten().map(|entry| entry.path());
        processes.filter(|path| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == Path::new(&marker))).count()
    };
    assert!((0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        left() == 0
    }));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let refusal = |workload: &Workload| shell().traits(workload).expect_err("refused").to_string();
    for (parameters, name) in [
        (json!({ "script": " ", "operations": 1 }), "`script`"),
        (json!({ "script": ":", "operations": 0 }), "`operations`"),
        (json!({ "script": ":" }), "`operations`"),
        (json!({ "script": ":", "operations": 1, "shell": "/bin/sh" }), "`shell`"),
        (json!({ "script": ":", "operations": 1, "colour": 1 }), "`colour`"),
        (json!({ "operations": 1 }), "`steps`"),
        (
            json!({ "steps": [{ "name": "a", "script": ":", "operations": 1, "durable-writes": 1 }] }),
            "`durable-writes`",
        ),
        (json!({ "script": ":", "steps": [{ "name": "a", "script": ":", "operations": 1 }] }), "one of them"),
        (json!({ "steps": [{ "name": "a", "script": ":", "operations": 1 }], "starts": 1 }), "`starts`"),
        (json!({ "steps": [{ "name": "a", "script": ":", "operations": 0 }] }), "`operations` of a step"),
        (json!({ "steps": [{ "name": "", "script": ":", "operations": 1 }] }), "`name`"),
    ] {
        let error = refusal(&workload(parameters));
        assert!(error.contains(name), "{error}");
    }
    let good = workload(json!({ "script": ":", "operations": 1 }));
    let sliced = Workload { mode: fsarena_model::Mode::Sliced, ..good.clone() };
    assert!(refusal(&sliced).contains("`mode"));
    assert!(refusal(&Workload { timed_ms: 5, ..good.clone() }).contains("`timed-ms`"));
    let missing = workload(json!({ "script": ":", "operations": 1, "shell": "no-such-shell" }));
    let error = shell().require(&missing).expect_err("not there");
    assert!(error.to_string().contains("no-such-shell") && error.hint().is_some());
    shell().require(&good).expect("sh is everywhere");
}

#[test]
fn it_is_a_program_of_somebody_else_with_its_own_demand_and_starts() {
    let plain = workload(json!({ "script": ":", "operations": 1 }));
    assert_eq!(
        (shell().traits(&plain).expect("understood").peak, shell().traits(&plain).expect("sound").starts),
        (Bytes::mib(64), None)
    );
    let more = workload(json!({ "script": ":", "operations": 9, "starts": 9, "data": "1M" }));
    assert_eq!(
        (shell().traits(&more).expect("understood").peak, shell().traits(&more).expect("sound").starts),
        (Bytes::mib(1), Some(9))
    );
    assert_eq!(shell().traits(&plain).expect("sound").program.as_deref(), Some("sh"));
    assert!(shell().traits(&plain).expect("sound").runs_in_memory);
}

#[test]
fn programs_that_do_nothing_are_started_so_often_or_until_the_time_is_over() {
    let mut job = starts_job(20);
    job.prepare(&fsarena_engine::NEVER).expect("nothing to do");
    let stats = run(&mut *job).expect("started");
    assert_eq!((stats.operations, stats.latency(Operation::Run).expect("some").count), (20, 20));
    let mut some = RunStats::new();
    starts_job(1_000_000).run(&Limit::new(Some(Nanos::millis(20)), &NEVER), &mut some).expect("started");
    assert!((1..1_000_000).contains(&some.operations));
    let stop = AtomicBool::new(true);
    let mut none = RunStats::new();
    starts_job(1_000_000).run(&Limit::new(None, &stop), &mut none).expect("stopped");
    assert!(none.operations < 1_000_000);
}

#[test]
fn the_axvisor_articles_steps_find_what_they_need_and_leave_what_they_should() {
    let place = tempfile::tempdir().expect("temporary folder");
    let mut workload = fsarena_catalog::workload("axvisor-shell").expect("there");
    let steps = workload.parameters["steps"].as_array_mut().expect("steps");
    assert_eq!(steps.len(), 32, "31 and the starts of programs that do nothing");
    for step in steps.iter_mut() {
        // A few rounds of each long loop.
        let script = step["script"].as_str().expect("a script");
        let shorter = script.replace("{0..12799}", "{0..9}").replace("{0..1599}", "{0..9}");
        let shorter = shorter.replace("{1..1000}", "{1..10}").replace("{1..5000}", "{1..10}");
        step["script"] = json!(format!("set -e\n{}", shorter.replace("2> /dev/null", "")));
    }
    let mut job = shell().open(&workload, place.path(), 7).expect("understood");
    job.prepare(&fsarena_engine::NEVER).and_then(|()| job.reset(&fsarena_engine::NEVER)).expect("ready");
    let stats = run(&mut *job).expect("every command finds its files");
    assert_eq!(stats.steps.len(), 32);
    let names = |folder: &str| {
        let entries = fs::read_dir(place.path().join(folder)).expect("there").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let (files, small) = (names("files"), |name: &&String| name.starts_with("1k_"));
    assert_eq!((files.len(), files.iter().filter(small).count(), names("folders").len()), (52, 50, 0), "{files:?}");
    let length = |name: &str| fs::metadata(place.path().join("files").join(name)).expect("left").len();
    assert_eq!((length("1k_10"), length("1k_11"), length("50m")), (3072, 1024, 50 << 20));
}
