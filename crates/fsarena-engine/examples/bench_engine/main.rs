//! `make bench-engine`: compares the cost of the native engine with the cost of fio, fs_mark and bare system calls. The
//! runs are interleaved.
//!
//! The tables show ratios within the run. The machine need not be quiet, and nothing is asserted. With the argument
//! `work` the program runs one workload and ends; callgrind measures that.

mod callgrind;
mod creates;
mod fio;
mod native;
mod table;

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::json;

use fsarena_model::Nanos;
use native::{Cost, SECOND};
use table::Row;

/// Number of runs of each contestant.
const ROUNDS: usize = 7;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["work", folder, operations] => native::work(Path::new(folder), operations.parse()?),
        [] => bench(Path::new(&format!("/var/tmp/fsarena-bench-{}", std::process::id()))),
        _ => bail!("usage: bench_engine [work FOLDER OPERATIONS]"),
    }
}

fn bench(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    let done = tables(folder);
    std::fs::remove_dir_all(folder).with_context(|| format!("remove {}", folder.display()))?;
    done
}

fn tables(folder: &Path) -> Result<()> {
    native::lay_out(folder)?;
    println!("reads of 4 KiB at random from a cached file of 512 MiB on {}\n", table::file_system(folder)?);
    instructions(folder)?;
    cost(folder)?;
    scaling(folder)?;
    creates::table()
}

fn instructions(folder: &Path) -> Result<()> {
    let mut rows = vec![Row::new("fsarena, synchronous read", callgrind::native(folder)?, "150")];
    for (name, more) in [("fio psync", ""), ("fio psync, gtod_reduce", "--gtod_reduce=1")] {
        rows.push(Row::new(name, callgrind::fio(folder, more)?, ""));
    }
    table::print("user instructions per operation (callgrind)", "goal ≤", &rows);
    Ok(())
}

/// A contestant: its name, and a function that runs it once.
type Contestant<'a> = (&'static str, Box<dyn Fn() -> Result<Cost> + 'a>);

fn cost(folder: &Path) -> Result<()> {
    let ring = json!({ "calls": "io-uring", "depth": 32 });
    let contestants: Vec<Contestant<'_>> = vec![
        ("bare pread", Box::new(|| native::bare(folder, SECOND))),
        ("fsarena sync", Box::new(|| native::engine(folder, &json!({}), SECOND))),
        ("fio psync", Box::new(|| fio::run(folder, &["--ioengine=psync"]))),
        ("fsarena io_uring 32", Box::new(|| native::engine(folder, &ring, SECOND))),
        ("fio io_uring 32 tuned", Box::new(|| fio::run(folder, fio::TUNED))),
        ("fio io_uring 32", Box::new(|| fio::run(folder, &["--ioengine=io_uring", "--iodepth=32"]))),
    ];
    let rounds = interleaved(&contestants)?;
    let nanos = |name: &str| table::each(&rounds, name, Cost::nanos_per_operation);
    let rows: Vec<Row> = contestants.iter().map(|(name, _)| Row::spread(name, &nanos(name), "")).collect();
    table::print("CPU nanoseconds per operation: median [lowest, highest] of the rounds", "", &rows);
    let rows = [
        Row::spread("fsarena sync / fio psync", &table::ratios(&nanos("fsarena sync"), &nanos("fio psync")), "0.80"),
        Row::spread("fsarena sync − bare pread, ns", &over_bare(folder)?, "30"),
        Row::spread(
            "fsarena io_uring / tuned fio",
            &table::ratios(&nanos("fsarena io_uring 32"), &nanos("fio io_uring 32 tuned")),
            "0.87",
        ),
    ];
    table::print("ratios within a round", "goal ≤", &rows);
    Ok(())
}

/// CPU nanoseconds per operation that the engine takes in addition to a bare pread(2). The difference is so small that
/// both run in many short turns. Each value is the median of 20 neighbouring turns.
fn over_bare(folder: &Path) -> Result<Vec<f64>> {
    const TURN: Nanos = Nanos::millis(100);
    const TURNS: usize = 140;
    let mut differences = Vec::new();
    for number in 0..TURNS {
        let engine = || native::engine(folder, &json!({}), TURN);
        let (engine, bare) = match number % 2 {
            0 => (engine()?, native::bare(folder, TURN)?),
            _ => {
                let bare = native::bare(folder, TURN)?;
                (engine()?, bare)
            }
        };
        differences.push(engine.nanos_per_operation() - bare.nanos_per_operation());
    }
    Ok(differences.chunks_mut(TURNS / ROUNDS).map(table::median).collect())
}

fn scaling(folder: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for threads in [1_u32, 2, 4, 8] {
        let numjobs = format!("--numjobs={threads}");
        let contestants: Vec<Contestant<'_>> = vec![
            (
                "fsarena",
                Box::new(move || native::engine(folder, &json!({ "threads": threads, "shared": true }), SECOND)),
            ),
            ("fio", Box::new(|| fio::run(folder, &["--ioengine=psync", &numjobs]))),
        ];
        let rounds = interleaved(&contestants)?;
        let rate = |name: &str| table::each(&rounds, name, Cost::operations_per_second);
        rows.push(Row::spread(
            &format!("{threads} threads: fsarena / fio"),
            &table::ratios(&rate("fsarena"), &rate("fio")),
            "1.00",
        ));
        rows.push(Row::spread("  fsarena, reads/s", &rate("fsarena"), ""));
    }
    table::print("throughput of synchronous reads by threads", "goal ≥", &rows);
    Ok(())
}

/// Runs each contestant once per round: in order in even rounds, in reverse order in odd rounds.
fn interleaved(contestants: &[Contestant<'_>]) -> Result<Vec<Vec<(&'static str, Cost)>>> {
    let round = |number: usize| {
        let mut order: Vec<&Contestant<'_>> = contestants.iter().collect();
        if number % 2 == 1 {
            order.reverse();
        }
        order.into_iter().map(|(name, run)| Ok((*name, run()?))).collect::<Result<Vec<_>>>()
    };
    (0..ROUNDS).map(round).collect()
}
