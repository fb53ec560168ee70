//! What can be typed after commands that continue a stored run, show it, or move it to another store.

use std::path::PathBuf;

use clap::Args;
use fsarena_model::{Mix, Nanos};

use super::{PageArguments, ShownAs, candidates, formats};

/// `fsarena resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// At most this number of further rounds of what is undecided [default: what an interrupted run lacks, or what the
    /// undecided pairs ask for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "budget")]
    pub rounds: Option<u32>,
    /// As many further rounds as fit into this time, as in 90s, 3m, 1h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Overwrite the data on a disk of the run, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    #[command(flatten)]
    pub shown: ShownAs,
    /// Print what would be done, its duration and the space it needs, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Continue on the machine where an agent ran it: the command that starts the agent there
    #[arg(long, value_name = "COMMAND")]
    pub on: Option<String>,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
}

/// `fsarena explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// One of its workloads [default: all]
    #[arg(value_name = "WORKLOAD")]
    pub workload: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

/// `fsarena report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// How to write it down [default: by the name of --output, else text]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<String>,
    /// By another mix of the suite's groups, or workloads, than that of the run
    #[arg(long, value_name = "NAME=WEIGHT,...")]
    pub weights: Option<Mix>,
    /// For a use, such as mail or database, or a .toml file with one; says what of it the run lacks
    #[arg(long, value_name = "NAME", conflicts_with = "weights")]
    pub profile: Option<String>,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
    /// Nothing more: a report is always in full
    #[arg(long, hide = true)]
    pub full: bool,
}

/// `fsarena export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
}

/// `fsarena import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Files that `fsarena export` has written; `-` is stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}
