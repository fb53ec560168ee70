//! Predicted against measured ratios, as a report.

use fsarena_model::Share;
use fsarena_model::validation::{Foretold, Score, ValidatedPair, ValidatedRun, Validation};

use crate::number::{self, Ratio, or_dash};
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{
    Arrangement, Drawing, Drawings, Facts, FactsLook, List, ListLook, Paragraph, Report, Section, Shown, Table,
    TableLook, TableOf,
};
use crate::svg::lines::predicted_against_measured;
use crate::words::{self, counted};
use crate::{machine, pair, svg};

const SCORES: &str = "A pair differs if a difference of more than 10 % is measured and decided. Right sign: the better \
    one of these pairs is the predicted one. Not sure: neither has a probability of 90 %. Error: how far the predicted \
    ratio is from the measured one, median over all pairs. In the interval: the 90 % prediction interval contains the \
    measured ratio, over all pairs.";

const PAIRS: &str = "Ratios are how many times better the first of a pair is. Predicted: from the workloads \
    of the profile for another program that reads, writes or syncs as this one does, with the 90 % prediction interval, \
    and the probability that the first is better. Measured: in the same rounds, with the pointwise 95 % interval.";

/// The report on a validation.
pub fn report(found: &Validation, version: &str) -> Report {
    let wrong: Vec<&ValidatedPair> = found.pairs.iter().filter(|it| it.outcome == Some(Foretold::Wrong)).collect();
    let all: Vec<&ValidatedPair> = found.pairs.iter().collect();
    let drawing = drawing(found).map(|svg| Drawing { caption: "Each mark is a pair in a program".to_owned(), svg });
    let environment = found.runs.first().map(|run| machine::facts(&run.environment));
    let sections = [
        Section::titled("By profile")
            .with(scores(found))
            .with(Paragraph::legend(SCORES))
            .with_shown(Shown::Page, Drawings::new(Arrangement::Grid, drawing)),
        Section::titled("Difference between programs").with(List::new(ListLook::Paragraphs, between(found))),
        Section::titled("Wrong").with_shown(Shown::Terminal, pairs(&wrong)),
        Section::titled("All pairs")
            .with_shown(Shown::Documents, pairs(&all))
            .with_shown(Shown::Documents, Paragraph::legend(PAIRS)),
        Section::titled("Runs").with(List::new(ListLook::Notes, found.runs.iter().map(run))),
        Section::titled("Machine").with(Facts::known(FactsLook::Columns, environment.into_iter().flatten())),
        Section::titled("Not used").with(List::new(ListLook::Notes, found.left_out.clone())),
    ];
    let runs = counted(found.runs.len(), "run");
    Report {
        facts: found.runs.iter().map(run).collect(),
        ..Report::new("Predicted against measured".to_owned(), runs, version)
    }
    .answering([answer(found)], sections)
}

/// `mail: run 8 (2026-03-01T12:00:00Z, 6 rounds)`.
fn run(run: &ValidatedRun) -> String {
    format!("{}: {}", run.profile, words::run(&run.run))
}

fn answer(found: &Validation) -> String {
    let Score { clear, right_sign, not_sure, right_when_sure, error, covered, .. } = found.all;
    let signs = right_sign.zip(not_sure).map(|(right, open)| {
        let sure = right_when_sure.map(|right| format!("; where it is sure, {} are right", share(Some(right))));
        format!(
            "Of {} that differ by more than 10 %, the profile predicts the better one in {}; it is not sure in {}{}.",
            counted(clear as usize, "pair"),
            share(Some(right)),
            share(Some(open)),
            sure.unwrap_or_default()
        )
    });
    let sizes = format!(
        "The predicted ratio is off by {} (median), and {} of the 90 % prediction intervals contain the measured \
         ratio.",
        share(error),
        share(covered)
    );
    signs.into_iter().chain([sizes]).collect::<Vec<_>>().join(" ")
}

fn share(share: Option<Share>) -> String {
    or_dash(share.map(|share| match share.0 {
        // All is only what is all.
        0.995..1.0 => ">99 %".to_owned(),
        share => number::percent(share),
    }))
}

fn scores(found: &Validation) -> Table {
    let profiles = found.profiles.iter().map(|it| (it.profile.as_str(), it.score));
    let rows: Vec<(&str, Score)> = profiles.chain([("all", found.all)]).collect();
    TableOf::new(TableLook::Full, &rows)
        .column(Name, "profile", |(name, _)| *name)
        .column(Figure, "pairs", |(_, score)| score.pairs.to_string())
        .column(Figure, "differ", |(_, score)| score.clear.to_string())
        .column(Figure, "right sign", |(_, score)| share(score.right_sign))
        .column(Figure, "not sure", |(_, score)| share(score.not_sure))
        .column(Figure, "right when sure", |(_, score)| share(score.right_when_sure))
        .column(Figure, "error", |(_, score)| share(score.error))
        .column(Figure, "in the interval", |(_, score)| share(score.covered))
        .done()
}

fn between(found: &Validation) -> Option<String> {
    let between = found.between?;
    Some(format!(
        "The measured ratios are most likely with a standard deviation between programs of {:.3} (a compressed \
         logarithm), with the weight of {} degrees of freedom.",
        between.deviation, between.freedom
    ))
}

fn pairs(rows: &[&ValidatedPair]) -> Table {
    let predicted = |row: &&ValidatedPair| Ratio::of(row.predicted.estimate);
    let measured = |row: &&ValidatedPair| Ratio::of(row.measured);
    TableOf::new(TableLook::Full, rows)
        .column(Name, "other program", |row| row.program.clone())
        .column(Words, "profile", |row| row.profile.clone())
        .column(Words, "it", |row| row.predicted.kind.to_string())
        .column(Words, "pair", |row| format!("{} / {}", row.a, row.b))
        .column(Figure, "predicted", move |row| pair::times(predicted(row)))
        .column(Figure, "90 %", move |row| pair::interval(predicted(row)))
        .column(Figure, "first better", |row| number::share(row.predicted.better))
        .column(Figure, "measured", move |row| pair::times(measured(row)))
        .column(Figure, "95 %", move |row| pair::interval(measured(row)))
        .column(Words, "prediction", |row| outcome(row.outcome))
        .done()
}

/// How a prediction came out.
fn outcome(outcome: Option<Foretold>) -> &'static str {
    match outcome {
        Some(Foretold::Right) => "right",
        Some(Foretold::Wrong) => "wrong",
        Some(Foretold::NotSure) => "not sure",
        None => "no clear difference",
    }
}

/// The ratios by how their prediction came out.
fn drawing(found: &Validation) -> Option<String> {
    let outcomes = [Some(Foretold::Right), Some(Foretold::Wrong), Some(Foretold::NotSure), None];
    let of = |outcome| {
        let own = found.pairs.iter().filter(move |pair| pair.outcome == outcome);
        let points = own.filter_map(|pair| pair.predicted.estimate.ratio.zip(pair.measured.ratio));
        (self::outcome(outcome), points.collect())
    };
    predicted_against_measured(&outcomes.map(of))
}

/// The drawing of a validation as an SVG file; `None` without pairs.
pub fn drawing_alone(found: &Validation) -> Option<String> {
    drawing(found).map(|drawing| svg::alone(&drawing))
}
