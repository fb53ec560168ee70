//! `make bench-round`: the time that each workload takes in a run's rounds, from a store. Seconds for all contenders,
//! means over the rounds. Arguments: the store, and a run (default: the latest).

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use fsarena_model::{Probe, RunRecord, Trial, probe};
use fsarena_store::Store;

/// The untimed parts that a trial records.
const PARTS: [Probe; 3] = [probe::TIME_PREPARE, probe::TIME_BETWEEN, probe::TIME_CLOSE];

#[allow(clippy::print_stdout)]
fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let store = Store::read(Path::new(&arguments.next().context("name a store")?))?;
    let last = || store.last()?.context("the store is empty");
    let run = arguments.next().map_or_else(last, |run| Ok(run.parse()?))?;
    print!("{}", table(&store.load(run)?));
    Ok(())
}

fn table(record: &RunRecord) -> String {
    let rounds = record.rounds.len().max(1) as f64;
    let mut all: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    let counts = |trial: &&Trial| record.rounds.iter().any(|facts| facts.round == trial.round);
    for trial in record.trials.iter().filter(counts) {
        let sums = all.entry(trial.workload.as_str()).or_default();
        let seconds = [Some(trial.seconds())].into_iter().chain(PARTS.map(|part| trial.probe(part)));
        sums.iter_mut().zip(seconds).for_each(|(sum, part)| *sum += part.unwrap_or(0.0) / rounds);
    }
    let line = |name: &str, parts: [f64; 4]| {
        let total: f64 = parts.iter().sum();
        format!("{name:<18}{total:>8.2}{:>8.2}{:>10.2}{:>10.2}{:>8.2}\n", parts[0], parts[1], parts[2], parts[3])
    };
    let lines: String = all.iter().map(|(name, parts)| line(name, *parts)).collect();
    let sums = all.values().fold([0.0; 4], |sums, parts| std::array::from_fn(|part| sums[part] + parts[part]));
    let seconds: Vec<f64> = record.rounds.iter().map(|facts| facts.seconds).collect();
    let each: Vec<String> = seconds.iter().map(|seconds| format!("{seconds:.1}")).collect();
    let mean = seconds.iter().sum::<f64>() / rounds;
    format!(
        "{:<18}{:>8}{:>8}{:>10}{:>10}{:>8}\n{lines}{}other {:>20.2} (mkfs, fsck, baselines, clocks)\nrounds: {} s\n",
        "seconds a round",
        "all",
        "timed",
        "preparing",
        "between",
        "closing",
        line("", sums),
        mean - sums.iter().sum::<f64>(),
        each.join(", "),
    )
}
