//! What can be typed after `fsarena reproduce`.

use clap::Args;
use clap::builder::TypedValueParser;
use fsarena_model::Scale;
use fsarena_model::plan::Harness;

use super::{Setup, one_of, scales};

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
    #[arg(long, value_name = "SCALE", value_parser = scales())]
    pub scale: Option<Scale>,
    /// Which harness does it: one process, a shell that starts a program for each operation, or both
    #[arg(long, value_name = "WHICH", default_value = "both", value_parser = harnesses())]
    pub harness: Harness,
    /// How many rounds [default: the article's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Measure what the article's claims blame for differences: trace further slices, and add contenders that differ in
    /// one option
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub setup: Setup,
}

fn harnesses() -> impl TypedValueParser<Value = Harness> {
    one_of([
        ("native", "One process, and programs that measure themselves", Harness::Native),
        ("shell", "A shell that starts a program for each operation", Harness::Shell),
        ("both", "Both", Harness::Both),
    ])
}
