//! `make parity`: runs the same job with the native engine and with fio in turn, on the same file of one lane.
//! Prints the ratios of their rates and mean latencies with 95 % intervals. Then runs each once for the same number of
//! operations: the numbers of operations and bytes, and of flushes at the lane's device, have to agree.
//!
//! Needs root. Argument: a contender.

mod lane;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use fsarena_engine::{Job, Limit, RunStats, Upkeep, engine};
use fsarena_lane::LaneSet;
use fsarena_model::{Bytes, Mode, Nanos, Workload, probe};
use fsarena_probe::{Flushes, Snapshot, Target, Totals};
use fsarena_stats::cell_summary;
use lane::{with_lane, words};
use serde_json::json;

/// Workloads of the catalogue, each with the options of its job. See docs/decisions/0006 for those of io_uring.
const JOBS: [(&str, &str); 6] = [
    ("randread-4k-qd32", "rw=randread\nbs=4k\n@ring"),
    ("randwrite-4k-qd32", "rw=randwrite\nbs=4k\n@ring"),
    ("seqread-1m", "rw=read\nbs=1m\nioengine=psync"),
    ("seqwrite-1m", "rw=write\nbs=1m\nioengine=psync"),
    ("mixed-4k-qd32", "rw=randrw\nrwmixread=70\nbs=4k\n@ring"),
    ("randwrite-4k-fsync", "rw=randwrite\nbs=4k\nioengine=psync\nfsync=1"),
];
/// The options in place of `@ring`: submits and reaps in batches, as the native engine does.
const RING: &str = "ioengine=io_uring\niodepth=32\nfixedbufs=1\nregisterfiles=1\niodepth_batch_submit=32\n\
                    iodepth_batch_complete_min=1\niodepth_batch_complete_max=32";
/// The options of all jobs: the native engine's file, direct I/O, no cache is dropped, no space is preallocated, the
/// latency is the time from call to return.
const GENERAL: &str = "filename=data0\nfilesize=512m\nsize=512m\noverwrite=1\ndirect=1\nthread=1\ninvalidate=0\n\
                       fallocate=none\nnorandommap=1\nrandom_generator=tausworthe64\nclat_percentiles=0\n\
                       lat_percentiles=1\nmem=mmap\nscramble_buffers=1\nrandrepeat=0";
/// Number of pairs of runs; every other pair begins with fio.
const PAIRS: usize = 16;
const TIME: Nanos = Nanos::seconds(1);
/// Number of operations of the run whose totals are compared.
const OPERATIONS: u64 = 400;
/// Maximum difference in flushes: the file system commits on its own from time to time.
const MORE_FLUSHES: f64 = 4.0;

fn main() -> Result<()> {
    let kind = std::env::args().nth(1).unwrap_or_else(|| "ext4".to_owned());
    with_lane(&kind, Bytes::gib(2), |lane_set| table(&kind, lane_set))
}

/// The workload as a job of fio with these options.
fn through_fio(workload: &Workload, options: &str) -> Workload {
    let job = format!("[job]\n{GENERAL}\n{}\n", options.replace("@ring", RING));
    let (engine, parameters) = ("fio".to_owned(), json!({ "job": job }));
    let whole = Workload { mode: Mode::Whole, ends_by_itself: true, timed_ms: 0, ..workload.clone() };
    Workload { engine, parameters, ..whole }
}

fn table(kind: &str, lane_set: &mut LaneSet) -> Result<()> {
    let (place, _) = lane_set.make(0, Some(0), 1)?;
    println!(
        "fsarena / fio on one {kind} lane, {PAIRS} pairs of {} s, in turn: median ratio [95 %]",
        TIME.as_seconds()
    );
    println!("{:<20} {:>10} {:>24} {:>24}", "", "rate", "rates", "mean latencies");
    for (name, options) in JOBS {
        let folder = place.directory.join(name);
        std::fs::create_dir(&folder)?;
        let workload = fsarena_catalog::workload(name)?;
        let pairs = pairs(&workload, options, &folder).context(name)?;
        let (device, backing) = (place.device.clone(), place.backing.clone());
        let target = Target { device, backing, beneath: None, flushes: Flushes::Counted, network: false };
        let [native, fio] = counted(&workload, options, &folder, &target).context(name)?;
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

fn pairs(workload: &Workload, options: &str, folder: &Path) -> Result<Vec<Pair>> {
    let through = through_fio(workload, &format!("{options}\nruntime={}s\ntime_based=1", TIME.as_seconds()));
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
fn counted(workload: &Workload, options: &str, folder: &Path, target: &Target) -> Result<[Counted; 2]> {
    let mut native = workload.clone();
    native.parameters["operations"] = OPERATIONS.into();
    let through = through_fio(workload, &format!("{options}\nnumber_ios={OPERATIONS}"));
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
