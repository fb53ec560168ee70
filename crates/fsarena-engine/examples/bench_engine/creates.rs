//! Measures the creation of files of 1 KiB on tmpfs, by the engine and by fs_mark.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fsarena_engine::{Limit, RunStats, Upkeep};
use fsarena_model::Nanos;
use serde_json::json;

use crate::native::{self, Cost};
use crate::table::{self, Row};
use crate::{Contestant, interleaved};

const COUNT: u64 = 60_000;
/// A directory on a tmpfs that every Linux system has.
const FOLDER: &str = "/dev/shm/fsarena-bench";

/// Measures the file creations and prints their table.
pub fn table() -> Result<()> {
    let contestants: Vec<Contestant<'_>> = vec![("fsarena", Box::new(engine)), ("fs_mark", Box::new(fs_mark))];
    let rounds = interleaved(&contestants);
    let _ = fs::remove_dir_all(FOLDER);
    let rounds = rounds?;
    let rate = |name: &str| table::each(&rounds, name, Cost::operations_per_cpu_second);
    let (ours, theirs) = (rate("fsarena"), rate("fs_mark"));
    let rows = [
        Row::spread("fsarena, files per CPU second", &ours, ""),
        Row::spread("fs_mark, files per CPU second", &theirs, ""),
        Row::spread("fsarena / fs_mark", &table::ratios(&ours, &theirs), "1.30"),
    ];
    table::print("files of 1 KiB created on tmpfs, in one directory", "goal ≥", &rows);
    Ok(())
}

fn renew() -> Result<&'static Path> {
    let _ = fs::remove_dir_all(FOLDER);
    fs::create_dir(FOLDER).with_context(|| format!("make {FOLDER}"))?;
    Ok(Path::new(FOLDER))
}

fn engine() -> Result<Cost> {
    let folder = renew()?;
    let mut job = native::open("files", json!({ "operation": "create", "size": 1024 }), "none", folder, 1000)?;
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
    let (mut stats, never) = (RunStats::new(), std::sync::atomic::AtomicBool::new(false));
    let before = native::cpu();
    job.run(&Limit::new(Some(Nanos::millis(400)), &never), &mut stats)?;
    Ok(Cost { operations: stats.operations, seconds: stats.elapsed.as_seconds(), cpu_seconds: native::cpu() - before })
}

/// The CPU time of fs_mark is that of the whole process. Its start takes a few milliseconds.
fn fs_mark() -> Result<Cost> {
    let folder = renew()?;
    let before = children_cpu()?;
    let start = std::time::Instant::now();
    let count = COUNT.to_string();
    let output = Command::new("fs_mark")
        .args(["-d", &folder.display().to_string(), "-n", &count, "-s", "1024", "-t", "1", "-S", "0", "-k"])
        .current_dir(folder)
        .output()
        .context("start fs_mark")?;
    ensure!(output.status.success(), "fs_mark: {}", String::from_utf8_lossy(&output.stderr));
    let made = fs::read_dir(folder)?.count() as u64;
    ensure!(made >= COUNT, "fs_mark made {made} files of {COUNT}");
    Ok(Cost { operations: COUNT, seconds: start.elapsed().as_secs_f64(), cpu_seconds: children_cpu()? - before })
}

/// CPU seconds of all children that have ended (proc_pid_stat(5): cutime and cstime, in ticks of 10 ms).
fn children_cpu() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').context("/proc/self/stat has no name")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[13..15].iter().map(|field| field.parse::<f64>().unwrap_or(f64::NAN)).sum();
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}
