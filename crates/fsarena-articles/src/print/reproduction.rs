//! A reproduction as sentences and tables, for every format.

mod bars;
mod charts;
mod tables;

use fsarena_model::{Comparison, Label, grouped};
use fsarena_report::number;
use fsarena_report::report::{ColumnKind, Fold, List, ListLook, Role, Section, Sentence, Shown, TableLook, TableOf};

use crate::article::{ClaimOutcome, Counterpart, PublishedContender};
use crate::reproduction::{Agreement, MeasuredFigure, ReproducedFigure, Reproduction, StandIn, Winner, Wins};

/// The section about a reproduction: its sentences, the curves of a page, the tables, and a page's charts
/// of each test.
pub fn section(comparison: &Comparison, reproduction: &Reproduction) -> Section {
    let tables = [
        tables::as_published(reproduction),
        tables::properly(reproduction),
        tables::factors(reproduction),
        tables::summaries(reproduction),
        tables::winners(reproduction),
        tables::further(comparison, reproduction),
        scales(reproduction),
    ];
    let mut sentences = vec![format!(
        "{} ({}), {}: measured as it was published, and as it should have been.",
        reproduction.article.english, reproduction.article.title, reproduction.article.source
    )];
    sentences.extend(scaled(reproduction));
    sentences.extend(stand_ins(reproduction));
    sentences.extend(participants(comparison, reproduction));
    sentences.extend(reproduction.remarks.iter().cloned());
    let section = Section::titled(format!("{}, reproduced", reproduction.article.english))
        .with(List::new(ListLook::Paragraphs, sentences))
        .with(List::new(ListLook::Paragraphs, verified(comparison)))
        .with_shown(Shown::Page, charts::matrix(reproduction))
        .with_shown(Shown::Page, charts::curves(reproduction));
    let tables = tables.map(|table| (Shown::Everywhere, table)).into_iter();
    let tables = tables.chain([(Shown::Documents, tables::claims(reproduction))]);
    let section = tables.fold(section, |section, (shown, table)| section.with_shown(shown, table.folded(Fold::Closed)));
    section.with(differences(reproduction).folded(Fold::Closed)).with_shown(Shown::Page, charts::charts(reproduction))
}

/// What a reproduction adds to the answer: how often the published winners win here, and the claims.
pub fn answer(reproduction: &Reproduction) -> Sentence {
    let name = format!("{}, reproduced:", reproduction.article.english);
    Sentence::new(Role::Strong, name).and(Role::Plain, outcomes(reproduction).join(" "))
}

/// How often the published winners win here, and what became of the claims.
fn outcomes(reproduction: &Reproduction) -> Vec<String> {
    let as_published = sentence(reproduction, "as published", |winner| winner.as_published, reproduction.as_published);
    let properly = sentence(reproduction, "properly", |winner| winner.properly, reproduction.properly);
    [as_published, properly, outcomes_of_claims(reproduction)].into_iter().flatten().collect()
}

/// How often the published winner wins, and tau over all tests.
fn sentence(
    reproduction: &Reproduction,
    form: &str,
    of: fn(&Winner) -> Wins,
    tau: Option<Agreement>,
) -> Option<String> {
    let count = |wanted: Wins| reproduction.winners.iter().filter(|winner| of(winner) == wanted).count();
    let [yes, no, open, ties] = [Wins::Yes, Wins::No, Wins::NotToldApart, Wins::Tie].map(count);
    let tested = yes + no + open;
    let tau = tau.map(|tau| {
        format!("; rank agreement over all tests (Kendall's tau) {}, {} pairs", tables::agreement(&tau), tau.pairs)
    });
    (tested > 0).then(|| {
        format!(
            "Measured {form}, the published winner wins in {yes} of {tested} tests, another in {no}, and in {open} no \
             winner is proved ({ties} published ties){}.",
            tau.unwrap_or_default()
        )
    })
}

/// The number of claims with each outcome.
fn outcomes_of_claims(reproduction: &Reproduction) -> Option<String> {
    const ALL: [ClaimOutcome; 5] = [
        ClaimOutcome::Holds,
        ClaimOutcome::DoesNotHold,
        ClaimOutcome::Unsupported,
        ClaimOutcome::Contradiction,
        ClaimOutcome::NotTestable,
    ];
    let count = |outcome: &ClaimOutcome| reproduction.claims.iter().filter(|claim| claim.outcome == *outcome).count();
    let words = |outcome: &ClaimOutcome| format!("{outcome} {}", count(outcome));
    let words: Vec<String> = ALL.iter().filter(|outcome| count(outcome) > 0).map(words).collect();
    let checked = reproduction.claims.iter().filter(|claim| claim.checked).count();
    (!reproduction.claims.is_empty()).then(|| {
        format!(
            "Its {} claims: {}; {checked} were checked by figures of this run.",
            reproduction.claims.len(),
            words.join(", ")
        )
    })
}

/// Sentences about contenders of the article that take no part, and about contenders that the article does not have.
fn participants(comparison: &Comparison, reproduction: &Reproduction) -> Vec<String> {
    let absent: Vec<&str> = contenders(reproduction)
        .map(|(_, one)| one)
        .filter(|one| one.as_published.is_none())
        .map(|one| &*one.name)
        .collect();
    let absent = (!absent.is_empty()).then(|| {
        let (takes, them) = if absent.len() == 1 { ("takes", "it") } else { ("take", "them") };
        let names = absent.join(", ");
        let part = format!("Of the article's contenders {names} {takes} no part in this run");
        format!("{part}: nothing below shows anything about {them}.")
    });
    let labels = comparison.contenders.iter().map(|row| &row.label);
    let is_further = |label: &&Label| {
        let is_it = |one: &StandIn| one.as_published.as_ref() == Some(*label) || one.properly.as_ref() == Some(*label);
        !reproduction.stand_ins.iter().any(is_it)
    };
    let further: Vec<&str> = labels.filter(is_further).map(|label| label.0.as_str()).collect();
    let further = (!further.is_empty()).then(|| format!("Not in the article: {}.", further.join(", ")));
    absent.into_iter().chain(further).collect()
}

/// What differs from the article.
fn differences(reproduction: &Reproduction) -> Section {
    let article = &reproduction.article;
    let represented = contenders(reproduction).filter_map(|(published, one)| represented(published, one));
    let further = article.further.iter().map(|further| match &further.counterpart {
        Counterpart::Here(here) => format!("{}: {here}", further.what),
        Counterpart::Nothing(why) => format!("{}: nothing here. {why}", further.what),
    });
    let items = represented.chain(article.differences.iter().cloned()).chain(further);
    Section::titled("What differs from the article").with(List::new(ListLook::Notes, items))
}

fn contenders(reproduction: &Reproduction) -> impl Iterator<Item = (&PublishedContender, &StandIn)> {
    reproduction.article.contenders.iter().zip(&reproduction.stand_ins)
}

/// How the counterpart of a contender differs from it, or which could take part.
fn represented(published: &PublishedContender, stand_in: &StandIn) -> Option<String> {
    let why = published.differs.as_deref();
    let name = &published.name;
    match (&stand_in.as_published, published.here.as_slice()) {
        (Some(label), _) => why.map(|why| format!("{name} is {label} here. {why}")),
        (None, []) => Some(format!("{name} cannot be had here. {}", why.unwrap_or_default()).trim_end().to_owned()),
        (None, here) => {
            let here = here.join(" or ");
            let text = format!("{name} takes no part; {here} among the contenders would represent it. ");
            Some((text + why.unwrap_or_default()).trim_end().to_owned())
        }
    }
}

/// The results of the comparison of every file and of the checkers; empty if neither was done.
fn verified(comparison: &Comparison) -> Vec<String> {
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

/// A sentence about workloads that do less than was published.
fn scaled(reproduction: &Reproduction) -> Option<String> {
    let count = reproduction.scaled.len();
    let workloads = if count == 1 { "1 workload does".to_owned() } else { format!("{count} workloads do") };
    (count > 0).then(|| {
        format!("Scaled: {workloads} less than was published, as listed below; --scale published does all of it.")
    })
}

/// What is less than published. Workloads with the same text share a row.
fn scales(reproduction: &Reproduction) -> Section {
    let by_text = grouped(reproduction.scaled.iter().map(|(workload, text)| (text, workload.as_str())));
    let table = TableOf::new(TableLook::Full, &by_text)
        .column(ColumnKind::Name, "workload", |(_, workloads)| workloads.join(", "))
        .column(ColumnKind::Words, "how", |(text, _)| *text);
    Section::titled("What is scaled").with(table)
}

/// A sentence about the contenders that stand in for the article's.
fn stand_ins(reproduction: &Reproduction) -> Option<String> {
    let of = |one: &StandIn| {
        let (first, second) = (one.as_published.as_ref()?, one.properly.as_ref()?);
        let own = first == second && first.0 == one.name;
        let words = if first == second { first.to_string() } else { format!("{first}, and properly {second}") };
        (!own).then(|| format!("{} is {words}", one.name))
    };
    let all: Vec<String> = reproduction.stand_ins.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| format!("Here {}.", all.join("; ")))
}

/// Shown instead of a figure of a contender that did not finish.
const UNFINISHED: &str = "did not finish";

/// The three figures of a contender in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FigureForm {
    /// That of the article.
    Published,
    /// Measured here in the same way.
    AsPublished,
    /// Measured here properly.
    Properly,
}

/// A figure.
struct FoundFigure {
    /// 0 if the contender did not finish.
    value: f64,
    text: String,
    is_valid: bool,
}

impl FigureForm {
    /// The name of the figure's contender in this form.
    fn label(self, figure: &ReproducedFigure) -> Option<&str> {
        match self {
            Self::Published => figure.name.as_deref(),
            Self::AsPublished | Self::Properly => figure.contender.as_ref().map(|label| label.0.as_str()),
        }
    }

    /// The figure in this form; `None` if it was not published, or not measured.
    fn of(self, figure: &ReproducedFigure) -> Option<FoundFigure> {
        let (is_unfinished, measured) = match self {
            Self::Published if !figure.unfinished.published => {
                let (value, text) = figure.published.clone()?;
                return Some(FoundFigure { value, text, is_valid: true });
            }
            Self::Published => (true, None),
            Self::AsPublished => (figure.unfinished.as_published, figure.as_published),
            Self::Properly => (figure.unfinished.properly, figure.properly),
        };
        if is_unfinished {
            return Some(FoundFigure { value: 0.0, text: UNFINISHED.to_owned(), is_valid: true });
        }
        let MeasuredFigure { median: value, is_valid, .. } = measured?;
        Some(FoundFigure { value, text: number::value(value, &figure.unit), is_valid })
    }
}

/// A figure in its unit, to three digits; a dash if it is missing.
fn printed(value: Option<f64>, unit: &str) -> String {
    number::or_dash(value.map(|value| number::value(value, unit)))
}

/// `3.40×`; a dash if it is missing.
fn times(value: Option<f64>) -> String {
    number::or_dash(value.map(|value| format!("{}×", number::three_digits(value))))
}
