//! `fsarena calibrate`: which differences can be detected on this machine, and whether slices agree with whole runs.

mod equals;
mod slices;

use anyhow::{Context, Result};
use clap::{Args, Parser};
use fsarena_model::{Bytes, Nanos, Often, Share};

use crate::cli::{Compare, DataFormat, Global, RunConditions, Setup, WorkArguments, candidates};
use crate::exit::Ended;

#[derive(Debug, Args)]
pub struct Calibrate {
    /// What is run against itself [default: ext4]; with --slices, against each other [default: ext4 xfs btrfs]
    #[arg(value_name = "CONTENDER", add = candidates::kinds())]
    pub contenders: Vec<String>,
    /// Measure from which length on slices agree with whole runs
    #[arg(long, conflicts_with_all = ["runs", "slowdown", "budget"])]
    pub slices: bool,
    /// With --slices: how many rounds for each size of lane
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(4..=100),
        requires = "slices")]
    pub rounds: u32,
    /// Judge these runs again instead: numbers, `last`, or files of `fsarena export`
    #[arg(long, value_name = "RUN,...", conflicts_with_all = ["rounds", "runs", "budget", "slowdown"])]
    pub of: Option<String>,
    /// How many runs of equals, and how many with a slowdown
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// Slowdown of one of the two contenders
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub slowdown: Share,
    /// The workloads to run, by the name of their list
    #[arg(long, value_name = "NAME", default_value = "operations", conflicts_with = "workload", add = candidates::suites())]
    pub suite: String,
    /// A single workload, or a .toml file with one; can be repeated
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', add = candidates::workloads())]
    pub workload: Vec<String>,
    /// How long each run may take
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub budget: Nanos,
    #[command(flatten)]
    pub conditions: RunConditions,
    /// The size of each lane [default: 2G]; with --slices, of several [default: 2G, 8G and 32G where there is room]
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    pub lane_size: Vec<Bytes>,
    /// How to write the result down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slices { slices::run(global, options) } else { equals::run(global, options) }
}

/// The arguments of `compare` that both calibrations share.
fn comparison(options: &Calibrate, contenders: Vec<String>, lane_size: Bytes) -> Result<Compare> {
    let words = ["compare", "--"].map(str::to_owned).into_iter().chain(contenders);
    let usual = Compare::try_parse_from(words).context("the comparison")?;
    Ok(Compare {
        work: WorkArguments { suite: options.suite.clone(), workload: options.workload.clone(), ..usual.work },
        baselines: Some(Often::Never),
        setup: Setup { conditions: options.conditions.clone(), lane_size: Some(lane_size), ..usual.setup },
        ..usual
    })
}
