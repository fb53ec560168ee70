//! `fsarena judge`: what results that others measured can show, and what they cannot.

use std::path::Path;

use anyhow::Result;
use fsarena_judge::{CsvColumns, File, Measured, ReadError, csv, has_columns, judge, results, text};
use fsarena_model::Better;

use super::sides::show;
use crate::cli::{Global, Judge};
use crate::exit::{Ended, Refusal};

/// Judges all files together.
pub fn run(global: &Global, options: &Judge) -> Result<Ended> {
    let mut rows: Vec<Measured> = Vec::new();
    for file in &options.files {
        rows.extend(of_file(file, options)?);
    }
    let judgement = judge(&rows, options.margin);
    let report = fsarena_judge::report(&judgement, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &judgement)?;
    Ok(Ended::Well)
}

/// The rows of `[LABEL=]FILE`.
fn of_file(argument: &str, options: &Judge) -> Result<Vec<Measured>> {
    let (label, path) = match argument.split_once('=') {
        Some((label, path)) if !label.contains('/') && !Path::new(argument).exists() => (Some(label), path),
        _ => (None, argument),
    };
    let stem = || Path::new(path).file_stem().map_or(path.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let label = label.map_or_else(stem, str::to_owned);
    let hint = "name files of results, as in `fsarena judge a.json b.json`";
    let bytes =
        std::fs::read(path).map_err(|error| Refusal::wrong_use(format!("`{path}` cannot be read: {error}"), hint))?;
    let rows = text(path, bytes).and_then(|text| match columns(options) {
        Some(columns) if has_columns(&text, &columns) => csv(path, &text, &columns),
        columns => {
            let rows = results(&File { label: &label, name: path, text: &text });
            match (rows, columns) {
                // The error says which columns it has.
                (Err(ReadError::UnknownTool { .. }), Some(columns)) => csv(path, &text, &columns),
                (rows, _) => rows,
            }
        }
    });
    rows.map_err(|error| Refusal::wrong_use(error.to_string(), error.hint()).into())
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
