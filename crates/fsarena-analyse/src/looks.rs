//! The decisions on all pairs of a record: repeats the interim looks of the run after each round.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Rounds, RunRecord, Status, Verdict};
use fsarena_stats::{Interval, Judge, Reduced, Rule};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::{Field, FieldRound, fields};
use crate::noise::rounds;
use crate::verdicts::verdict_of;

/// Rounds after which a workload without comparable pairs needs no more rounds.
const ROUNDS_WITHOUT_PAIRS: usize = 4;
/// Number of different lanes that a contender needs before it is judged, if the run has that many.
const LANES: usize = 3;

/// The state of all pairs.
pub struct Standing {
    fields: Vec<Judged>,
    /// The number of rounds that count, for each workload, with or without results.
    rounds: Vec<usize>,
    /// Whether the workload failed on all contenders whenever it ran.
    failed: Vec<bool>,
}

/// A field after the latest look.
pub(crate) struct Judged {
    pub(crate) field: Field,
    reduced: Reduced,
    pairs: Vec<Pair>,
}

#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The pair at the latest look; its contenders are numbered within the field.
    pub latest: fsarena_stats::Pair,
    /// The pair at the look at which it was decided.
    pub fell: Option<fsarena_stats::Pair>,
    /// Whether a later look contradicted the verdict.
    pub is_unsteady: bool,
}

/// The state of all pairs of a record.
pub fn standing(record: &RunRecord) -> Standing {
    Standing::new(&Analysis::new(record))
}

/// The pairs of each field after all looks of the run, which are repeated round by round.
fn look(analysis: &Analysis<'_>, rule: Rule, fields: &[Reduced]) -> Vec<Vec<Pair>> {
    let mut judge = Judge::new(rule);
    let fields: Vec<&Reduced> = fields.iter().collect();
    let mut all: Vec<Vec<Pair>> = vec![Vec::new(); fields.len()];
    let last = analysis.last_round;
    for round in (1..=last).filter(|round| is_looked_at(*round) || *round == last) {
        let look = judge.look_at(&fields, round as usize, progress(analysis.record, round));
        for (pairs, look) in all.iter_mut().zip(look) {
            let before = |place: usize| pairs.get(place).copied();
            *pairs = look.into_iter().enumerate().map(|(place, now)| followed(before(place), now, rule)).collect();
        }
    }
    all
}

/// The round after which each member was on several lanes, in rounds that count. Before that, the position on the disk
/// cannot be separated from the contender. (Measured: three of seven rounds counted, and one contender had the same
/// lane in all three; it was slower by a quarter.)
fn rotated_from(rounds: &[FieldRound]) -> usize {
    let lanes: BTreeSet<u32> = rounds.iter().flat_map(|row| &row.lanes).flatten().copied().collect();
    let wanted = lanes.len().min(LANES);
    if wanted < 2 {
        return 0;
    }
    let mut seen: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for row in rounds {
        for (member, lane) in row.lanes.iter().enumerate() {
            seen.entry(member).or_default().extend(lane);
        }
        if seen.values().all(|lanes| lanes.is_empty() || lanes.len() >= wanted) {
            return row.round as usize;
        }
    }
    usize::MAX
}

/// Long runs skip looks: a look that is left out would decide hardly more than the next one does.
fn is_looked_at(round: u32) -> bool {
    round.is_multiple_of(round.div_ceil(20))
}

/// The share of the planned rounds, or of the planned time, that is used up after a round. It depends only on the
/// clock, never on results. A complete run has used up its time.
pub(crate) fn progress(record: &RunRecord, round: u32) -> f64 {
    let is_end =
        |round: u32| record.status == Status::Complete && record.rounds.last().is_some_and(|it| it.round == round);
    match record.plan.rounds {
        Rounds::Exactly(count) => f64::from(round) / f64::from(count.max(1)),
        Rounds::Within(budget) => {
            let rounds = record.rounds.iter().filter(|facts| facts.round <= round);
            let spent: f64 = rounds.map(|facts| facts.seconds).sum();
            let planned = budget.saturating_sub(record.plan.lanes.reserved).as_seconds().max(1.0);
            let share = (spent / planned).max(1e-3);
            if is_end(round) { share.max(1.0) } else { share }
        }
    }
}

/// The state of a pair after the next look.
fn followed(before: Option<Pair>, now: fsarena_stats::Pair, rule: Rule) -> Pair {
    let fell = before.and_then(|before| before.fell);
    let fell = fell.or((now.verdict != fsarena_stats::Verdict::Undecided).then_some(now));
    let contradicts = fell.is_some_and(|fell| contradict(fell.verdict, &now, rule.margin));
    Pair { latest: now, fell, is_unsteady: contradicts || before.is_some_and(|before| before.is_unsteady) }
}

/// Whether a later look contradicts the verdict: it decides the opposite direction, or it decides a difference whose
/// interval lies wholly beyond the margin after an equivalence. A proved small difference does not contradict an
/// equivalence.
fn contradict(fell: fsarena_stats::Verdict, now: &fsarena_stats::Pair, margin: f64) -> bool {
    use fsarena_stats::Verdict::{Equivalent, Faster, Slower};
    let is_beyond = |interval: Interval| interval.low > margin.ln_1p() || interval.high < -margin.ln_1p();
    match (fell, now.latest) {
        (Faster, Slower) | (Slower, Faster) => true,
        (Equivalent, Faster | Slower) => now.decision.is_some_and(is_beyond),
        _ => false,
    }
}

impl Standing {
    pub(crate) fn new(analysis: &Analysis<'_>) -> Self {
        let rule = Rule { margin: analysis.record.plan.margin.0, ..Rule::default() };
        let counting = |own: &WorkloadTrials<'_>| rounds(analysis.record, own.workload) as usize - own.excluded.len();
        let fields = fields(analysis);
        let reduced = |field: &Field| Reduced::new(&field.sweeps).deciding_from(rotated_from(&field.rounds));
        let reduced: Vec<Reduced> = fields.iter().map(reduced).collect();
        let pairs = look(analysis, rule, &reduced);
        let fields = fields.into_iter().zip(reduced).zip(pairs);
        let fields = fields.map(|((field, reduced), pairs)| Judged { field, reduced, pairs }).collect();
        let failed =
            |own: &WorkloadTrials<'_>| !own.all.is_empty() && own.all.iter().all(|trial| trial.outcome.why().is_some());
        let all = || analysis.workloads.iter();
        Self { fields, rounds: all().map(counting).collect(), failed: all().map(failed).collect() }
    }

    /// Number of pairs that can get a verdict.
    pub fn pairs(&self) -> usize {
        self.fields.iter().map(|field| field.pairs.len()).sum()
    }

    fn pairs_of(&self, workload: usize) -> impl Iterator<Item = &Pair> {
        self.fields(workload).flat_map(|field| &field.pairs)
    }

    pub(crate) fn fields(&self, workload: usize) -> impl Iterator<Item = &Judged> {
        self.fields.iter().filter(move |judged| judged.field.workload == workload)
    }

    fn is_settled(&self, workload: usize) -> bool {
        let is_decided = self.pairs_of(workload).all(|pair| pair.fell.is_some());
        let has_enough = self.fields(workload).next().is_some() || self.rounds[workload] >= ROUNDS_WITHOUT_PAIRS;
        self.has_failed(workload) || (is_decided && has_enough)
    }

    /// Whether the workload failed on all contenders whenever it ran: no pair of it can be judged any more.
    pub fn has_failed(&self, workload: usize) -> bool {
        self.failed[workload]
    }

    /// The indices of the workloads that need more rounds.
    pub fn open(&self) -> Vec<usize> {
        (0..self.rounds.len()).filter(|workload| !self.is_settled(*workload)).collect()
    }

    /// The number of rounds that count of the workload, those of its best-known pair.
    pub fn rounds(&self, workload: usize) -> u32 {
        self.pairs_of(workload).map(|pair| pair.latest.rounds).max().unwrap_or(0)
    }

    /// For each undecided pair of the workload: the number of further rounds that would probably decide it; `None` if
    /// that is not known, or no number would.
    pub fn further_rounds(&self, workload: usize) -> Vec<Option<u32>> {
        let further =
            |pair: &Pair| Some(pair.latest.outlook?.needed_rounds()?.saturating_sub(pair.latest.rounds).max(1));
        self.pairs_of(workload).filter(|pair| pair.fell.is_none()).map(further).collect()
    }

    /// The state of contenders `a` and `b` in a workload, where `a` < `b`; `None` if they may not be compared.
    pub fn pair(&self, workload: usize, a: usize, b: usize) -> Option<&Pair> {
        self.with_rounds(workload, a, b).map(|(pair, _)| pair)
    }

    /// The state of a pair, as in [`Self::pair`], with the reduced rounds that it follows from.
    pub(crate) fn with_rounds(&self, workload: usize, a: usize, b: usize) -> Option<(&Pair, &Reduced)> {
        let place = |judged: &Judged, wanted: usize| judged.field.members.iter().position(|member| *member == wanted);
        let of_field = |field| {
            let places = (place(field, a)?, place(field, b)?);
            let pair = field.pairs.iter().find(|pair| (pair.latest.a, pair.latest.b) == places)?;
            Some((pair, &field.reduced))
        };
        self.fields(workload).find_map(of_field)
    }
}

impl Pair {
    /// The verdict; [`Verdict::Invalid`] if a later look contradicted it.
    pub fn verdict(&self) -> Verdict {
        if self.is_unsteady { Verdict::Invalid } else { verdict_of(self.latest.verdict) }
    }

    /// The interval that the verdict rests on: that of the latest look, which has the most data. If that interval no
    /// longer shows the verdict, the interval of the look at which the pair was decided.
    pub fn decision(&self) -> Option<Interval> {
        let shows = self.latest.latest == self.latest.verdict;
        self.fell.filter(|_| !shows).unwrap_or(self.latest).decision
    }
}
