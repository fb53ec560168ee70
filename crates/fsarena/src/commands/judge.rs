//! `fsarena judge`: what results that others measured can show, and what they cannot.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use fsarena_judge::{
    CsvColumns, File, JudgedReason, Judgement, Measured, ReadError, csv, has_columns, judge, name_alike, results, text,
    under_label,
};
use fsarena_lane::kind::named_in;
use fsarena_model::{Better, Label, Share, joined};
use fsarena_place::{Refusal, note};

use super::sides::show;
use crate::cli::{Global, PageArguments};

#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// [LABEL=]FILE: results of fio, IOzone, sysbench, dbench, Filebench, bonnie++, IOR, mdtest, IO500 (files with the
    /// same label are runs of one contender),
    /// hyperfine, the Phoronix Test Suite, kdevops' Milvus workflow, or CSV
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// CSV: the column that names the contender; without --value the column of each contender's figures, as `ext4,xfs`
    #[arg(long, value_name = "COLUMN")]
    pub contender: Option<String>,
    /// CSV: the column that names the work
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub workload: Option<String>,
    /// CSV: the column of the figure
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub value: Option<String>,
    /// CSV: the column of the time at which it was measured, in seconds or RFC 3339
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub time: Option<String>,
    /// CSV: the column of the machine
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub host: Option<String>,
    /// CSV: the column of the file system that was recorded, not only claimed
    #[arg(long, value_name = "COLUMN", requires = "contender")]
    pub recorded: Option<String>,
    /// CSV: lower figures are better
    #[arg(long, requires = "contender")]
    pub lower: bool,
    /// CSV: higher figures are better, also of a column whose name is not that of a rate
    #[arg(long, conflicts_with = "lower", requires = "contender")]
    pub higher: bool,
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
    let (mut rows, mut named): (Vec<Measured>, Vec<Measured>) = (Vec::new(), Vec::new());
    let mut has_table = false;
    let files: Vec<(Option<&str>, &str)> = options.files.iter().map(|argument| labelled(argument)).collect();
    for (index, &(label, path)) in files.iter().enumerate() {
        if let Some(label) = label.filter(|label| Label::checked(path, label).is_err()) {
            let text = format!("`{label}` is no label: a label has letters, digits, `.`, `_` and `-`");
            let hint = format!("name the contender before `=`, as in `fsarena judge ext4={path}`");
            bail!(Refusal::wrong_use(text, hint));
        }
        let before = files[..index].iter().filter(|(_, other)| *other == path).count();
        let name = if before == 0 { path.to_owned() } else { format!("{path}, given again ({before})") };
        let is_named = label.is_some() || options.contender.is_some();
        let (own, is_table) = of_file(label, path, &name, options)?;
        if is_named { &mut named } else { &mut rows }.extend(own);
        has_table |= is_table;
    }
    if options.contender.is_some() && !has_table {
        let hint = "leave out `--contender` and other columns, or give a CSV that has them";
        bail!(Refusal::wrong_use("columns are named, and no file is a CSV with them", hint));
    }
    // Names that people gave, and no commands, in which case counts.
    name_alike(&mut named);
    rows.extend(named);
    let judgement = judge(&rows, options.margin);
    let report = fsarena_judge::report(&judgement, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &judgement)?;
    if let Some(hint) = hint_at_labels(&files, &judgement).or_else(|| hint_at_input(&judgement, has_table)) {
        note!("hint: {hint}");
    }
    Ok(())
}

/// What to change in the input so that results can be compared.
fn hint_at_input(judgement: &Judgement, has_table: bool) -> Option<String> {
    let is_apart = |reason| matches!(reason, JudgedReason::OtherWork | JudgedReason::Confounded);
    if judgement.contenders.len() == 1 {
        return Some("give each contender a file of its own, as `fsarena judge ext4=a.json xfs=b.json`".to_owned());
    }
    (has_table && judgement.pairs.iter().any(|pair| is_apart(pair.reason))).then(|| {
        "leave columns out of the table that are no work, such as comments, or that belong to the contender, such as \
         its mkfs options"
            .to_owned()
    })
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

/// The rows of a file, under that name, and whether it is a CSV with the columns of the options.
fn of_file(label: Option<&str>, path: &str, name: &str, options: &JudgeArguments) -> Result<(Vec<Measured>, bool)> {
    let own = stem(path);
    let bytes = std::fs::read(path).map_err(|error| {
        Refusal::wrong_use(format!("`{path}` cannot be read: {error}"), way_to_name(label.unwrap_or("LABEL"), path))
    })?;
    let columns = columns(options)?;
    let rows = text(path, bytes).and_then(|text| match columns {
        Some(columns) if has_columns(&text, &columns) => {
            let rows = csv(name, &text, &columns)?;
            Ok((if let Some(label) = label { under_label(label, rows) } else { rows }, true))
        }
        columns => {
            let file = File { label: label.unwrap_or(&own), is_labelled: label.is_some(), name, text: &text };
            let rows = results(&file);
            match (rows, columns) {
                // The error says which columns it has.
                (Err(ReadError::UnknownTool { .. }), Some(columns)) => {
                    csv(name, &text, &columns).map(|rows| (rows, true))
                }
                (rows, _) => rows.map(|rows| (rows, false)),
            }
        }
    });
    rows.map_err(|error| Refusal::wrong_use(error.to_string(), error.hint()).into())
}

fn columns(options: &JudgeArguments) -> Result<Option<CsvColumns>> {
    let Some(contender) = options.contender.clone() else { return Ok(None) };
    let columns = match &options.value {
        Some(value) => CsvColumns::of(contender, value),
        None => CsvColumns::of_each(contender.split(',').map(|title| title.trim().to_owned()).collect()),
    };
    if columns.contenders.len() == 1 {
        let hint = "name the column of the figures with `--value COLUMN`, or, if each contender has a column of \
                    figures, all of them, as `--contender ext4,xfs`";
        bail!(Refusal::wrong_use("`--contender` names one column, and none has figures", hint));
    }
    let better = match (options.lower, options.higher) {
        (true, _) => Some(Better::Lower),
        (false, true) => Some(Better::Higher),
        (false, false) => None,
    };
    let [workload, time, host, recorded] =
        [&options.workload, &options.time, &options.host, &options.recorded].map(Clone::clone);
    Ok(Some(CsvColumns { workload, time, host, recorded, better, ..columns }))
}
