//! The engine `program`: scripts are run, timed, counted and stopped, and figures are read from their output.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fsarena_engine::{Engine, EngineError, Job, Limit, NEVER, Operation, RunStats, Upkeep};
use fsarena_model::Scale;
use fsarena_model::{Bytes, DurablePoint, Explained, Mode, Nanos, Workload};
use serde_json::{Value, json};

use crate::ENGINES;

fn workload(parameters: Value) -> Workload {
    let metric = json!({ "name": "rate", "unit": "1/s", "measure": "operations-per-second", "better": "higher" });
    let workload = json!({
        "name": "under-test", "version": 1, "measures": "", "why": "", "engine": "program", "metric": metric,
        "durable": "none", "cache": "warm", "mode": "whole", "ends-by-itself": true, "parameters": parameters,
    });
    serde_json::from_value(workload).expect("a workload")
}

fn program() -> &'static Engine {
    ENGINES.named("program").expect("there")
}

fn open(parameters: Value, directory: &Path) -> Box<dyn Job> {
    program().open(&workload(parameters), directory, 7).expect("understood")
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
    job.upkeep(Upkeep::Prepare, &NEVER).expect("prepared");
    for runs in 1..=2 {
        job.upkeep(Upkeep::Reset, &NEVER).expect("ready");
        assert_eq!(fs::read_dir(place.path().join("there")).expect("prepared").count(), 0);
        let stats = run(&mut *job).expect("done");
        assert_eq!(fs::read_dir(place.path().join("there")).expect("prepared").count(), 7);
        assert_eq!(fs::read_to_string(place.path().join("before")).expect("known").lines().count(), runs);
        assert_eq!(stats.operations, 7);
        let latency = stats.latency(Operation::Run).expect("one run");
        assert_eq!(latency.count, 1);
        assert!(stats.elapsed > Nanos(0) && stats.windows().len() == 1);
    }
    assert_eq!(fs::read_dir(place.path()).expect("there").count(), 2, "what the shell says is kept elsewhere");
}

/// The workload as it runs in slices.
fn sliced(parameters: Value, durable: DurablePoint) -> Workload {
    Workload { mode: Mode::Sliced, ends_by_itself: false, durable, ..workload(parameters) }
}

#[test]
fn a_slice_is_one_run_in_a_directory_of_its_own_with_its_sync() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({ "operations": 1, "script": "mkdir out-$RUN && echo $RUN > out-$RUN/file" });
    for (durable, syncs) in [(DurablePoint::Syncfs, 1), (DurablePoint::Fsync, 0), (DurablePoint::None, 0)] {
        let inside = place.path().join(format!("{durable:?}"));
        fs::create_dir(&inside).expect("made");
        let mut job = program().open(&sliced(parameters.clone(), durable), &inside, 7).expect("understood");
        job.upkeep(Upkeep::Prepare, &NEVER).expect("nothing to do");
        for number in 1..=2 {
            job.upkeep(Upkeep::Reset, &NEVER).expect("nothing to do");
            let stats = run(&mut *job).expect("done");
            let written = fs::read_to_string(inside.join(format!("out-{number}/file"))).expect("a fresh directory");
            assert_eq!(written, format!("{number}\n"));
            assert_eq!(stats.latency(Operation::Syncfs).map_or(0, |it| it.count), syncs, "{durable:?}");
        }
    }
}

#[test]
fn the_sync_of_a_slice_is_in_its_time() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({ "operations": 1, "shell": "bash", "script": "head -c 20M /dev/urandom > \"file-$RUN\"" });
    let mut job = program().open(&sliced(parameters, DurablePoint::Syncfs), place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("nothing to do");
    let stats = run(&mut *job).expect("done");
    let both = [Operation::Run, Operation::Syncfs].map(|it| stats.latency(it).expect("done").max.0);
    assert!(stats.elapsed.0 as f64 >= 0.99 * both.iter().sum::<u64>() as f64, "{both:?} {:?}", stats.elapsed);
}

#[test]
fn inputs_are_made_before_the_work_and_follow_from_the_seed() {
    let made = |seed: u64| {
        let place = tempfile::tempdir().expect("temporary folder");
        let parameters = json!({
            "operations": 1, "variables": { "count": 3 },
            "trees": { "sources": { "like": "sources", "files": 20 } },
            "input": "find sources/ -type f | sort > names; echo $count $RUN $N > numbers",
            "prepare": "cp -r \"$INPUT/sources/.\" tree",
            "script": "cat \"$INPUT/names\" \"$INPUT/numbers\" > out",
        });
        let mut job = program().open(&workload(parameters), place.path(), seed).expect("understood");
        job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("made");
        run(&mut *job).expect("done");
        assert!(place.path().join("tree").is_dir());
        fs::read_to_string(place.path().join("out")).expect("written")
    };
    let text = made(7);
    assert_eq!(text.lines().count(), 21);
    assert_eq!(text.lines().last(), Some("3 0 1"));
    assert_eq!(text, made(7));
    assert_ne!(text, made(8));
    assert_eq!(text, made(7 + (3 << 32)), "the same in each round");
}

#[test]
fn an_input_that_cannot_be_made_is_the_reason() {
    let place = tempfile::tempdir().expect("temporary folder");
    let parameters = json!({ "operations": 1, "input": "echo no paper >&2; exit 3", "script": ":" });
    let error = open(parameters, place.path()).upkeep(Upkeep::Prepare, &NEVER).expect_err("failed").to_string();
    assert!(error.contains("input") && error.contains("no paper"), "{error}");
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
    assert_eq!(program().traits(&workload(parameters.clone())).expect("sound").starts, Some(5), "the sum");
    let mut job = open(parameters, place.path());
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("nothing to do");
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
    let script = "for i in $(seq 14); do echo line $i; done; exit 3";
    let mut job = open(json!({ "operations": 1, "script": script }), place.path());
    job.upkeep(Upkeep::Prepare, &NEVER).expect("nothing to do");
    let error = run(&mut *job).expect_err("it fails").to_string();
    assert!(error.contains("`script` ended with exit status: 3"), "{error}");
    assert!(error.contains("line 14") && !error.contains("line 2\n"), "{error}");
    let mut job = open(json!({ "operations": 1, "script": ":", "before": "ls /no/such" }), place.path());
    let error = job.upkeep(Upkeep::Reset, &NEVER).expect_err("it fails").to_string();
    assert!(error.contains("`before`") && error.contains("/no/such"), "{error}");
}

#[test]
fn a_stop_does_not_wait_and_leaves_nothing() {
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
fn a_command_is_run_as_it_is_in_its_own_working_directory() {
    let (place, here) = (tempfile::tempdir().expect("temporary folder"), tempfile::tempdir().expect("another"));
    let odd = place.path().join("a b $HOME 'c");
    fs::create_dir(&odd).expect("made");
    fs::write(here.path().join("source"), "x").expect("written");
    let parameters = json!({
        "operations": 1, "directory": here.path(),
        "before": ["cp", "source", "{dir}/copied"],
        "script": ["sh", "-c", "mv \"$1\" \"$2\"; echo $N speed=7.5", "sh", "{dir}/copied", "{dir}/moved $x"],
        "cleanup": ["cp", "{dir}/moved $x", "kept"],
        "output": { "captures": [{ "as": "figure", "pattern": "^ ?speed=(.*)" }] },
    });
    let mut workload = workload(parameters);
    assert!(program().traits(&workload).expect_err("refused").to_string().contains("`measure"));
    workload.metric.measure = fsarena_model::Measure::Printed;
    assert_eq!(program().traits(&workload).expect("sound").program.as_deref(), Some("sh"));
    let mut job = program().open(&workload, &odd, 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("ready");
    let stats = run(&mut *job).expect("done");
    assert_eq!((stats.operations, stats.printed), (1, Some(7.5)));
    assert!(odd.join("moved $x").exists() && !here.path().join("kept").exists());
    job.upkeep(Upkeep::CleanUp, &NEVER).expect("cleaned up");
    assert!(here.path().join("kept").exists());
}

#[test]
fn a_command_that_fails_is_shown_with_the_end_of_its_errors() {
    let place = tempfile::tempdir().expect("temporary folder");
    let script = "for i in $(seq 14); do echo line $i >&2; echo out; done; exit 3";
    let mut job = open(json!({ "operations": 1, "script": ["sh", "-c", script] }), place.path());
    let error = run(&mut *job).expect_err("it fails").to_string();
    assert!(error.contains("exit 3'` ended with exit status: 3: line"), "{error}");
    assert!(error.ends_with("line 14") && !error.contains("line 2\n"), "{error}");
    let both = "echo half way; echo bad news >&2; exit 3";
    let mut job = open(json!({ "operations": 1, "script": both }), place.path());
    assert!(run(&mut *job).expect_err("it fails").to_string().ends_with("exit status: 3: half way\nbad news"));
    let mut job = open(json!({ "operations": 1, "script": ["false"] }), place.path());
    assert!(run(&mut *job).expect_err("it fails").to_string().ends_with("exit status: 1 and wrote nothing"));
    let around = json!({ "operations": 1, "before": ["false"], "script": ["true"], "cleanup": ["false"] });
    let mut job = open(around, place.path());
    for (upkeep, what) in [(Upkeep::Reset, "the preparation `false` "), (Upkeep::CleanUp, "the cleanup `false` ")] {
        let error = job.upkeep(upkeep, &NEVER).expect_err("it fails").to_string();
        assert!(error.starts_with(what), "{error}");
    }
    let mut job = open(json!({ "operations": 1, "script": ["sh", "-c", "kill -9 $$; echo on"] }), place.path());
    assert!(run(&mut *job).expect_err("it dies").to_string().contains("` ended with signal: 9 (SIGKILL)"));
    let mut job = open(json!({ "operations": 1, "script": ["ls", "{dir}/none"] }), place.path());
    assert!(run(&mut *job).expect_err("none is there").to_string().contains("cannot access '{dir}/none'"));
    let full = "echo write: No space left on device >&2; exit 1";
    let mut job = open(json!({ "operations": 1, "script": ["sh", "-c", full] }), place.path());
    assert!(run(&mut *job).expect_err("it fails").to_string().contains("--lane-size"));
}

#[test]
fn programs_of_commands_are_looked_for_where_they_can_be() {
    let here = tempfile::tempdir().expect("temporary folder");
    let require = |script: Value| {
        program().require(&workload(json!({ "operations": 1, "directory": here.path(), "script": script })))
    };
    let missing = |script: Value| require(script).expect_err("not there");
    assert!(missing(json!(["no-such-program"])).to_string().ends_with("`no-such-program`, which is not installed"));
    let error = missing(json!(["./tool", "{dir}"]));
    assert!(error.to_string().ends_with("/./tool`, which is no file"), "{error}");
    let tool = here.path().join("tool");
    fs::write(&tool, "").expect("written");
    let error = missing(json!(["./tool"]));
    assert!(error.to_string().ends_with("/./tool`, which is not executable"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.starts_with("chmod +x ")), "{error}");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("executable");
    for there in [json!(["./tool"]), json!(["{dir}/made-later"]), json!(["/bin/true"]), json!(["true"])] {
        require(there).expect("there, or not known before");
    }
}

#[test]
fn senseless_parameters_are_refused_by_name() {
    let refusal = |workload: &Workload| program().traits(workload).expect_err("refused").to_string();
    for (parameters, name) in [
        (json!({ "script": " ", "operations": 1 }), "`script`"),
        (json!({ "script": [], "operations": 1 }), "`script`"),
        (json!({ "script": 3, "operations": 1 }), "the list of the words"),
        (json!({ "script": ":", "operations": 1, "verify": "" }), "`verify` is empty"),
        (json!({ "script": ":", "operations": 1, "directory": "/" }), "`directory` is that of commands"),
        (json!({ "script": ":", "operations": -1 }), "operations: `-1` is not a whole number, 0 or more"),
        (json!({ "script": ":", "operations": 1, "needs": ["xz"] }), "needs: \"xz\" is not a table"),
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
    let sliced = Workload { mode: Mode::Sliced, ..good.clone() };
    assert!(refusal(&sliced).contains("`ends-by-itself`"));
    assert!(refusal(&Workload { timed_ms: 5, ..sliced }).contains("`timed-ms`"));
    assert!(refusal(&Workload { timed_ms: 5, ..good.clone() }).contains("`timed-ms`"));
    let missing = workload(json!({ "script": ":", "operations": 1, "shell": "no-such-shell" }));
    let error = program().require(&missing).expect_err("not there");
    assert!(error.to_string().contains("no-such-shell") && error.hint().is_some());
    program().require(&good).expect("sh is everywhere");
}

#[test]
fn it_is_an_external_program_with_its_needs_and_starts() {
    let plain = workload(json!({ "script": ":", "operations": 1 }));
    assert_eq!(
        (program().traits(&plain).expect("understood").peak, program().traits(&plain).expect("sound").starts),
        (Bytes::mib(64), None)
    );
    let more = workload(json!({ "script": ":", "operations": 9, "starts": 9, "data": "1M" }));
    assert_eq!(
        (program().traits(&more).expect("understood").peak, program().traits(&more).expect("sound").starts),
        (Bytes::mib(1), Some(9))
    );
    let filled = workload(json!({ "script": ":", "operations": 1, "files": { "x": "3G" }, "data": "1M" }));
    assert_eq!(program().traits(&filled).expect("understood").peak, Bytes::mib(3072));
    assert_eq!(program().traits(&plain).expect("sound").program.as_deref(), Some("sh"));
    assert!(program().traits(&plain).expect("sound").runs_in_memory);
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
    let mut job = program().open(&workload, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("ready");
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

/// The workload of the catalogue at smoke scale, with these variables.
fn of_catalogue(name: &str, operations: u64, variables: Value) -> Workload {
    let workload = fsarena_catalog::workload(name).expect("in the catalogue");
    let mut workload = fsarena_catalog::at_scale(workload, Scale::Smoke).expect("sound");
    workload.parameters["operations"] = json!(operations);
    for (name, value) in variables.as_object().expect("a table") {
        workload.parameters["variables"][name] = value.clone();
    }
    workload
}

/// Runs it once in `place`.
fn done(workload: &Workload, place: &Path) -> (Box<dyn Job>, Result<RunStats, EngineError>) {
    program().require(workload).expect("its programs are installed");
    let mut job = program().open(workload, place, 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &NEVER).and_then(|()| job.upkeep(Upkeep::Reset, &NEVER)).expect("ready");
    let stats = run(&mut *job);
    (job, stats)
}

fn reported(stats: &RunStats, name: &str) -> f64 {
    stats.reported.iter().find(|(probe, _)| probe.id == name).map_or(f64::NAN, |(_, figure)| *figure)
}

#[test]
fn dbench_runs_again_and_again() {
    let place = tempfile::tempdir().expect("temporary folder");
    let workload = of_catalogue("phoronix-dbench", 0, json!({ "clients": 2, "time": 2 }));
    for _ in 0..2 {
        let stats = done(&workload, place.path()).1.expect("done");
        assert!(stats.operations > 100 && stats.bytes > 0 && stats.elapsed >= Nanos::seconds(1), "{stats:?}");
        assert!(reported(&stats, "commits") > 0.0 && reported(&stats, "dbench.throughput") > 0.0);
    }
    assert_eq!(fs::read_dir(place.path().join("dbench")).expect("there").count(), 1, "its clients");
}

#[test]
fn postmarks_transactions_are_timed_by_our_clock_even_in_a_long_path() {
    let place = tempfile::tempdir().expect("temporary folder");
    let deep = place.path().join("a".repeat(120)).join("b".repeat(120));
    fs::create_dir_all(&deep).expect("made");
    let workload =
        of_catalogue("phoronix-postmark", 30_000, json!({ "files": 1000, "smallest": 500, "largest": 10_000 }));
    let stats = done(&workload, &deep).1.expect("done");
    assert_eq!(stats.operations, 30_000);
    assert_ne!(stats.elapsed.0 % 1_000_000_000, 0, "PostMark's own clock has whole seconds: {:?}", stats.elapsed);
    assert!(reported(&stats, "postmark.created") > 1000.0);
    assert_eq!(fs::read_dir(&deep).expect("there").count(), 0);
}

#[test]
fn sqlites_rows_are_counted_afterwards() {
    for name in ["phoronix-sqlite", "phoronix-sqlite-wal"] {
        let place = tempfile::tempdir().expect("temporary folder");
        let workload = of_catalogue(name, 20, json!({ "processes": 2, "inserts": 10 }));
        let (mut job, stats) = done(&workload, place.path());
        assert_eq!(reported(&stats.expect("done"), "commits"), 20.0);
        job.verify(place.path(), &NEVER).expect("all rows");
        let database = place.path().join("benchmark.db");
        let mut delete = std::process::Command::new("sqlite3");
        delete.arg(&database).arg("DELETE FROM pts1 WHERE rowid = 3");
        assert!(delete.status().expect("started").success());
        let error = job.verify(place.path(), &NEVER).expect_err("one is missing").to_string();
        assert!(error.contains("after 20 INSERTs: ok\n19"), "{error}");
        fs::write(&database, "rubbish".repeat(1000)).expect("written");
        assert!(job.verify(place.path(), &NEVER).is_err());
    }
}

#[test]
fn output_of_pbzip2_is_decompressed_and_compared() {
    let place = tempfile::tempdir().expect("temporary folder");
    let mut workload = of_catalogue("phoronix-pbzip2-file", 1, json!({}));
    workload.parameters["files"]["compressfile"] = json!("2M");
    workload.parameters["bytes"] = json!("2M");
    let (mut job, stats) = done(&workload, place.path());
    let stats = stats.expect("done");
    assert_eq!((stats.operations, stats.bytes, job.next_run().fills), (1, 2 << 20, Bytes::mib(2)));
    let own = reported(&stats, "pbzip2.wall-clock");
    assert!(own > 0.0 && own <= stats.elapsed.as_seconds(), "{own}");
    job.verify(place.path(), &NEVER).expect("the same");
    let output = place.path().join("compressfile.bz2");
    let mut bytes = fs::read(&output).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&output, bytes).expect("written");
    assert!(job.verify(place.path(), &NEVER).is_err());
    job.upkeep(Upkeep::Reset, &NEVER).expect("removed");
    assert!(!output.exists());
}

#[test]
fn an_output_with_a_wrong_number_is_shown_with_the_messages_of_the_program() {
    let place = tempfile::tempdir().expect("temporary folder");
    let workload = workload(json!({
        "script": "echo made 3; echo 'cannot write: No space left on device' >&2",
        "operations": 5,
        "output": { "captures": [{ "pattern": r"made (\d+)", "equals": "N" }] },
    }));
    let error = done(&workload, place.path()).1.expect_err("5 were expected").to_string();
    assert!(error.contains(r"`made (\d+)` in its output is 3; `N` is 5; its first messages:"), "{error}");
    assert!(error.contains("cannot write: No space") && error.contains("--lane-size"), "{error}");
}

#[test]
fn files_of_the_parameters_follow_from_the_seed() {
    let made = |seed: u64| {
        let place = tempfile::tempdir().expect("temporary folder");
        let parameters =
            json!({ "script": ":", "operations": 1, "files": { "data": "5K" }, "prepare": "echo $SEED > seed" });
        program()
            .open(&workload(parameters), place.path(), seed)
            .and_then(|mut job| job.upkeep(Upkeep::Prepare, &NEVER))
            .expect("made");
        ["data", "seed"].map(|name| fs::read(place.path().join(name)).expect("there"))
    };
    let [one, same, other] = [made(1), made(1), made(2)];
    assert_eq!((one[0].len(), &one), (5120, &same));
    assert!(one[0] != other[0] && one[1] != other[1]);
}

#[test]
fn mistakes_in_what_is_read_from_the_output_are_refused() {
    let refused = |name: &str, value: Value| {
        let mut parameters = json!({ "script": ":", "operations": 1 });
        parameters[name] = value;
        program().traits(&workload(parameters)).expect_err("refused").to_string()
    };
    let capture = |value: Value| refused("output", json!({ "captures": [value] }));
    assert!(capture(json!({ "pattern": "(", "name": "x" })).contains("open group without closing"));
    assert!(capture(json!({ "pattern": "x", "name": "x" })).contains("no group"));
    assert!(capture(json!({ "pattern": "(x)", "name": "x", "scale": 0 })).contains("above 0"));
    let twice = json!({ "captures": [{ "pattern": "(x)", "name": "x" }, { "pattern": "(y)", "name": "x" }] });
    assert!(refused("output", twice).contains("two figures of the output have the name `x`"));
    assert!(capture(json!({ "pattern": "(x)" })).contains("needs a `name`"));
    assert!(capture(json!({ "pattern": "(x)", "equals": "other" })).contains("neither a variable nor a number"));
    assert!(refused("output", json!({ "spans": [{ "from": "a", "to": "b", "as": "bytes" }] })).contains("`seconds`"));
    assert!(refused("variables", json!({ "PATH": "/tmp" })).contains("`PATH`"));
    assert!(refused("files", json!({ "../x": "1K" })).contains("`../x`"));
}
