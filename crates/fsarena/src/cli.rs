//! What can be typed. What will be done is the plan's matter.

mod bisect;
mod calibrate;
mod candidates;
#[cfg(test)]
mod documented;
mod durability;
mod help;
mod own_command;
mod place;
mod reproduce;
mod sides;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use fsarena_model::plan::Slowdown;
use fsarena_model::{Bytes, Label, Medium, Mix, Nanos, Often, Rate, Share, Stated};

pub use bisect::Bisect;
pub use calibrate::Calibrate;
pub use durability::{DiskKind, Durability, WriterKind};
pub use help::command;
pub use own_command::{OwnCommands, Printed, Scan, Synced, is_placeholder};
pub use place::{Clients, Guest, How, Place};
pub use reproduce::{Reproduce, Scale};
pub use sides::{Across, Diff, Gate, History, Judge, PageFormat, Runs, RunsChange, Serve, label};

/// The variable with which a shell asks for completions.
pub const COMPLETE: &str = "FSARENA_COMPLETE";

/// Which file system, with which options, for this work, on this machine?
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// For every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command, before or after its name.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Where runs are kept [default: fsarena/store.sqlite in the user's data directory, /var/lib/fsarena/store.sqlite
    /// for root]
    #[arg(long, global = true, value_name = "FILE", overrides_with = "store")]
    pub store: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Do not read the configuration file
    #[arg(long, global = true)]
    pub no_config: bool,
    /// No live progress line
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Say what happens, on stderr
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compare contenders and decide which is faster
    Compare(Box<Compare>),
    /// Run the tests of a published article, as published and properly, and compare with its figures and claims
    Reproduce(Reproduce),
    /// Continue a run: finish it if it was interrupted, or give its undecided pairs more rounds
    Resume(Resume),
    /// Show a run again, in any format
    Report(Report),
    /// Compare two sides of runs that were not interleaved: another kernel, another day, another machine
    Diff(Diff),
    /// Compare the same runs on several machines: what holds on all of them, and what depends on the machine
    Across(Across),
    /// Check a run for regressions: exit code 1 only if one holds
    Gate(Gate),
    /// Say what results that others measured can show, and what they cannot
    Judge(Judge),
    /// Show how a workload's figures changed over the runs in the store
    History(History),
    /// List the runs in the store; tag, annotate or remove them
    Runs(Runs),
    /// Show the runs in the store as pages for a browser on this machine, until Ctrl-C; read-only
    Serve(Serve),
    /// Write a run as JSON lines, for `fsarena import` on another machine
    Export(Export),
    /// Add runs that `fsarena export` has written to the store
    Import(Import),
    /// List kinds, workloads, suites, profiles and articles, and what is missing for each; or say all about one
    List(List),
    /// Show what this machine can do, how noisy it is, and where lanes are best
    Doctor(Doctor),
    /// Cut the power of a virtual disk many times, and look whether file systems keep what they have acknowledged
    Durability(Durability),
    /// Find the first of several kernels under which a file system is slower, in guests
    Bisect(Bisect),
    /// Remove what killed runs have left
    Clean,
    /// Measure which differences can be found here, with equal and with slowed-down contenders; or whether slices agree
    /// with whole runs
    Calibrate(Calibrate),
    /// Run a plan for another fsarena (--on): the plan comes on stdin, events go to stdout, as JSON lines
    Agent,
    /// Fetch and build what a guest needs, boot it, and say how it runs
    Guest(Guest),
    /// Print a shell's completions, or the manual page
    Generate(Generate),
}

/// `fsarena generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// What to print
    #[arg(value_name = "WHAT")]
    pub what: Generated,
}

/// What a package has besides the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Completions for bash.
    Bash,
    /// Completions for zsh.
    Zsh,
    /// Completions for fish.
    Fish,
    /// The manual page, for man(1).
    Man,
}

/// `fsarena compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// '[LABEL=]KIND[@KERNEL,DISK][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]', dir:PATH, or a .toml file [default: those of
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
    /// The workloads to run, by the name of their list
    #[arg(long, value_name = "NAME", default_value = "quick", conflicts_with = "workload", add = candidates::suites())]
    pub suite: String,
    /// Amount of work, for workloads with several sizes
    #[arg(long, value_name = "SCALE", conflicts_with = "fio")]
    pub scale: Option<Scale>,
    /// Weights of groups or workloads of the suite: which contender is best for them, how certain that is, and what
    /// would change it
    #[arg(long, value_name = "NAME=WEIGHT,...")]
    pub weights: Option<Mix>,
    /// A use, such as mail or database, or a .toml file with one: the workloads that matter for it, with their weights
    #[arg(long, value_name = "NAME", conflicts_with_all = ["suite", "workload", "fio", "weights", "commands"])]
    pub profile: Option<String>,
    /// A single workload, or a .toml file with one; can be repeated
    #[arg(long, value_name = "NAME", add = candidates::workloads())]
    pub workload: Vec<String>,
    /// Also as an open loop at these rates: 50%,90%,110% of each contender's own peak, or operations per second
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    pub rate: Vec<Rate>,
    /// Cache state of reads
    #[arg(long, value_name = "WHERE")]
    pub cache: Option<Caches>,
    /// A fio job file, run natively if every option is understood, otherwise through fio; can be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "workload"])]
    pub fio: Vec<PathBuf>,
    /// What does the work on large files
    #[arg(long, value_name = "WHO", default_value = "native")]
    pub engine: Who,
    /// Number of rounds, regardless of what is decided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "budget")]
    pub rounds: Option<u32>,
    /// Time limit of the run, such as 90s, 3m, 1h [default: the suite's rounds, else one minute per contender, at least
    /// three; with --command half of that for each command]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Differences within this count as equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub margin: Share,
    /// Seed of all random choices [default: random; the report shows it]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Storage of the lanes: dir:PATH, memory, a disk /dev/A, or partitions /dev/A,/dev/B with one lane each [default:
    /// /var/tmp/fsarena; memory for a guest]
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// Overwrite the data on a disk that --storage names, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    /// Contenders use a whole disk one after the other; all workloads must run whole, not in slices
    #[arg(long)]
    pub one_at_a_time: bool,
    /// The size of each lane [default: what the suite needs, else 2G; all of a partition, or with --one-at-a-time a
    /// disk]
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// The medium that the lanes imitate
    #[arg(long, value_name = "MEDIUM", default_value = "nvme", value_parser = medium)]
    pub medium: Medium,
    /// Bring the lanes into a steady state first, by SNIA's rule: written in full twice, then at random; for SSDs, not
    /// images
    #[arg(long)]
    pub precondition: bool,
    /// State a guarantee of a directory that is up to a server, where no client sees it, as in nfs-async=unflushed:
    /// flushed, unflushed or volatile (fsync), immediate, close-to-open or expiring (changes of other clients). Can be
    /// repeated
    #[arg(long, value_name = "LABEL=CLASS")]
    pub guarantee: Vec<Stated>,
    /// Make each operation of a contender take this much longer, to test whether that is found
    #[arg(long, value_name = "LABEL=PERCENT")]
    pub slowdown: Vec<Slowdown>,
    /// Read no counters around the slices of a contender, to measure what reading them costs
    #[arg(long = "no-counters", value_name = "LABEL")]
    pub uncounted: Vec<Label>,
    /// Measure baselines, the three clocks and space: never, once or always [default: once in `quick`, never at
    /// --scale smoke, else always]
    #[arg(long, value_name = "OFTEN")]
    pub baselines: Option<Often>,
    /// What is printed at the end.
    #[command(flatten)]
    pub shown: Shown,
    /// Print the plan, its duration and the space it needs, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Where the run takes place.
    #[command(flatten)]
    pub place: Place,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
    /// Commands of the user's own.
    #[command(flatten)]
    pub own: OwnCommands,
}

/// What is printed at the end of a run, and what is written into a file.
#[derive(Debug, Default, Args)]
pub struct Shown {
    /// Print the whole report, not only a summary
    #[arg(long)]
    pub full: bool,
    /// Write the report in this format: to --output, or to stdout instead of the summary [default with --output: html];
    /// --dry-run and --published-only have text and json
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<String>,
    /// Write the report into this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
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

/// What does the work on large files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Who {
    /// fsarena itself.
    Native,
    /// The program fio.
    Fio,
    /// Both.
    Both,
}

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
    /// As many further rounds as fit into so long, as in 90s, 3m, 1h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Overwrite the data on a disk of the run, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    /// What is printed at the end.
    #[command(flatten)]
    pub shown: Shown,
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

/// `fsarena report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    pub format: String,
    /// By another mix of the suite's groups, or workloads, than that of the run
    #[arg(long, value_name = "NAME=WEIGHT,...")]
    pub weights: Option<Mix>,
    /// For a use, such as mail or database, or a .toml file with one; says what of it the run lacks
    #[arg(long, value_name = "NAME", conflicts_with = "weights")]
    pub profile: Option<String>,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `fsarena export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `fsarena import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Files that `fsarena export` has written; `-` is stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// `fsarena list`.
#[derive(Debug, Args)]
pub struct List {
    /// kinds, workloads, suites, profiles or published; the name of one of these; or a word to look for in descriptions
    #[arg(value_name = "WHAT", add = candidates::listed())]
    pub what: Option<String>,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// `fsarena doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Where the lanes would lie
    #[arg(long, value_name = "PLACE", default_value = fsarena_lane::DEFAULT_FOLDER)]
    pub storage: String,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// The format of what is no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DataFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

fn formats() -> clap::builder::PossibleValuesParser {
    crate::formats::all().map(|format| format.name).collect::<Vec<_>>().into()
}

fn medium(text: &str) -> Result<Medium, String> {
    match text {
        "nvme" => Ok(Medium::Nvme),
        "ssd" => Ok(Medium::Ssd),
        "hdd" => Ok(Medium::Hdd),
        _ => Err("one of nvme, ssd, hdd".to_owned()),
    }
}
