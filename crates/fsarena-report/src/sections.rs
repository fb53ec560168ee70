//! What a report contains, in its order. A new section is one function and one line in [`report`].

mod matrix;
mod summary;
mod verdicts;
mod workload;

use std::collections::BTreeMap;

use fsarena_model::comparison::{ContenderRow, WorkloadRow};
use fsarena_model::event::{Check, RoundFacts};
use fsarena_model::{Comparison, LaneCost, Nanos, Severity, Status};

use crate::number::{bytes, hundredths, or_dash, seconds, three_digits};
use crate::report::{
    Additions, ColumnKind, Content, Fact, Facts, FactsLook, Fold, List, ListLook, Paragraph, Report, Role, Section,
    Sentence, Shown, Table, TableLook, TableOf, Tone,
};
use crate::words::Term;
use crate::{answer, effects, explained, group, latency, machine, recommendation, scaling, shell_line, why, words};

/// The summary that ends a run on a terminal.
pub fn summary(comparison: &Comparison) -> Report {
    Report { sections: summary::sections(comparison), ..frame(comparison) }
}

/// The report on a comparison, with the parts of all media.
pub fn report(comparison: &Comparison, additions: Additions) -> Report {
    let Additions { answer, sections, of_workloads, has_iostat, .. } = additions;
    let iostat = has_iostat.then(|| explained::iostat_of_all(comparison));
    let own = [
        recommendation::section(comparison),
        effects::section(comparison),
        effects::of_layers(comparison),
        why::tested(comparison),
        why::section(comparison, Shown::Summaries),
        scaling::section(comparison),
        scaling::guarantees(comparison),
        verdicts::verdicts(comparison),
        workloads(comparison, of_workloads),
        verdicts::over_the_suite(comparison),
        Section::titled("Read with care").with_shown(Shown::Summaries, Content::Footnotes(Vec::new())),
        checks_and_notes(comparison),
        contenders(comparison),
        explained::of_all(comparison)
            .fold(Section::titled("What explains the figures"), Section::with)
            .with_all(iostat),
        latency::of_all(comparison),
        not_covered(comparison),
        reading(comparison),
        the_plan(comparison),
        place(comparison),
        repeat(comparison),
    ];
    let frame = frame(comparison);
    Report {
        answer: answer.into_iter().chain(frame.answer).collect(),
        sections: [matrix::matrix(comparison)].into_iter().chain(sections).chain(own).collect(),
        ..frame
    }
}

fn labels(comparison: &Comparison) -> Vec<String> {
    comparison.contenders.iter().map(|row| row.label.to_string()).collect()
}

/// A report without sections.
fn frame(comparison: &Comparison) -> Report {
    let (version, run, seed) = (&comparison.environment.fsarena, comparison.run.number, &comparison.run.seed);
    let title = format!("{} compared", words::listed(labels(comparison)));
    Report {
        facts: facts(comparison),
        alarms: alarms(comparison),
        answer: answer::answer(comparison),
        origin: format!("Made by fsarena {version} from run {run}, seed {seed}."),
        ..Report::new(title, head(comparison), version)
    }
}

fn facts(comparison: &Comparison) -> Vec<String> {
    let rest = [
        words::rounds(comparison.run.rounds),
        format!("started {}", comparison.run.started),
        words::status(comparison.run.status).to_owned(),
        format!("fsarena {}", comparison.environment.fsarena),
    ];
    [format!("run {}", comparison.run.number)].into_iter().chain(chosen(comparison)).chain(rest).collect()
}

fn alarms(comparison: &Comparison) -> Vec<String> {
    let partial = match comparison.run.status {
        Status::Complete => None,
        Status::Interrupted => Some("This run was interrupted. What follows is what was measured until then."),
        Status::Running => Some("This run is still being measured. What follows is what it has so far."),
    };
    partial.map(str::to_owned).into_iter().chain(comparison.checks.damage.iter().map(damage)).collect()
}

fn workloads(comparison: &Comparison, mut additions: BTreeMap<String, Vec<Content>>) -> Section {
    let section = Section::titled("Workload by workload");
    if comparison.workloads.is_empty() {
        return section;
    }
    let section = section.with_shown(Shown::Page, Paragraph::legend(words::drawings(comparison.run.margin)));
    let parts = comparison.workloads.iter().map(|row| {
        let more = additions.remove(row.name.as_str()).unwrap_or_default();
        workload::workload(comparison, row, more)
    });
    parts.fold(section, |section, part| section.with_shown(Shown::Page, part))
}

fn checks_and_notes(comparison: &Comparison) -> Section {
    let damage = comparison.checks.damage.iter().map(damage);
    let clean = if comparison.checks.damage.is_empty() { "No check of a file system found damage." } else { "" };
    Section::titled("Checks and notes")
        .with_shown(Shown::Page, Paragraph::plain(clean))
        .with(List::new(ListLook::Paragraphs, damage).in_tone(Tone::Alarm))
        .with(List::new(ListLook::Notes, notes(comparison).into_iter().map(note)))
}

fn contenders(comparison: &Comparison) -> Section {
    let groups = group::groups(comparison);
    let guarantees: Vec<String> = groups.iter().filter_map(group::guarantees).collect();
    Section::titled("Contenders")
        .with(List::new(ListLook::Paragraphs, guarantees))
        .with_shown(Shown::Page, Content::Cards(comparison.contenders.iter().map(contender).collect()))
}

fn contender(row: &ContenderRow) -> Section {
    let mkfs = shell_line(&row.mkfs);
    let mount = row.mount.clone().unwrap_or_else(|| "never mounted".to_owned());
    let durability = row.durability.map(|class| format!("{class}: {}", words::durability(class)));
    let facts = [
        Fact::new("Kernel", Role::Plain, row.kernel.clone().unwrap_or_default()),
        Fact::new("Made by", Role::Code, mkfs),
        Fact::new("Layers made by", Role::Code, row.layers.join("; ")),
        Fact::new("Mounted as", Role::Code, mount),
        Fact::new("Durability", Role::Plain, durability.unwrap_or_default()),
        Fact::new("Guarantees", Role::Plain, words::listed(&row.guarantees)),
        Fact::new("Features", Role::Plain, row.features.join(", ")),
        Fact::new("Read-ahead", Role::Plain, row.read_ahead_kib.map(|size| format!("{size} KiB")).unwrap_or_default()),
    ];
    Section::titled(row.label.to_string()).with_hint(row.kind.as_str()).with(Facts::known(FactsLook::Stacked, facts))
}

fn not_covered(comparison: &Comparison) -> Section {
    let biases = words::biases(comparison);
    let interval = if comparison.judged.verdicts.is_empty() { "" } else { words::INTERVAL };
    Section::titled("What the intervals do not cover")
        .with(Paragraph::legend(words::NOISE_ONLY))
        .with(List::new(ListLook::Notes, biases).in_tone(Tone::Legend))
        .with(Paragraph::legend(interval))
}

/// The machine, the lanes, the programs and the rounds.
fn place(comparison: &Comparison) -> Section {
    let environment = &comparison.environment;
    let settings = machine::settings(environment).into_iter().map(|(workloads, lines)| {
        let lines = lines.iter().map(|line| Sentence::new(Role::Code, line).0).collect::<Vec<_>>().concat();
        Fact { name: workloads, lines }
    });
    let settings = Section::titled("Settings of external programs")
        .folded(Fold::Closed)
        .with(Facts::known(FactsLook::Columns, settings));
    Section::titled("Where and when")
        .with(Facts::known(FactsLook::Columns, machine::facts(environment)))
        .with(List::new(ListLook::Paragraphs, machine::lane_facts(environment)).in_tone(Tone::Legend))
        .with_shown(Shown::Documents, settings)
        .with_shown(Shown::Page, rounds(&comparison.round_facts))
}

/// A figure of a round, with the title of its column.
type RoundFigure = (&'static str, fn(&RoundFacts) -> Option<String>);

/// Figures of which a column is shown only if a round has one.
const RARE_FIGURES: [RoundFigure; 7] = [
    ("write and flush of the lane", |facts| lane(facts, |cost| Some(cost.back_to_back))),
    ("of it the device", |facts| lane(facts, |cost| cost.device)),
    ("after a pause", |facts| lane(facts, |cost| Some(cost.paced))),
    ("swapped", |facts| facts.conditions.swapped.map(|size| bytes(size.0 as f64))),
    ("held back by a quota", |facts| facts.conditions.quota_throttled.map(seconds)),
    ("slowed for temperature", |facts| facts.conditions.thermal_throttled.map(three_digits)),
    ("frequency", |facts| facts.conditions.frequency_mhz.map(machine::frequency)),
];

/// The rounds of a run: their durations, other load in them, and the cost of the lane.
fn rounds(facts: &[RoundFacts]) -> Table {
    let rare = RARE_FIGURES.iter().filter(|(_, figure)| facts.iter().any(|round| figure(round).is_some()));
    TableOf::new(TableLook::Narrow, facts)
        .column(ColumnKind::Name, "round", |facts| facts.round.to_string())
        .column(ColumnKind::Figure, "seconds", |facts| three_digits(facts.seconds))
        .column(ColumnKind::Figure, "foreign CPU, cores", |facts| or_dash(facts.foreign_cores.map(hundredths)))
        .column(ColumnKind::Figure, "stolen CPU, cores", |facts| or_dash(facts.steal_cores.map(hundredths)))
        .columns(ColumnKind::Figure, rare.map(|(title, figure)| ((*title).to_owned(), figure)), |facts, figure| {
            or_dash(figure(facts))
        })
        .done()
}

fn lane(facts: &RoundFacts, of: fn(&LaneCost) -> Option<Nanos>) -> Option<String> {
    Some(of(facts.lane_cost.as_ref()?)?.to_string())
}

/// The terms of the page.
fn reading(comparison: &Comparison) -> Section {
    let checks = words::checks().into_iter().map(|(name, words)| Fact::new(name, Role::Plain, words));
    let checks = Facts::known(FactsLook::CompactTerms, checks);
    let terms = |look, terms: &[Term]| {
        let fact = |(name, explanation): &Term| Fact::new(*name, Role::Plain, *explanation);
        Facts::known(look, terms.iter().map(fact))
    };
    let checked = Section::titled("What a figure is checked for").folded(Fold::Closed);
    let section = Section::titled("How to read this")
        .with_shown(Shown::Page, terms(FactsLook::Terms, words::VERDICTS))
        .with_shown(Shown::Page, terms(FactsLook::Terms, words::FIGURES))
        .with_shown(Shown::Page, checked.with(checks));
    match explained::terms(comparison) {
        probes if probes.is_empty() => section,
        probes => {
            let part = Section::titled("Behind the figures").folded(Fold::Closed);
            let part = part.with(Paragraph::plain(words::PROBES));
            section.with_shown(Shown::Page, part.with(terms(FactsLook::CompactTerms, &probes)))
        }
    }
}

/// What was to be done.
fn the_plan(comparison: &Comparison) -> Section {
    let hash = Fact::new("SHA-256 of the plan", Role::Code, &comparison.run.plan_hash);
    let memory = |row: &WorkloadRow| or_dash(row.memory_limit.map(|limit| limit.to_string()));
    let table = TableOf::new(TableLook::Full, &comparison.workloads)
        .column(ColumnKind::Name, "workload", |row| &row.name)
        .column(ColumnKind::Figure, "version", |row| row.version.to_string())
        .column(ColumnKind::Words, "engine", |row| &row.engine)
        .column(ColumnKind::Words, "metric", |row| format!("{}, {}", row.metric, row.unit))
        .column(ColumnKind::Words, "mode", |row| words::mode(row.mode))
        .column(ColumnKind::Words, "durability", |row| words::durable(row.durable))
        .column(ColumnKind::Words, "cache", |row| words::cache(row.cache))
        .column(ColumnKind::Figure, "memory limit", memory);
    Section::titled("The plan")
        .with_shown(Shown::Page, Facts::known(FactsLook::Columns, [hash]))
        .with_shown(Shown::Page, Section::titled("Its workloads").folded(Fold::Closed).with(table))
}

/// The command for the same schedule, offsets, names and bytes.
fn repeat(comparison: &Comparison) -> Section {
    Section::titled("How to repeat this")
        .with_shown(Shown::Page, Content::Command(comparison.run.command_line()))
        .with_shown(Shown::Page, Paragraph::plain("The same seed gives the same schedule, offsets, names and bytes."))
}

/// The suite or profile that the workloads are from.
fn chosen(comparison: &Comparison) -> Option<String> {
    let profile = || comparison.judged.recommendation.as_ref()?.profile.as_ref();
    let suite = comparison.run.suite.as_ref().map(|suite| format!("suite {suite}"));
    suite.or_else(|| profile().map(|profile| format!("profile {profile}")))
}

/// `Run 12: suite quick; ext4, xfs; 6 rounds; seed 7351; complete`.
fn head(comparison: &Comparison) -> String {
    let chosen = chosen(comparison).unwrap_or_else(|| "single workloads".to_owned());
    format!(
        "Run {}: {chosen}; {}; {}; seed {}; {}",
        comparison.run.number,
        labels(comparison).join(", "),
        words::rounds(comparison.run.rounds),
        comparison.run.seed,
        words::status(comparison.run.status),
    )
}

/// What a checker found.
fn damage(check: &Check) -> String {
    let output = check.output.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let output = if output.is_empty() { "the checker gave no details".to_owned() } else { output.join("; ") };
    format!("damage: round {}, {}: {output}", check.round, check.contender)
}

/// `warning: the machine was busy`.
fn note((severity, text): (Severity, &str)) -> Sentence {
    Sentence::new(Role::Severity(severity), format!("{}:", words::severity(severity))).and(Role::Plain, text)
}

/// Notes, the most severe first.
fn notes(comparison: &Comparison) -> Vec<(Severity, &str)> {
    let of = |severity| comparison.notes.iter().filter(move |note| note.severity == severity);
    let severities = [Severity::Failure, Severity::Warning, Severity::Info];
    severities.into_iter().flat_map(|severity| of(severity).map(move |note| (severity, &*note.text))).collect()
}
