//! The engine `files`: what its operations do, in which trees, and with how many threads.

mod going_on;
mod operations;
mod pacing;
mod refused;
mod trees;

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Operation, RunStats, Upkeep, engine};
use fsarena_model::{Nanos, Workload};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A workload with these parameters, and 100 ms for a slice.
fn workload(durable: &str, parameters: Value) -> Workload {
    let fields = json!({
        "durable": durable, "mode": "sliced", "ends-by-itself": false, "timed-ms": 100, "parameters": parameters,
    });
    fsarena_testing::workload("files", fields)
}

/// The directory and the statistics that a job leaves.
struct Done {
    place: TempDir,
    stats: RunStats,
}

impl Done {
    /// The paths below the job's directory, sorted, with their metadata.
    fn found(&self) -> BTreeMap<String, Metadata> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.place.path().to_owned()];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).expect("there") {
                let path = entry.expect("there").path();
                let metadata = path.symlink_metadata().expect("there");
                if metadata.is_dir() {
                    left.push(path.clone());
                }
                let name = path.strip_prefix(self.place.path()).expect("below").display().to_string();
                found.insert(name, metadata);
            }
        }
        found
    }

    /// The paths whose last part begins with `letter`, sorted.
    fn named(&self, letter: char) -> Vec<String> {
        let is_one = |path: &&String| path.rsplit('/').next().is_some_and(|name| name.starts_with(letter));
        self.found().keys().filter(is_one).cloned().collect()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    fn lengths(&self) -> Vec<u64> {
        self.named('f').iter().map(|path| self.found()[path].len()).collect()
    }
}

/// A directory on a file system with extended attributes.
fn place() -> TempDir {
    tempfile::tempdir_in("/var/tmp").expect("temporary folder")
}

fn slice(workload: &Workload, directory: &Path, time: Option<Nanos>, runs: u32) -> Result<RunStats, EngineError> {
    let mut job = engine("files").expect("it exists").open(workload, directory, 7)?;
    let stop = AtomicBool::new(false);
    let mut stats = RunStats::default();
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
    for _ in 0..runs {
        job.run(&Limit::new(time, &stop), &mut stats)?;
    }
    Ok(stats)
}

/// Runs one batch: each thread checks the time after it.
fn batch(durable: &str, parameters: Value) -> Done {
    batches(durable, parameters, 1)
}

fn batches(durable: &str, parameters: Value, count: u32) -> Done {
    let place = place();
    let stats = slice(&workload(durable, parameters), place.path(), Some(Nanos(1)), count).expect("it works");
    Done { place, stats }
}

fn count(done: &Done, operation: Operation) -> u64 {
    done.stats.latency(operation).map_or(0, |latency| latency.count)
}
