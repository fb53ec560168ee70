//! `fsarena judge`: what results that others measured can show, and what they cannot.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use fsarena_judge::{CsvColumns, File, Judgement, Measured, judge, results, table, text};
use fsarena_lane::kind::named_in;
use fsarena_model::{Better, Label, Share, joined};
use fsarena_place::{Refusal, note};

use super::sides::show;
use crate::cli::{Global, PageArguments};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("table").multiple(true))]
pub struct JudgeArguments {
    /// [LABEL=]FILE: results of fio, IOzone, sysbench, dbench, Filebench, bonnie++, IOR, mdtest, IO500 (files with the
    /// same label are runs of one contender),
    /// hyperfine, the Phoronix Test Suite, kdevops' Milvus workflow, or CSV
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// CSV: the column that names the contender; without --value the column of each contender's figures, as `ext4,xfs`
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', group = "table")]
    pub contender: Vec<String>,
    /// CSV: the column of the figure
    #[arg(long, value_name = "COLUMN", group = "table")]
    pub value: Option<String>,
    /// CSV: lower figures are better, as those of times
    #[arg(long, requires = "table")]
    pub lower: bool,
    /// CSV: higher figures are better, as those of rates
    #[arg(long, conflicts_with = "lower", requires = "table")]
    pub higher: bool,
    /// CSV: the column that names the work, and further ones that define it
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', requires = "table")]
    pub workload: Vec<String>,
    /// CSV: columns that should be the same for all contenders, such as the disk or the kernel
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', requires = "table")]
    pub condition: Vec<String>,
    /// CSV: the column of the time at which it was measured: RFC 3339, or seconds since the same moment in all files
    #[arg(long, value_name = "COLUMN", requires = "table")]
    pub time: Option<String>,
    /// CSV: the column of the machine
    #[arg(long, value_name = "COLUMN", requires = "table")]
    pub host: Option<String>,
    /// CSV: the column of the file system that was recorded, not only claimed
    #[arg(long, value_name = "COLUMN", requires = "table")]
    pub recorded: Option<String>,
    /// Differences within this count as equivalent
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub margin: Share,
    #[command(flatten)]
    pub page: PageArguments,
}

pub fn run(global: &Global, options: &JudgeArguments) -> Result<()> {
    if options.margin.0 >= 1.0 {
        bail!(Refusal::wrong_use("a margin has to be below 100 %", "--margin 5%"));
    }
    let columns = columns(options)?;
    let mut rows: Vec<Measured> = Vec::new();
    let files: Vec<(Option<&str>, &str)> = options.files.iter().map(|argument| labelled(argument)).collect();
    for (index, &(label, path)) in files.iter().enumerate() {
        if let Some(label) = label.filter(|label| Label::checked(path, label).is_err()) {
            let text = format!("`{label}` is no label: a label has letters, digits, `.`, `_` and `-`");
            let hint = format!("name the contender before `=`, as in `fsarena judge ext4={path}`");
            bail!(Refusal::wrong_use(text, hint));
        }
        if let (Some(label), false) = (label, options.contender.is_empty()) {
            let text = format!("`{label}=` names the contender of `{path}`, and `--contender` its column");
            bail!(Refusal::wrong_use(text, "leave out one of them"));
        }
        if files[..index].iter().any(|(_, other)| *other == path) {
            bail!(Refusal::wrong_use(
                format!("`{path}` is named twice"),
                "a file is one run, or several; name it once"
            ));
        }
        rows.extend(of_file(label, path, columns.as_ref())?);
    }
    let judgement = judge(&rows, options.margin);
    let report = fsarena_judge::report(&judgement, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &judgement)?;
    if let Some(hint) = hint_at_labels(&files, &judgement) {
        note!("hint: {hint}");
    } else if judgement.contenders.len() == 1 && columns.is_none() {
        note!("hint: give each contender a file of its own, as `fsarena judge ext4=a.json xfs=b.json`");
    }
    Ok(())
}

/// How files get labels, if all are named without one and what they have in common shows no contenders: several files
/// may be runs of one contender, and files of the same name in different folders are not.
fn hint_at_labels(files: &[(Option<&str>, &str)], judgement: &Judgement) -> Option<String> {
    let stems: BTreeSet<String> = files.iter().map(|(_, path)| stem(path)).collect();
    let kinds: BTreeSet<&str> = stems.iter().filter_map(|stem| named_in(stem)).collect();
    let is_meant = files.iter().all(|(label, _)| label.is_none())
        && judgement.contenders.iter().all(|name| stems.contains(name))
        && (stems.len() < files.len() || (files.len() > 2 && kinds.len() < files.len()));
    let labelled = |(_, path): &(Option<&str>, &str)| {
        format!("{}={path}", named_in(&stem(path)).or_else(|| named_in(path)).unwrap_or("LABEL"))
    };
    let call = joined(files.iter().map(labelled), " ");
    is_meant.then(|| format!("files with the same label are runs of one contender: `fsarena judge {call}`"))
}

/// The parts of `[LABEL=]FILE`.
fn labelled(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((label, path)) if !label.contains('/') && !Path::new(argument).exists() => (Some(label), path),
        _ => (None, argument),
    }
}

/// The name of a file without its folder and its endings, as in `ext4.json.gz`.
fn stem(path: &str) -> String {
    let path = path.strip_suffix(".gz").unwrap_or(path);
    Path::new(path).file_stem().map_or(path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// How files are named, for what was meant by a path that does not exist.
fn way_to_name(label: &str, path: &str) -> String {
    match path {
        "-" => format!("of a pipe, name /dev/stdin, as in `… | fsarena judge {label}=/dev/stdin`"),
        _ if path.contains(['*', '?', '[']) => {
            format!("shells expand no pattern behind `=`: `fsarena judge $(printf '{label}=%s ' {path})`")
        }
        _ if path.contains(',') => {
            format!("name each file: `fsarena judge {label}={}`", path.replace(',', &format!(" {label}=")))
        }
        _ => "name files of results, as in `fsarena judge a.json b.json`".to_owned(),
    }
}

/// The figures of a file.
fn of_file(label: Option<&str>, path: &str, columns: Option<&CsvColumns>) -> Result<Vec<Measured>> {
    let own = stem(path);
    let bytes = std::fs::read(path).map_err(|error| {
        Refusal::wrong_use(format!("`{path}` cannot be read: {error}"), way_to_name(label.unwrap_or("LABEL"), path))
    })?;
    let rows = text(path, bytes).and_then(|text| {
        let file = File { label: label.unwrap_or(&own), is_labelled: label.is_some(), name: path, text: &text };
        columns.map_or_else(|| results(&file), |columns| table(&file, columns))
    });
    rows.map_err(|error| Refusal::wrong_use(error.to_string(), error.hint()).into())
}

/// The columns of a CSV; `None` if no figures are named.
fn columns(options: &JudgeArguments) -> Result<Option<CsvColumns>> {
    let (contender, figures) = match (&options.contender[..], &options.value) {
        ([], None) => return Ok(None),
        ([], Some(value)) => (None, vec![value.clone()]),
        ([contender], Some(value)) => (Some(contender.clone()), vec![value.clone()]),
        ([_], None) => {
            let hint = "name the column of the figures with `--value COLUMN`, or, if each contender has a column of \
                        figures, all of them, as `--contender ext4,xfs`";
            bail!(Refusal::wrong_use("`--contender` names one column, and none has figures", hint));
        }
        (several, None) => (None, several.to_vec()),
        (_, Some(_)) => {
            let hint = "leave out `--value` if each contender has a column of figures";
            bail!(Refusal::wrong_use("`--contender` names several columns, and `--value` another one", hint));
        }
    };
    if !options.lower && !options.higher {
        let hint = "add `--higher` for rates, or `--lower` for times";
        bail!(Refusal::wrong_use("a table does not say which figures are better", hint));
    }
    let better = if options.lower { Better::Lower } else { Better::Higher };
    let [time, host, recorded] = [&options.time, &options.host, &options.recorded].map(Clone::clone);
    let (work, conditions) = (options.workload.clone(), options.condition.clone());
    Ok(Some(CsvColumns { contender, figures, better, work, time, host, recorded, conditions }))
}
