//! What can be typed after `fsarena reproduce`.

use clap::{Args, ValueEnum};
use fsarena_model::reproduction;
use fsarena_model::{Bytes, Medium, Share};

use super::{Place, Shown, medium};

/// `fsarena reproduce`.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// The article: axvisor, openeuler, vagrant, trading or phoronix-2009
    #[arg(value_name = "ARTICLE", add = super::candidates::articles())]
    pub article: String,
    /// Print what it published, and judge that; run nothing
    #[arg(long)]
    pub published_only: bool,
    /// Contenders, separated by commas; options with a comma need a .toml file [default: the article's]
    #[arg(long, value_name = "CONTENDER,...", value_delimiter = ',')]
    pub contenders: Vec<String>,
    /// Amount of work
    #[arg(long, value_name = "SCALE")]
    pub scale: Option<Scale>,
    /// Which harness does it: one process, a shell that starts a program for each operation, or both
    #[arg(long, value_name = "WHICH", default_value = "both")]
    pub harness: Harness,
    /// How many rounds [default: the article's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Differences within this count as equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub margin: Share,
    /// From which every random choice follows [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where the lanes lie: dir:PATH, memory, or a path; one under /dev is a disk, /dev/A,/dev/B are one lane each
    /// [default: /var/tmp/fsarena; memory for a guest]
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// Overwrite the data on a disk that --storage names, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    /// The size of each lane [default: what the article's tests need]
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// The medium that the lanes imitate
    #[arg(long, value_name = "MEDIUM", default_value = "nvme", value_parser = medium)]
    pub medium: Medium,
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
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Seconds for each workload, one round, no verdicts.
    Smoke,
    /// What fits on a lane in minutes; what is less than published is in its notes.
    Standard,
    /// As much as was published.
    Published,
}

impl From<Scale> for reproduction::Scale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Smoke => Self::Smoke,
            Scale::Standard => Self::Standard,
            Scale::Published => Self::Published,
        }
    }
}

/// Which harness does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Harness {
    /// One process, and programs that measure themselves.
    Native,
    /// A shell that starts a program for each operation.
    Shell,
    /// Both.
    Both,
}

impl From<Harness> for reproduction::Harness {
    fn from(harness: Harness) -> Self {
        match harness {
            Harness::Native => Self::Native,
            Harness::Shell => Self::Shell,
            Harness::Both => Self::Both,
        }
    }
}
