//! What can be typed after `fsarena reproduce`.

use clap::{Args, ValueEnum};
use fsarena_model::plan;

use super::Setup;

/// `fsarena reproduce`.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// The article: axvisor, openeuler, vagrant, trading or phoronix-2009
    #[arg(value_name = "ARTICLE", add = super::candidates::articles())]
    pub article: String,
    /// Print what it published, and judge that; run nothing
    #[arg(long, conflicts_with_all = ["contenders", "scale", "harness", "rounds", "explain", "margin", "seed", "storage",
        "erase", "lane_size", "medium", "tools", "full", "output", "dry_run", "on", "guest", "guest_release",
        "guest_kernel", "guest_disk", "guest_memory", "clients", "client", "clients_scale", "server", "when_lost",
        "no_wait"])]
    pub published_only: bool,
    /// Contenders, separated by commas; options with a comma need a .toml file [default: the article's]
    #[arg(long, value_name = "CONTENDER,...", value_delimiter = ',')]
    pub contenders: Vec<String>,
    /// Amount of work
    #[arg(long, value_name = "SCALE")]
    pub scale: Option<ScaleName>,
    /// Which harness does it: one process, a shell that starts a program for each operation, or both
    #[arg(long, value_name = "WHICH", default_value = "both")]
    pub harness: HarnessName,
    /// How many rounds [default: the article's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Measure what the article's claims blame for differences: trace further slices, and add contenders that differ in
    /// one option
    #[arg(long)]
    pub explain: bool,
    /// How the plan is carried out.
    #[command(flatten)]
    pub setup: Setup,
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScaleName {
    /// Seconds for each workload, one round, no verdicts.
    Smoke,
    /// What fits on a lane in minutes; what is less than published is in its notes.
    Standard,
    /// As much as was published.
    Published,
}

impl From<ScaleName> for plan::Scale {
    fn from(scale: ScaleName) -> Self {
        match scale {
            ScaleName::Smoke => Self::Smoke,
            ScaleName::Standard => Self::Standard,
            ScaleName::Published => Self::Published,
        }
    }
}

/// Which harness does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarnessName {
    /// One process, and programs that measure themselves.
    Native,
    /// A shell that starts a program for each operation.
    Shell,
    /// Both.
    Both,
}

impl From<HarnessName> for plan::Harness {
    fn from(harness: HarnessName) -> Self {
        match harness {
            HarnessName::Native => Self::Native,
            HarnessName::Shell => Self::Shell,
            HarnessName::Both => Self::Both,
        }
    }
}
