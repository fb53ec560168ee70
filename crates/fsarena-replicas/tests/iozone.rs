//! The engine `iozone`: its grid in a real folder, with the system calls that IOzone makes.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_articles::{GridPoint, GridTest};
use fsarena_engine::{Engine, EngineError, Job, Limit, Operation, RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Workload};
use fsarena_testing::{Need, has};
use serde_json::{Value, json};

static NEVER: AtomicBool = AtomicBool::new(false);

fn workload(durable: &str, cache: &str, parameters: Value) -> Workload {
    let metric = json!({ "name": "grid", "unit": "s", "measure": "seconds", "better": "lower" });
    let fields = json!({ "metric": metric, "durable": durable, "cache": cache, "parameters": parameters });
    fsarena_testing::workload("iozone", fields)
}

fn iozone() -> &'static Engine {
    crate::engine("iozone")
}

fn open(workload: &Workload, directory: &Path) -> Box<dyn Job> {
    let mut job = iozone().open(workload, directory, 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    job
}

fn run(workload: &Workload, directory: &Path) -> Result<RunStats, EngineError> {
    let mut stats = RunStats::new();
    open(workload, directory).run(&Limit::new(None, &NEVER), &mut stats)?;
    Ok(stats)
}

/// A folder that is not in memory, inside the target directory.
fn on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("temporary folder")
}

#[test]
fn each_test_of_each_cell_is_a_step_and_nothing_is_left() {
    let place = tempfile::tempdir().expect("temporary folder");
    let stats = run(&workload("none", "warm", json!({ "largest": "1M" })), place.path()).expect("done");
    let points: Vec<GridPoint> =
        stats.steps.iter().map(|step| GridPoint::of_step(&step.name).expect("a point")).collect();
    assert_eq!(points.len(), 35 * 13);
    assert_eq!(points[..13].iter().map(|point| point.test).collect::<Vec<_>>(), GridTest::all().collect::<Vec<_>>());
    assert!(points[..13].iter().all(|point| (point.file_kib, point.record_kib) == (64, 4)));
    assert_eq!((points[454].file_kib, points[454].record_kib), (1024, 1024));
    for (step, point) in stats.steps.iter().zip(&points) {
        assert_eq!((step.bytes, step.operations), (point.file_kib << 10, point.file_kib / point.record_kib));
        assert!(step.elapsed > Nanos(0), "{}", step.name);
    }
    assert_eq!(stats.elapsed.0, stats.steps.iter().map(|step| step.elapsed.0).sum::<u64>());
    assert_eq!(std::fs::read_dir(place.path()).expect("there").count(), 0);
}

#[test]
fn only_the_wanted_tests_are_reported_and_flushes_are_counted() {
    let place = on_disk();
    let parameters = json!({ "files": ["300K"], "records": ["1K"], "tests": ["reread", "random-write", "fwrite"] });
    let stats = run(&workload("fsync", "cold", parameters), place.path()).expect("done");
    let names: Vec<&str> = stats.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["300/1/reread", "300/1/random-write", "300/1/fwrite"]);
    assert_eq!(stats.latency(Operation::Fsync).map(|latency| latency.count), Some(2));
    let warm = run(&workload("none", "warm", json!({ "files": ["64K"], "records": ["64K"] })), place.path());
    assert_eq!(warm.expect("done").latency(Operation::Fsync), None);
}

#[test]
fn where_nothing_is_forgotten_there_are_no_cold_reads() {
    let place = tempfile::tempdir_in("/dev/shm").expect("a file system in memory");
    let parameters = json!({ "files": ["64K"], "records": ["4K"] });
    let error = run(&workload("none", "cold", parameters), place.path()).expect_err("all is in memory").to_string();
    assert!(error.contains("16 of 16 pages stay"), "{error}");
}

#[test]
fn a_stop_waits_for_one_test_at_most() {
    let place = tempfile::tempdir().expect("temporary folder");
    let (stop, mut stats) = (AtomicBool::new(true), RunStats::new());
    let mut job = open(&workload("none", "warm", json!({ "largest": "64K" })), place.path());
    job.run(&Limit::new(None, &stop), &mut stats).expect("stopped");
    stop.store(false, Ordering::Relaxed);
    assert!(stats.steps.is_empty());
}

#[test]
fn a_workload_without_a_grid_is_refused() {
    let refused = |workload: &Workload| iozone().traits(workload).expect_err("refused").to_string();
    assert!(refused(&workload("syncfs", "warm", json!({ "largest": "1M" }))).contains("`durable`"));
    assert!(refused(&workload("none", "direct", json!({ "largest": "1M" }))).contains("`cache`"));
    assert!(refused(&workload("none", "warm", json!({ "largest": "1M", "flush": true }))).contains("flush"));
    let sliced = Workload { ends_by_itself: false, ..workload("none", "warm", json!({ "largest": "1M" })) };
    assert!(refused(&sliced).contains("ends-by-itself"));
}

#[test]
fn the_grids_of_the_catalogue_are_understood_at_both_scales() {
    for text in [
        include_str!("../../../catalog/workloads/vagrant-grid.toml"),
        include_str!("../../../catalog/workloads/vagrant-grid-durable.toml"),
    ] {
        let here: Workload = toml::from_str(text).expect("a workload");
        let published = here.published.as_ref().expect("a table")["parameters"].clone();
        let published = Workload { parameters: published, ..here.clone() };
        assert_eq!(iozone().traits(&here).expect("understood").peak, Bytes::mib(32));
        assert_eq!(iozone().traits(&published).expect("understood").peak, Bytes::mib(512));
        assert!(
            iozone().traits(&published).expect("sound").extra_time > iozone().traits(&here).expect("sound").extra_time
        );
    }
}

/// The system calls of `iozone -ac -s 64k -r 32k` (3.471) on its file, in the form of [`essence`]. The random tests
/// have the order of earlier versions, which had another generator.
const CALLS: &str = include_str!("iozone/calls.txt");

/// Runs a grid, for `strace` or to compare figures. It tests nothing by itself.
#[test]
#[ignore = "others run it"]
fn a_grid() {
    let folder = std::env::var("FSARENA_GRID_FOLDER").expect("a folder");
    let parameters = std::env::var("FSARENA_GRID").expect("parameters");
    let parameters = serde_json::from_str(&parameters).expect("JSON");
    let stats = run(&workload("none", "warm", parameters), Path::new(&folder)).expect("done");
    stats.steps.iter().for_each(|step| println!("{} {} {}", step.name, step.bytes, step.elapsed.0));
}

#[test]
fn the_system_calls_are_iozones() {
    if !has(&[Need::Program("strace")]) {
        return;
    }
    let place = tempfile::tempdir().expect("temporary folder");
    let trace = place.path().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(&trace).arg(std::env::current_exe().expect("this test"));
    strace
        .args(["--ignored", "--exact", "iozone::a_grid"])
        .env("FSARENA_GRID", r#"{"files": ["64K"], "records": ["32K"]}"#);
    let ended = strace.env("FSARENA_GRID_FOLDER", place.path()).output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let trace = std::fs::read_to_string(&trace).expect("written");
    assert_eq!(essence(&trace).join("\n"), CALLS.trim_end());
}

/// The calls of a trace on the grid's file, without descriptors, contents and paths.
fn essence(trace: &str) -> Vec<String> {
    let first = trace.lines().find(|line| line.contains("iozone.tmp")).expect("the file is opened");
    let thread = first.split(' ').next().expect("a number");
    let own = trace.lines().filter(|line| line.split(' ').next() == Some(thread));
    let own: Vec<&str> = own.skip_while(|line| !line.contains("iozone.tmp")).collect();
    let last = own.iter().rposition(|line| line.contains("unlink")).expect("the file is removed");
    let calls: Vec<&str> =
        own[..=last].iter().map(|line| line.split_once(' ').expect("a call").1.trim_start()).collect();
    let is_last = |index: usize| calls.get(index + 1).is_none_or(|next| !next.contains("SEEK_END"));
    let kept = calls.iter().enumerate().filter(|(index, call)| !(call.contains("stat") && is_last(*index)));
    kept.filter_map(|(_, call)| short(call)).collect()
}

/// Shortens `write(3, "..."..., 32768) = 32768` to `write 32768`; `None` for calls that do not act on files.
fn short(call: &str) -> Option<String> {
    let (name, rest) = call.split_once('(')?;
    let last = || rest.rsplit_once(") ")?.0.rsplit_once(", ").map(|(_, last)| last.to_owned());
    let what = match name {
        "read" | "write" | "ftruncate" => last()?,
        "lseek" => rest.split_once(", ")?.1.split(')').next()?.to_owned(),
        "close" | "fsync" => String::new(),
        "open" | "openat" if rest.contains("O_TRUNC") => return Some("creat".to_owned()),
        "open" | "openat" => {
            let flags = rest.split(", ").find(|word| word.starts_with("O_"))?;
            return Some(format!(
                "open {}",
                flags.split(')').next()?.replace("|O_CLOEXEC", "").replace("|O_LARGEFILE", "")
            ));
        }
        "unlink" | "unlinkat" => return Some("unlink".to_owned()),
        name if name.contains("stat") => return Some("stat".to_owned()),
        _ => return None,
    };
    Some(format!("{name} {what}").trim_end().to_owned())
}
