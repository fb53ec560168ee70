//! A sentence for each group of workloads: who is the fastest where, and how far ahead.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Label, Verdict, grouped};

use super::{Leader, Ranked, lead, led, rankings, superlative};
use crate::group::{ClassGroup, WorkGroup, works};
use crate::number::Ratio;
use crate::pair;
use crate::ranking;
use crate::report::{Role, Sentence};
use crate::words::{counted, listed};

/// Maximum number of workloads that are named. More are counted.
const NAMED: usize = 2;

/// Maximum number of contenders that are named if they are all of a group.
const FEW: usize = 3;

/// The sentences on a group of contenders: a single one if nothing is decided, none in a run without verdicts.
pub fn sentences(group: &ClassGroup<'_>) -> Vec<Sentence> {
    let verdicts = group.pairs();
    if !verdicts.is_empty() && verdicts.iter().all(|pair| pair.verdict == Verdict::Undecided) {
        let place = match group.comparison.workloads.len() {
            1 => String::new(),
            count => format!(": no lead is shown in any of the {count} workloads"),
        };
        return vec![format!("Nothing is decided{place}.").into()];
    }
    let works = if verdicts.is_empty() { Vec::new() } else { works(group.comparison) };
    works.iter().map(|work| sentence(group, work)).collect()
}

/// `Made durable (6 workloads): xfs is the fastest in 5 of 6 (1.15× to 1.49× ahead), ext4 in rename-fsync`.
fn sentence<'a>(group: &ClassGroup<'a>, work: &WorkGroup<'a>) -> Sentence {
    let rankings = rankings(group, work.workloads.iter().copied());
    let which = match rankings.as_slice() {
        [(only, _)] => (*only).to_owned(),
        _ => counted(rankings.len(), "workload"),
    };
    let all = Outcomes { group, rankings };
    let parts = [
        all.won().join(", "),
        all.best_of(&Leader::Several, |labels| format!("{labels} are equally fast")),
        all.best_of(&Leader::Open, |labels| format!("undecided between {labels}")),
        all.invalid(),
        all.left_out(),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Sentence::new(Role::Strong, format!("{} ({which}):", work.title)).and(Role::Plain, format!("{}.", parts.join("; ")))
}

/// The rankings of a group of workloads.
struct Outcomes<'a> {
    group: &'a ClassGroup<'a>,
    rankings: Vec<Ranked<'a>>,
}

impl Outcomes<'_> {
    /// A part for each contender that leads alone, the most successful first.
    fn won(&self) -> Vec<String> {
        let part = |(index, (label, own)): (usize, (&Label, Vec<&Ranked<'_>>))| {
            let verb = if index == 0 { format!(" is the {}", superlative(self.group)) } else { String::new() };
            let names: Vec<&str> = own.iter().map(|(name, _)| *name).collect();
            format!("{label}{verb}{}{}", self.place(&names), self.ahead(label, &names))
        };
        led(&self.rankings, self.group).into_iter().enumerate().map(part).collect()
    }

    fn invalid(&self) -> String {
        let names = self.names(&Leader::Invalid);
        if names.is_empty() { String::new() } else { format!("no figures can be compared{}", self.place(&names)) }
    }

    /// Invalid figures where the others can be compared.
    fn left_out(&self) -> String {
        let is_known = |(_, ranking): &&Ranked<'_>| !ranking.invalid.is_empty() && !ranking.tiers.is_empty();
        let out = self.rankings.iter().filter(is_known);
        let out: Vec<String> =
            out.map(|(name, ranking)| format!("{}{}", listed(&ranking.invalid), self.place(&[name]))).collect();
        if out.is_empty() { String::new() } else { format!("not ranked: {}", listed(out)) }
    }

    /// The names of the workloads with a lead of this kind.
    fn names(&self, wanted: &Leader<'_>) -> Vec<&str> {
        self.rankings.iter().filter(|(_, ranking)| lead(ranking) == *wanted).map(|(name, _)| *name).collect()
    }

    /// A part for each best group of the workloads with a lead of this kind.
    fn best_of(&self, wanted: &Leader<'_>, words: impl Fn(&str) -> String) -> String {
        let best = |name: &str| match ranking::best_group(self.group, name) {
            all if all.len() > FEW && all.len() == self.group.contenders.len() => "all".to_owned(),
            // None was measured often enough to have a rank.
            best if best.is_empty() => "all".to_owned(),
            best => listed(best),
        };
        let groups = grouped(self.names(wanted).into_iter().map(|name| (best(name), name)));
        let part = |(labels, names): &(String, Vec<&str>)| words(labels) + &self.place(names);
        groups.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// ` in all 6`, ` in 5 of 6`, ` in create-fsync`; empty for the only workload.
    fn place(&self, names: &[&str]) -> String {
        match (names.len(), self.rankings.len()) {
            (_, 1) => String::new(),
            (2, 2) => " in both".to_owned(),
            (count, all) if count == all => format!(" in all {all}"),
            (count, all) if count > NAMED => format!(" in {count} of {all}"),
            _ => format!(" in {}", listed(names)),
        }
    }

    /// ` (1.15× to 1.49× ahead)`: how many times better a leader is than the next, over some workloads.
    fn ahead(&self, leader: &Label, names: &[&str]) -> String {
        let mut leads: Vec<Ratio> = names.iter().filter_map(|name| self.lead_over_next(leader, name)).collect();
        leads.sort_by(|one, other| one.middle.total_cmp(&other.middle));
        match leads.as_slice() {
            [] => String::new(),
            [only] => format!(" ({} ahead)", only.times()),
            [least, .., most] => format!(" ({} to {} ahead)", least.times(), most.times()),
        }
    }

    fn lead_over_next(&self, leader: &Label, workload: &str) -> Option<Ratio> {
        let is_own = |pair: &&PairVerdict| pair.verdict != Verdict::Invalid && (pair.a == *leader || pair.b == *leader);
        let leads = self.group.verdicts(workload).filter(is_own).filter_map(pair::lead);
        leads.min_by(|one, other| one.middle.total_cmp(&other.middle))
    }
}
