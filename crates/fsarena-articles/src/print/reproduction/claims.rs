//! The outcomes of an article's claims.

use crate::article::Outcome;
use crate::reproduction::Reproduction;

use fsarena_report::report::{Paragraph, Section, Table};

/// The claims, one per row.
pub fn sheet(reproduction: &Reproduction) -> Section {
    let claims = reproduction.article.claims.iter().zip(&reproduction.claims);
    let row = |(claim, here): (&crate::article::Claim, &crate::reproduction::ClaimHere)| {
        let by = if here.checked { "measured here" } else { "" };
        vec![claim.kind.to_string(), claim.text.clone(), here.outcome.to_string(), here.why.clone(), by.to_owned()]
    };
    let table = Table::from_rows(["kind", "claim", "outcome", "why", "by"], claims.map(row), 5);
    let meaning = "Those that figures of this run can show or refute were checked by them, properly measured; the \
        others are judged from the article's own data and from what is known of its software.";
    Section::titled("What became of its claims").with(table).with(Paragraph::legend(meaning))
}

/// The number of claims with each outcome.
pub fn sentence(reproduction: &Reproduction) -> Option<String> {
    const ALL: [Outcome; 5] =
        [Outcome::Holds, Outcome::DoesNotHold, Outcome::Unsupported, Outcome::Contradiction, Outcome::NotTestable];
    let count = |outcome: &Outcome| reproduction.claims.iter().filter(|claim| claim.outcome == *outcome).count();
    let words = |outcome: &Outcome| format!("{outcome} {}", count(outcome));
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
