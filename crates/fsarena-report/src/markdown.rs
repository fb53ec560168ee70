//! Markdown (GitHub's tables) for issues, pull requests and articles.

use crate::report::{Block, Content, Fact, OutputMedium, Report, Section, Sentence, Table};
use crate::text::layout::visible;

/// Any report as Markdown.
pub fn of_report(report: Report) -> String {
    let report = report.on(OutputMedium::Markdown);
    let mut parts = vec![format!("# {}", escaped(&report.title))];
    parts.extend(report.answer.iter().map(sentence));
    parts.push(escaped(&format!("{}.", report.run)));
    parts.extend(report.sections.iter().map(|outer| section("##", outer)));
    parts.join("\n\n") + "\n"
}

/// A section below a heading with this mark.
fn section(mark: &str, section: &Section) -> String {
    let title = (!section.title.is_empty()).then(|| format!("{mark} {}\n\n", escaped(&section.title)));
    title.unwrap_or_default() + &blocks(&section.blocks)
}

/// The blocks without drawings. Lists that follow each other become one.
fn blocks(blocks: &[Block]) -> String {
    let mut text = String::new();
    let mut is_below_list = false;
    for block in blocks {
        let is_list = matches!(block.content, Content::List(_) | Content::Facts(_));
        text.push_str(match text.is_empty() {
            true => "",
            false if is_list && is_below_list => "\n",
            false => "\n\n",
        });
        text.push_str(&content(&block.content));
        is_below_list = is_list;
    }
    text
}

fn content(content: &Content) -> String {
    match content {
        Content::Paragraph(paragraph) => sentence(&paragraph.sentence),
        Content::List(list) => items(list.items.iter().map(sentence)),
        Content::Facts(facts) => items(facts.facts.iter().map(fact)),
        Content::Table(all) => table(all),
        Content::Section(inner) => section("###", inner),
        Content::Cards(cards) => cards.iter().map(|card| section("###", card)).collect::<Vec<_>>().join("\n\n"),
        Content::Command(command) => format!("    {}", visible(command)),
        Content::Footnotes(footnotes) => {
            items(footnotes.iter().enumerate().map(|(index, text)| format!("({}) {}", index + 1, escaped(text))))
        }
        Content::Drawings(_) => String::new(),
    }
}

fn items(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

fn fact(fact: &Fact) -> String {
    let lines: Vec<String> = fact.lines.iter().map(|line| escaped(&line.text)).collect();
    format!("{}: {}", escaped(&fact.name), lines.join("; "))
}

fn sentence(sentence: &Sentence) -> String {
    escaped(&sentence.words())
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head = line(table.columns.iter().map(|column| escaped(&column.title)).collect());
    let rule = format!("|{}", "---|".repeat(table.columns.len()));
    // Superscript digits are hard to read in a browser's table.
    let row = |row: usize| {
        let entries = table.columns.iter().map(|column| &column.entries[row]);
        let marks = |marks: &[usize]| marks.iter().map(|mark| format!(" ({mark})")).collect::<String>();
        line(entries.map(|entry| sentence(&entry.sentence) + &marks(&entry.marks)).collect())
    };
    [head, rule].into_iter().chain((0..table.height()).map(row)).collect::<Vec<_>>().join("\n")
}

/// Escapes text: characters that Markdown or HTML would take for markup get a backslash or become an entity; lines are
/// joined.
fn escaped(text: &str) -> String {
    visible(text).chars().fold(String::new(), |mut escaped, c| {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '\\' | '#' | '~' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
        escaped
    })
}
