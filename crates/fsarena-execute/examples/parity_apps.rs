//! `make parity-apps`: runs workloads that start external programs through fsarena and by hand (`scripts/by-hand/`), in
//! turn, on one lane. Prints the figures of fsarena and of the program itself, and their ratio with its 95 % interval.
//!
//! Needs root; asserts nothing. Arguments: a contender, the number of pairs, then workloads of the catalogue.

mod lane;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use fsarena_engine::{Engines, Limit, RunStats, Upkeep};
use fsarena_lane::LaneSet;
use fsarena_model::{Bytes, Done, Measure, Workload};
use fsarena_programs::PROGRAMS;
use fsarena_stats::{Summary, cell_summary};
use lane::{with_lane, words};

/// The engines of external programs.
static ENGINES: Engines = Engines(&[PROGRAMS]);

/// Default workloads, each with its script.
const WORKLOADS: [(&str, &str); 5] = [
    ("phoronix-pgbench", "pgbench.sh"),
    ("trading-oltp-read-write", "oltp.sh"),
    ("phoronix-apache", "ab.sh"),
    ("phoronix-dbench", "dbench.sh"),
    ("phoronix-postmark", "postmark.sh"),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "ext4".to_owned());
    let pairs = arguments.next().map_or(Ok(3), |count| count.parse())?;
    let named: Vec<String> = arguments.collect();
    with_lane(&kind, Bytes::gib(3), |lane_set| table(&kind, pairs, &named, lane_set))
}

fn table(kind: &str, pairs: usize, named: &[String], lane_set: &mut LaneSet) -> Result<()> {
    let (place, _) = lane_set.make(0, Some(0), 1)?;
    println!("through fsarena / by hand on one {kind} lane, {pairs} pairs in turn: medians, median ratio [95 %]");
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    for (name, script) in WORKLOADS.into_iter().filter(|(name, _)| wanted(name)) {
        let workload = fsarena_catalog::workload(name)?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/by-hand").join(script);
        let mut figures = Vec::new();
        for number in 0..pairs {
            // Every other pair begins by hand, so that both find the traces of the other equally often.
            let folder = place.directory.join(name);
            let (ours, theirs) = if number % 2 == 0 {
                let ours = through(&workload, &folder)?;
                (ours, by_hand(&workload, &script, &folder)?)
            } else {
                let theirs = by_hand(&workload, &script, &folder)?;
                (through(&workload, &folder)?, theirs)
            };
            figures.push((ours, theirs));
        }
        let middle = |of: fn(&(f64, f64)) -> f64| cell_summary(&figures.iter().map(of).collect::<Vec<_>>());
        let (ours, theirs) = (middle(|pair| pair.0), middle(|pair| pair.1));
        let ratios = words(middle(|pair| pair.0 / pair.1));
        let median = |summary: Option<Summary>| summary.map_or(f64::NAN, |summary| summary.median);
        println!("{name:<26} {:>10.2} {:>10.2} {:<12} {ratios:>24}", median(ours), median(theirs), unit(&workload));
    }
    Ok(())
}

/// The unit of the comparison. Mean latencies are in milliseconds, as in sysbench's report.
fn unit(workload: &Workload) -> &str {
    if workload.metric.measure == Measure::MeanLatencyMicroseconds { "ms" } else { &workload.metric.unit }
}

/// Runs the workload as a round does, but drops the caches, as the script does, instead of remounting.
fn through(workload: &Workload, folder: &Path) -> Result<f64> {
    std::fs::create_dir(folder)?;
    let never = AtomicBool::new(false);
    let mut stats = RunStats::new();
    let mut job = ENGINES.of(workload)?.open(workload, folder, 1)?;
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER)?;
    sync()?;
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER)?;
    job.run(&Limit::new(None, &never), &mut stats)?;
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER)?;
    drop(job);
    std::fs::remove_dir_all(folder)?;
    let (operations, bytes, seconds) = (stats.operations, stats.bytes, stats.elapsed.as_seconds());
    let done = Done { operations, bytes, seconds, latency: &|| stats.latency_of_operations(), printed: None };
    let figure = workload.metric.measure.of(&done).context("nothing was done")?;
    Ok(if unit(workload) == "ms" { figure / 1e3 } else { figure })
}

/// Runs the script; its last line is the figure. The workload's parameters are its environment variables.
fn by_hand(workload: &Workload, script: &Path, folder: &Path) -> Result<f64> {
    std::fs::create_dir(folder)?;
    let run = PathBuf::from(format!("/tmp/fsarena-by-hand-{}", std::process::id()));
    std::fs::create_dir(&run)?;
    Command::new("chmod").arg("711").arg(&run).status()?;
    sync()?;
    let mut command = Command::new("bash");
    command.arg(script).args([folder, &run]);
    for (name, value) in workload.parameters.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        command.env(name.to_uppercase().replace('-', "_"), value);
    }
    let ended = command.output()?;
    std::fs::remove_dir_all(&run)?;
    std::fs::remove_dir_all(folder)?;
    let output = String::from_utf8_lossy(&ended.stdout);
    ensure!(ended.status.success(), "{}: {output}{}", script.display(), String::from_utf8_lossy(&ended.stderr));
    output.lines().last().unwrap_or_default().trim().parse().with_context(|| format!("{}: {output}", script.display()))
}

fn sync() -> Result<()> {
    rustix::fs::sync();
    Ok(std::fs::write("/proc/sys/vm/drop_caches", "3\n")?)
}
