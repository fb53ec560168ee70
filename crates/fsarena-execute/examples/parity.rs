//! `make parity`: runs the same job with the native engine and with fio in turn, on the same file of one ext4 lane.
//! Prints the ratios of their rates and mean latencies with 95 % intervals. Then runs each once for the same number of
//! operations: the numbers of operations and bytes, and of flushes at the lane's device, have to agree.
//!
//! Needs root. Arguments: a contender, then workloads of the catalogue.

mod lane;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use fsarena_engine::{Job, Limit, RunStats, Upkeep, engine, fio};
use fsarena_lane::LaneSet;
use fsarena_model::{Bytes, Nanos, Workload, probe};
use fsarena_probe::{Flushes, Snapshot, Target, Totals};
use fsarena_stats::cell_summary;
use lane::{with_lane, words};

/// Default workloads.
const WORKLOADS: [&str; 6] =
    ["randread-4k-qd32", "randwrite-4k-qd32", "seqread-1m", "seqwrite-1m", "mixed-4k-qd32", "randwrite-4k-fsync"];
/// Number of pairs of runs; every other pair begins with fio.
const PAIRS: usize = 16;
const TIME: Nanos = Nanos::seconds(1);
/// Number of operations of the run whose totals are compared.
const OPERATIONS: u64 = 400;
/// Maximum difference in flushes: the file system commits on its own from time to time.
const MORE_FLUSHES: f64 = 4.0;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "ext4".to_owned());
    let named: Vec<String> = arguments.collect();
    let workloads = if named.is_empty() { WORKLOADS.map(str::to_owned).to_vec() } else { named };
    with_lane(&kind, Bytes::gib(2), |lane_set| table(&kind, &workloads, lane_set))
}

fn table(kind: &str, workloads: &[String], lane_set: &mut LaneSet) -> Result<()> {
    let (place, _) = lane_set.make(0, Some(0), 1)?;
    println!(
        "fsarena / fio on one {kind} lane, {PAIRS} pairs of {} s, in turn: median ratio [95 %]",
        TIME.as_seconds()
    );
    println!("{:<20} {:>10} {:>24} {:>24}", "", "rate", "rates", "mean latencies");
    for name in workloads {
        let folder = place.directory.join(name);
        std::fs::create_dir(&folder)?;
        let workload = fsarena_catalog::workload(name)?;
        let pairs = pairs(&workload, &folder).with_context(|| name.clone())?;
        let (device, backing) = (place.device.clone(), place.backing.clone());
        let target = Target { device, backing, beneath: None, flushes: Flushes::Counted, network: false };
        let [native, fio] = counted(&workload, &folder, &target).with_context(|| name.clone())?;
        std::fs::remove_dir_all(&folder)?;
        let each = |of: fn(&Pair) -> f64| pairs.iter().map(of).collect::<Vec<f64>>();
        let rate = cell_summary(&each(|pair| pair.native.rate)).context("nothing was done")?.median;
        let rates = words(cell_summary(&each(|pair| pair.native.rate / pair.fio.rate)));
        let latencies = words(cell_summary(&each(|pair| pair.native.latency / pair.fio.latency)));
        println!("{name:<20} {rate:>8.0}/s {rates:>24} {latencies:>24}  {native}");
        ensure!((native.operations, native.bytes) == (fio.operations, fio.bytes), "{name}: {native} and {fio}");
        ensure!((native.flushes - fio.flushes).abs() <= MORE_FLUSHES, "{name}: {native} and {fio}");
    }
    Ok(())
}

/// Operations per second, and mean latency in nanoseconds.
struct Figures {
    rate: f64,
    latency: f64,
}

struct Pair {
    native: Figures,
    fio: Figures,
}

fn pairs(workload: &Workload, folder: &Path) -> Result<Vec<Pair>> {
    let through = fio::instead(workload)?.workload;
    let open = |workload: &Workload| -> Result<Box<dyn Job>> {
        Ok(engine(&workload.engine).context("the engine exists")?.open(workload, folder, 1)?)
    };
    let (mut native, mut fio) = (open(workload)?, open(&through)?);
    // Both jobs use the same files.
    native.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)?;
    run(native.as_mut())?;
    run(fio.as_mut())?;
    let mut pairs = Vec::new();
    for number in 0..PAIRS {
        pairs.push(if number % 2 == 0 {
            let native = run(native.as_mut())?;
            Pair { native, fio: run(fio.as_mut())? }
        } else {
            let fio = run(fio.as_mut())?;
            Pair { native: run(native.as_mut())?, fio }
        });
    }
    Ok(pairs)
}

/// The totals of a job and its device.
struct Counted {
    operations: u64,
    bytes: u64,
    flushes: f64,
}

impl std::fmt::Display for Counted {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{} operations of {} bytes in all, {} flushes", self.operations, self.bytes, self.flushes)
    }
}

/// Runs the same number of operations with the native engine and with fio.
fn counted(workload: &Workload, folder: &Path, target: &Target) -> Result<[Counted; 2]> {
    let mut native = workload.clone();
    native.parameters["operations"] = OPERATIONS.into();
    // A workload that writes new files has no such parameter: it writes whole files.
    if engine(&native.engine).context("the engine exists")?.traits(&native).is_err() {
        native = workload.clone();
    }
    let through = fio::instead(&native)?.workload;
    let count = |workload: &Workload| -> Result<Counted> {
        let mut job = engine(&workload.engine).context("the engine exists")?.open(workload, folder, 1)?;
        let (mut stats, mut totals, never) = (RunStats::new(), Totals::default(), AtomicBool::new(false));
        let before = Snapshot::take(target);
        job.run(&Limit::new(None, &never), &mut stats)?;
        totals.add(&before, &Snapshot::take(target));
        let flushes = totals.readings().get(&probe::DEVICE_FLUSHES.key()).and_then(|reading| reading.value);
        let flushes = flushes.context("the lane's device counts flushes")?;
        Ok(Counted { operations: stats.operations, bytes: stats.bytes, flushes })
    };
    Ok([count(&native)?, count(&through)?])
}

fn run(job: &mut dyn Job) -> Result<Figures> {
    let never = AtomicBool::new(false);
    let mut stats = RunStats::new();
    job.run(&Limit::new(Some(TIME), &never), &mut stats)?;
    let latency = stats.latency_of_operations().context("nothing was done")?;
    Ok(Figures { rate: stats.operations as f64 / stats.elapsed.as_seconds(), latency: latency.mean.0 as f64 })
}
