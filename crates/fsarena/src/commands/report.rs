//! `fsarena report`: the report of a stored run, in any format.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use fsarena_analyse::assess;
use fsarena_articles::additions;
use fsarena_model::visible::shell;
use fsarena_model::{Comparison, Mix, Plan, Status};
use fsarena_place::Refusal;
use fsarena_report::{Additions, Document, Format, report_text, summary};
use fsarena_store::Store;

use super::{deliver, write};
use crate::cli::{self, Global, candidates};
use crate::{formats, places, plan};

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// How to write it down [default: by the name of --output, else text]
    #[arg(long, value_name = "FORMAT", value_parser = cli::formats())]
    pub format: Option<String>,
    /// By another mix of the suite's groups, or workloads, than that of the run
    #[arg(long, value_name = "NAME=WEIGHT,...")]
    pub weights: Option<Mix>,
    /// For a use, such as mail or database, or a .toml file with one; says what of it the run lacks
    #[arg(long, value_name = "NAME", conflicts_with = "weights")]
    pub profile: Option<String>,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
    /// Nothing more: a report is always in full
    #[arg(long, hide = true)]
    pub full: bool,
}

pub fn run(global: &Global, options: &ReportArguments) -> Result<()> {
    let store = places::store_to_read(global)?;
    let mut record = store.load(number(&store, &options.run)?)?;
    if store.is_running(record.run) {
        record.status = Status::Running;
    }
    if let Some(mix) = &options.weights {
        judge_by(&mut record.plan, mix.clone(), None)?;
    }
    if let Some(name) = &options.profile {
        judge_by(&mut record.plan, fsarena_catalog::profile(name)?.mix, Some(name.clone()))?;
    }
    let comparison = assess(&record);
    let additions = additions(&record, &comparison)?;
    let format = formats::chosen(options.format.as_deref(), options.output.as_deref(), "text")?;
    match &options.output {
        Some(path) => write_into(path, format, &comparison, additions),
        None => print(global, format, &comparison, additions),
    }
}

/// Replaces the plan's mix by another, which may be from a profile.
fn judge_by(plan: &mut Plan, mix: Mix, profile: Option<String>) -> Result<()> {
    plan.weighting.mix = Some(mix);
    plan.weighting.profile = profile;
    plan::require_mix(plan)
}

/// Prints a comparison in a format; text and summary in the style that stdout has.
pub fn print(global: &Global, format: &Format, comparison: &Comparison, additions: Additions) -> Result<()> {
    let styled = |report| write(report_text(report, places::style(global)).as_bytes());
    match format.name {
        "text" => return styled(fsarena_report::comparison(comparison, additions)),
        "summary" => return styled(summary(comparison)),
        _ => {}
    }
    let document = rendered(format, comparison, additions)?;
    if matches!(document, Document::Binary(_)) && std::io::stdout().is_terminal() {
        let (run, Format { name, extension, .. }) = (comparison.run.number, format);
        let hint = format!("fsarena report {run} --format {name} -o run.{extension}");
        bail!(Refusal::wrong_use(format!("`{name}` is nothing to read on a terminal"), hint));
    }
    write(document.bytes())
}

fn rendered(format: &Format, comparison: &Comparison, additions: Additions) -> Result<Document> {
    Ok((format.render)(comparison, additions).map_err(|nothing| Refusal::wrong_use(nothing.why, nothing.hint))?)
}

/// Writes a comparison to a file in the given format.
pub fn write_into(path: &Path, format: &Format, comparison: &Comparison, additions: Additions) -> Result<()> {
    deliver(Some(path), rendered(format, comparison, additions)?.bytes())?;
    super::note_format(path, format.name, format.extension);
    Ok(())
}

/// The number of a run; `last` is the latest run.
pub fn number(store: &Store, run: &str) -> Result<i64> {
    if run == "last" {
        let hint = "fsarena compare ext4 xfs btrfs";
        return store.last()?.ok_or_else(|| Refusal::wrong_use("there is no run in the store yet", hint).into());
    }
    run.parse().map_err(|_| {
        let hint = match Path::new(run).is_file() {
            true => {
                format!("it is a file: if `fsarena export` wrote it, `fsarena import {}` stores the run", shell(run))
            }
            false => "`fsarena runs` lists them; `last` is the last".to_owned(),
        };
        Refusal::wrong_use(format!("`{run}` is not a run's number"), hint).into()
    })
}
