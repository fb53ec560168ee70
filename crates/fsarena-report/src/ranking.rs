//! Rankings that state no more than the pairwise verdicts, and how a contender did among those of its group in a
//! workload, as a colour and a word.
//!
//! A ranking consists of tiers. `>` between two tiers means that *every* member of the first is faster than *every*
//! member of the second. `≈` or `?` joins the members of a tier if it holds for all its pairs. Otherwise the tier lists
//! what is known, because such relations need not be transitive.

use std::cmp::Reverse;
use std::fmt;

use fsarena_model::comparison::{PairVerdict, StandingRow};
use fsarena_model::{Comparison, Label, Verdict};

use crate::group::ClassGroup;
use crate::number::DASH;
use crate::pair;
use crate::report::Shade;

/// Maximum number of relations that a ranking lists within one tier. If there are more, it refers to the pairs.
const RELATIONS: usize = 3;

/// The ranking of a group's contenders in `workload`.
pub fn ranking<'a>(group: &ClassGroup<'a>, workload: &str) -> Ranking<'a> {
    let mut labels: Vec<_> = group.labels().collect();
    // What is not decided stands in the order of the medians.
    let median = |label: &Label| group.comparison.cell(workload, label)?.figure.median;
    let row = group.comparison.workloads.iter().find(|row| row.name == workload);
    let y = |label: &Label| {
        row.zip(median(label)).map_or(f64::NEG_INFINITY, |(row, median)| row.better.oriented_ln(median))
    };
    labels.sort_by(|one, other| y(other).total_cmp(&y(one)));
    Ranking::new(&labels, |a, b| group.verdict(workload, a, b), |a, b| group.leans(workload, a, b))
}

/// Contenders that the verdicts do not put in one order.
#[derive(Debug, Clone, PartialEq)]
pub struct Tier<'a> {
    pub members: Vec<&'a Label>,
    pairs: Vec<(&'a Label, &'a Label, Verdict)>,
    /// If no pair of members is decided: whether each seems better than the next one.
    leans: Vec<bool>,
}

/// An order of contenders for one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'a> {
    /// The tiers, the fastest first.
    pub tiers: Vec<Tier<'a>>,
    /// The contenders without a valid pair.
    pub invalid: Vec<&'a Label>,
}

impl<'a> Ranking<'a> {
    /// The ranking of `labels`. `verdict` is the verdict on its first argument against its second. `leads` is whether
    /// an undecided pair leans to the first.
    pub fn new(
        labels: &[&'a Label],
        verdict: impl Fn(&Label, &Label) -> Verdict,
        leads: impl Fn(&Label, &Label) -> bool,
    ) -> Self {
        let is_invalid = |label: &Label| {
            labels.iter().filter(|other| **other != label).all(|other| verdict(label, other) == Verdict::Invalid)
        };
        let (invalid, valid): (Vec<_>, Vec<_>) = labels.iter().copied().partition(|label| is_invalid(label));
        Self { tiers: tiers(&valid, &verdict, &leads), invalid }
    }

    /// The first tier, if it has only one contender, or only equivalent ones.
    pub fn leaders(&self) -> Option<&[&'a Label]> {
        let first = self.tiers.first()?;
        first.pairs.iter().all(|(_, _, verdict)| *verdict == Verdict::Equivalent).then_some(first.members.as_slice())
    }
}

/// Repeatedly takes the smallest set that beats all the rest. Contenders with more wins come first.
fn tiers<'a>(
    labels: &[&'a Label],
    verdict: &impl Fn(&Label, &Label) -> Verdict,
    leads: &impl Fn(&Label, &Label) -> bool,
) -> Vec<Tier<'a>> {
    let beats = |a: &Label, b: &Label| verdict(a, b) == Verdict::Faster;
    let wins = |label: &Label| labels.iter().filter(|other| **other != label && beats(label, other)).count();
    let mut rest = labels.to_vec();
    rest.sort_by_key(|label| Reverse(wins(label)));
    let mut tiers = Vec::new();
    while !rest.is_empty() {
        let is_cut = |n: &usize| rest[..*n].iter().all(|upper| rest[*n..].iter().all(|lower| beats(upper, lower)));
        let size = (1..rest.len()).find(is_cut).unwrap_or(rest.len());
        let mut members: Vec<_> = rest.drain(..size).collect();
        let is_open = pairs(&members, verdict).iter().all(|(_, _, verdict)| *verdict == Verdict::Undecided);
        let mut leans = Vec::new();
        if is_open {
            let all = members.clone();
            members.sort_by_key(|label| Reverse(all.iter().filter(|other| leads(label, other)).count()));
            leans = members.windows(2).map(|next| leads(next[0], next[1])).collect();
        }
        tiers.push(Tier { pairs: pairs(&members, verdict), members, leans });
    }
    tiers
}

fn pairs<'a>(
    members: &[&'a Label],
    verdict: &impl Fn(&Label, &Label) -> Verdict,
) -> Vec<(&'a Label, &'a Label, Verdict)> {
    let both = fsarena_stats::pairs(members.len()).map(|(a, b)| (members[a], members[b]));
    both.map(|(a, b)| (a, b, verdict(a, b))).collect()
}

/// `xfs > ext4 ≈ btrfs`.
impl fmt::Display for Ranking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tiers: Vec<_> = self.tiers.iter().map(Tier::to_string).collect();
        let invalid: Vec<_> = self.invalid.iter().map(|label| label.0.as_str()).collect();
        match (tiers.is_empty(), invalid.is_empty()) {
            (true, _) => f.write_str("invalid"),
            (_, true) => f.write_str(&tiers.join(" > ")),
            (_, false) => write!(f, "{}; invalid: {}", tiers.join(" > "), invalid.join(", ")),
        }
    }
}

impl fmt::Display for Tier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.members.iter().map(|label| label.0.as_str()).collect();
        let first = self.pairs.first().map(|(_, _, verdict)| *verdict);
        let alike = self.pairs.iter().all(|(_, _, verdict)| Some(*verdict) == first);
        match first {
            Some(Verdict::Undecided) if alike => f.write_str(&self.leanings()),
            Some(verdict) if alike => f.write_str(&names.join(&format!(" {} ", symbol(verdict)))),
            Some(_) => self.write_relations(&names.join(", "), f),
            None => f.write_str(&names.join("")),
        }
    }
}

impl Tier<'_> {
    /// `xfs ≳ ext4 ? btrfs`: which contenders seem better, if no pair is decided.
    fn leanings(&self) -> String {
        let symbols = self.leans.iter().map(|leans| if *leans { " ≳ " } else { " ? " });
        let names = self.members.iter().map(|label| label.0.as_str());
        names.zip(std::iter::once("").chain(symbols)).map(|(name, symbol)| format!("{symbol}{name}")).collect()
    }

    /// The known relations within a tier that has no single order.
    fn write_relations(&self, names: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.pairs.iter().filter(|(_, _, verdict)| *verdict != Verdict::Undecided);
        let known: Vec<_> = known.map(relation).collect();
        match known.len() {
            0..=RELATIONS if known.len() == self.pairs.len() => write!(f, "({names}: {})", known.join(", ")),
            // An open rest is of the members that no relation names.
            0..=RELATIONS => write!(f, "({}, else ?)", known.join(", ")),
            _ => write!(f, "({names}: no one order, see the pairs)"),
        }
    }
}

/// The faster contender of a pair comes first.
fn relation((a, b, verdict): &(&Label, &Label, Verdict)) -> String {
    match verdict.ordered(a, b) {
        Some((faster, slower)) => format!("{faster} > {slower}"),
        None => format!("{a} {} {b}", symbol(*verdict)),
    }
}

fn symbol(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => ">",
        Verdict::Slower => "<",
        Verdict::Equivalent => "≈",
        Verdict::Undecided => "?",
        Verdict::Invalid => "✗",
    }
}

/// The best and the worst possible rank of a contender; `None` for contenders without a rank.
pub fn ranks(comparison: &Comparison, workload: &str, contender: &Label) -> Option<(u32, u32)> {
    let mut rows = comparison.judged.standings.iter().filter(|row| row.workload == workload);
    let row = rows.find(|row| row.contender == *contender)?;
    row.rank_best.zip(row.rank_worst)
}

/// `1`, or `1–2` if the verdicts leave it open; a dash for contenders without a rank.
pub fn rank(comparison: &Comparison, workload: &str, contender: &Label) -> String {
    match ranks(comparison, workload, contender) {
        Some((best, worst)) if best < worst => format!("{best}–{worst}"),
        Some((best, _)) => best.to_string(),
        None => DASH.to_owned(),
    }
}

/// The best group of a workload; a dash if no contender has a rank. For two contenders, the verdict says the same.
pub fn best(group: &ClassGroup<'_>, workload: &str) -> String {
    let best = best_group(group, workload);
    if best.is_empty() { DASH.to_owned() } else { best.join(", ") }
}

pub fn best_group<'a>(group: &ClassGroup<'a>, workload: &str) -> Vec<&'a str> {
    let is_best = |row: &&StandingRow| row.workload == workload && row.in_best_group && group.has(&row.contender);
    group.comparison.judged.standings.iter().filter(is_best).map(|row| row.contender.0.as_str()).collect()
}

/// The colour: best if the contender is shown to be faster than another and slower than none, worst in the opposite
/// case. `None` if there is nothing to compare it with.
pub fn shade(group: &ClassGroup<'_>, workload: &str, label: &Label) -> Option<Shade> {
    let others = group.labels().filter(|other| *other != label);
    let verdicts: Vec<Verdict> = others.map(|other| group.verdict(workload, label, other)).collect();
    if verdicts.is_empty() || group.comparison.judged.verdicts.is_empty() {
        return None;
    }
    let has = |verdict| verdicts.contains(&verdict);
    Some(match (has(Verdict::Faster), has(Verdict::Slower)) {
        (true, true) => Shade::Between,
        (true, false) => Shade::Best,
        (false, true) => Shade::Worst,
        _ if has(Verdict::Undecided) => Shade::Undecided,
        _ if has(Verdict::Equivalent) => Shade::Equivalent,
        _ => Shade::Invalid,
    })
}

/// The word for a colour: `best`, or `best group` if the verdicts leave it open which of several is first.
pub fn word(group: &ClassGroup<'_>, workload: &str, label: &Label, shade: Shade) -> String {
    let is_alone = ranks(group.comparison, workload, label).is_some_and(|(best, worst)| best == worst);
    match shade {
        Shade::Best | Shade::Worst if !is_alone => format!("{shade} group"),
        Shade::Undecided if !own_pairs(group, workload, label).any(PairVerdict::is_open) => {
            "little at stake".to_owned()
        }
        _ => shade.to_string(),
    }
}

/// The pair of a contender with one that is shown to be faster: one of the best group, if any of it is, then one that is
/// faster than most, so that several contenders are compared with the same one, and then the nearest.
pub fn behind<'a>(group: &ClassGroup<'a>, workload: &str, label: &Label) -> Option<&'a PairVerdict> {
    let best = best_group(group, workload);
    let lost = own_pairs(group, workload, label).filter_map(|pair| {
        let winner = pair::winner(pair).filter(|winner| *winner != label)?;
        let beaten = group.labels().filter(|other| group.verdict(workload, winner, other) == Verdict::Faster).count();
        Some(((!best.contains(&winner.0.as_str()), Reverse(beaten)), pair::lead(pair)?.middle, pair))
    });
    let nearest = lost.min_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    nearest.map(|(_, _, pair)| pair)
}

fn own_pairs<'a>(group: &ClassGroup<'a>, workload: &str, label: &Label) -> impl Iterator<Item = &'a PairVerdict> {
    group.verdicts(workload).filter(move |pair| pair.a == *label || pair.b == *label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    /// Calls `check` with a ranking of `count` labels. `verdicts` has the pairs ab, ac, bc, or ab, ac, ad, bc, bd, cd.
    fn with_ranking<T>(count: usize, verdicts: &[Verdict], check: impl Fn(&Ranking<'_>) -> T) -> T {
        let labels: Vec<_> = NAMES[..count].iter().map(|name| Label::from(*name)).collect();
        let position = |label: &Label| labels.iter().position(|other| other == label).expect("known");
        let verdict = |a: &Label, b: &Label| {
            let (low, high) = (position(a).min(position(b)), position(a).max(position(b)));
            let index = (0..low).map(|row| count - 1 - row).sum::<usize>() + high - low - 1;
            if position(a) < position(b) { verdicts[index] } else { verdicts[index].reversed() }
        };
        check(&Ranking::new(&labels.iter().collect::<Vec<_>>(), verdict, |_, _| false))
    }

    fn printed(verdicts: [Verdict; 3]) -> String {
        with_ranking(3, &verdicts, |ranking| ranking.to_string())
    }

    use Verdict::{Equivalent, Faster, Invalid, Slower, Undecided};

    #[test]
    fn clear_orders_are_chains() {
        assert_eq!(printed([Faster, Faster, Faster]), "a > b > c");
        assert_eq!(printed([Slower, Slower, Equivalent]), "b ≈ c > a");
        assert_eq!(printed([Undecided, Faster, Faster]), "a ? b > c");
        assert_eq!(printed([Equivalent, Equivalent, Equivalent]), "a ≈ b ≈ c");
        assert_eq!(printed([Undecided, Undecided, Undecided]), "a ? b ? c");
    }

    #[test]
    fn intransitive_verdicts_are_not_made_transitive() {
        assert_eq!(printed([Equivalent, Faster, Equivalent]), "(a, b, c: a ≈ b, a > c, b ≈ c)");
        assert_eq!(printed([Faster, Undecided, Undecided]), "(a > b, else ?)");
        assert_eq!(printed([Faster, Slower, Faster]), "(a, b, c: a > b, c > a, b > c)");
    }

    #[test]
    fn the_invalid_stand_apart() {
        assert_eq!(printed([Faster, Invalid, Invalid]), "a > b; invalid: c");
        assert_eq!(printed([Invalid, Invalid, Invalid]), "invalid");
    }

    #[test]
    fn leaders_are_undisputed() {
        let leaders =
            |verdicts: [Verdict; 3]| with_ranking(3, &verdicts, |r| r.leaders().map(|first| first.len()).unwrap_or(0));
        assert_eq!(leaders([Faster, Faster, Undecided]), 1);
        assert_eq!(leaders([Equivalent, Faster, Faster]), 2);
        assert_eq!(leaders([Undecided, Faster, Faster]), 0);
    }

    proptest! {
        #[test]
        fn tiers_claim_only_what_was_decided(
            verdicts in proptest::collection::vec(
                proptest::sample::select(vec![Faster, Slower, Equivalent, Undecided, Invalid]), 6),
        ) {
            with_ranking(4, &verdicts, |ranking| {
                let count = ranking.tiers.iter().map(|tier| tier.members.len()).sum::<usize>();
                assert_eq!(count + ranking.invalid.len(), 4);
                for (index, tier) in ranking.tiers.iter().enumerate() {
                    for (upper, lower) in ranking.tiers[index + 1..].iter().flat_map(|later| {
                        tier.members.iter().flat_map(|upper| later.members.iter().map(move |lower| (upper, lower)))
                    }) {
                        let (i, j) = (upper.0.as_bytes()[0] - b'a', lower.0.as_bytes()[0] - b'a');
                        let (low, high) = (i.min(j) as usize, i.max(j) as usize);
                        let at = (0..low).map(|row| 3 - row).sum::<usize>() + high - low - 1;
                        assert_eq!(verdicts[at], if i < j { Faster } else { Slower });
                    }
                }
            });
        }
    }
}
