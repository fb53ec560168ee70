//! Checks the guarantees of every job with the sliced workloads of the catalogue, on small files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, NEVER, RunStats, Upkeep, engine};
use fsarena_model::{Mode, Nanos, Workload};
use serde_json::{Value, json};
use tempfile::TempDir;

fn workloads() -> impl Iterator<Item = Workload> {
    let all = fsarena_catalog::workloads().expect("well formed");
    // Other engines are those of programs.
    let is_native = |workload: &Workload| workload.mode == Mode::Sliced && engine(&workload.engine).is_some();
    all.into_iter().filter(is_native).map(small)
}

fn small(mut workload: Workload) -> Workload {
    if let Value::Object(parameters) = &mut workload.parameters {
        parameters.entry("file-size").and_modify(|size| *size = json!("4M"));
        for (name, most) in [("files", 500), ("fan-out", 5), ("files-per-directory", 20)] {
            let at_most = |count: &mut Value| *count = json!(count.as_u64().map(|count| count.min(most)));
            parameters.entry(name).and_modify(at_most);
        }
    }
    workload
}

/// A directory on a file system with extended attributes and direct I/O.
fn place() -> TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

/// Runs a job twice, and calls `look` after each step.
fn work(workload: &Workload, directory: &Path, time: Nanos, look: impl Fn(&str)) {
    let tried = |what: &str, result: Result<(), EngineError>| {
        result.unwrap_or_else(|error| panic!("{} cannot {what}: {error}", workload.name));
    };
    let engine = engine(&workload.engine).expect("it exists");
    let mut job = engine.open(workload, directory, 7).unwrap_or_else(|error| panic!("{}: {error}", workload.name));
    let stop = AtomicBool::new(false);
    tried("prepare", job.upkeep(Upkeep::Prepare, &NEVER));
    look("prepared");
    for _ in 0..2 {
        tried("reset", job.upkeep(Upkeep::Reset, &NEVER));
        tried("begin", job.upkeep(Upkeep::Begin, &NEVER));
        tried("run", job.run(&Limit::new(Some(time), &stop), &mut RunStats::default()));
        tried("end", job.upkeep(Upkeep::End, &NEVER));
        look("run");
    }
}

/// Files below `directory` that this process has open.
fn open_below(directory: &Path) -> Vec<PathBuf> {
    let descriptors = fs::read_dir("/proc/self/fd").expect("there").flatten();
    let files = descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    files.filter(|file| file.starts_with(directory)).collect()
}

/// The paths below `directory`, and the contents of files.
fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("there").map(|entry| entry.expect("there")) {
            let (path, kind) = (entry.path(), entry.file_type().expect("there"));
            let is_file = kind.is_file();
            left.extend(kind.is_dir().then(|| path.clone()));
            let content = if is_file { fs::read(&path).expect("readable") } else { Vec::new() };
            found.insert(path.strip_prefix(directory).expect("below").to_owned(), content);
        }
    }
    found
}

#[test]
fn no_job_holds_a_file_open_between_runs() {
    for workload in workloads() {
        let place = place();
        work(&workload, place.path(), Nanos::millis(2), |after| {
            assert_eq!(open_below(place.path()), Vec::<PathBuf>::new(), "{} after it was {after}", workload.name);
        });
    }
}

/// The runs end after one batch, because the seed does not fix the number of operations.
#[test]
fn the_same_seed_gives_the_same_names_and_bytes() {
    let one_by_one = |workload: &Workload| workload.engine == "files" && workload.parameters.get("threads").is_none();
    for workload in workloads().filter(one_by_one) {
        let places = [place(), place()];
        places.iter().for_each(|place| work(&workload, place.path(), Nanos(1), |_| ()));
        let [one, other] = places.map(|place| tree(place.path()));
        assert!(one == other, "{}", workload.name);
    }
    let random =
        json!({ "operation": "write", "pattern": "random", "file-size": "1M", "block-size": "4K", "operations": 300 });
    let writes = Workload { parameters: random, ..small(fsarena_catalog::workload("randwrite-4k").expect("there")) };
    let places = [place(), place()];
    places.iter().for_each(|place| work(&writes, place.path(), Nanos::seconds(60), |_| ()));
    let [one, other] = places.map(|place| tree(place.path()));
    assert!(one == other && one.values().any(|content| content.len() == 1 << 20));
}
