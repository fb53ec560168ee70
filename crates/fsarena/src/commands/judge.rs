//! `fsarena judge`: what results that others measured can show, and what they cannot.

use std::path::Path;

use anyhow::Result;
use fsarena_judge::{CsvColumns, File, Measured, ReadError, TOOLS, csv, judge, results};
use fsarena_model::Better;

use super::sides::show;
use crate::cli::{Global, Judge};
use crate::exit::{Ended, Refusal};

/// Judges all files together.
pub fn run(global: &Global, options: &Judge) -> Result<Ended> {
    let mut rows: Vec<Measured> = Vec::new();
    for (index, file) in options.files.iter().enumerate() {
        let (label, path) = labelled(file);
        let before = options.files[..index].iter().filter(|other| labelled(other).1 == path).count();
        let name = if before == 0 { path.to_owned() } else { format!("{path}, given again ({before})") };
        rows.extend(of_file(label, path, &name, options)?);
    }
    let judgement = judge(&rows, options.margin);
    let report = fsarena_judge::report(&judgement, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &judgement)?;
    Ok(Ended::Well)
}

/// The parts of `[LABEL=]FILE`.
fn labelled(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((label, path)) if !label.contains('/') && !Path::new(argument).exists() => (Some(label), path),
        _ => (None, argument),
    }
}

/// The rows of a file, under that name.
fn of_file(label: Option<&str>, path: &str, name: &str, options: &Judge) -> Result<Vec<Measured>> {
    let stem = || Path::new(path).file_stem().map_or(path.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let label = label.map_or_else(stem, str::to_owned);
    let hint = "name files of results, as in `fsarena judge a.json b.json`";
    let bytes =
        std::fs::read(path).map_err(|error| Refusal::wrong_use(format!("`{path}` cannot be read: {error}"), hint))?;
    // Benchmarks print names of machines and paths in any encoding.
    let text = String::from_utf8_lossy(&bytes);
    let file = File { label: &label, name, text: &text };
    let rows = match (results(&file), columns(options)) {
        (Err(ReadError::UnknownTool { .. }), Some(columns)) => csv(name, &text, &columns),
        (Err(ReadError::UnknownTool { .. }), None) => {
            let hint = "name the columns of a CSV: `--contender COL --value COL [--workload COL] [--time COL] …`";
            return Err(Refusal::wrong_use(format!("`{path}` is of no tool that judge knows: {TOOLS}"), hint).into());
        }
        (rows, _) => rows,
    };
    rows.map_err(|error| Refusal::wrong_use(error.to_string(), format!("judge reads {TOOLS}, and CSV")).into())
}

fn columns(options: &Judge) -> Option<CsvColumns> {
    Some(CsvColumns {
        contender: options.contender.clone()?,
        value: options.value.clone()?,
        workload: options.workload.clone(),
        time: options.time.clone(),
        host: options.host.clone(),
        recorded: options.recorded.clone(),
        better: if options.lower { Better::Lower } else { Better::Higher },
    })
}
