//! The winners of the tests, and how well the orders agree.

use crate::reproduction::Reproduction;
use crate::reproduction::{Agreement, Winner, Wins};

use fsarena_report::number::DASH;
use fsarena_report::report::{Paragraph, Section, Table};

/// One row per test: the published winner, and whether it wins here.
pub fn sheet(reproduction: &Reproduction) -> Section {
    let row = |winner: &Winner| {
        vec![
            winner.test.clone() + &winner.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default(),
            winner.published.join(", "),
            words(winner.as_published).to_owned(),
            words(winner.properly).to_owned(),
            winner.tau.map_or_else(|| DASH.to_owned(), |tau| agreement(&tau)),
        ]
    };
    let is_known = |winner: &&Winner| [winner.as_published, winner.properly].iter().any(|wins| *wins != Wins::Unknown);
    let table = Table::from_rows(
        ["test", "published winner", "as published", "properly", "tau, properly [95 %]"].map(str::to_owned).to_vec(),
        reproduction.winners.iter().filter(is_known).map(row),
        4,
    );
    let meaning = "A contender wins if its median differs from those of the others by more than the margin and the \
        95 % intervals do not overlap. Without intervals (fewer than three rounds), one has to be twice the other. Published figures within 1 % of each other are equal: where several win, all of them must \
        win. Tau: Kendall's rank agreement (tau-b), 1 where all pairs are in the published order, less where the \
        article has ties and here there are none, −1 where all are turned round; its interval here is over rounds, \
        from six on, that of all tests together over tests.";
    Section::titled("Does the published winner win here?").with(table).with(Paragraph::legend(meaning))
}

fn words(wins: Wins) -> &'static str {
    match wins {
        Wins::Yes => "wins",
        Wins::No => "another wins",
        Wins::NotToldApart => "not distinguished",
        Wins::Tie => "a tie there",
        Wins::Unknown => "no figures to tell",
    }
}

/// Tau with its interval: `0.33 [−0.20, 0.80]`.
fn agreement(agreement: &Agreement) -> String {
    let number = |value: f64| format!("{value:.2}").replace('-', "−");
    match (agreement.low, agreement.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", number(agreement.tau), number(low), number(high)),
        _ => number(agreement.tau),
    }
}

/// How often the published winner wins, and tau over all tests.
pub fn sentences(reproduction: &Reproduction) -> Vec<String> {
    let as_published = sentence(reproduction, "as published", |winner| winner.as_published, reproduction.as_published);
    let properly = sentence(reproduction, "properly", |winner| winner.properly, reproduction.properly);
    [as_published, properly].into_iter().flatten().collect()
}

fn sentence(
    reproduction: &Reproduction,
    form: &str,
    of: fn(&Winner) -> Wins,
    tau: Option<Agreement>,
) -> Option<String> {
    let count = |wanted: Wins| reproduction.winners.iter().filter(|winner| of(winner) == wanted).count();
    let [yes, no, open, ties] = [Wins::Yes, Wins::No, Wins::NotToldApart, Wins::Tie].map(count);
    let tested = yes + no + open;
    let tau = tau
        .map(|tau| format!("; rank agreement over all tests (Kendall's tau) {}, {} pairs", agreement(&tau), tau.pairs));
    (tested > 0).then(|| {
        format!(
            "Measured {form}, the published winner wins in {yes} of {tested} tests, another in {no}, and in {open} no \
             winner is proved ({ties} published ties){}.",
            tau.unwrap_or_default()
        )
    })
}
