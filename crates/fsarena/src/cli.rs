//! What can be typed. What will be done is the plan's matter.

pub mod candidates;
mod compare;
mod own_command;
mod place;
mod setup;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use fsarena_model::{Medium, Scale};
use fsarena_place::Refusal;

pub use compare::{Caches, Compare, WorkArguments};
pub use own_command::{OwnCommands, Printed, Scan, SyncInTime};
pub use place::{GUEST_MEMORY, GuestMachine, How, PlaceArguments, guest_memory, hows};
pub use setup::{RunConditions, Setup};

use crate::commands::{
    across, bisect, calibrate, diff, doctor, durability, explain, export, gate, generate, guest, history, import,
    judge, list, pages, report, reproduce, resume, runs, validate,
};

/// The variable with which a shell asks for completions.
pub const COMPLETE: &str = "FSARENA_COMPLETE";

/// What the exit codes of all commands mean, as in docs/interface.md.
const EXIT_CODES: &str = "Exit codes:
  0    done; undecided pairs are no failure
  1    gate: a regression holds, or a check would not have found what --require-finds asks for
  2    wrong use
  3    something did not finish, was lost or damaged, or could not be removed; the rest is reported
  4    this machine cannot: rights, programs or room are missing
  130  interrupted; what was measured is kept";

/// Which file system, with which options, for this work, on this machine?
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
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
    /// No live progress line
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Scripts from when there was a configuration file still run.
    #[arg(long = "no-config", global = true, hide = true)]
    pub _no_config: bool,
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

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compare contenders and decide which is faster
    #[command(after_help = "Examples:
  fsarena compare ext4 xfs btrfs
  fsarena compare ext4 btrfs:compress=zstd --suite operations --budget 10m -o report.html
  fsarena compare dir:/mnt/a dir:/mnt/b --workload append-fsync
  fsarena compare ext4 xfs --command 'make -C {dir}/src' --prepare 'tar xf src.tar -C {dir}'
  fsarena compare --matrix 'btrfs:compress={no,zstd:1}' --dry-run --format json
  fsarena compare dir:/mnt/nfs dir:/mnt/gluster --clients slurm --clients-scale 1,2,4,8")]
    Compare(Box<Compare>),
    /// Run the tests of a published article, as published and properly, and compare with its figures and claims
    #[command(after_help = "Examples:
  fsarena reproduce openeuler --scale smoke")]
    Reproduce(Box<reproduce::Reproduce>),
    /// Continue a run: finish it if it was interrupted, or give its undecided pairs more rounds
    #[command(after_help = "Examples:
  fsarena resume
  fsarena resume 12 --budget 20m
  fsarena resume last --rounds 5")]
    Resume(resume::Resume),
    /// Show a run again, in any format
    #[command(after_help = "Examples:
  fsarena report
  fsarena report 12 -o page.html
  fsarena report last --format json")]
    Report(report::ReportArguments),
    /// Say why the contenders of a run differ, by the parts of their time (`compare --explain`)
    #[command(after_help = "Examples:
  fsarena explain
  fsarena explain 12 sqlite-wal
  fsarena explain 12 -o why.html")]
    Explain(explain::ExplainArguments),
    /// Compare two sides of runs that were not interleaved: another kernel, another day, another machine
    #[command(after_help = "Examples:
  fsarena diff 12 15
  fsarena diff 12,13,14 15,16
  fsarena diff here.jsonl there.jsonl
  fsarena diff 12 15 --control ext4")]
    Diff(diff::Diff),
    /// Compare the same runs on several machines: what holds on all of them, and what depends on the machine
    #[command(after_help = "Examples:
  fsarena across 12 15 16
  fsarena across 12,13 15,16 18
  fsarena across here.jsonl there.jsonl")]
    Across(across::AcrossArguments),
    /// Check a run for regressions: exit code 1 only if one holds
    #[command(after_help = "Examples:
  fsarena compare base=dir:/mnt/old new=dir:/mnt/new --rounds 12
  fsarena gate last --baseline-contender base
  fsarena gate last --baseline 12,13,14 --threshold 10% --junit gate.xml --summary summary.md")]
    Gate(gate::GateArguments),
    /// Say what results that others measured can show, and what they cannot
    #[command(after_help = "Examples:
  fsarena judge ext4=run-1.json xfs=run-2.json
  fsarena judge ext4=a.txt ext4=b.txt xfs=c.txt xfs=d.txt
  fsarena judge composite.xml
  fsarena judge rows.csv --contender fs --value MBps --higher --workload test,bs --condition disk --time when")]
    Judge(judge::JudgeArguments),
    /// Show how a workload's figures changed over the runs in the store
    #[command(after_help = "Examples:
  fsarena history append-fsync
  fsarena history append-fsync --contender xfs -o page.html")]
    History(history::HistoryArguments),
    /// List the runs in the store; tag, annotate or remove them
    #[command(after_help = "Examples:
  fsarena runs
  fsarena runs --format json
  fsarena runs tag 12 nightly
  fsarena runs remove 3 4")]
    Runs(runs::RunsArguments),
    /// Write the runs in the store as pages for a browser: a list, the report of each, the history of each workload
    #[command(after_help = "Examples:
  fsarena pages results")]
    Pages(pages::PagesArguments),
    /// Write a run as JSON lines, for `fsarena import` on another machine
    #[command(after_help = "Examples:
  fsarena export 12 -o run.jsonl")]
    Export(export::Export),
    /// Add runs that `fsarena export` has written to the store
    #[command(after_help = "Examples:
  fsarena import run.jsonl")]
    Import(import::Import),
    /// List kinds, layers, workloads, suites, profiles and articles, and what is missing for each; or say all about one
    #[command(after_help = "Examples:
  fsarena list
  fsarena list append-fsync
  fsarena list workloads --format json
  fsarena list mail
  fsarena list postgres")]
    List(list::ListArguments),
    /// Show what this machine can do, how noisy it is, and where lanes are best
    #[command(after_help = "Examples:
  fsarena doctor
  fsarena doctor --storage /mnt/fast --format json")]
    Doctor(doctor::Doctor),
    /// Cut the power of a virtual disk many times, and look whether file systems keep what they have acknowledged
    #[command(after_help = "Examples:
  fsarena durability ext4 xfs
  fsarena durability ext4 --disk lying --states 20")]
    Durability(durability::DurabilityArguments),
    /// Find the first of several kernels under which a file system is slower, in guests
    #[command(after_help = "Examples:
  fsarena bisect ext4 --good linux-6.1 --bad linux-6.12 --workload append-fsync")]
    Bisect(bisect::Bisect),
    /// Remove what killed runs have left
    Clean,
    /// Measure which differences can be found here, with equal and with slowed-down contenders; or whether slices agree
    /// with whole runs
    #[command(after_help = "Examples:
  fsarena calibrate
  fsarena calibrate --slices ext4 xfs
  fsarena calibrate --of 4,5,6 --format json")]
    Calibrate(calibrate::Calibrate),
    /// Run profiles together with programs that they do not contain, and print predicted against measured ratios
    #[command(after_help = "Examples:
  fsarena validate -o validation.md
  fsarena validate mail build --budget 20m
  fsarena validate --runs 12,13
  fsarena validate old-mail.toml --runs 12")]
    Validate(validate::Validate),
    /// Run a plan for another fsarena (--on): the plan comes on stdin, events go to stdout, as JSON lines
    #[command(after_help = "Examples:
  fsarena compare ext4 xfs --on 'ssh HOST fsarena agent'")]
    Agent,
    /// Fetch and build what a guest needs, boot it, and say how it runs
    #[command(after_help = "Examples:
  fsarena guest
  fsarena guest deterministic
  fsarena guest --agent --mount '10.0.2.2:/export /mnt/nfs nfs4'")]
    Guest(guest::GuestArguments),
    /// Print a shell's completions, or the manual page
    #[command(after_help = "Examples:
  source <(fsarena generate bash)
  fsarena generate man | man -l -")]
    Generate(generate::Generate),
}

/// What is printed at the end of a run, and what is written into a file.
#[derive(Debug, Default, Args)]
pub struct ShownAs {
    /// Print the whole report, not only a summary
    #[arg(long)]
    pub full: bool,
    /// Write the report in this format: to --output, or to stdout instead of the summary [default with --output: by its
    /// name, else html]; --dry-run and --published-only have text and json
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<String>,
    /// Write the report into this file
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
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

/// How a report that is not a comparison is written, and where.
#[derive(Debug, Args)]
pub struct PageArguments {
    /// How to write it down [default: by the name of --output, else text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<PageFormat>,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
}

impl PageArguments {
    /// The format that was asked for; else that of the file's extension, or else text.
    pub fn chosen(&self) -> PageFormat {
        let of_file = || PageFormat::from_str(crate::formats::of_file(self.output.as_deref()?)?, false).ok();
        self.format.or_else(of_file).unwrap_or(PageFormat::Text)
    }
}

/// The format of a report that is not a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    /// For a terminal.
    Text,
    /// Markdown, for issues and pull requests.
    Markdown,
    /// A page.
    Html,
    /// For programs.
    Json,
}

/// Refuses an empty argument, which comes from a variable that is not set: `--storage "$PLACE"`.
pub fn require_words(words: &[OsString]) -> Result<()> {
    let is_empty = |word: &OsString| match word.to_string_lossy().split_once('=') {
        Some((option, "")) => option.starts_with("--"),
        _ => word.is_empty(),
    };
    let Some(place) = words.iter().position(is_empty) else { return Ok(()) };
    let (before, empty) = (words[place.saturating_sub(1)].to_string_lossy(), words[place].to_string_lossy());
    let after = if empty.is_empty() { before } else { empty };
    bail!(Refusal::wrong_use(format!("there is nothing after `{after}`"), "give it a value; is a variable not set?"))
}

/// A parser of names: each has a text for `--help` and a value.
pub fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    names: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = names.each_ref().map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(known).try_map(move |typed| {
        let found = names.iter().find(|(name, ..)| *name == typed);
        found.map(|(.., value)| value.clone()).ok_or("it has no value")
    })
}

/// Amounts of work.
pub fn scales() -> impl TypedValueParser<Value = Scale> {
    one_of([
        ("smoke", "Seconds for each workload, one round, no verdicts", Scale::Smoke),
        ("standard", "What fits on a lane in minutes; what is less than published is in its notes", Scale::Standard),
        ("published", "As much as was published", Scale::Published),
    ])
}

pub fn formats() -> PossibleValuesParser {
    crate::formats::all().map(|format| format.name).collect::<Vec<_>>().into()
}

pub fn medium(text: &str) -> Result<Medium, String> {
    match text {
        "nvme" => Ok(Medium::Nvme),
        "ssd" => Ok(Medium::Ssd),
        "hdd" => Ok(Medium::Hdd),
        _ => Err("one of nvme, ssd, hdd".to_owned()),
    }
}
