//! `fsarena gate`: whether something became slower than is tolerated, for continuous integration.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fsarena_analyse::{NamedRun, gate, gate_within};
use fsarena_model::Gate;
use fsarena_place::Refusal;

use super::deliver;
use super::sides::{require, require_common, require_other, runs, show};
use crate::cli::{self, Global, PageArguments};
use crate::exit::Ended;

/// Checks a run. A regression that holds ends with exit code 1.
pub fn run(global: &Global, options: &cli::GateArguments) -> Result<Ended> {
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
    show(global, &PageArguments { format: Some(options.format), output: None }, report(), &gate)?;
    if let Some(path) = &options.junit {
        deliver(Some(path), fsarena_report::junit(&gate).as_bytes())?;
    }
    if let Some(path) = &options.summary {
        append(path, &fsarena_report::markdown(report())).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(if gate.failed { Ended::WithRegression } else { Ended::Well })
}

fn between(global: &Global, options: &cli::GateArguments, baseline: &str, after: &[NamedRun]) -> Result<Gate> {
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
