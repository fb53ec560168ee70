//! Two sides whose runs were not interleaved: by how much did a quantity change, and which changes are proved?
//!
//! Within a run, contenders take turns in sweeps, and effects of the machine cancel in their differences. Between two
//! runs nothing cancels: the machine may have drifted, and no interval that is computed within the runs shows that. So
//! the unit of replication is the run (the *session*; Kalibera and Jones 2013), and the error of a change has two
//! parts: the noise of the rounds within the sessions, and the drift between sessions.
//!
//! The drift is learned, as a standard deviation of a session, from the best source that there is:
//!
//! 1. several sessions on a side, which repeat each other: how much do they differ beyond the noise of their rounds?
//! 2. work without any contender (baselines), which both sides measured: how much did it change?
//!
//! A prior keeps a small number of such values from showing a drift of almost nothing by chance.
//!
//! A quantity can also be relative to another one of the same sweeps (a control that is known not to have changed):
//! what the machine does to both of them then cancels.

use crate::decision::{FEWEST_ROUNDS, Looks, Moderated, Reduced, Round, Rule, Verdict, Workload, moderate};
use crate::interval::{Interval, LogEstimate, Precision};
use crate::mean::together;
use crate::quantile::reach;
use crate::summary::mean;

/// Degrees of freedom that each further session of a side adds to what is known about the drift. Quantities of a
/// session share much of its drift, so that many of them are hardly more than one.
const PER_REPEAT: f64 = 4.0;
/// Degrees of freedom that each baseline adds.
const PER_BASELINE: f64 = 1.0;

/// How much one and the same quantity varies from session to session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Standard deviation of the logarithm, of a session; positive.
    pub deviation: f64,
    /// As how many degrees of freedom it counts; positive.
    pub freedom: f64,
}

impl Drift {
    /// What is assumed if nothing shows it. Measured: means of 6 to 10 neighbouring rounds of one quiet run on a
    /// virtual machine of two cores vary by .065 to .07 beyond the noise of their rounds, on quieter machines by .01.
    pub const ASSUMED: Self = Self { deviation: 0.05, freedom: 3.0 };
    /// The same for quantities that are relative to a control: most of the drift cancels, but not all.
    pub const ASSUMED_RELATIVE: Self = Self { deviation: 0.02, freedom: 6.0 };
    /// What is added to values that show it, lest a few of them show almost none by chance.
    const PRIOR: Self = Self { deviation: 0.03, freedom: 3.0 };

    /// The drift with further knowledge: values with that mean variance, which count as that many degrees of freedom.
    pub fn and(self, variance: f64, freedom: f64) -> Self {
        let sum = self.deviation * self.deviation * self.freedom + variance.max(0.0) * freedom;
        let freedom = self.freedom + freedom;
        Self { deviation: (sum / freedom).sqrt(), freedom }
    }

    /// How well a difference is known of which the noise within sessions leaves `within` open; `sessions` is the sum of
    /// one over the number of sessions on each side.
    pub fn added_to(self, within: Precision, sessions: f64) -> Precision {
        let between = Precision { error: self.deviation * sessions.sqrt(), freedom: self.freedom };
        // A drift that is known better than the noise has more degrees of freedom: the sum is no surer for that.
        within.or_wider(together([within, between].into_iter()).unwrap_or(within))
    }
}

/// The values of one quantity in one session: in each round, the logarithms of its slices.
pub fn session(rounds: &[Vec<f64>]) -> Reduced {
    let sweeps = |slices: &Vec<f64>| slices.iter().map(|value| vec![Some(*value), Some(0.0)]).collect();
    let rounds = rounds.iter().map(|slices| Round { sweeps: sweeps(slices) }).collect();
    Reduced::new(&Workload { contenders: 2, rounds })
}

/// The mean of several quantities of one session, round by round; `None` without any value. A round that lacks some of
/// them has the others' deviation from their own means.
pub fn mean_session(parts: &[&Reduced]) -> Option<Reduced> {
    let values: Vec<Vec<Option<f64>>> = parts.iter().map(|part| part.differences(0, 1).collect()).collect();
    let mean_of_known = |values: &[Option<f64>]| {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| mean(&known))
    };
    let means: Vec<f64> = values.iter().map(|values| mean_of_known(values)).collect::<Option<_>>()?;
    let middle = mean(&means);
    let last = values.iter().map(Vec::len).max()?;
    let deviation = |round: usize| {
        let of = |(values, mean): (&Vec<Option<f64>>, &f64)| Some(values.get(round).copied().flatten()? - mean);
        mean_of_known(&values.iter().zip(&means).map(of).collect::<Vec<_>>())
    };
    let rounds: Vec<Vec<f64>> = (0..last).map(|round| Vec::from_iter(deviation(round).map(|it| middle + it))).collect();
    Some(session(&rounds))
}

/// One quantity, such as a contender in a workload, in the sessions of both sides.
#[derive(Debug, Clone, Default)]
pub struct Quantity {
    /// The sessions of the first side.
    pub before: Vec<Reduced>,
    /// The sessions of the second side.
    pub after: Vec<Reduced>,
}

impl Quantity {
    /// Whether both sides have it, in three rounds of each session.
    pub fn is_known(&self) -> bool {
        let has_it = |side: &[Reduced]| !side.is_empty() && side.iter().all(|it| it.rounds() >= FEWEST_ROUNDS);
        has_it(&self.before) && has_it(&self.after)
    }

    /// Rounds of the first and of the second side, in all.
    pub fn rounds(&self) -> [usize; 2] {
        [&self.before, &self.after].map(|side| side.iter().map(Reduced::rounds).sum())
    }
}

/// Work without any contender that both sides measured: the logarithm of its figure, one per session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unchanged {
    /// In the sessions of the first side.
    pub before: Vec<f64>,
    /// In the sessions of the second side.
    pub after: Vec<f64>,
}

/// The change of a quantity from the first side to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The ratio, second side to first; above 0 the second is better. Its error has the drift between sessions.
    pub known: LogEstimate,
    /// The same without the drift: what the noise within the sessions alone would leave open.
    pub within: Precision,
}

/// One side of a quantity.
struct QuantitySide {
    mean: f64,
    sessions: f64,
    /// The noise of the rounds within its sessions.
    within: Precision,
    /// How much its sessions vary beyond that noise; `None` for one session.
    drift: Option<f64>,
}

impl QuantitySide {
    /// `None` if there is no session, or one with too few rounds.
    fn of(sessions: &[Option<Moderated>]) -> Option<Self> {
        let ready = |session: &Option<Moderated>| session.filter(|session| session.rounds >= FEWEST_ROUNDS);
        let sessions: Vec<Moderated> = sessions.iter().map(ready).collect::<Option<_>>()?;
        let count = sessions.len() as f64;
        let known = || sessions.iter().map(|session| session.known);
        let mean = known().map(|it| it.estimate).sum::<f64>() / count;
        let share = |it: LogEstimate| Precision { error: it.precision.error / count, ..it.precision };
        let within = together(known().map(share))?;
        let squares: f64 = known().map(|it| (it.estimate - mean).powi(2)).sum();
        let noise = known().map(|it| it.precision.error.powi(2)).sum::<f64>() / count;
        let drift = (count > 1.0).then(|| squares / (count - 1.0) - noise);
        Some(Self { mean, sessions: count, within, drift })
    }
}

/// The change of each quantity, in their order, and the drift that is part of its error. `None` for a quantity that a
/// side does not have in three rounds of each session. Quantities lend each other what is known about their noise, so
/// they have to be of one kind.
pub fn shifts(quantities: &[Quantity], unchanged: &[Unchanged], assumed: Drift) -> (Drift, Vec<Option<Shift>>) {
    let sides = both_sides(quantities);
    let drift = drift(&sides, unchanged, assumed);
    (drift, sides.iter().map(|sides| shift(sides, drift)).collect())
}

/// The changes of quantities whose drift is known.
pub fn shifts_with(quantities: &[Quantity], drift: Drift) -> Vec<Option<Shift>> {
    both_sides(quantities).iter().map(|sides| shift(sides, drift)).collect()
}

/// Each quantity on each of several sides, given as the sessions of each side, and the drift that is part of the
/// errors. `None` on a side that does not have the quantity in three rounds of each session.
pub fn levels(quantities: &[Vec<&[Reduced]>], assumed: Drift) -> (Drift, Vec<Vec<Option<LogEstimate>>>) {
    let sides = sides(quantities);
    let drift = drift(&sides, &[], assumed);
    let level = |side: &QuantitySide| LogEstimate {
        estimate: side.mean,
        precision: drift.added_to(side.within, 1.0 / side.sessions),
    };
    let levels = sides.iter().map(|sides| sides.iter().map(|side| side.as_ref().map(level)).collect());
    (drift, levels.collect())
}

/// Both sides of each quantity; neither if it lacks one.
fn both_sides(quantities: &[Quantity]) -> Vec<Vec<Option<QuantitySide>>> {
    let each: Vec<Vec<&[Reduced]>> = quantities.iter().map(|it| vec![&it.before[..], &it.after[..]]).collect();
    let complete =
        |sides: Vec<Option<QuantitySide>>| if sides.iter().all(Option::is_some) { sides } else { Vec::new() };
    sides(&each).into_iter().map(complete).collect()
}

/// The sides of each quantity, given as the sessions of each side.
fn sides(quantities: &[Vec<&[Reduced]>]) -> Vec<Vec<Option<QuantitySide>>> {
    let sessions = quantities.iter().flatten().copied().flatten();
    let samples: Vec<_> = sessions.map(|session| session.samples(usize::MAX)).collect();
    let mut tests = moderate(&samples).into_iter().map(|tests| tests.into_iter().next().flatten());
    let mut side = |sessions: &&[Reduced]| QuantitySide::of(&tests.by_ref().take(sessions.len()).collect::<Vec<_>>());
    quantities.iter().map(|sides| sides.iter().map(&mut side).collect()).collect()
}

fn drift(quantities: &[Vec<Option<QuantitySide>>], unchanged: &[Unchanged], assumed: Drift) -> Drift {
    let repeated = |side: usize| {
        let known: Vec<&QuantitySide> = quantities.iter().filter_map(|sides| sides.get(side)?.as_ref()).collect();
        let drifts: Vec<f64> = known.iter().filter_map(|side| side.drift).collect();
        let repeats = known.iter().map(|side| side.sessions - 1.0).fold(0.0, f64::max);
        (!drifts.is_empty()).then(|| (mean(&drifts), PER_REPEAT * repeats))
    };
    let most = quantities.iter().map(Vec::len).max().unwrap_or(0);
    let repeats: Vec<(f64, f64)> = (0..most).filter_map(repeated).collect();
    let prior = Drift { deviation: assumed.deviation.min(Drift::PRIOR.deviation), ..Drift::PRIOR };
    if !repeats.is_empty() {
        return repeats.into_iter().fold(prior, |drift, (variance, freedom)| drift.and(variance, freedom));
    }
    let square = |it: &Unchanged| {
        let sessions = 1.0 / it.before.len() as f64 + 1.0 / it.after.len() as f64;
        (mean(&it.after) - mean(&it.before)).powi(2) / sessions
    };
    let squares: Vec<f64> = unchanged.iter().map(square).filter(|square| square.is_finite()).collect();
    let count = squares.len() as f64;
    if squares.is_empty() { assumed } else { prior.and(mean(&squares), PER_BASELINE * count) }
}

fn shift(sides: &[Option<QuantitySide>], drift: Drift) -> Option<Shift> {
    let [Some(before), Some(after)] = sides else { return None };
    let within = together([before.within, after.within].into_iter())?;
    let precision = drift.added_to(within, 1.0 / before.sessions + 1.0 / after.sessions);
    Some(Shift { known: LogEstimate { estimate: after.mean - before.mean, precision }, within })
}

/// What is proved about one of several estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proof {
    /// What is proved: [`Verdict::Faster`] is an estimate above 0.
    pub verdict: Verdict,
    /// The 95 % interval of this estimate alone.
    pub pointwise: Interval,
    /// The interval that decides.
    pub decision: Interval,
    /// The smallest change (a logarithm) that would have been proved with a probability of 80 %.
    pub detectable: f64,
}

/// Which estimates differ from 0, and which are equivalent to it, by Holm's procedure (1979) over all of them: at most
/// `alpha` of all families contain a wrong difference.
pub fn proofs(estimates: &[Option<LogEstimate>], rule: Rule) -> Vec<Option<Proof>> {
    let tails = estimates.iter().map(|known| known.map(|known| known.precision.tail(known.estimate.abs())));
    let last = last_step(&tails.collect::<Vec<_>>(), |level| rule.alpha * level / 2.0);
    let margin = rule.margin.ln_1p();
    let proof = |known: LogEstimate| {
        let decision = known.interval(last);
        let verdict = match known.interval(rule.wrong_equivalence).is_within(margin) {
            true => Verdict::Equivalent,
            false => decision.direction(),
        };
        let detectable = reach(known.precision.freedom, last) * known.precision.error;
        Proof { verdict, pointwise: known.pointwise(), decision, detectable }
    };
    estimates.iter().map(|known| known.map(proof)).collect()
}

/// How a run ended whose estimates are tested.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "the sentence of a variant has its fields")]
pub enum Ending {
    /// Independently of the estimates.
    Planned,
    /// Perhaps because of them, after that share of its budget, above 0, and that many rounds.
    Stopped { progress: f64, rounds: usize },
}

/// Whether an estimate is worse than a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression {
    /// Whether it is proved to be beyond the limit.
    pub holds: bool,
    /// The most favourable value (a logarithm) that the test leaves open: below the limit exactly if it holds.
    pub most: f64,
    /// Whether a change beyond the limit is excluded, for this estimate alone, at 95 %.
    pub is_excluded: bool,
    /// The smallest worsening (the logarithm of a ratio above 1) that would have been found with a probability of 80 %.
    pub detectable: f64,
}

/// Which estimates are below −`limit`, a logarithm: one-sided tests by Holm's procedure over all of them, so that at
/// most `alpha` of all families without such a change contain one.
pub fn regressions(
    estimates: &[Option<LogEstimate>],
    limit: f64,
    alpha: f64,
    ending: Ending,
) -> Vec<Option<Regression>> {
    let looks = match ending {
        Ending::Planned => None,
        Ending::Stopped { progress, rounds } => Some(Looks::at(progress, rounds)),
    };
    let tail = |level: f64| looks.map_or(alpha * level, |looks| looks.tail(alpha * level));
    let below = |known: LogEstimate| known.precision.tail(-limit - known.estimate);
    let tails: Vec<Option<f64>> = estimates.iter().map(|known| known.map(below)).collect();
    let last = last_step(&tails, tail);
    let regression = |known: LogEstimate| {
        let most = known.interval(last).high;
        let least = known.interval(tail(1.0)).low;
        let detectable = limit + reach(known.precision.freedom, last) * known.precision.error;
        Regression { holds: most < -limit, most, is_excluded: least > -limit, detectable }
    };
    estimates.iter().map(|known| known.map(regression)).collect()
}

/// The tail at which the last step of Holm's procedure tests: smaller ones are proved. The smallest tail is tested
/// first, each at `tail` of one over the number of estimates that are left.
pub(crate) fn last_step(tails: &[Option<f64>], tail: impl Fn(f64) -> f64) -> f64 {
    let mut sorted: Vec<f64> = tails.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let level = |left: usize| tail(1.0 / left.max(1) as f64);
    let proved = sorted.iter().enumerate().take_while(|(before, found)| **found <= level(sorted.len() - before));
    let proved = proved.count().min(sorted.len().saturating_sub(1));
    level(sorted.len() - proved)
}
