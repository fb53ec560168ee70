//! Options of `fsarena validate`.

use std::path::PathBuf;

use clap::Args;
use fsarena_model::{Bytes, Nanos};

use super::{PageArguments, PageFormat, candidates};

/// Contenders of a validation that names none: the usual file systems, and a variant of each that programs notice.
const CONTENDERS: [&str; 7] = [
    "ext4",
    "xfs",
    "btrfs",
    "zstd=btrfs:compress=zstd",
    "nojournal=ext4 -O ^has_journal",
    "noatime=xfs:noatime",
    "nodatacow=btrfs:nodatacow",
];

/// `fsarena validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// The profiles to validate [default: all]
    #[arg(value_name = "PROFILE", add = candidates::profiles())]
    pub profiles: Vec<String>,
    /// Contenders, separated by commas; options with a comma need a .toml file
    #[arg(long, value_name = "CONTENDER,...", value_delimiter = ',', default_values_t = CONTENDERS.map(str::to_owned))]
    pub contenders: Vec<String>,
    /// Time limit of all runs together
    #[arg(long, value_name = "TIME", default_value = "1h", conflicts_with = "rounds")]
    pub budget: Nanos,
    /// Number of rounds of each run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub rounds: Option<u32>,
    /// Take the profiles from .toml files in this folder instead of the catalogue
    #[arg(long, value_name = "DIR")]
    pub profiles_from: Option<PathBuf>,
    /// Take the programs from .toml files in this folder instead of the catalogue; `group` of each names its profile
    #[arg(long, value_name = "DIR")]
    pub programs_from: Option<PathBuf>,
    /// Measure nothing, and judge these runs: numbers, or files of `fsarena export`
    #[arg(long, value_name = "RUN,...", conflicts_with_all = ["contenders", "rounds", "programs_from", "dry_run"])]
    pub runs: Option<String>,
    /// Storage of the lanes, as for `fsarena compare`
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// The size of each lane, as for `fsarena compare`
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// List the programs and rounds of each profile and the packages that are missing, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to write it down [default: by the name of --output, else text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<PageFormat>,
    /// Into this file instead of stdout; of Markdown the drawing is next to it, with the extension svg
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
}

impl Validate {
    /// Where the report goes, and in which format.
    pub fn page(&self) -> PageArguments {
        PageArguments { format: self.format, output: self.output.clone() }
    }
}
