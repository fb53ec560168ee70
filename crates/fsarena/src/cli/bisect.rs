//! Options of `fsarena bisect`.

use clap::Args;
use fsarena_model::Bytes;
use fsarena_model::plan::Slowdown;

use super::{How, candidates, guest_memory, hows};

/// `fsarena bisect`.
#[derive(Debug, Args)]
pub struct Bisect {
    /// 'KIND[:MOUNT-OPTIONS][ MKFS-ARGUMENTS]'
    #[arg(value_name = "CONTENDER", add = candidates::kinds())]
    pub contender: String,
    /// A kernel that is fast: a Debian package, or linux-6.1 for the newest of a version
    #[arg(long, value_name = "PACKAGE")]
    pub good: String,
    /// A newer kernel that is slower
    #[arg(long, value_name = "PACKAGE")]
    pub bad: String,
    /// What it is slower at: a workload, or a .toml file with one
    #[arg(long, value_name = "NAME", add = candidates::workloads())]
    pub workload: String,
    /// The kernels from old to new, packages or files of packages [default: those on Debian's mirrors]
    #[arg(long, value_name = "PACKAGE,...", value_delimiter = ',')]
    pub kernels: Vec<String>,
    /// Rounds of each comparison; one that does not tell is repeated with twice and four times as many
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(3..=250))]
    pub rounds: u32,
    /// Make each operation take this much longer from a kernel on, to test whether that kernel is found
    #[arg(long, value_name = "PACKAGE=PERCENT")]
    pub slowdown: Option<Slowdown>,
    /// How instructions are executed; `deterministic` counts them, which shows the smallest differences
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = hows())]
    pub guest: How,
    /// Memory of each guest
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = guest_memory)]
    pub guest_memory: Bytes,
    /// Print the kernels, check the comparison, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}
