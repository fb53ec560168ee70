//! `make parity`: the same job natively and through real fio, on the same file of one ext4 lane, in turn. Prints the ratios of
//! their rates and mean latencies with 95 % intervals.
//! Needs root; nothing is asserted. Arguments: a contender, then workloads of the catalogue.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use fsarena_apps::engine;
use fsarena_engine::{Job, Limit, Tally, fio};
use fsarena_lane::{Arena, Go, Ledger};
use fsarena_model::{Bytes, Nanos, Plan, Storage, Workload};
use fsarena_stats::{Summary, cell_summary};
use fsarena_sys::namespace;

/// What the two are compared at.
const WORKLOADS: [&str; 6] =
    ["randread-4k-qd32", "randwrite-4k-qd32", "seqread-1m", "seqwrite-1m", "mixed-4k-qd32", "randwrite-4k-fsync"];
/// Pairs of runs of each; every other pair begins with fio.
const PAIRS: usize = 16;
const TIME: Nanos = Nanos::seconds(1);

fn main() -> Result<()> {
    namespace::enter_private_mounts().context("a mount namespace of its own; run as root")?;
    let _machine = fsarena_lane::take_machine(fsarena_lane::Wait::Yes, &mut |_| Go::On)?;
    let ledger = Ledger::open(&fsarena_lane::default_folder()?)?.0;
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "ext4".to_owned());
    let named: Vec<String> = arguments.collect();
    let workloads = if named.is_empty() { WORKLOADS.map(str::to_owned).to_vec() } else { named };
    let mut arena = Arena::open(plan(&kind)?, ledger, &mut |_| Go::On)?;
    let done = table(&kind, &workloads, &mut arena);
    arena.close()?;
    done
}

fn plan(kind: &str) -> Result<Plan> {
    Ok(Plan {
        storage: Storage::Directory(fsarena_lane::DEFAULT_FOLDER.into()),
        lane_size: Bytes::gib(2),
        ..Plan::of(vec![fsarena_catalog::contender(kind)?])
    })
}

fn table(kind: &str, workloads: &[String], arena: &mut Arena) -> Result<()> {
    let (place, _) = arena.make(0, Some(0), 1)?;
    println!(
        "fsarena / fio on one {kind} lane, {PAIRS} pairs of {} s, in turn: median ratio [95 %]",
        TIME.as_seconds()
    );
    println!("{:<20} {:>10} {:>24} {:>24}", "", "rate", "rates", "mean latencies");
    for name in workloads {
        let folder = place.directory.join(name);
        std::fs::create_dir(&folder)?;
        let pairs = pairs(&fsarena_catalog::workload(name)?, &folder).with_context(|| name.clone())?;
        std::fs::remove_dir_all(&folder)?;
        let each = |of: fn(&Pair) -> f64| pairs.iter().map(of).collect::<Vec<f64>>();
        let rate = cell_summary(&each(|pair| pair.native.rate)).context("nothing was done")?.median;
        let rates = words(cell_summary(&each(|pair| pair.native.rate / pair.fio.rate)));
        let latencies = words(cell_summary(&each(|pair| pair.native.latency / pair.fio.latency)));
        println!("{name:<20} {rate:>8.0}/s {rates:>24} {latencies:>24}");
    }
    Ok(())
}

fn words(summary: Option<Summary>) -> String {
    let of = |Summary { median, low, high }: Summary| Some(format!("{median:.3} [{:.3}, {:.3}]", low?, high?));
    summary.and_then(of).unwrap_or_else(|| "–".to_owned())
}

/// Operations per second, and their mean latency in nanoseconds.
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
    // The files of the one are the files of the other.
    native.prepare(&fsarena_engine::NEVER)?;
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

fn run(job: &mut dyn Job) -> Result<Figures> {
    let never = AtomicBool::new(false);
    let mut tally = Tally::new();
    job.run(&Limit::new(Some(TIME), &never), &mut tally)?;
    let latency = tally.latency_of_operations().context("nothing was done")?;
    Ok(Figures { rate: tally.operations as f64 / tally.elapsed.as_seconds(), latency: latency.mean.0 as f64 })
}
