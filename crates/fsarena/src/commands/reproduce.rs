//! `fsarena reproduce`: runs an article's tests and compares the results with the published ones.

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use fsarena_model::Scale;
use fsarena_model::plan::Harness;

use super::{compare, data_format, write};
use crate::cli::{DataFormat, Global, Setup, candidates, one_of, scales};
use crate::exit::Ended;
use crate::{places, plan};

#[derive(Debug, Args)]
pub struct Reproduce {
    /// The article: axvisor, openeuler, vagrant, trading or phoronix-2009
    #[arg(value_name = "ARTICLE", add = candidates::articles())]
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

/// Runs the article's tests and prints the reproduction; or prints the article, and the contradictions in its own
/// figures.
pub fn run(global: &Global, options: &Reproduce) -> Result<Ended> {
    if !options.published_only {
        return compare::carry_out(global, plan::of_article(options)?, &options.setup);
    }
    let format = data_format(options.setup.shown.format.as_deref(), "an article")?;
    let article = fsarena_articles::article(&options.article)?;
    let findings = fsarena_articles::judge(&article);
    let text = match format {
        DataFormat::Json => fsarena_articles::article_as_json(&article, &findings),
        DataFormat::Text => fsarena_articles::article_as_text(&article, &findings, places::style(global)),
    };
    write(text.as_bytes())?;
    Ok(Ended::Well)
}
