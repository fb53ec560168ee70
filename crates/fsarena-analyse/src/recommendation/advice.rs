//! The advice for the contenders of one durability class.

use std::collections::BTreeMap;

use fsarena_model::recommendation::{
    AnotherProgram, ClassAdvice, KindChoice, MixFlip, MixRow, NotRecommended, Preference,
};
use fsarena_model::{Class, Label, WorkKind, grouped};
use fsarena_stats::{
    BetweenPrograms, Interval, Lead, LogEstimate, Prediction, Programs, Rule, flips, pairs, weighted_mean,
};

use super::{Evidence, Part};
use crate::decisions::all_parts;
use crate::evidence::{objection, pointwise, ratio};

/// The probability from which on a contender counts as better in another program.
pub(crate) const SURE: f64 = 0.9;
/// The share of prediction intervals that miss another program.
const MISSED: f64 = 0.1;
/// How much a workload of another kind counts in a prediction (decision 0029).
const OTHER_KIND: f64 = 0.15;

impl Evidence<'_> {
    pub fn advice(&self, class: Class, members: &[usize]) -> ClassAdvice {
        let among = |(a, b): &(usize, usize)| members.contains(a) && members.contains(b);
        let rows = pairs(self.decisions.analysis.count()).filter(among).map(|(a, b)| self.row(a, b)).collect();
        let objections = members.iter().map(|member| (*member, self.objection(*member)));
        let candidates: Vec<usize> = objections.clone().filter(|(_, why)| why.is_none()).map(|(it, _)| it).collect();
        let not_recommended =
            objections.filter_map(|(member, why)| Some(NotRecommended { label: self.label(member), reason: why? }));
        let first = self.first(&candidates);
        let best = first.map(|first| self.best(first, &candidates)).unwrap_or_default();
        ClassAdvice {
            durability: class.durability,
            coherence: class.coherence,
            pairs: rows,
            first: first.map(|first| self.label(first)),
            depends: self.preferences(&best),
            kinds: self.kinds().into_keys().filter_map(|kind| self.choice(kind, &candidates)).collect(),
            best: best.iter().map(|member| self.label(*member)).collect(),
            led: first.map(|first| self.led(first, &best, &candidates)).unwrap_or_default(),
            equal: first.map(|first| self.equal(first, &candidates)).unwrap_or_default(),
            flips: first.map(|first| self.flips(first, &candidates)).unwrap_or_default(),
            not_recommended: not_recommended.collect(),
        }
    }

    pub(crate) fn label(&self, contender: usize) -> Label {
        self.decisions.analysis.label(contender).clone()
    }

    /// Why a contender is not recommended, from its own cells; `None` if nothing speaks against it.
    fn objection(&self, contender: usize) -> Option<String> {
        let of_workload = |workload: &usize| {
            let cell = &self.decisions.cells[*workload][contender];
            Some((cell.workload.clone(), objection(cell)?))
        };
        let all: Vec<(String, String)> = self.weights.keys().filter_map(of_workload).collect();
        (!all.is_empty()).then(|| each_once(&all, self.weights.len()))
    }

    /// The workloads of the mix with a pair's results in them, each weight times a factor; the reasons if one has none.
    fn parts(
        &self,
        a: usize,
        b: usize,
        factor: impl Fn(usize) -> f64,
    ) -> Result<Vec<fsarena_stats::Part<'_>>, Vec<String>> {
        let part = |(number, weight): (&usize, &f64)| self.decisions.part(*number, weight * factor(*number), a, b);
        all_parts(self.weights.iter().map(part))
    }

    /// The weighted mean of a pair; the reasons if there is none.
    fn mean(&self, a: usize, b: usize) -> Result<LogEstimate, Vec<String>> {
        weighted_mean(&self.parts(a, b, |_| 1.0)?).ok_or_else(Vec::new)
    }

    /// What is known of a pair in programs of a kind: workloads of other kinds count less. The reasons if there is
    /// nothing.
    pub(crate) fn programs(&self, kind: WorkKind, a: usize, b: usize) -> Result<Programs, Vec<String>> {
        let factor = |workload| if self.kind(workload) == kind { 1.0 } else { OTHER_KIND };
        Programs::of(&self.parts(a, b, factor)?).ok_or_else(Vec::new)
    }

    pub(crate) fn kind(&self, workload: usize) -> WorkKind {
        self.plan().workloads[workload].durable.kind()
    }

    /// The kinds of work in the mix, with their shares.
    fn kinds(&self) -> BTreeMap<WorkKind, f64> {
        let mut kinds = BTreeMap::new();
        for (workload, weight) in &self.weights {
            *kinds.entry(self.kind(*workload)).or_insert(0.0) += weight;
        }
        kinds
    }

    /// How much better `a` is in another program of a kind; a pair in command-line order.
    fn predicted(&self, kind: WorkKind, a: usize, b: usize) -> Option<Prediction> {
        Some(self.programs(kind, a, b).ok()?.predict(BetweenPrograms::VALIDATED))
    }

    fn row(&self, a: usize, b: usize) -> MixRow {
        let mean = self.mean(a, b);
        let another = |kind| Some(another(kind, &self.predicted(kind, a, b)?));
        MixRow {
            a: self.label(a),
            b: self.label(b),
            estimate: pointwise(mean.as_ref().ok().copied()),
            another: self.kinds().into_keys().filter_map(another).collect(),
            left_out: mean.err().unwrap_or_default(),
        }
    }

    /// How much better `one` is than `other`, as a logarithm, with an interval that holds simultaneously with
    /// `together` intervals in all.
    fn ahead(&self, one: usize, other: usize, together: usize) -> Option<(f64, Interval)> {
        let mean = self.mean(one.min(other), one.max(other)).ok()?;
        let mean = if one < other { mean } else { mean.reversed() };
        Some((mean.estimate, mean.interval(Rule::default().alpha / together.max(1) as f64 / 2.0)))
    }

    /// The best contender by estimate; `None` if two candidates cannot be compared.
    fn first(&self, candidates: &[usize]) -> Option<usize> {
        let mut sums = Vec::new();
        for one in candidates {
            let others = candidates.iter().filter(|other| *other != one);
            let leads = others.map(|other| Some(self.ahead(*one, *other, 1)?.0));
            sums.push((*one, leads.sum::<Option<f64>>()?));
        }
        sums.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(first, _)| first)
    }

    /// The first contender, with all rivals than which it is not clearly better: on average, and in another program.
    fn best(&self, first: usize, candidates: &[usize]) -> Vec<usize> {
        let is_sure = |rival: usize| self.better(first, rival).is_some_and(|better| better >= SURE);
        let is_clear = |rival: usize| self.leads(first, rival, candidates) && is_sure(rival);
        candidates.iter().copied().filter(|member| *member == first || !is_clear(*member)).collect()
    }

    /// Whether the first is shown to lead a rival by its mean over these workloads.
    fn leads(&self, first: usize, rival: usize, candidates: &[usize]) -> bool {
        let exceeds = |(mean, lead): (f64, Interval)| mean > self.margin() && lead.low > 0.0;
        self.lead_over(first, rival, candidates).is_some_and(exceeds)
    }

    /// The probability that `one` is better than `other` in another program of a kind.
    fn better_in(&self, kind: WorkKind, one: usize, other: usize) -> Option<f64> {
        let better = self.predicted(kind, one.min(other), one.max(other))?.better();
        Some(if one < other { better } else { 1.0 - better })
    }

    /// The probability that `one` is better than `other` in another program, whose kind is as likely as its share.
    fn better(&self, one: usize, other: usize) -> Option<f64> {
        self.kinds().into_iter().map(|(kind, share)| Some(share * self.better_in(kind, one, other)?)).sum()
    }

    /// The candidates than which no other is surely better in another program of a kind; `None` if those are all.
    fn choice(&self, kind: WorkKind, candidates: &[usize]) -> Option<KindChoice> {
        let beats = |one: usize, other: usize| self.better_in(kind, one, other).is_some_and(|better| better >= SURE);
        let is_beaten = |member: usize| candidates.iter().any(|other| *other != member && beats(*other, member));
        let left: Vec<usize> = candidates.iter().copied().filter(|member| !is_beaten(*member)).collect();
        let contenders = || left.iter().map(|member| self.label(*member)).collect();
        (!left.is_empty() && left.len() < candidates.len()).then(|| KindChoice { kind, contenders: contenders() })
    }

    /// Those of the best over which the first's mean lead is shown.
    fn led(&self, first: usize, best: &[usize], candidates: &[usize]) -> Vec<Label> {
        let led = best.iter().filter(|member| **member != first && self.leads(first, **member, candidates));
        led.map(|member| self.label(*member)).collect()
    }

    /// The rivals that are proved to differ from the first by less than the margin.
    fn equal(&self, first: usize, candidates: &[usize]) -> Vec<Label> {
        let is_within = |(_, lead): (f64, Interval)| lead.low >= -self.margin() && lead.high <= self.margin();
        let lead = |member: &usize| self.lead_over(first, *member, candidates).filter(|_| *member != first);
        let equal = candidates.iter().filter(|member| lead(member).is_some_and(is_within));
        equal.map(|member| self.label(*member)).collect()
    }

    /// The lead over a rival, with an interval; the intervals over all rivals hold simultaneously.
    fn lead_over(&self, first: usize, rival: usize, candidates: &[usize]) -> Option<(f64, Interval)> {
        self.ahead(first, rival, candidates.len() - 1)
    }

    /// The plan's margin, as a logarithm.
    fn margin(&self) -> f64 {
        self.plan().margin.0.ln_1p()
    }

    /// For each part of the mix, the shares at which another contender would be first. Empty if the mix has a single
    /// part.
    fn flips(&self, first: usize, candidates: &[usize]) -> Vec<MixFlip> {
        if self.parts.len() < 2 {
            return Vec::new();
        }
        let rivals: Vec<usize> = candidates.iter().copied().filter(|member| *member != first).collect();
        let of_part = |part: &Part| {
            let leads: Option<Vec<Lead>> = rivals.iter().map(|rival| self.lead(part, first, *rival)).collect();
            let named = |flip: fsarena_stats::Flip| (flip.at, self.label(rivals[flip.to]));
            let [below, above] = flips(&leads.unwrap_or_default(), part.share).map(|flip| flip.map(named));
            MixFlip { name: part.name.clone(), share: part.share, below, above }
        };
        self.parts.iter().map(of_part).collect()
    }

    /// The lead over a rival within a part, and in the other parts weighted by their shares; `None` if there are no
    /// other parts.
    fn lead(&self, part: &Part, first: usize, rival: usize) -> Option<Lead> {
        let others = self.parts.iter().filter(|other| other.name != part.name);
        let (mut sum, mut shares) = (0.0, 0.0);
        for other in others {
            sum += other.share * self.lead_within(other, first, rival)?;
            shares += other.share;
        }
        (shares > 0.0).then_some(())?;
        Some(Lead { within: self.lead_within(part, first, rival)?, elsewhere: sum / shares })
    }

    fn lead_within(&self, part: &Part, first: usize, rival: usize) -> Option<f64> {
        let (a, b) = (first.min(rival), first.max(rival));
        let estimates =
            part.workloads.iter().map(|workload| self.decisions.part(*workload, 1.0, a, b).ok()?.pair.estimate);
        let mean = estimates.sum::<Option<f64>>()? / part.workloads.len() as f64;
        Some(if first < rival { mean } else { -mean })
    }

    /// Which of these contenders are better in which workloads; empty unless each is beaten in some workload.
    fn preferences(&self, members: &[usize]) -> Vec<Preference> {
        let name = |workload: usize| self.plan().workloads[workload].name.to_string();
        let leaders = self.weights.keys().map(|workload| (self.unbeaten(*workload, members), name(*workload)));
        let mut leading = grouped(leaders);
        leading.retain(|(leaders, _)| !leaders.is_empty() && leaders.len() < members.len());
        let is_beaten = |member: &usize| leading.iter().any(|(leaders, _)| !leaders.contains(member));
        if !members.iter().all(is_beaten) {
            return Vec::new();
        }
        let named = |leaders: Vec<usize>| leaders.into_iter().map(|member| self.label(member)).collect();
        let preference = |(leaders, workloads)| Preference { contenders: named(leaders), workloads };
        leading.into_iter().map(preference).collect()
    }

    /// The contenders than which no other of `members` is decided to be better in the workload.
    fn unbeaten(&self, workload: usize, members: &[usize]) -> Vec<usize> {
        let is_beaten = |one: usize| members.iter().any(|other| self.decisions.beats(workload, *other, one));
        members.iter().copied().filter(|member| !is_beaten(*member)).collect()
    }
}

/// A prediction with its 90 % interval.
pub(crate) fn another(kind: WorkKind, prediction: &Prediction) -> AnotherProgram {
    let estimate = ratio(Some(prediction.median()), Some(prediction.interval(MISSED)));
    AnotherProgram { kind, estimate, better: prediction.better() }
}

/// Each reason once, with its workloads; `all 11` if it applies to all workloads of the mix.
fn each_once(reasons: &[(String, String)], count: usize) -> String {
    let one = |(why, workloads): (&str, Vec<&str>)| match workloads.len() {
        all if all == count && count > 1 => format!("all {count}: {why}"),
        _ => format!("{}: {why}", workloads.join(", ")),
    };
    let by_reason = grouped(reasons.iter().map(|(workload, why)| (why.as_str(), workload.as_str())));
    by_reason.into_iter().map(one).collect::<Vec<_>>().join("; ")
}
