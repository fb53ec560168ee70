//! What is said of one pair: who is faster, how much, between which bounds, or what an answer would cost.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Label, Verdict};

use crate::number::{DASH, Ratio};
use crate::price;

/// The ratio with its pointwise interval, as `a` to `b`.
pub fn ratio(pair: &PairVerdict) -> Option<Ratio> {
    Some(Ratio { middle: pair.ratio?, low: pair.low, high: pair.high })
}

/// The ratio with the interval that the decision used.
pub fn decision(pair: &PairVerdict) -> Option<Ratio> {
    Some(Ratio { middle: pair.ratio?, low: pair.decision_low, high: pair.decision_high })
}

/// Who is better, or seems to be, and the ratio seen from there, at least 1.
pub fn better(pair: &PairVerdict, ratio: Ratio) -> (&Label, Ratio) {
    let is_b = match pair.verdict {
        Verdict::Faster => false,
        Verdict::Slower => true,
        Verdict::Equivalent | Verdict::Undecided | Verdict::Invalid => pair.ratio.is_some_and(|ratio| ratio < 1.0),
    };
    if is_b { (&pair.b, ratio.inverted()) } else { (&pair.a, ratio) }
}

/// `ext4 / xfs`.
pub fn name(pair: &PairVerdict) -> String {
    format!("{} / {}", pair.a, pair.b)
}

/// `1.18×`, or a dash.
pub fn times(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(|| DASH.to_owned(), |ratio| ratio.times())
}

/// `[1.15, 1.21]`, or a dash.
pub fn interval(ratio: Option<Ratio>) -> String {
    ratio.and_then(|ratio| ratio.interval()).unwrap_or_else(|| DASH.to_owned())
}

/// The verdict, and the price of a better one: `undecided; about 8 more rounds (4 min) would settle it`.
pub fn words(pair: &PairVerdict) -> String {
    match price::of_pair(pair) {
        Some(price) => format!("{}; {price}", pair.verdict),
        None => pair.verdict.to_string(),
    }
}

/// The whole statement, for a table that has only this pair: `ext4 1.18× faster [1.15, 1.21]`.
pub fn statement(pair: &PairVerdict) -> String {
    let word = match pair.verdict {
        Verdict::Slower => Verdict::Faster,
        other => other,
    };
    let Some(ratio) = ratio(pair).filter(|_| word != Verdict::Invalid) else { return word.to_string() };
    let (label, ratio) = better(pair, ratio);
    let statement = format!("{label} {} {word}", ratio.times());
    ratio.interval().map_or(statement.clone(), |interval| format!("{statement} {interval}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(verdict: Verdict) -> PairVerdict {
        PairVerdict {
            workload: "create-fsync".to_owned(),
            metric: "files-per-second".to_owned(),
            a: Label::from("ext4"),
            b: Label::from("xfs"),
            ratio: Some(0.8),
            low: Some(0.76),
            high: Some(0.84),
            decision_low: Some(0.7),
            decision_high: Some(0.9),
            verdict,
            reason: String::new(),
            promises: String::new(),
            rounds: 6,
            needs_rounds: Some(14),
            needs_seconds: Some(229.0),
        }
    }

    #[test]
    fn the_winner_is_named_and_its_ratio_is_above_one() {
        assert_eq!(statement(&pair(Verdict::Slower)), "xfs 1.25× faster [1.19, 1.32]");
    }

    #[test]
    fn an_undecided_pair_says_its_price() {
        assert_eq!(statement(&pair(Verdict::Undecided)), "xfs 1.25× undecided [1.19, 1.32]");
        assert_eq!(words(&pair(Verdict::Undecided)), "undecided; about 8 more rounds (4 min) would settle it");
        let last = PairVerdict { needs_rounds: Some(7), needs_seconds: None, ..pair(Verdict::Undecided) };
        assert_eq!(words(&last), "undecided; about 1 more round would settle it");
        assert_eq!(words(&PairVerdict { needs_rounds: None, ..pair(Verdict::Undecided) }), "undecided");
    }

    #[test]
    fn an_invalid_pair_gives_no_figure() {
        assert_eq!(statement(&pair(Verdict::Invalid)), "invalid");
    }
}
