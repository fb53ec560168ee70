//! Markdown (GitHub's tables) for issues, pull requests and articles.

use fsarena_model::Comparison;

use crate::table::{self, BASELINE, Line, Table, WHAT};
use crate::view::{Figure, GroupView, PairLine, Row, SuiteLine, View};
use crate::words::capitalised;
use crate::{answer, group, latency, machine, recommendation, remark, reproduction, visible, words};

/// The report as Markdown.
pub fn render(comparison: &Comparison) -> String {
    let view = View::new(comparison);
    let labels = group::labels(&comparison.contenders.iter().collect::<Vec<_>>());
    let mut blocks = vec![
        format!("# {} compared", escaped(&words::listed(labels))),
        escaped(&answer::answer(comparison).join(" ")),
        escaped(&format!("{}.", remark::head(comparison))),
    ];
    blocks.extend(reproduction::view(comparison).iter().flat_map(reproduced));
    blocks.extend(recommendation::view(comparison).iter().flat_map(reproduced));
    for group in &view.groups {
        blocks.extend(group.apart.as_deref().map(escaped));
        blocks.push(figures(group));
        blocks.extend((!group.pairs.is_empty()).then(|| pairs(&group.pairs)));
        blocks.extend((!group.suite.is_empty()).then(|| suite(&group.suite)));
    }
    blocks.extend(table::of_all(comparison).iter().map(explained));
    blocks.extend(latencies(comparison));
    blocks.extend(list("Read with care", &footnotes(&view)));
    blocks.extend(list("What happened", &incidents(comparison)));
    blocks.extend(list("Guarantees", &guarantees(comparison)));
    blocks.extend(list("What the intervals do not cover", &biases(comparison)));
    blocks.extend(list("Where", &place(comparison)));
    blocks.join("\n\n") + "\n"
}

/// A reproduction: its sentences, then all of its tables.
fn reproduced(view: &reproduction::View) -> Vec<String> {
    let head = format!("## {}\n\n{}", escaped(&view.title), escaped(&view.sentences.join(" ")));
    let sheet = |sheet: &reproduction::Sheet| {
        let table = table(&sheet.head, sheet.rows.iter().cloned());
        format!("### {}\n\n{table}\n\n{}", escaped(&sheet.title), escaped(&sheet.meaning))
    };
    [head].into_iter().chain(view.sheets.iter().chain(&view.further).map(sheet)).collect()
}

fn figures(group: &GroupView) -> String {
    let titles: &[&str] = match group.contenders.len() {
        0 | 1 => &[],
        2 => &["verdict", "interval", "finds from"],
        _ => &["ranking", "best group"],
    };
    let mut head = vec!["workload".to_owned(), "unit".to_owned()];
    head.extend(group.contenders.iter().cloned());
    head.extend(titles.iter().map(|title| (*title).to_owned()));
    table(&head, group.rows.iter().map(figure_row))
}

fn figure_row(row: &Row) -> Vec<String> {
    let figures = row.cells.iter().chain(&row.outcome).map(marked);
    [marked(&row.workload), row.unit.clone()].into_iter().chain(figures).chain(row.best.clone()).collect()
}

fn pairs(pairs: &[PairLine]) -> String {
    let head = ["workload", "pair", "ratio", "interval", "finds from", "verdict on the first"].map(str::to_owned);
    let row = |line: &PairLine| {
        let texts = [&line.workload, &line.name, &line.ratio, &line.decision, &line.finds_from];
        texts.into_iter().cloned().chain([marked(&line.outcome)]).collect()
    };
    table(&head, pairs.iter().map(row))
}

fn suite(lines: &[SuiteLine]) -> String {
    let head = ["over the suite", "geometric mean of ratios", "95 %", "workloads"].map(str::to_owned);
    let row =
        |line: &SuiteLine| vec![line.name.clone(), marked(&line.ratio), line.interval.clone(), line.workloads.clone()];
    let meaning = lines.iter().any(|line| line.has_mean).then(|| escaped(words::SUITE));
    [table(&head, lines.iter().map(row))].into_iter().chain(meaning).collect::<Vec<_>>().join("\n\n")
}

/// A table of explanatory figures, below its title.
fn explained(explained: &Table) -> String {
    let mut head = vec!["workload".to_owned(), WHAT.to_owned()];
    head.extend(explained.contenders.iter().cloned());
    head.extend(explained.has_baseline.then(|| BASELINE.to_owned()));
    let row = |workload: &str, line: &Line| {
        let baselines = explained.has_baseline.then(|| line.baselines.clone());
        let names = [workload.to_owned(), line.what.to_string()];
        names.into_iter().chain(line.values.clone()).chain(baselines).collect::<Vec<_>>()
    };
    let rows = explained.blocks.iter().flat_map(|block| block.lines.iter().map(|line| row(&block.workload, line)));
    let title = capitalised(explained.title);
    format!("## {title}\n\n{}\n\n{}", table(&head, rows), escaped(&explained.meaning))
}

/// One table of all workloads' latencies, with its explanation.
fn latencies(comparison: &Comparison) -> Option<String> {
    let mut head = ["workload", "operation", "contender"].map(str::to_owned).to_vec();
    head.extend(latency::titles().map(str::to_owned));
    let mut rows = Vec::new();
    for workload in &comparison.workloads {
        let cells = comparison.contenders.iter().map(|row| group::cell(comparison, &workload.name, &row.label));
        for operation in latency::tables(&cells.collect::<Vec<_>>()) {
            let names =
                |row: &latency::Row| [workload.name.to_string(), operation.operation.clone(), row.contender.clone()];
            rows.extend(
                operation.rows.iter().map(|row| names(row).into_iter().chain(row.values.clone()).collect::<Vec<_>>()),
            );
        }
    }
    let is_marked = rows.iter().flatten().any(|value: &String| value.ends_with(latency::MARK));
    let meaning = [Some(latency::MEANING), is_marked.then_some(latency::MARKED)].into_iter().flatten();
    let meaning = escaped(&meaning.collect::<Vec<_>>().join(" "));
    (!rows.is_empty()).then(|| format!("## Latencies\n\n{}\n\n{meaning}", table(&head, rows.into_iter())))
}

fn table(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line =
        |cells: &[String]| format!("| {} |", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
    let rule = format!("|{}", "---|".repeat(head.len()));
    [line(head), rule].into_iter().chain(rows.map(|cells| line(&cells))).collect::<Vec<_>>().join("\n")
}

/// The text with its footnotes as `(1)`: superscript digits are hard to read in a browser's table.
fn marked(figure: &Figure) -> String {
    let marks: String = figure.marks.iter().map(|mark| format!(" ({mark})")).collect();
    format!("{}{marks}", figure.text)
}

fn footnotes(view: &View) -> Vec<String> {
    view.footnotes.iter().enumerate().map(|(index, text)| format!("({}) {text}", index + 1)).collect()
}

fn incidents(comparison: &Comparison) -> Vec<String> {
    let notes = remark::notes(comparison).into_iter().map(|(word, note)| format!("{word}: {}", note.text));
    comparison.damage.iter().map(remark::damage).chain(notes).collect()
}

fn guarantees(comparison: &Comparison) -> Vec<String> {
    let groups = group::groups(comparison);
    groups.iter().filter_map(remark::guarantees).chain(remark::pair_guarantees(comparison)).collect()
}

fn biases(comparison: &Comparison) -> Vec<String> {
    [words::NOISE_ONLY].iter().chain(words::biases(comparison)).map(|text| (*text).to_owned()).collect()
}

fn place(comparison: &Comparison) -> Vec<String> {
    let environment = &comparison.environment;
    let told = machine::told(environment).into_iter();
    let told = told.map(|told| format!("{} ran with {}", told.workloads, told.lines.join("; ")));
    let place = [machine::environment(comparison)].into_iter().chain(machine::lane_facts(comparison));
    place.chain(machine::sentence(environment)).chain(told).collect()
}

fn list(title: &str, items: &[String]) -> Option<String> {
    let items: Vec<_> = items.iter().map(|item| format!("- {}", escaped(item))).collect();
    (!items.is_empty()).then(|| format!("## {title}\n\n{}", items.join("\n")))
}

/// Escapes text: characters that Markdown or HTML would take for markup get a backslash or become an entity; lines are
/// joined.
fn escaped(text: &str) -> String {
    visible(&text.replace(['\n', '\r'], " ")).chars().fold(String::new(), |mut escaped, c| {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '\\' | '#' | '~' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
        escaped
    })
}
