//! Results besides an article's tests: the work left for later, the time of a mere process start, and whether the files
//! were as they should be.

use std::collections::BTreeSet;

use crate::reproduction::Reproduction;
use fsarena_model::comparison::Cell;
use fsarena_model::{Comparison, StepRow};

use fsarena_report::number::{self, DASH};
use fsarena_report::report::{Paragraph, Section, Table};

/// Maximum number of further steps. A workload with more of them has them for another purpose.
const MOST: usize = 8;

/// Steps that belong to no test of the article, by contender.
pub fn sheet(comparison: &Comparison, reproduction: &Reproduction) -> Section {
    let mut head: Vec<String> = ["workload", "step"].map(str::to_owned).to_vec();
    head.extend(comparison.contenders.iter().map(|row| row.label.to_string()));
    let rows = comparison.workloads.iter().flat_map(|workload| {
        let names = further(comparison, reproduction, &workload.name);
        names.into_iter().map(|name| row(comparison, &workload.name, name))
    });
    let table = Table::from_rows(head, rows, 2);
    let meaning = "Seconds, with those of the sync after it; in brackets what the step wrote to the device, which for \
        an unmount is what had not been written before. Steps named true only start /bin/true that many times: they \
        do not use a file system.";
    Section::titled("Steps outside of the tests").with(table).with(Paragraph::legend(meaning))
}

fn row(comparison: &Comparison, workload: &str, name: &str) -> Vec<String> {
    let step = |cell: &Cell| cell.steps.iter().find(|step| step.name == name).map(printed);
    let figures = comparison
        .contenders
        .iter()
        .map(|row| comparison.cell(workload, &row.label).and_then(step).unwrap_or_else(|| DASH.to_owned()));
    [workload.to_owned(), name.to_owned()].into_iter().chain(figures).collect()
}

fn printed(step: &StepRow) -> String {
    let synced = step.synced.map(|seconds| format!(" + {}", number::seconds(seconds))).unwrap_or_default();
    let written = step.written.map(|bytes| format!(" [{}]", number::bytes(bytes as f64))).unwrap_or_default();
    format!("{}{synced}{written}", number::seconds(step.seconds))
}

fn further<'a>(comparison: &'a Comparison, reproduction: &Reproduction, workload: &str) -> Vec<&'a str> {
    let tests = &reproduction.article.tests;
    let sources = tests.iter().flat_map(|test| test.as_published.iter().chain(&test.properly));
    let metrics = tests.iter().flat_map(|test| &test.metrics);
    let steps = sources.flat_map(|source| &source.steps).chain(metrics.flat_map(|metric| &metric.steps));
    let known: BTreeSet<&str> = steps.map(String::as_str).collect();
    let mut names: Vec<&str> = Vec::new();
    for step in comparison.cells.iter().filter(|cell| cell.workload == workload).flat_map(|cell| &cell.steps) {
        if !known.contains(step.name.as_str()) && !names.contains(&step.name.as_str()) {
            names.push(&step.name);
        }
    }
    if names.len() > MOST { Vec::new() } else { names }
}

/// The results of the comparison of every file and of the checkers; empty if neither was done.
pub fn verified(comparison: &Comparison) -> Vec<String> {
    let all = &comparison.checks.verifications;
    let files: u64 = all.iter().map(|row| row.found.files).sum();
    let damaged = all.iter().filter(|row| !row.found.differences.is_empty());
    let mut sentences: Vec<String> = damaged
        .map(|row| {
            let found = &row.found.differences;
            let (count, first) = (found.len(), found.first().map_or("", String::as_str));
            format!(
                "{} after {} in round {}: {count} of {} files are not as they should be ({first}).",
                row.contender, row.workload, row.round, row.found.files
            )
        })
        .collect();
    if !all.is_empty() && sentences.is_empty() && files == 0 {
        sentences.push(format!("After the work nothing was left that should not be, in {} runs.", all.len()));
    } else if !all.is_empty() && sentences.is_empty() {
        sentences.push(format!(
            "After the work from one process every file, directory and table of a database was compared with what it \
                should be, on a file system mounted afresh by the kernel: {files} of them in {} runs, no difference.",
            all.len()
        ));
    }
    let (clean, damaged) = (comparison.checks.clean, comparison.checks.damage.len() as u32);
    let times = |count: u32| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let found = if damaged == 0 { "nothing wrong".to_owned() } else { format!("damage {}", times(damaged)) };
    sentences.extend((clean + damaged > 0).then(|| {
        let all = times(clean + damaged);
        format!("The file systems' own checkers (fsck), {all} after the rounds, found {found}.")
    }));
    sentences
}
