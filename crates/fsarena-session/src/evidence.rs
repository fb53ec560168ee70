//! What a record says to the statistics, and what they say of each pair.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Label, Outcome, Plan, Rounds, RunRecord, Status, Trial, Workload};
use fsarena_stats::decision::{self, Judge, Outlook, Reduced};
use fsarena_stats::{
    Decision, Interval, Means, Observation, PairDecision, Rule, StandingPair, Steadiness, WorkloadData, round_value,
};

use crate::controls::{agreements, control_numbers};
use crate::disturbance::set_aside;
use crate::durability::class;
use crate::ladder::Agreement;

/// Rounds after which a workload without any pair to decide has been measured often enough.
const ROUNDS_WITHOUT_PAIRS: usize = 4;
/// On so many lanes a contender has to have been before it is judged, or on all that there are.
const LANES: usize = 3;

/// Contenders that may be ranked with each other, in one workload.
pub(crate) struct Field {
    /// As numbered in the plan.
    pub(crate) workload: usize,
    /// As numbered in the plan.
    pub(crate) members: Vec<usize>,
    /// One value of each member per round, in their order.
    pub(crate) data: WorkloadData,
    /// The slices of the members, sweep by sweep, of all rounds from the first on; a round that does not count is empty.
    /// Nothing once the run was looked at.
    pub(crate) sweeps: decision::Workload,
}

impl Field {
    /// The places of two contenders of the plan among the members.
    pub(crate) fn places(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let place = |wanted| self.members.iter().position(|member| *member == wanted);
        Some((place(a)?, place(b)?))
    }
}

/// How all pairs stand.
pub struct Standing {
    fields: Vec<Field>,
    /// Of each field.
    pairs: Vec<Vec<Pair>>,
    /// Rounds of each workload that count, whatever became of them.
    rounds: Vec<usize>,
    /// The control of each workload.
    controls: Vec<Option<usize>>,
    agreements: Vec<Option<Agreement>>,
}

/// How one pair stands.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Of the contender with the lower number against the other.
    pub standing: StandingPair,
    /// Whether later rounds contradict it.
    pub is_unsteady: bool,
    /// Of an undecided pair: the direction in which the interval of this pair alone excludes 1. Not a verdict.
    pub leaning: Option<Decision>,
    /// The smallest ratio, above 1, that this run would have decided with a probability of 80 %.
    pub detectable: Option<f64>,
}

/// The median of a trial's slices, in the metric's unit; `None` if it did not finish.
pub(crate) fn median(trial: &Trial) -> Option<f64> {
    let values: Vec<f64> = trial.slices.iter().map(|slice| slice.value).collect();
    (trial.outcome == Outcome::Finished).then(|| round_value(&values)).flatten()
}

/// The value of a trial: its median, turned so that larger is better, as a logarithm.
pub(crate) fn value(trial: &Trial, workload: &Workload) -> Option<f64> {
    median(trial).map(|value| workload.metric.better.oriented_ln(value))
}

/// All unordered pairs of `count` contenders, in command-line order.
pub(crate) fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// How the pairs of a record stand, with its looks after every round done over again.
pub fn standing(record: &RunRecord) -> Standing {
    let groups = groups(record);
    let workloads = record.plan.workloads.iter().enumerate();
    let mut fields: Vec<Field> = workloads
        .flat_map(|(index, workload)| groups.iter().map(move |group| (index, workload, group)))
        .map(|(index, workload, group)| field(record, index, workload, group))
        .filter(|field| field.members.len() > 1)
        .collect();
    let pairs = looks(record, &mut fields);
    let rounds = record.plan.workloads.iter().map(|workload| rounds_of(record, workload)).collect();
    let controls = control_numbers(&record.plan);
    let agreements = agreements(record, &controls);
    Standing { fields, pairs, rounds, controls, agreements }
}

/// Looks at the run after its rounds, as it was looked at while it ran.
fn looks(record: &RunRecord, fields: &mut [Field]) -> Vec<Vec<Pair>> {
    let rule = decision::Rule { margin: record.plan.margin.0, ..decision::Rule::default() };
    let Ok(mut judge) = Judge::new(rule) else { return vec![Vec::new(); fields.len()] };
    let sweeps: Vec<decision::Workload> = fields.iter_mut().map(|field| std::mem::take(&mut field.sweeps)).collect();
    let Ok(reduced) = Reduced::all(&sweeps) else { return vec![Vec::new(); fields.len()] };
    let with_lanes = reduced.into_iter().zip(&*fields);
    let reduced: Vec<Reduced> = with_lanes.map(|(all, field)| all.deciding_from(rotated_from(field))).collect();
    let last = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let mut all: Vec<Vec<Pair>> = vec![Vec::new(); fields.len()];
    for round in (1..=last).filter(|round| is_looked_at(*round) || *round == last) {
        let Ok(look) = judge.look_at(&reduced, round as usize, progress(record, round)) else { continue };
        for (pairs, look) in all.iter_mut().zip(look) {
            *pairs =
                look.iter().enumerate().map(|(place, pair)| followed(pairs.get(place), pair, rule.margin)).collect();
        }
    }
    all
}

/// The round after which each member was on several lanes, in rounds that count: before that the place on the disk cannot be
/// told from the contender. (Of three rounds that counted of seven, one contender had the same lane in all, which was
/// slower by a quarter.)
fn rotated_from(field: &Field) -> usize {
    let all: BTreeSet<usize> = field.data.observations.iter().filter_map(|seen| seen.lane).collect();
    let wanted = all.len().min(LANES);
    let mut lanes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut observations: Vec<(u32, usize, usize)> =
        field.data.observations.iter().filter_map(|seen| Some((seen.round, seen.contender, seen.lane?))).collect();
    observations.sort_unstable();
    let members = observations.iter().map(|(_, contender, _)| *contender).collect::<BTreeSet<usize>>().len();
    for (round, contender, lane) in observations {
        lanes.entry(contender).or_default().insert(lane);
        if lanes.len() == members && lanes.values().all(|seen| seen.len() >= wanted) {
            return round as usize;
        }
    }
    if wanted > 1 { usize::MAX } else { 0 }
}

/// Long runs are not looked at after each round: what a look more would decide, the next one decides as well.
fn is_looked_at(round: u32) -> bool {
    round.is_multiple_of(round.div_ceil(20))
}

/// The share of the planned rounds, or of the planned time, that is used up after a round. It depends on the clock alone,
/// never on what was measured. A run that has ended has used up its time.
fn progress(record: &RunRecord, round: u32) -> f64 {
    let is_end =
        |round: u32| record.status == Status::Complete && record.rounds.last().is_some_and(|it| it.round == round);
    match record.plan.rounds {
        Rounds::Exactly(count) => f64::from(round) / f64::from(count.max(1)),
        Rounds::Within(budget) => {
            let rounds = record.rounds.iter().filter(|facts| facts.round <= round);
            let spent: f64 = rounds.map(|facts| facts.seconds).sum();
            let kept = crate::pace::estimated_setup(&record.plan) + crate::pace::CLOSING;
            let planned = budget.0.saturating_sub(kept).as_seconds().max(1.0);
            let share = (spent / planned).max(1e-3);
            if is_end(round) { share.max(1.0) } else { share }
        }
    }
}

/// A pair at the next look.
fn followed(before: Option<&Pair>, now: &decision::Pair, margin: f64) -> Pair {
    let latest = PairDecision {
        a: now.a,
        b: now.b,
        estimate: now.estimate,
        precision: now.precision,
        pointwise: now.pointwise,
        decision: now.decision,
        verdict: decided(now.latest),
        rounds: now.rounds,
        needs_rounds: now.outlook.as_ref().and_then(Outlook::needed_rounds),
    };
    let fell = before.and_then(|before| before.standing.decided);
    let fell = fell.or((now.verdict != decision::Verdict::Undecided).then_some(latest));
    let is_unsteady = before.is_some_and(|before| before.is_unsteady)
        || fell.is_some_and(|fell| contradict(fell.verdict, &latest, margin));
    let steadiness = if is_unsteady { Steadiness::Unsteady } else { Steadiness::Steady };
    Pair {
        standing: StandingPair { latest, decided: fell, steadiness },
        is_unsteady,
        leaning: now.leaning.map(decided),
        detectable: now.outlook.map(|outlook| outlook.detectable.exp()),
    }
}

/// Whether a later look decides the contrary: the other direction, or an equivalence and a difference that lies wholly
/// beyond the margin. A proved small difference and an equivalence do not contradict each other.
fn contradict(fell: Decision, latest: &PairDecision, margin: f64) -> bool {
    let is_beyond = |interval: Interval| interval.low > margin.ln_1p() || interval.high < -margin.ln_1p();
    match (fell, latest.verdict) {
        (Decision::Better, Decision::Worse) | (Decision::Worse, Decision::Better) => true,
        (Decision::Equivalent, Decision::Better | Decision::Worse) => latest.decision.is_some_and(is_beyond),
        _ => false,
    }
}

fn decided(verdict: decision::Verdict) -> Decision {
    match verdict {
        decision::Verdict::Faster => Decision::Better,
        decision::Verdict::Slower => Decision::Worse,
        decision::Verdict::Equivalent => Decision::Equivalent,
        decision::Verdict::Undecided => Decision::Undecided,
    }
}

fn data(fields: &[Field]) -> Vec<WorkloadData> {
    fields.iter().map(|field| field.data.clone()).collect()
}

/// Rounds that count.
fn rounds_of(record: &RunRecord, workload: &Workload) -> usize {
    let rounds = record.trials.iter().filter(|trial| trial.workload == workload.name).map(|trial| trial.round);
    let rounds: std::collections::BTreeSet<u32> = rounds.collect();
    rounds.len() - set_aside(record, workload).len()
}

/// Contenders of one durability class each; one that was never made is in none.
pub(crate) fn groups(record: &RunRecord) -> Vec<Vec<usize>> {
    let mut groups: Vec<(_, Vec<usize>)> = Vec::new();
    for index in 0..record.plan.contenders.len() {
        let Some(class) = class(record, index) else { continue };
        match groups.iter_mut().find(|(other, _)| *other == class) {
            Some((_, members)) => members.push(index),
            None => groups.push((class, vec![index])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// Whether a contender failed in any round of a workload that counts.
pub(crate) fn failed(record: &RunRecord, workload: usize, contender: usize) -> bool {
    let workload = &record.plan.workloads[workload];
    let label = &record.plan.contenders[contender].label;
    let set_aside = set_aside(record, workload);
    let own = record.trials.iter().filter(|trial| is_of(trial, &workload.name, label));
    let mut counting = own.filter(|trial| !set_aside.contains(&trial.round));
    counting.any(|trial| value(trial, workload).is_none())
}

/// Those of `group` that never failed in the workload, over the rounds that count and in which each of them has a value.
fn field(record: &RunRecord, index: usize, workload: &Workload, group: &[usize]) -> Field {
    let label = |member: usize| &record.plan.contenders[member].label;
    let of = |member: usize| record.trials.iter().filter(move |trial| is_of(trial, &workload.name, label(member)));
    let takes_part = |member: &usize| record.plan.takes_part(label(*member), &workload.name);
    let members = group.iter().copied().filter(|member| !failed(record, index, *member));
    let members: Vec<usize> = members.filter(takes_part).collect();
    let set_aside = set_aside(record, workload);
    let mut observations: Vec<Observation> = Vec::new();
    for (contender, member) in members.iter().enumerate() {
        observations.extend(of(*member).filter(|trial| !set_aside.contains(&trial.round)).filter_map(|trial| {
            let lane = trial.lane.map(|lane| lane as usize);
            Some(Observation { round: trial.round, contender, lane, y: value(trial, workload)? })
        }));
    }
    let in_round = |round: u32| observations.iter().filter(|seen| seen.round == round).count();
    let whole: Vec<Observation> =
        observations.iter().filter(|seen| in_round(seen.round) == members.len()).copied().collect();
    // Whole runs are noisier than slices: what is typical of them is not of these.
    let peers = u32::from(workload.control_of.is_some());
    let data = WorkloadData { contenders: members.len(), peers, observations: whole };
    let sweeps = sweeps(record, workload, &members, &set_aside);
    Field { workload: index, members, data, sweeps }
}

/// The slices of `members` in a workload, as they were taken in turn.
fn sweeps(record: &RunRecord, workload: &Workload, members: &[usize], excluded: &[u32]) -> decision::Workload {
    let mut by_round: BTreeMap<u32, Vec<&Trial>> = BTreeMap::new();
    for trial in record.trials.iter().filter(|trial| trial.workload == workload.name) {
        by_round.entry(trial.round).or_default().push(trial);
    }
    let last = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let rounds = (1..=last).map(|round| {
        let trials = by_round.remove(&round).unwrap_or_default();
        let mut sweeps: Vec<decision::Sweep> = Vec::new();
        for (place, member) in members.iter().enumerate().filter(|_| !excluded.contains(&round)) {
            let label = &record.plan.contenders[*member].label;
            let own = trials.iter().filter(|trial| trial.contender == *label && trial.outcome == Outcome::Finished);
            for slice in own.flat_map(|trial| &trial.slices) {
                let sweep = slice.position as usize / trials.len();
                if sweeps.len() <= sweep {
                    sweeps.resize(sweep + 1, vec![None; members.len()]);
                }
                let y = workload.metric.better.oriented_ln(slice.value);
                sweeps[sweep][place] = Some(y).filter(|y| y.is_finite());
            }
        }
        decision::Round { sweeps }
    });
    decision::Workload { contenders: members.len(), rounds: rounds.collect() }
}

fn is_of(trial: &Trial, workload: &str, contender: &Label) -> bool {
    trial.workload == workload && trial.contender == *contender
}

impl Standing {
    /// Pairs with a verdict, and pairs in all that could have one.
    pub fn counts(&self) -> (u32, u32) {
        let counted: Vec<usize> = self.shown().into_iter().map(|workload| self.counted(workload)).collect();
        let fields = self.fields.iter().zip(&self.pairs);
        let counting = fields.filter(|(field, _)| counted.contains(&field.workload));
        let pairs: Vec<&Pair> = counting.flat_map(|(_, pairs)| pairs).collect();
        (pairs.iter().filter(|pair| pair.standing.decided.is_some()).count() as u32, pairs.len() as u32)
    }

    /// The pairs with a verdict, by workload and contenders as numbered in the plan, each with it in words.
    pub fn decisions(&self, plan: &Plan) -> BTreeMap<(usize, usize, usize), String> {
        let places = self.shown().into_iter();
        let places = places.flat_map(|workload| pairs(plan.contenders.len()).map(move |(a, b)| (workload, a, b)));
        places.filter_map(|(workload, a, b)| Some(((workload, a, b), self.decision(plan, workload, (a, b))?))).collect()
    }

    /// `create-fsync: xfs faster than ext4, 1.31×`
    fn decision(&self, plan: &Plan, workload: usize, (a, b): (usize, usize)) -> Option<String> {
        let pair = self.pair(workload, a, b)?;
        let (name, label) = (&plan.workloads[workload].name, |number: usize| &plan.contenders[number].label);
        let times = pair.standing.latest.estimate.map(|estimate| format!(", {:.2}×", estimate.abs().exp()));
        let times = times.unwrap_or_default();
        match pair.verdict() {
            fsarena_model::Verdict::Faster => Some(format!("{name}: {} faster than {}{times}", label(a), label(b))),
            fsarena_model::Verdict::Slower => Some(format!("{name}: {} faster than {}{times}", label(b), label(a))),
            fsarena_model::Verdict::Equivalent => Some(format!("{name}: {} and {} equivalent", label(a), label(b))),
            fsarena_model::Verdict::Undecided | fsarena_model::Verdict::Invalid => None,
        }
    }

    /// What is compared: the workload, the contenders as numbered in the plan, and their values.
    pub fn fields(&self) -> impl Iterator<Item = (usize, &[usize], &WorkloadData)> {
        self.fields.iter().map(|field| (field.workload, field.members.as_slice(), &field.data))
    }

    /// The rounds of all fields, for means over several workloads; `None` where the statistics refuse them.
    pub(crate) fn means(&self) -> Option<Means> {
        Means::new(&Rule::default(), &data(&self.fields)).ok()
    }

    /// Where the runs that count for a pair of this workload are among those of [`Standing::means`].
    pub(crate) fn data_of(&self, workload: usize, a: usize, b: usize) -> Option<usize> {
        let counted = self.counted(workload);
        self.fields.iter().position(|field| field.workload == counted && field.places(a, b).is_some())
    }

    /// Whether the workload needs no more rounds.
    pub fn is_settled(&self, workload: usize) -> bool {
        let counted = self.counted(workload);
        let mut fields = self.fields.iter().zip(&self.pairs).filter(|(field, _)| field.workload == counted);
        let any = self.fields.iter().any(|field| field.workload == counted);
        match any {
            true => fields.all(|(_, pairs)| pairs.iter().all(|pair| pair.standing.decided.is_some())),
            false => self.rounds[counted] >= ROUNDS_WITHOUT_PAIRS,
        }
    }

    /// How two contenders of the plan stand in a workload, `a` before `b`, by the runs that count; `None` where they
    /// may not be compared.
    pub fn pair(&self, workload: usize, a: usize, b: usize) -> Option<Pair> {
        self.pair_of(self.counted(workload), a, b)
    }

    /// The same, by the runs of exactly this workload.
    pub fn pair_of(&self, workload: usize, a: usize, b: usize) -> Option<Pair> {
        let mut fields = self.fields.iter().zip(&self.pairs).filter(|(field, _)| field.workload == workload);
        let (places, pairs) = fields.find_map(|(field, pairs)| Some((field.places(a, b)?, pairs)))?;
        pairs.iter().find(|pair| (pair.standing.latest.a, pair.standing.latest.b) == places).copied()
    }

    /// The workload whose runs count for this one: its control, where whole runs contradict its slices; else itself.
    pub fn counted(&self, workload: usize) -> usize {
        match (self.controls[workload], self.agreements[workload]) {
            (Some(control), Some(Agreement::Differs)) => control,
            _ => workload,
        }
    }

    /// The workloads that are shown, by number: all but controls.
    pub fn shown(&self) -> Vec<usize> {
        (0..self.controls.len()).filter(|workload| !self.is_control(*workload)).collect()
    }

    /// The control of each workload, by number.
    pub fn controls(&self) -> &[Option<usize>] {
        &self.controls
    }

    /// Whether the workload is another's control.
    pub fn is_control(&self, workload: usize) -> bool {
        self.controls.contains(&Some(workload))
    }

    /// Whether slices and whole runs of the workload say the same; `None` without a control.
    pub fn agreement(&self, workload: usize) -> Option<Agreement> {
        self.agreements[workload]
    }

    /// Rounds of the workload that count, whatever became of them.
    pub fn rounds(&self, workload: usize) -> usize {
        self.rounds[workload]
    }
}

impl Pair {
    /// The verdict in the report's words.
    pub fn verdict(&self) -> fsarena_model::Verdict {
        match self.standing.verdict() {
            _ if self.is_unsteady => fsarena_model::Verdict::Invalid,
            Decision::Better => fsarena_model::Verdict::Faster,
            Decision::Worse => fsarena_model::Verdict::Slower,
            Decision::Equivalent => fsarena_model::Verdict::Equivalent,
            Decision::Undecided => fsarena_model::Verdict::Undecided,
        }
    }
}
