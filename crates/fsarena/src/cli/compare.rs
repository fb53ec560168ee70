//! What can be typed after `fsarena compare`.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use fsarena_model::plan::Slowdown;
use fsarena_model::{Label, Mix, Nanos, Often, Rate, Scale, Stated};

use super::{OwnCommands, Setup, candidates, scales};

/// `fsarena compare`.
#[derive(Debug, Parser)]
pub struct Compare {
    /// '[LABEL=]KIND[@LAYERS,KERNEL,DISK][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]', dir:PATH, or a .toml file [default: those of
    /// the suite, if it names some]
    #[arg(value_name = "CONTENDER", add = candidates::kinds())]
    pub contenders: Vec<String>,
    /// Contenders for all combinations of the options in braces, as in 'btrfs:compress={no,zstd:1}' or 'ext4:{,noatime}
    /// -O {,^}has_journal'; shows what each option changes. Can be repeated
    #[arg(long, value_name = "CONTENDER", conflicts_with = "extra")]
    pub matrix: Vec<String>,
    /// For contenders whose direct I/O goes through the page cache, add one for which it is direct: btrfs:nodatasum
    #[arg(long)]
    pub extra: bool,
    #[command(flatten)]
    pub work: WorkArguments,
    /// Number of rounds, regardless of what is decided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "budget")]
    pub rounds: Option<u32>,
    /// Time of the run, such as 90s, 3m, 1h; a round that has begun is finished [default: the suite's rounds, else one
    /// minute per contender, at least three; with --command half of that for each command]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Contenders use a whole disk one after the other; all workloads must run whole, not in slices
    #[arg(long)]
    pub one_at_a_time: bool,
    /// Bring the lanes into a steady state first, by SNIA's rule: written in full twice, then at random; for SSDs, not
    /// images
    #[arg(long)]
    pub precondition: bool,
    /// State a guarantee of a directory that is up to a server, where no client sees it, as in nfs-async=unflushed:
    /// flushed, unflushed, unwritten or volatile (fsync), immediate, close-to-open or expiring (changes of other
    /// clients). Can be repeated
    #[arg(long, value_name = "LABEL=CLASS")]
    pub guarantee: Vec<Stated>,
    /// Make each operation of a contender take this much longer, to test whether that is found
    #[arg(long, value_name = "LABEL=PERCENT", conflicts_with_all = ["explain", "test_explanation"])]
    pub slowdown: Vec<Slowdown>,

    /// Trace further slices, and explain each difference by the parts of the time that differ
    #[arg(long)]
    pub explain: bool,
    /// As --explain, with further contenders: each file system with options whose gain the explanation predicts; shows
    /// the predictions and what was measured
    #[arg(long)]
    pub test_explanation: bool,
    /// Read no counters around the slices of a contender, to measure what reading them costs
    #[arg(long = "no-counters", value_name = "LABEL")]
    pub uncounted: Vec<Label>,
    /// Measure baselines, the three clocks and space: never, once or always [default: once in `work` and `operations`, never at
    /// --scale smoke, else always]
    #[arg(long, value_name = "OFTEN")]
    pub baselines: Option<Often>,
    #[command(flatten)]
    pub setup: Setup,
    #[command(flatten)]
    pub own: OwnCommands,
}

/// The arguments of `fsarena compare` that name workloads.
#[derive(Debug, Args)]
pub struct WorkArguments {
    /// The workloads to run, by the name of their list
    #[arg(long, value_name = "NAME", default_value = "work", conflicts_with = "workload", add = candidates::suites())]
    pub suite: String,
    /// Amount of work, for workloads with several sizes
    #[arg(long, value_name = "SCALE", conflicts_with = "fio", value_parser = scales())]
    pub scale: Option<Scale>,
    /// Weights of groups or workloads of the suite: which contender is best for them, how certain that is, and what
    /// would change it
    #[arg(long, value_name = "NAME=WEIGHT,...")]
    pub weights: Option<Mix>,
    /// A use, such as mail or database, or a .toml file with one: the workloads that matter for it, with their weights
    #[arg(long, value_name = "NAME", conflicts_with_all = ["suite", "fio", "weights", "commands"])]
    pub profile: Option<String>,
    /// A single workload, or a .toml file with one; with --profile it has no weight; can be repeated
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', add = candidates::workloads())]
    pub workload: Vec<String>,
    /// Also as an open loop at these rates: 50%,90%,110% of each contender's own peak, or operations per second
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    pub rate: Vec<Rate>,
    /// Cache state of reads
    #[arg(long, value_name = "WHERE")]
    pub cache: Option<Caches>,
    /// A job file that fio runs, or a command line: 'fio --name=t --rw=randwrite …'; can be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "suite", allow_hyphen_values = true)]
    pub fio: Vec<PathBuf>,
}

/// Where the data of reads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Caches {
    /// On the device only.
    Cold,
    /// In memory.
    Warm,
    /// Both.
    Both,
}
