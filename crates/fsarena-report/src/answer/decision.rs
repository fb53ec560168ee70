//! The first line of a report: what a person who has to act should do, also where nothing is decided.

use std::collections::BTreeSet;

use fsarena_model::comparison::{ContenderRow, PairVerdict, Reason, WorkloadRow};
use fsarena_model::{Comparison, Guarantee, Label, ValidityClass, Verdict, probe};
use fsarena_stats::upper_median;

use super::{Leader, Ranked, lead, led, rankings, superlative};
use crate::group::{self, ClassGroup};
use crate::number;
use crate::ranking::Ranking;
use crate::report::{Role, Sentence};
use crate::words::{self, counted, either, listed};
use crate::{pair, ranking, recommendation};

/// A run that finds only differences above this one has not shown that there is none.
const FINE: f64 = 0.2;

/// The decision where no two contenders are ranked with each other.
const APART: &str = "none: no two contenders guarantee the same, so none are ranked with each other.";

/// The share of undecided comparisons above which nothing is recommended.
const MOSTLY_OPEN: f64 = 0.5;

/// Most slower contenders that are named where there are more.
const NAMED: usize = 4;

/// A sentence for each group of contenders that are ranked with each other; none without verdicts.
pub fn decision(comparison: &Comparison) -> Vec<Sentence> {
    let said = |title: String, text: String| Sentence::new(Role::Strong, title).and(Role::Plain, text);
    let place = comparison.run.guest.map(|guest| format!(" in {}", guest.place())).unwrap_or_default();
    if let Some(advice) = comparison.judged.recommendation.as_deref() {
        let title = format!("Decision{place} {}:", recommendation::title(advice));
        return recommendation::best(comparison, advice).map(|text| said(title.clone(), text)).collect();
    }
    let groups = group::compared(comparison);
    let of_group = |group: &ClassGroup<'_>| {
        let among = group.class.filter(|_| groups.len() > 1).map(words::class);
        let among = among.map(|class| format!(" among those of {class}")).unwrap_or_default();
        said(format!("Decision{place}{among}:"), AnswerGroup::of(group).words())
    };
    match (comparison.judged.verdicts.is_empty(), groups.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![said(format!("Decision{place}:"), APART.to_owned())],
        (false, false) => groups.iter().map(of_group).collect(),
    }
}

/// What the options of contenders give up in safety, to be read with their speed.
pub fn risks(comparison: &Comparison) -> Option<String> {
    let risky = comparison.contenders.iter().filter(|row| !row.risks.is_empty());
    let risks: Vec<String> = risky.map(|row| format!("{} ({})", row.label, row.risks.join("; "))).collect();
    (!risks.is_empty()).then(|| format!("Less safe than by default: {}.", risks.join(", ")))
}

/// How much space the contenders take for the files of the workloads, if one of them compresses.
pub fn space(comparison: &Comparison) -> Option<String> {
    if !comparison.contenders.iter().any(|row| row.guarantees.contains(&Guarantee::Compression)) {
        return None;
    }
    let of = |workload: &str, label: &Label| comparison.cell(workload, label)?.probe(probe::SPACE_USED);
    let all = |row: &&WorkloadRow| comparison.contenders.iter().all(|one| of(&row.name, &one.label).is_some());
    let names: Vec<&str> = comparison.workloads.iter().filter(all).map(|row| row.name.as_str()).collect();
    let median = |label: &Label| upper_median(names.iter().filter_map(|name| of(name, label)));
    let one = |row: &ContenderRow| Some(format!("{} {}", row.label, number::hundredths(median(&row.label)?)));
    let parts: Vec<String> = comparison.contenders.iter().filter_map(one).collect();
    let work = counted(names.len(), "workload");
    (!parts.is_empty()).then(|| format!("Space for a byte of the files: {} (median over {work}).", parts.join(", ")))
}

/// A group of contenders in all workloads.
struct AnswerGroup<'a> {
    group: &'a ClassGroup<'a>,
    /// The pairs that can be compared.
    pairs: Vec<&'a PairVerdict>,
}

impl<'a> AnswerGroup<'a> {
    fn of(group: &'a ClassGroup<'a>) -> Self {
        let pairs = group.pairs().into_iter().filter(|pair| pair.verdict != Verdict::Invalid);
        Self { group, pairs: pairs.collect() }
    }

    fn words(&self) -> String {
        let comparison = self.group.comparison;
        let is_synthetic = !comparison.run.preface.is_empty();
        let fit: Vec<&Label> = self.group.labels().filter(|it| self.is_fit(it)).collect();
        let losses: Vec<&PairVerdict> = self.pairs.iter().copied().filter(|pair| self.is_beyond_margin(pair)).collect();
        let is_behind = |label: &Label| losses.iter().any(|pair| pair::loser(pair) == Some(label));
        let best: Vec<&Label> = fit.iter().copied().filter(|label| !is_behind(label)).collect();
        let margin = number::percent(comparison.run.margin);
        let work = counted(comparison.workloads.len(), "workload");
        if is_synthetic {
            return "none from single operations: measure the work itself (`fsarena compare`, `--profile`, `--command`)."
                .to_owned();
        }
        if fit.is_empty() && !self.pairs.is_empty() {
            return "none: each has figures that cannot be compared, where those of another can.".to_owned();
        }
        if self.pairs.is_empty() {
            return format!("none: no figures can be compared{}.", self.failed());
        }
        if fit.len() < self.group.contenders.len() && losses.is_empty() {
            let unfit = self.group.labels().filter(|label| !fit.contains(label));
            return format!("take {}: not all figures of {} can be compared.", either(&best), listed(unfit));
        }
        let open = self.pairs.iter().filter(|pair| pair.is_open()).count();
        match best.as_slice() {
            best if !losses.is_empty() && open as f64 > MOSTLY_OPEN * self.pairs.len() as f64 => format!(
                "keep what you have, or measure longer: {open} of {} are undecided; shown is that {}{}.",
                counted(self.pairs.len(), "comparison"),
                self.behind(&losses, &[]),
                self.nowhere(best)
            ),
            _ if losses.is_empty() => format!("keep what you have: {}.", self.nothing(&margin)),
            [] => format!("it depends on the work: {}.", self.leaders(&work)),
            best => {
                let (all, any) = match comparison.workloads.len() {
                    1 => (String::new(), String::new()),
                    _ => (format!(" in all {work}"), format!(" in any of {work}")),
                };
                let is_led = |ranking: &Ranking<'_>| matches!(lead(ranking), Leader::One(_));
                let why = match rankings(self.group, &comparison.workloads).iter().all(|(_, it)| is_led(it)) {
                    true => format!("it is the {}{all}", superlative(self.group)),
                    false => format!("no other is shown to be more than {margin} faster{any}"),
                };
                let (safe, risky): (Vec<&Label>, Vec<&Label>) = best.iter().partition(|label| !self.is_risky(label));
                let (taken, left) = if safe.is_empty() { (risky, Vec::new()) } else { (safe, risky) };
                let is = if left.len() == 1 { "is" } else { "are" };
                let less_safe = || format!("; {} {is} less safe and not shown to be faster", listed(&left));
                let less_safe = if left.is_empty() { String::new() } else { less_safe() };
                format!("take {}: {why}; {}{less_safe}.", either(taken), self.behind(&losses, best))
            }
        }
    }

    /// `, because few did not finish`; empty if that is not why.
    fn failed(&self) -> String {
        let class = ValidityClass::DidNotFinish;
        let pairs = self.group.pairs();
        let has_failed = |label: &&Label| {
            let reason = Reason::Validity { contender: (*label).clone(), class };
            pairs.iter().any(|pair| pair.reasons.contains(&reason))
        };
        let failed: Vec<&Label> = self.group.labels().filter(has_failed).collect();
        if failed.is_empty() { String::new() } else { format!(", because {} did not finish", listed(failed)) }
    }

    fn is_risky(&self, label: &Label) -> bool {
        self.group.contenders.iter().any(|row| row.label == *label && !row.risks.is_empty())
    }

    /// Whether nothing forbids to take the contender: its figures are valid wherever those of another are, and no check
    /// found damage.
    fn is_fit(&self, label: &Label) -> bool {
        let of = |pair: &&PairVerdict| pair.a == *label || pair.b == *label;
        let is_damaged = self.group.comparison.checks.damage.iter().any(|check| check.contender == *label);
        let is_invalid = |pair: &PairVerdict| {
            let forbids = |reason: &Reason, of: &Label| match reason {
                Reason::Validity { contender, class } => contender == of && class.forbids_verdict(),
                _ => false,
            };
            let has = |of: &Label| pair.reasons.iter().any(|reason| forbids(reason, of));
            let other = if pair.a == *label { &pair.b } else { &pair.a };
            pair.verdict == Verdict::Invalid && has(label) && !has(other)
        };
        !is_damaged && self.pairs.iter().any(of) && !self.group.pairs().into_iter().any(is_invalid)
    }

    /// Whether a difference is shown that exceeds the margin.
    fn is_beyond_margin(&self, pair: &PairVerdict) -> bool {
        let margin = self.group.comparison.run.margin;
        pair::winner(pair).is_some() && pair::lead(pair).is_some_and(|ratio| ratio.middle > 1.0 + margin)
    }

    /// What can be said where no difference above the margin is shown.
    fn nothing(&self, margin: &str) -> String {
        let all = || self.pairs.iter().filter(|pair| pair.is_open());
        let open: Vec<&&PairVerdict> = all().filter(|pair| !pair::has_few_rounds(pair)).collect();
        let few = all().count() - open.len();
        let count = counted(self.pairs.len(), "comparison");
        if all().next().is_none() {
            return format!("all are equal within {margin}, or the file system has no part in the time");
        }
        if open.is_empty() {
            let within = if few == self.pairs.len() { String::new() } else { format!(" in {few} of {count}") };
            return format!("no verdict is possible{within} with {}", pair::FEW_ROUNDS);
        }
        let without = match few {
            0 => String::new(),
            few => format!("; {few} of {count} had {}, so nothing could be found there", pair::FEW_ROUNDS),
        };
        let finds: Option<Vec<f64>> = open.iter().map(|pair| pair.detectable).collect();
        let finds = finds.and_then(|all| all.into_iter().reduce(f64::max)).map(|ratio| ratio - 1.0);
        match finds {
            Some(finds) if finds > FINE => {
                let finds = number::percent(finds);
                let finds = finds.trim_start_matches('>');
                let within = match open.len() {
                    all if all == self.pairs.len() => String::new(),
                    open => format!(" in {open} of {count}"),
                };
                format!(
                    "no difference is shown, and{within} only one above {finds} would have been found: measure longer, \
                     or on a quieter machine"
                )
            }
            Some(finds) => {
                let finds = number::percent(finds);
                format!("no difference above {margin} was found; this run finds those above {finds}{without}")
            }
            None => format!("no difference above {margin} was found{without}"),
        }
    }

    /// `ext4 is the fastest in 3 of 10 workloads, xfs in 4`.
    fn leaders(&self, work: &str) -> String {
        let rankings = rankings(self.group, &self.group.comparison.workloads);
        let part = |(index, (label, own)): (usize, (&Label, Vec<&Ranked<'_>>))| match index {
            0 => format!("{label} is the {} in {} of {work}", superlative(self.group), own.len()),
            _ => format!("{label} in {}", own.len()),
        };
        match led(&rankings, self.group).into_iter().enumerate().map(part).collect::<Vec<_>>() {
            none if none.is_empty() => format!("each is slower than another in some of {work}"),
            led => led.join(", "),
        }
    }

    /// `; xfs is not shown to be slower in any workload`; empty of a single workload.
    fn nowhere(&self, best: &[&Label]) -> String {
        let is = if best.len() == 1 { "is" } else { "are" };
        match (best, self.group.comparison.workloads.len()) {
            ([], _) | (_, 1) => String::new(),
            _ => format!("; {} {is} not shown to be slower in any workload", listed(best)),
        }
    }

    /// `btrfs is slower in 4 (up to 2.35× behind xfs)`. The only one that is taken is not named again. Of many those
    /// with the largest gaps are named.
    fn behind(&self, losses: &[&PairVerdict], taken: &[&Label]) -> String {
        let one = |label: &Label| {
            let own = losses.iter().filter(|pair| pair::loser(pair) == Some(label));
            let names: BTreeSet<&str> = own.map(|pair| pair.workload.as_str()).collect();
            let gap = |name: &&str| {
                let pair = ranking::behind(self.group, name, label)?;
                Some((pair::lead(pair)?.middle, pair::winner(pair)?))
            };
            let (most, winner) = names.iter().filter_map(gap).max_by(|one, other| one.0.total_cmp(&other.0))?;
            let times = number::Ratio::alone(most).times();
            let behind = if taken == [winner] { String::new() } else { format!(" behind {winner}") };
            let place = match (self.group.comparison.workloads.len(), names.len()) {
                (1, _) => String::new(),
                (_, count) => format!(" in {count}"),
            };
            let up_to = if names.len() == 1 { "" } else { "up to " };
            Some((most, format!("{label} is slower{place} ({up_to}{times}{behind})")))
        };
        let mut all: Vec<(f64, String)> = self.group.labels().filter_map(one).collect();
        let mut others = None;
        if all.len() > NAMED + 1 {
            all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
            others = Some(format!("{} others are slower somewhere", all.split_off(NAMED).len()));
        }
        listed(all.into_iter().map(|(_, words)| words).chain(others))
    }
}
