//! What can be typed after commands on stored runs, and `fsarena judge`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use fsarena_model::{Label, Share};

use super::{DataFormat, candidates};
use crate::formats;

/// `fsarena diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first side: runs by number, `last`, or files of `fsarena export`; separated by commas
    #[arg(value_name = "BEFORE", add = candidates::runs())]
    pub before: String,
    /// The second side
    #[arg(value_name = "AFTER", add = candidates::runs())]
    pub after: String,
    /// A contender that did not change: all others relative to it, in the same sweeps
    #[arg(long, value_name = "LABEL")]
    pub control: Option<Label>,
    #[command(flatten)]
    pub page: PageArguments,
}

/// `fsarena across`.
#[derive(Debug, Args)]
pub struct AcrossArguments {
    /// A machine: its run by number, `last`, or a file of `fsarena export`; several of one machine are separated by
    /// commas
    #[arg(value_name = "RUN", required = true, num_args = 2..)]
    pub machines: Vec<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

/// `fsarena gate`.
#[derive(Debug, Args)]
pub struct GateArguments {
    /// The run to check: its number, `last`, or a file of `fsarena export`; several are separated by commas
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// The runs that it is checked against, as in RUN: each contender against itself
    #[arg(long, value_name = "RUN", add = candidates::runs(), conflicts_with = "baseline_contender")]
    pub baseline: Option<String>,
    /// The contender of the same run that all others are checked against
    #[arg(long, value_name = "LABEL")]
    pub baseline_contender: Option<Label>,
    /// A contender that did not change: all others relative to it, in the same sweeps
    #[arg(long, value_name = "LABEL", requires = "baseline", conflicts_with = "baseline_contender")]
    pub control: Option<Label>,
    /// The slowdown that is tolerated
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub threshold: Share,
    /// Fail unless each check would have found a slowdown of this size, with a probability of 80 %
    #[arg(long, value_name = "PERCENT")]
    pub require_finds: Option<Share>,
    /// Also as JUnit XML into this file
    #[arg(long, value_name = "FILE", value_parser = crate::output::named())]
    pub junit: Option<PathBuf>,
    /// Also as Markdown, added to the end of this file, such as $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE", value_parser = crate::output::extended())]
    pub summary: Option<PathBuf>,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: PageFormat,
}

/// `fsarena history`.
#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// The workload's name
    #[arg(value_name = "WORKLOAD", add = candidates::workloads())]
    pub workload: String,
    /// Only this contender; can be repeated
    #[arg(long, value_name = "LABEL")]
    pub contender: Vec<Label>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

/// `fsarena judge`.
#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// [LABEL=]FILE: results of fio, IOzone, sysbench, dbench, Filebench, bonnie++, IOR, mdtest, IO500 (files with the
    /// same label are runs of one contender),
    /// hyperfine, the Phoronix Test Suite, kdevops' Milvus workflow, or CSV
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// CSV: the column that names the contender; without --value the column of each contender's figures, as `ext4,xfs`
    #[arg(long, value_name = "COLUMN")]
    pub contender: Option<String>,
    /// CSV: the column that names the work
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub workload: Option<String>,
    /// CSV: the column of the figure
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub value: Option<String>,
    /// CSV: the column of the time at which it was measured, in seconds or RFC 3339
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub time: Option<String>,
    /// CSV: the column of the machine
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub host: Option<String>,
    /// CSV: the column of the file system that was recorded, not only claimed
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub recorded: Option<String>,
    /// CSV: lower figures are better
    #[arg(long, requires = "contender")]
    pub lower: bool,
    /// CSV: higher figures are better, also of a column whose name is not that of a rate
    #[arg(long, conflicts_with = "lower", requires = "contender")]
    pub higher: bool,
    /// Differences within this count as equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub margin: Share,
    #[command(flatten)]
    pub page: PageArguments,
}

/// `fsarena runs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunsArguments {
    /// What to change [default: list the runs]
    #[command(subcommand)]
    pub change: Option<RunsChange>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// What can be done with stored runs.
#[derive(Debug, Subcommand)]
pub enum RunsChange {
    /// Give a run tags
    Tag(RunTags),
    /// Take tags away
    Untag(RunTags),
    /// Add a note to a run; its report shows it
    Note {
        /// The run's number, or `last`
        #[arg(value_name = "RUN", add = candidates::runs())]
        run: String,
        /// The note
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Remove runs from the store, permanently
    Remove {
        /// The runs' numbers, or `last`
        #[arg(value_name = "RUN", required = true, add = candidates::runs())]
        runs: Vec<String>,
    },
}

/// A run and its tags.
#[derive(Debug, Args)]
pub struct RunTags {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", add = candidates::runs())]
    pub run: String,
    /// Tags of letters, digits, `.`, `_` and `-`
    #[arg(value_name = "TAG", required = true, value_parser = tag)]
    pub tags: Vec<String>,
}

fn tag(text: &str) -> Result<String, String> {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if is_plain { Ok(text.to_owned()) } else { Err("only letters, digits, `.`, `_` and `-`".to_owned()) }
}

/// `fsarena pages`.
#[derive(Debug, Args)]
pub struct PagesArguments {
    /// The directory of the pages; it is made if it does not exist
    #[arg(value_name = "DIRECTORY")]
    pub directory: PathBuf,
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
        let of_file = || PageFormat::from_str(formats::of_file(self.output.as_deref()?)?, false).ok();
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
