//! `fsarena gate`: whether something became slower than is tolerated, for continuous integration.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use fsarena_analyse::{NamedRun, gate, gate_within};
use fsarena_model::{Gate, Label, Share};
use fsarena_place::Refusal;

use super::deliver;
use super::sides::{require, require_common, require_other, runs, show};
use crate::cli::{Global, PageArguments, candidates};
use crate::exit::Ended;

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
    #[command(flatten)]
    pub page: PageArguments,
}

/// Checks a run. A regression that holds ends with exit code 1.
pub fn run(global: &Global, options: &GateArguments) -> Result<Ended> {
    if options.require_finds.is_some_and(|finds| finds.0 <= options.threshold.0) {
        let text = format!("a slowdown of up to --threshold {} is tolerated, so no check finds it", options.threshold);
        bail!(Refusal::wrong_use(text, "--require-finds has to be above --threshold"));
    }
    let after = runs(global, &options.run)?;
    let gate = match (&options.baseline, &options.baseline_contender) {
        (Some(baseline), _) => between(global, options, baseline, &after)?,
        (None, Some(base)) => {
            require(&after, base)?;
            let [run] = &after[..] else {
                let text = "`--baseline-contender` checks one run";
                bail!(Refusal::wrong_use(text, "name a single run"));
            };
            gate_within(run, base, options.threshold)
        }
        (None, None) => {
            let hint = "--baseline RUN, or within one run --baseline-contender LABEL";
            bail!(Refusal::wrong_use("a gate checks a run against a baseline", hint));
        }
    };
    let gate = gate.requiring(options.require_finds);
    let version = env!("CARGO_PKG_VERSION");
    let report = || fsarena_report::gate(&gate, version);
    show(global, &options.page, report(), &gate)?;
    if let Some(path) = &options.junit {
        deliver(Some(path), fsarena_report::junit(&gate).as_bytes())?;
    }
    if let Some(path) = &options.summary {
        append(path, &fsarena_report::markdown(report())).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(if gate.failed { Ended::WithRegression } else { Ended::Well })
}

fn between(global: &Global, options: &GateArguments, baseline: &str, after: &[NamedRun]) -> Result<Gate> {
    let before = runs(global, baseline)?;
    require_other(&before, after)?;
    let control = options.control.as_ref();
    control.into_iter().try_for_each(|control| require(before.iter().chain(after), control))?;
    let gate = gate(&before, after, control, options.threshold);
    require_common(&gate.left_out, gate.checks.is_empty())?;
    Ok(gate)
}

/// Several steps of a job share one summary, so the text is added at the end.
fn append(path: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())
}
