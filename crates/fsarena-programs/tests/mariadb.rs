//! The engine `mariadb` with a real server, on a directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fsarena_engine::{Job, Limit, Operation, RunStats, Upkeep};
use fsarena_model::Workload;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ENGINES;

/// A folder that the server's user may traverse.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("temporary folder");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o711)).expect("changed");
    place
}

fn workload(parameters: &Value) -> Workload {
    let metric = json!({ "name": "m", "unit": "s", "measure": "seconds", "better": "lower" });
    let fields = json!({ "metric": metric, "durable": "fdatasync", "parameters": parameters });
    fsarena_testing::workload("mariadb", fields)
}

/// A job whose server runs.
fn begun(parameters: &Value, place: &TempDir) -> Box<dyn Job> {
    let engine = ENGINES.named("mariadb").expect("there");
    let mut job = engine.open(&workload(parameters), place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
    job
}

fn run(job: &mut dyn Job, stats: &mut RunStats) -> Result<(), String> {
    let stop = AtomicBool::new(false);
    job.run(&Limit::new(None, &stop), stats).map_err(|error| error.to_string())
}

fn reported(stats: &RunStats, name: &str) -> Option<f64> {
    stats.reported.iter().find(|(probe, _)| probe.id == name).map(|(_, figure)| *figure)
}

/// Process number and socket of the server whose data is in the folder.
fn server(place: &Path) -> Option<(i32, String)> {
    let data = format!("--datadir={}", place.join("mysql").display());
    let numbers =
        fs::read_dir("/proc").expect("proc").flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let named = |number: String| {
        let words = fs::read_to_string(format!("/proc/{number}/cmdline")).ok()?;
        let mut words = words.split('\0');
        let is_server = words.next()?.ends_with("mariadbd") && words.clone().any(|word| word == data);
        let socket = words.find_map(|word| word.strip_prefix("--socket="))?;
        is_server.then(|| (number.parse().expect("a number"), socket.to_owned()))
    };
    numbers.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).find_map(named)
}

/// Changes the data without the engine.
fn meddle(place: &TempDir, statement: &str) {
    let (_, socket) = server(place.path()).expect("runs");
    let options = OptsBuilder::new().socket(Some(socket)).user(Some("root")).db_name(Some("market"));
    Conn::new(options).expect("connects").query_drop(statement).expect("done");
}

/// Changes the data between the end of a run and its verification.
fn meddle_between(job: &mut dyn Job, place: &TempDir, statement: &str) {
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
    meddle(place, statement);
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
}

/// Number of pages of the files below `folder` that are in memory.
fn in_memory(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("listed").map(|entry| entry.expect("listed").path());
    let of = |path: PathBuf| match path.is_dir() {
        true => in_memory(&path),
        false => {
            let file = fs::File::open(path).expect("opened");
            let length = file.metadata().expect("known").len();
            fsarena_sys::resident::pages(&file, length).expect("known")
        }
    };
    entries.map(of).sum()
}

#[test]
fn between_runs_the_kernel_is_asked_to_forget_the_data() {
    let place = place();
    let mut job = begun(&json!({ "task": "results", "rows": 11 }), &place);
    run(&mut *job, &mut RunStats::new()).expect("inserted");
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
    assert!(in_memory(place.path()) > 0, "the log is written through the page cache");
    job.upkeep(Upkeep::DropCaches, &fsarena_engine::NEVER).expect("asked");
    assert_eq!(in_memory(place.path()), 0);
}

#[test]
fn queries_find_exactly_what_is_there() {
    let place = place();
    let parameters = json!({ "task": "query", "rows": 20_000, "threads": 4, "queries": 10, "window-minutes": 60 });
    let mut job = begun(&parameters, &place);
    let mut stats = RunStats::new();
    run(&mut *job, &mut stats).expect("all as they should be");
    assert_eq!(stats.operations, 40);
    assert_eq!(stats.latency(Operation::Read).map(|latency| latency.count), Some(40));
    assert!(reported(&stats, "mariadb.rows").is_some_and(|rows| rows > 40.0), "{:?}", stats.reported);
    let [rows, read] = ["mariadb.rows", "mariadb.rows-read"].map(|name| reported(&stats, name).expect("known"));
    assert!(
        (rows..2.0 * rows + 1000.0).contains(&read),
        "by the index, not through all of the table: {:?}",
        stats.reported
    );

    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
    assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("all rows are there").files, 1);
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins again");
    for wrong in ["UPDATE shfedepth SET Volume = Volume + 1", "DELETE FROM shfedepth WHERE id % 2 = 0"] {
        meddle(&place, wrong);
        let error = run(&mut *job, &mut RunStats::new()).expect_err("they are others");
        assert!(error.contains("rows whose Volume sums up to"), "{error}");
    }
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
    let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("half of them are gone").to_string();
    assert!(error.contains("shfedepth has 10000 rows"), "{error}");
    assert_eq!(server(place.path()), None);
}

#[test]
fn results_come_in_one_by_one_and_are_counted() {
    let place = place();
    let mut job = begun(&json!({ "task": "results", "rows": 201, "threads": 4 }), &place);
    let mut stats = RunStats::new();
    run(&mut *job, &mut stats).expect("inserted");
    assert_eq!(
        (stats.operations, reported(&stats, "commits"), reported(&stats, "connections")),
        (201, Some(201.0), Some(4.0))
    );
    assert_eq!(stats.latency(Operation::Insert).map(|latency| latency.count), Some(201));
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
    assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("all are there").files, 2);
    for (wrong, words) in [
        ("UPDATE task_result SET fee = fee + 1 LIMIT 1", "1 are not there any more as they were sent, and 1 rows are"),
        ("DELETE FROM turing_log LIMIT 1", "2 are not there any more as they were sent, and 1 rows are"),
    ] {
        meddle_between(&mut *job, &place, wrong);
        let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("it is found").to_string();
        assert!(error.starts_with("of 201 results") && error.contains(words), "{error}");
    }
    assert_eq!(server(place.path()), None, "whatever was found, no server is left");
    fs::remove_file(place.path().join("mysql/market/turing_log.ibd")).expect("removed");
    let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("a table is gone").to_string();
    assert!(error.contains("CHECK TABLE market.turing_log"), "{error}");
    drop(job);
    assert_eq!(server(place.path()), None, "dropped, it is gone");
}

#[test]
fn days_are_loaded_and_compared() {
    let place = place();
    let mut job = begun(&json!({ "task": "ingest", "rows": 2500, "days": 2 }), &place);
    let mut stats = RunStats::new();
    run(&mut *job, &mut stats).expect("loaded");
    assert_eq!((stats.operations, reported(&stats, "commits")), (2, Some(6.0)));
    let steps: Vec<(&str, u64)> = stats.steps.iter().map(|step| (step.name.as_str(), step.operations)).collect();
    assert_eq!(steps, [("day-1", 2500), ("day-2", 2500)]);
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
    job.verify(place.path(), &fsarena_engine::NEVER).expect("the last day is there");
    meddle_between(&mut *job, &place, "DELETE FROM shfedepth LIMIT 1");
    let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("a row is missing").to_string();
    assert!(error.contains("shfedepth has 2499 rows"), "{error}");
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
    meddle(&place, "CREATE TRIGGER t BEFORE INSERT ON shfedepth FOR EACH ROW SET NEW.Volume = 1");
    let error = run(&mut *job, &mut RunStats::new()).expect_err("volumes are wrong");
    assert!(error.contains("sums up to 2500, not"), "{error}");
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
}

#[test]
fn the_error_of_a_killed_server_has_its_log() {
    let place = place();
    let mut job = begun(&json!({ "task": "results", "rows": 5_000_000, "threads": 2 }), &place);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            let (number, _) = server(place.path()).expect("runs");
            kill_process(Pid::from_raw(number).expect("a number"), Signal::KILL).expect("killed");
        });
        run(&mut *job, &mut RunStats::new()).expect_err("no answer")
    });
    assert!(error.starts_with("mariadbd has ended"), "{error}");
    assert!(error.contains("ready for connections"), "the log: {error}");
    drop(job);
    assert_eq!(server(place.path()), None);
}

#[test]
fn clients_of_a_hanging_server_end_at_the_stop_flag() {
    for parameters in
        [json!({ "task": "results", "rows": 5_000_000, "threads": 2 }), json!({ "task": "ingest", "rows": 5_000_000 })]
    {
        let place = place();
        let mut job = begun(&parameters, &place);
        let (number, _) = server(place.path()).expect("runs");
        kill_process(Pid::from_raw(number).expect("a number"), Signal::STOP).expect("stopped");
        let error = job.run(&Limit::new(None, &AtomicBool::new(true)), &mut RunStats::new()).expect_err("no answer");
        assert!(error.to_string().contains("was killed: its clients had no answer"), "{error}");
        drop(job);
        assert_eq!(server(place.path()), None);
    }
}

#[test]
fn all_forms_end_soon_at_the_stop_flag() {
    for parameters in
        [json!({ "task": "results", "rows": 5_000_000, "threads": 2 }), json!({ "task": "ingest", "rows": 5_000_000 })]
    {
        let place = place();
        let mut job = begun(&parameters, &place);
        let (stop, mut stats) = (AtomicBool::new(false), RunStats::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(200));
                stop.store(true, Ordering::Relaxed);
            });
            job.run(&Limit::new(None, &stop), &mut stats).expect("stopped");
        });
        assert!(stats.operations < 5_000_000 && stats.steps.is_empty(), "{parameters}");
    }
}

#[test]
fn senseless_parameters_are_refused_by_name() {
    let engine = ENGINES.named("mariadb").expect("there");
    for (parameters, name) in [
        (json!({ "task": "query", "rows": 20_000 }), "`queries`"),
        (json!({ "task": "query", "rows": 20_000, "queries": 1, "window-minutes": 361 }), "`window-minutes`"),
        (json!({ "task": "ingest", "rows": 100 }), "`rows`"),
        (json!({ "task": "results", "rows": 10, "threads": 0 }), "`threads`"),
        (json!({ "task": "results", "rows": 10, "colour": "red" }), "colour"),
    ] {
        let error = engine.traits(&workload(&parameters)).expect_err("refused").to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
    let cut = Workload { timed_ms: 5, ..workload(&json!({ "task": "results", "rows": 10 })) };
    assert!(engine.traits(&cut).expect_err("refused").to_string().contains("`timed-ms`"));
}
