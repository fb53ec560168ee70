//! Statements about a pair: which contender is faster, the ratio with its interval, which differences the run finds,
//! and the mean ratio over all workloads.

use fsarena_model::comparison::{PairVerdict, Reason, SuiteRow};
use fsarena_model::{Label, Verdict};

use crate::group::ClassGroup;
use crate::number::{self, Ratio, or_dash};
use crate::words::listed;

/// The ratio with its pointwise interval, as `a` to `b`.
pub fn ratio(pair: &PairVerdict) -> Option<Ratio> {
    Ratio::of(pair.estimate)
}

/// The ratio with the interval that the decision used.
pub fn decision(pair: &PairVerdict) -> Option<Ratio> {
    Ratio::decided(pair.estimate, pair.decision)
}

/// The ratio, if it may be shown.
pub fn valid(pair: &PairVerdict, ratio: Option<Ratio>) -> Option<Ratio> {
    ratio.filter(|_| has_ratio(pair))
}

/// Whether the ratio may be shown: it is not that of an invalid pair, and names no leader of an undecided one that the
/// medians contradict.
pub fn has_ratio(pair: &PairVerdict) -> bool {
    match pair.verdict {
        Verdict::Invalid => false,
        Verdict::Undecided => !pair.reasons.iter().any(|it| matches!(it, Reason::Medians(it) if it.favours_other)),
        Verdict::Faster | Verdict::Slower | Verdict::Equivalent => true,
    }
}

/// What [`has_few_rounds`] says of several pairs.
pub const FEW_ROUNDS: &str = "fewer than 3 rounds that count";
const _: () = assert!(fsarena_stats::FEWEST_ROUNDS == 3, "FEW_ROUNDS has this number");

/// Whether a pair has fewer rounds than a verdict needs, or none.
pub fn has_few_rounds(pair: &PairVerdict) -> bool {
    pair.reasons.iter().any(|reason| matches!(reason, Reason::FewRounds { .. } | Reason::NotMeasured))
}

/// The contender that is better, or seems to be, and the ratio in its favour, at least 1.
pub fn better(pair: &PairVerdict, ratio: Ratio) -> (&Label, Ratio) {
    let is_below = pair.estimate.ratio.is_some_and(|ratio| ratio < 1.0);
    let is_b = winner(pair).map_or(is_below, |winner| *winner == pair.b);
    if is_b { (&pair.b, ratio.inverted()) } else { (&pair.a, ratio) }
}

/// The ratio in favour of the contender that is better, or seems to be.
pub fn lead(pair: &PairVerdict) -> Option<Ratio> {
    Some(better(pair, ratio(pair)?).1)
}

/// The faster contender of a decided pair.
pub fn winner(pair: &PairVerdict) -> Option<&Label> {
    pair.verdict.ordered(&pair.a, &pair.b).map(|(winner, _)| winner)
}

/// The slower contender of a decided pair.
pub fn loser(pair: &PairVerdict) -> Option<&Label> {
    pair.verdict.ordered(&pair.a, &pair.b).map(|(_, loser)| loser)
}

/// `ext4 / xfs`.
pub fn name(pair: &PairVerdict) -> String {
    format!("{} / {}", pair.a, pair.b)
}

/// `1.18×`, or a dash.
pub fn times(ratio: Option<Ratio>) -> String {
    or_dash(ratio.map(|ratio| ratio.times()))
}

/// `[1.15, 1.21]`, or a dash.
pub fn interval(ratio: Option<Ratio>) -> String {
    or_dash(ratio.and_then(|ratio| ratio.interval()))
}

/// `faster`, `undecided`, the side to which an undecided pair leans: `leaning to faster`; or `not decided` after too few
/// rounds.
pub fn words(pair: &PairVerdict) -> String {
    match pair.leaning.filter(|_| pair.verdict == Verdict::Undecided) {
        _ if has_few_rounds(pair) => "not decided".to_owned(),
        Some(side) => format!("leaning to {side}"),
        None => pair.verdict.to_string(),
    }
}

/// The smallest difference that the run would have decided: `8 %`, or a dash.
pub fn finds_from(pair: &PairVerdict) -> String {
    let valid = pair.detectable.filter(|_| pair.verdict != Verdict::Invalid);
    or_dash(valid.map(|ratio| number::percent(ratio - 1.0)))
}

/// The whole statement, for a table that has only this pair: `ext4 1.18× faster`, `xfs 1.04× leaning`.
pub fn statement(pair: &PairVerdict) -> String {
    let word = match (pair.verdict, pair.leaning) {
        (Verdict::Slower, _) => Verdict::Faster.to_string(),
        (Verdict::Undecided, Some(_)) => "leaning".to_owned(),
        _ => words(pair),
    };
    let Some(ratio) = valid(pair, ratio(pair)) else { return word };
    let (label, ratio) = better(pair, ratio);
    format!("{label} {} {word}", ratio.times())
}

/// Maximum number of workloads that are named as the reason why a mean is missing.
const NAMED: usize = 3;

/// The pairs within a group.
pub fn suite_rows<'a>(group: &ClassGroup<'a>) -> impl Iterator<Item = &'a SuiteRow> {
    group.comparison.judged.suite_ratios.iter().filter(|row| group.has(&row.a) && group.has(&row.b))
}

/// The mean of a pair, told of the one that it favours, with the ratio in its favour: `xfs over ext4`; `ext4 / xfs`
/// without a mean.
pub fn suite_mean(row: &SuiteRow) -> (String, Option<Ratio>) {
    match Ratio::of(row.estimate) {
        None => (format!("{} / {}", row.a, row.b), None),
        Some(ratio) if ratio.middle < 1.0 => (format!("{} over {}", row.b, row.a), Some(ratio.inverted())),
        Some(ratio) => (format!("{} over {}", row.a, row.b), Some(ratio)),
    }
}

/// Number of workloads in the mean: `8`, or `7 of 8` if there is no mean.
pub fn suite_workloads(row: &SuiteRow) -> String {
    match row.estimate.ratio {
        Some(_) => row.workloads.to_string(),
        None => format!("{} of {}", (row.workloads as usize).saturating_sub(row.left_out.len()), row.workloads),
    }
}

/// Why a pair has no mean; `None` if it has one.
pub fn suite_missing(row: &SuiteRow) -> Option<String> {
    let named = first_of(&row.left_out);
    (!named.is_empty()).then(|| format!("no mean over the suite without a valid estimate of {named}"))
}

/// The first of the workloads without which there is no mean, and how many more they are.
pub fn first_of(left_out: &[String]) -> String {
    let mut named: Vec<String> = left_out.iter().take(NAMED).cloned().collect();
    let more = left_out.len() - named.len();
    named.extend((more > 0).then(|| format!("{more} more")));
    listed(&named)
}

#[cfg(test)]
mod tests {
    use fsarena_model::Estimate;
    use fsarena_model::comparison::{DecisionInterval, Medians, Needs};

    use super::*;

    fn pair(verdict: Verdict) -> PairVerdict {
        PairVerdict {
            workload: "create-fsync".to_owned(),
            metric: "files-per-second".to_owned(),
            a: Label::from("ext4"),
            b: Label::from("xfs"),
            estimate: Estimate { ratio: Some(0.8), low: Some(0.76), high: Some(0.84) },
            decision: DecisionInterval { low: Some(0.7), high: Some(0.9) },
            verdict,
            reasons: Vec::new(),
            guarantees: String::new(),
            leaning: None,
            detectable: Some(1.081),
            rounds: 6,
            needs: Needs { rounds: Some(14), seconds: Some(229.0) },
        }
    }

    #[test]
    fn an_undecided_pair_says_where_it_leans_and_what_would_have_been_found() {
        let open = pair(Verdict::Undecided);
        assert_eq!((statement(&open), words(&open)), ("xfs 1.25× undecided".to_owned(), "undecided".to_owned()));
        let leaning = PairVerdict { leaning: Some(Verdict::Slower), ..open };
        assert_eq!(statement(&leaning), "xfs 1.25× leaning");
        assert_eq!(words(&leaning), "leaning to slower");
        assert_eq!(finds_from(&leaning), "8.1 %");
        assert_eq!(finds_from(&pair(Verdict::Invalid)), "–");
    }

    #[test]
    fn after_too_few_rounds_there_is_no_ratio_that_could_be_quoted() {
        let few = Reason::FewRounds { rounds: 1, least: 3 };
        let few = PairVerdict { reasons: vec![few], estimate: Estimate::default(), ..pair(Verdict::Undecided) };
        assert_eq!((statement(&few), words(&few)), ("not decided".to_owned(), "not decided".to_owned()));
        assert_eq!(few.reason(), "not decided: 1 round, a verdict needs at least 3");
        assert_eq!(valid(&few, ratio(&few)), None);
    }

    #[test]
    fn medians_that_favour_the_other_side_leave_no_leader_and_others_an_explanation() {
        let of = |medians, favours_other| {
            let reason = Reason::Medians(Medians { medians, favours_other });
            let open = PairVerdict { reasons: vec![reason], ..pair(Verdict::Undecided) };
            (statement(&open), open.reason())
        };
        let within = "the ratio compares within each round, a median is over all rounds";
        let (none, ratio) = ("undecided".to_owned(), "xfs 1.25× undecided".to_owned());
        assert_eq!(of(1.1, true), (none, format!("the medians favour the other side: {within}")));
        let outside = "the ratio of the medians, 2.00×, is outside of the interval of the ratio";
        assert_eq!(of(0.5, false), (ratio, format!("{outside}: {within}")));
    }
}
