//! The summary that ends a run on a terminal: the answer, the medians and what follows from them, what limits them, and
//! what to do next. Everything else is in the full report.

use fsarena_model::comparison::SuiteRow;
use fsarena_model::{Comparison, Severity};

use super::{damage, note, notes, verdicts};
use crate::group::groups;
use crate::report::{Content, List, ListLook, Paragraph, Section, Tone};
use crate::words::{counted, listed};
use crate::{effects, pair, recommendation, scaling, why};

/// Maximum number of warnings in full.
const WARNINGS: usize = 3;

pub fn sections(comparison: &Comparison) -> Vec<Section> {
    let medians = groups(comparison).into_iter().map(|group| {
        let apart = Paragraph::apart(&group.apart);
        let legend = Paragraph::legend(verdicts::signs(&group));
        Section::default().with(apart).with(verdicts::medians(&group)).with(legend)
    });
    let why = [
        recommendation::sentences(comparison),
        effects::short(comparison),
        why::tested(comparison),
        why::short(comparison),
        scaling::short(comparison),
    ];
    let rest = [
        Section::default().with(Paragraph::plain(over_the_suite(comparison).unwrap_or_default())),
        Section::titled("Read with care").with(Content::Footnotes(Vec::new())),
        trouble(comparison),
    ];
    why.into_iter().chain(medians).chain(rest).collect()
}

/// The mean ratio of each pair of few contenders over all workloads, in a sentence. A mix has a mean of its own.
fn over_the_suite(comparison: &Comparison) -> Option<String> {
    let groups = groups(comparison);
    let few = groups.iter().filter(|group| group.contenders.len() <= verdicts::FEW);
    let rows = few.flat_map(pair::suite_rows);
    let mean = |row: &SuiteRow| {
        let (pair, ratio) = pair::suite_mean(row);
        Some(format!("{pair} {} {}", ratio?.times(), ratio?.interval()?))
    };
    let means: Vec<String> = rows.filter_map(mean).collect();
    let is_shown = !means.is_empty() && comparison.judged.recommendation.is_none();
    is_shown.then(|| format!("Geometric mean of the ratios, each workload counting the same: {}.", means.join(", ")))
}

/// Damage and failures in full, the first warnings, and the number of further notes.
fn trouble(comparison: &Comparison) -> Section {
    let all = notes(comparison);
    let of = |severity| all.iter().filter(move |(found, _)| *found == severity);
    let (failures, warnings) = (of(Severity::Failure), of(Severity::Warning));
    let shown: Vec<_> = failures.chain(warnings.take(WARNINGS)).collect();
    let left = |severity, word| {
        let count = of(severity).count() - shown.iter().filter(|(found, _)| *found == severity).count();
        (count > 0).then(|| counted(count, word))
    };
    let left: Vec<String> =
        [left(Severity::Warning, "further warning"), left(Severity::Info, "note")].into_iter().flatten().collect();
    let left = if left.is_empty() { String::new() } else { format!("{} in the full report.", listed(&left)) };
    Section::default()
        .with(List::new(ListLook::Paragraphs, comparison.checks.damage.iter().map(damage)).in_tone(Tone::Alarm))
        .with(List::new(ListLook::Notes, shown.iter().map(|found| note(**found))))
        .with(Paragraph::legend(left))
}
