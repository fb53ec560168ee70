//! What the commands that carry out a plan have in common.

use clap::Args;
use fsarena_model::{Bytes, DebianRelease, Medium, Share};

use super::{PlaceArguments, ShownAs, medium};

/// How a plan is carried out: on which storage, where, and what is shown of it.
#[derive(Debug, Args)]
pub struct Setup {
    #[command(flatten)]
    pub conditions: RunConditions,
    /// Seed of all random choices [default: random; the report shows it]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The size of each lane [default: that of the suite or article, else 2G or what the workloads need; all of a
    /// partition, or of a disk that contenders use in turn]
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// Make and check file systems with the programs of this release of Debian, which are fetched and not installed:
    /// trixie, bookworm, or one with backports [default: the machine's own]
    #[arg(long, value_name = "RELEASE")]
    pub tools: Option<DebianRelease>,
    #[command(flatten)]
    pub shown: ShownAs,
    /// Print the plan, its duration and the space it needs, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub place: PlaceArguments,
}

/// What all contenders of a run have in common.
#[derive(Debug, Clone, Args)]
pub struct RunConditions {
    /// Differences within this count as equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub margin: Share,
    /// Storage of the lanes: dir:PATH, memory, a disk /dev/A, or partitions /dev/A,/dev/B with one lane each [default:
    /// /var/tmp/fsarena; memory for a guest]
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// Overwrite the data on a disk that --storage names, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    /// The medium that the lanes imitate
    #[arg(long, value_name = "MEDIUM", default_value = "nvme", value_parser = medium)]
    pub medium: Medium,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
}
