//! The input, and its reduction to one paired difference per pair and round.
//!
//! The contenders of a sweep run within a second of each other, so that effects of the machine on all of them cancel in
//! their difference. A round's difference of a pair is the interquartile mean of its sweeps' differences: it ignores
//! single disturbed slices and is nearly as precise as the mean (Tukey 1960; Yuen 1974).

use serde::Deserialize;

/// Variances below this are raised to it: a relative spread of 1e-6 is less than what clocks resolve.
const SMALLEST_VARIANCE: f64 = 1e-12;

/// One slice of each contender, in one turn: the logarithm of its value, which is finite, larger is better; `None` where
/// it is missing.
pub type Sweep = Vec<Option<f64>>;

/// The sweeps of one workload in one round, without those that were excluded.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Round {
    /// The sweeps, in the order of time.
    pub sweeps: Vec<Sweep>,
}

/// All rounds of one workload. The n-th round is the run's n-th round, without sweeps if the workload was not in it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Workload {
    /// Number of contenders.
    pub contenders: usize,
    /// The rounds, in the order of time.
    pub rounds: Vec<Round>,
}

/// All unordered pairs of contenders, in the order (0, 1), (0, 2), … (1, 2), …
pub fn pairs(contenders: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..contenders).flat_map(move |a| (a + 1..contenders).map(move |b| (a, b)))
}

/// One pair over its rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(super) a: usize,
    pub(super) b: usize,
    /// Number of rounds with a difference.
    pub(super) rounds: usize,
    /// The mean of the rounds' differences; 0 without any.
    pub(super) mean: f64,
    /// The variance of the rounds' differences; meaningless below two rounds.
    pub(super) square: f64,
    /// The variance that a round's difference would have if only sweeps varied; `None` unless most rounds have several
    /// sweeps.
    pub(super) within: Option<f64>,
    /// Whether the rounds so far can decide it.
    pub(super) may_decide: bool,
}

/// A workload that is reduced to the pairs' differences, round by round: for repeated looks at a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    pub(super) contenders: usize,
    /// By pair, in the order of [`pairs`], then by round; `None` for a round without the pair.
    differences: Vec<Vec<Option<Location>>>,
    /// No pair is decided before this number of rounds of the run.
    decides_from: usize,
}

impl Reduced {
    /// Reduces `workload`, whose sweeps have a place for each contender, to its differences.
    pub fn new(workload: &Workload) -> Self {
        let pairs = pairs(workload.contenders).map(|(a, b)| differences(workload, a, b).collect());
        Self { contenders: workload.contenders, differences: pairs.collect(), decides_from: 0 }
    }

    /// The same data, of which no pair is decided before `rounds` rounds of the run: until then an effect that belongs
    /// to the rounds, such as the place on a disk, cannot be distinguished from one of a contender.
    pub fn deciding_from(self, rounds: usize) -> Self {
        Self { decides_from: rounds, ..self }
    }

    /// The differences of a pair, round by round; `None` for a round without it.
    pub(crate) fn differences(&self, a: usize, b: usize) -> impl Iterator<Item = Option<f64>> {
        let own = pairs(self.contenders).zip(&self.differences).find(|(pair, _)| *pair == (a, b));
        own.into_iter().flat_map(|(_, rounds)| rounds).map(|round| round.map(|round| round.value))
    }

    /// The number of rounds that have the first pair.
    pub fn rounds(&self) -> usize {
        self.differences.first().map_or(0, |rounds| rounds.iter().flatten().count())
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> usize {
        self.differences.len()
    }

    /// Each pair over the first `rounds` rounds.
    pub(crate) fn samples(&self, rounds: usize) -> Vec<Sample> {
        let pairs = pairs(self.contenders).zip(&self.differences);
        let may_decide = rounds.min(self.differences.first().map_or(0, Vec::len)) >= self.decides_from;
        pairs.map(|((a, b), all)| Sample { may_decide, ..sample(a, b, &all[..rounds.min(all.len())]) }).collect()
    }
}

/// The differences of a pair, round by round; `None` for a round without a sweep that has both contenders.
fn differences(workload: &Workload, a: usize, b: usize) -> impl Iterator<Item = Option<Location>> {
    let paired = move |round: &Round| round.sweeps.iter().filter_map(|sweep| Some(sweep[a]? - sweep[b]?)).collect();
    workload.rounds.iter().map(move |round| Location::of(paired(round)))
}

fn sample(a: usize, b: usize, rounds: &[Option<Location>]) -> Sample {
    let rounds: Vec<Location> = rounds.iter().flatten().copied().collect();
    let count = rounds.len();
    let mean = rounds.iter().map(|round| round.value).sum::<f64>() / count.max(1) as f64;
    let squares: f64 = rounds.iter().map(|round| (round.value - mean).powi(2)).sum();
    let square = (squares / (count.max(2) - 1) as f64).max(SMALLEST_VARIANCE);
    let known: Vec<f64> = rounds.iter().filter_map(|round| round.variance).collect();
    let is_known = 2 * known.len() > count;
    let within = is_known.then(|| known.iter().sum::<f64>() / known.len() as f64);
    Sample { a, b, rounds: count, mean, square, within, may_decide: true }
}

/// The interquartile mean of a round's differences and, from two sweeps on, its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Location {
    pub(super) value: f64,
    pub(super) variance: Option<f64>,
}

impl Location {
    /// Of differences in any order; `None` without any.
    pub(super) fn of(mut sorted: Vec<f64>) -> Option<Self> {
        let count = sorted.len();
        sorted.sort_by(f64::total_cmp);
        let cut = count / 4;
        let kept = count - 2 * cut;
        let (low, high) = (*sorted.get(cut)?, sorted[count - cut - 1]);
        let value = sorted[cut..count - cut].iter().sum::<f64>() / kept as f64;
        // Yuen (1974): the winsorised sum of squares over h(h − 1), where h values are kept.
        let winsorised = sorted.iter().map(|value| value.clamp(low, high));
        let centre = winsorised.clone().sum::<f64>() / count as f64;
        let squares: f64 = winsorised.map(|value| (value - centre).powi(2)).sum();
        Some(Self { value, variance: (kept > 1).then(|| squares / (kept * (kept - 1)) as f64) })
    }
}
