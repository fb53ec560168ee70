//! The Phoronix Test Suite's `composite.xml` (`result-file.xsd` there): each contender is a system, each workload a
//! result. `RawString` has the values of the rounds that count, of which that program takes the mean.

use fsarena_model::comparison::{Cell, ContenderRow, WorkloadRow};
use fsarena_model::{Better, Comparison};

use crate::visible;

/// Most letters of a title there, and of a system's name.
const TITLE: usize = 50;
const IDENTIFIER: usize = 128;
/// Most letters of a description of all results there.
const DESCRIPTION: usize = 2048;

pub fn render(comparison: &Comparison) -> String {
    let time = time(&comparison.run.started);
    let kernel = &comparison.environment.kernel;
    let client = format!("fsarena {}", comparison.environment.fsarena);
    let mut xml = Xml { text: "<?xml version=\"1.0\"?>\n".to_owned(), depth: 0 };
    xml.element("PhoronixTestSuite", |xml| {
        xml.element("Generated", |xml| {
            xml.leaf("Title", &format!("fsarena run {}", comparison.run.number));
            xml.leaf("LastModified", &time);
            xml.leaf("TestClient", &client);
            xml.leaf("Description", &first_letters(&comparison.run.command_line(), DESCRIPTION));
        });
        for row in &comparison.contenders {
            xml.element("System", |xml| {
                xml.leaf("Identifier", &identifier(row));
                xml.leaf("Hardware", &hardware(comparison));
                xml.leaf("Software", &listed([("Kernel", kernel.clone()), ("File-System", Some(row.kind.clone()))]));
                xml.leaf("User", "");
                xml.leaf("TimeStamp", &time);
                xml.leaf("TestClientVersion", &client);
                xml.leaf("Notes", &notes(row));
            });
        }
        for workload in &comparison.workloads {
            let counted = |row: &ContenderRow| counted(comparison.cell(&workload.name, &row.label)?);
            let entries = comparison.contenders.iter().filter_map(|row| Some((row, counted(row)?)));
            let entries: Vec<(&ContenderRow, Vec<f64>)> = entries.collect();
            if !entries.is_empty() {
                xml.element("Result", |xml| result(xml, workload, &entries));
            }
        }
    });
    xml.text
}

fn result(xml: &mut Xml, workload: &WorkloadRow, entries: &[(&ContenderRow, Vec<f64>)]) {
    xml.leaf("Identifier", &format!("local/fsarena-{}", workload.name));
    xml.leaf("Title", &first_letters(&format!("fsarena {}", workload.name), TITLE));
    xml.leaf("AppVersion", &workload.version.to_string());
    xml.leaf("Arguments", &workload.name);
    xml.leaf("Description", &workload.measures);
    xml.leaf("Scale", &workload.unit);
    xml.leaf("Proportion", if workload.better == Better::Lower { "LIB" } else { "HIB" });
    xml.leaf("DisplayFormat", "BAR_GRAPH");
    xml.element("Data", |xml| {
        for (row, rounds) in entries {
            let mean = rounds.iter().sum::<f64>() / rounds.len() as f64;
            let rounds: Vec<String> = rounds.iter().map(f64::to_string).collect();
            xml.element("Entry", |xml| {
                xml.leaf("Identifier", &identifier(row));
                xml.leaf("Value", &mean.to_string());
                xml.leaf("RawString", &rounds.join(":"));
            });
        }
    });
}

/// The values of the rounds that count; `None` if there is none that may be shown.
fn counted(cell: &Cell) -> Option<Vec<f64>> {
    let counts = |round: usize| !cell.stability.excluded.contains(&(round as u32 + 1));
    let rounds = cell.by_round.iter().enumerate().filter(|(round, _)| counts(*round)).filter_map(|(_, value)| *value);
    let rounds: Vec<f64> = rounds.filter(|value| value.is_finite()).collect();
    (cell.is_plausible() && !rounds.is_empty()).then_some(rounds)
}

fn identifier(row: &ContenderRow) -> String {
    first_letters(&row.label.0, IDENTIFIER)
}

/// `Processor: X (2 Cores), Memory: 8 GiB, Disk: Y`. A comma ends a value there.
fn hardware(comparison: &Comparison) -> String {
    let environment = &comparison.environment;
    let cores = environment.cores.map(|count| format!(" ({count} Cores)")).unwrap_or_default();
    listed([
        ("Processor", environment.cpu.as_ref().map(|name| format!("{name}{cores}"))),
        ("Memory", environment.memory.map(|size| size.to_string())),
        ("Disk", environment.lanes.storage.clone()),
    ])
}

fn listed<const N: usize>(parts: [(&str, Option<String>); N]) -> String {
    let part = |(name, value): (&str, Option<String>)| Some(format!("{name}: {}", value?.replace(',', ";")));
    parts.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
}

fn notes(row: &ContenderRow) -> String {
    let mount = row.mount.as_ref().map(|mount| format!("mounted as {mount}"));
    let class = row.durability.map(|class| class.to_string());
    let made = Some(row.mkfs.join(" ")).filter(|command| !command.is_empty());
    [made, mount, class].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `2026-11-23 18:21:37` of `2026-11-23T18:21:37Z`.
fn time(started: &str) -> String {
    started.replace('T', " ").chars().take("2026-11-23 18:21:37".len()).collect()
}

fn first_letters(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        self.text += &format!("{}{line}\n", "  ".repeat(self.depth));
    }

    fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    fn leaf(&mut self, name: &str, text: &str) {
        self.line(&format!("<{name}>{}</{name}>", escaped(text)));
    }
}

/// Text of an XML attribute or element. Control characters, which XML 1.0 does not allow, are shown as escapes.
pub fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
