//! Runs that the user names, from the store or from files, and reports that are no comparisons.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fsarena_analyse::NamedRun;
use fsarena_model::{Label, Plan, RunRecord, joined};
use fsarena_place::Refusal;
use fsarena_report::report::Report;
use serde::Serialize;

use super::{deliver, import, report};
use crate::cli::{Global, PageArguments, PageFormat};
use crate::places;

/// The runs that `text` names: numbers and files, separated by commas.
pub fn runs(global: &Global, text: &str) -> Result<Vec<NamedRun>> {
    // A file may have a comma in its name.
    let names: Vec<&str> =
        if Path::new(text).is_file() { vec![text] } else { text.split(',').map(str::trim).collect() };
    let named = |name: &str| {
        let is_number = name == "last" || name.parse::<i64>().is_ok();
        let run = if is_number && !Path::new(name).is_file() {
            let store = places::store_to_read(global)?;
            let record = store.load(report::number(&store, name)?)?;
            NamedRun { name: format!("run {}", record.run), record }
        } else {
            let path = Path::new(name);
            let file = path.file_name().map_or(name.into(), |file| file.to_string_lossy());
            NamedRun { name: file.into_owned(), record: of_file(path)? }
        };
        refuse_smoke(&run.name, &run.record.plan)?;
        Ok(run)
    };
    let all = names.into_iter().map(named).collect::<Result<Vec<NamedRun>>>()?;
    for (place, run) in all.iter().enumerate() {
        if let Some(known) = all[..place].iter().find(|known| known.record.is_copy_of(&run.record)) {
            let text = format!("{} and {} are the same run, which counts once", known.name, run.name);
            bail!(Refusal::wrong_use(text, "name it once: `fsarena runs` lists the runs"));
        }
    }
    Ok(all)
}

fn of_file(path: &Path) -> Result<RunRecord> {
    if !path.exists() {
        let text = format!("`{}` is neither the number of a run nor a file", path.display());
        bail!(Refusal::wrong_use(text, "`fsarena runs` lists them; `fsarena export RUN -o FILE` writes one"));
    }
    RunRecord::of_events(0, import::events(path)?).with_context(|| format!("read {}", path.display()))
}

/// Refuses a run that has no verdicts, however many rounds it has.
pub fn refuse_smoke(name: &str, plan: &Plan) -> Result<()> {
    let hint = "run it without `--scale smoke`";
    match plan.is_smoke() {
        true => bail!(Refusal::wrong_use(format!("{name} only tried things out and is never judged"), hint)),
        false => Ok(()),
    }
}

/// Refuses a label that some run does not have.
pub fn require<'a>(runs: impl IntoIterator<Item = &'a NamedRun>, label: &Label) -> Result<()> {
    for run in runs {
        let labels: Vec<&Label> = run.record.plan.contenders.iter().map(|contender| &contender.label).collect();
        if !labels.contains(&label) {
            let text = format!("{} has no contender `{label}`", run.name);
            bail!(Refusal::wrong_use(text, format!("it has {}", joined(labels, ", "))));
        }
    }
    Ok(())
}

/// Refuses a run that is on both sides.
pub fn require_other(before: &[NamedRun], after: &[NamedRun]) -> Result<()> {
    for run in after {
        if let Some(known) = before.iter().find(|known| known.record.is_copy_of(&run.record)) {
            let copy = if known.name == run.name { "" } else { &format!(": it is a copy of {}", known.name) };
            let text = format!("{} is on both sides{copy}", run.name);
            bail!(Refusal::wrong_use(text, "`fsarena runs` lists the runs"));
        }
    }
    Ok(())
}

/// Refuses two sides that have nothing in common.
pub fn require_common(left_out: &[String], is_empty: bool) -> Result<()> {
    if !is_empty {
        return Ok(());
    }
    let text = format!("the runs have nothing in common that could be compared ({})", left_out.join("; "));
    let hint = "give contenders the same labels (LABEL=KIND), and use the same suite or workloads";
    bail!(Refusal::wrong_use(text, hint))
}

/// Prints a report, or writes it to the file; `value` is what JSON has.
pub fn show(global: &Global, page: &PageArguments, report: Report, value: &impl Serialize) -> Result<()> {
    let style = match &page.output {
        Some(_) => fsarena_report::PLAIN,
        None => places::style(global),
    };
    let (name, extension, text) = match page.chosen() {
        PageFormat::Text => ("text", "txt", fsarena_report::report_text(report, style)),
        PageFormat::Markdown => ("markdown", "md", fsarena_report::markdown(report)),
        PageFormat::Html => ("html", "html", fsarena_report::html(report)),
        PageFormat::Json => ("json", "json", fsarena_report::json(value)),
    };
    deliver(page.output.as_deref(), text.as_bytes())?;
    if let Some(path) = &page.output {
        super::note_format(path, name, extension);
    }
    Ok(())
}
