//! What the spread of the results can resolve: replicates, waves, and differences of contenders with their errors.
//!
//! A replicate is a run of a program, whose iterations count as their median; a block of runs, if contenders took turns
//! in blocks; or a host, if each host had one contender only. If several hosts had both contenders, the differences on
//! the hosts are the replicates.

use std::collections::BTreeMap;

use fsarena_stats::{Drift, Precision, Spread, median};

use crate::design::{Design, Order, Unit};
use crate::measured::Measured;

/// A spread (of a logarithm) below which repetitions have the same figure: that of rounding in the last place.
const FLAT: f64 = 1e-9;

/// From how many runs on without a run of the other contender blocks of runs are the replicates. Contenders in random
/// order, or in an order that is turned round each time, have at most two.
const LONG_BLOCK: usize = 3;
/// How many turns of a single run an order has at least in which two runs in a row are no block: one that is turned
/// round each time has two, at its ends.
const SINGLE_TURNS: usize = 2;

/// Where contenders can be compared directly: a wave and, if hosts had several contenders, a host.
type Place<'a> = (usize, Option<&'a str>);

/// The replicates of a contender in one place of a workload: logarithms.
struct ReplicateGroup<'a> {
    contender: &'a str,
    place: Place<'a>,
    values: Vec<f64>,
    /// When they were measured, as far as it is known.
    times: Vec<f64>,
    /// From which place to which their middle half is in the order of all runs.
    middle: (f64, f64),
}

impl<'a> ReplicateGroup<'a> {
    fn mean(&self) -> f64 {
        mean(&self.values)
    }

    fn count(&self) -> f64 {
        self.values.len() as f64
    }

    /// The same contender with other replicates.
    fn with(&self, place: Place<'a>, values: Vec<f64>) -> Self {
        Self { place, values, times: Vec::new(), ..*self }
    }

    /// The runs in the order of time, without a run of the other contender within a block.
    fn blocks(&self, other: &Self) -> Vec<Vec<f64>> {
        let order = Order::of(other.times.iter());
        let mut runs: Vec<(f64, f64)> = self.times.iter().copied().zip(self.values.iter().copied()).collect();
        runs.sort_by(|one, next| one.0.total_cmp(&next.0));
        let blocks = runs.chunk_by(|one, next| order.has_none(one.0, next.0));
        blocks.map(|block| block.iter().map(|run| run.1).collect()).collect()
    }

    /// The most runs of one without a run of the other, if both took turns in blocks.
    fn longest_block(&self, other: &Self) -> Option<usize> {
        let lengths: Vec<usize> = [self.blocks(other), other.blocks(self)].iter().flatten().map(Vec::len).collect();
        let longest = lengths.iter().copied().max().unwrap_or_default();
        let singles = lengths.iter().filter(|length| **length == 1).count();
        (longest >= LONG_BLOCK || (longest > 1 && singles < SINGLE_TURNS)).then_some(longest)
    }

    /// With blocks as replicates.
    fn in_blocks(&self, other: &Self) -> Self {
        self.with(self.place, self.blocks(other).iter().map(|block| mean(block)).collect())
    }

    /// Whether the runs of both were made in turn, or at the same time. In the order of all runs, two runs each may
    /// look apart if others ran between them, so that the order of both alone counts.
    fn alternates_with(&self, other: &Self) -> bool {
        let overlap = |one: (f64, f64), other: (f64, f64)| one.0 <= other.1 && other.0 <= one.1;
        overlap(self.middle, other.middle) || {
            let order = Order::of(self.times.iter().chain(&other.times));
            overlap(order.middle(&self.times), order.middle(&other.times))
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of the squares of how far values are from their mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The results of one workload.
pub struct Resolution<'a> {
    is_nested: bool,
    /// By contender, then place.
    groups: Vec<ReplicateGroup<'a>>,
    /// The noise of a replicate of any contender.
    noise: Option<Precision>,
    drift: Drift,
}

/// A difference of two contenders, as a logarithm.
pub struct LogDifference {
    pub estimate: f64,
    /// How well it is known; `None` without any repetition.
    pub precision: Option<Precision>,
    /// Whether both ran in the same wave.
    pub is_together: bool,
    /// Whether all repetitions have the same figure: the clock or the rounding hides their spread.
    pub is_flat: bool,
    /// Whether both have more than one replicate where they are compared.
    pub is_repeated: bool,
    /// Whether both have more than one anywhere.
    pub is_repeated_somewhere: bool,
    /// The most runs of one without a run of the other, if blocks of runs are the replicates.
    pub longest_block: Option<usize>,
}

impl<'a> Resolution<'a> {
    /// `rows` are of one workload.
    pub fn of(rows: &[&'a Measured]) -> Self {
        let design = Design::of(rows.iter().copied());
        let mut runs: BTreeMap<(Unit<'_>, &str), Vec<&Measured>> = BTreeMap::new();
        rows.iter().for_each(|row| runs.entry((design.unit(row), &row.source)).or_default().push(row));
        let mut units: BTreeMap<(&str, Place<'_>), [Vec<f64>; 2]> = BTreeMap::new();
        for ((unit, _), iterations) in runs {
            let wave = design.waves.get(&unit).copied().unwrap_or_default();
            let [values, times] = units.entry((unit.0, (wave, unit.1))).or_default();
            values.extend(median(iterations.iter().map(|row| row.y())));
            times.extend(iterations[0].time);
        }
        let mut groups: Vec<ReplicateGroup<'a>> = Vec::new();
        for ((contender, (wave, host)), [values, times]) in units {
            let (place, values) = match design.is_nested {
                true => ((wave, None), vec![mean(&values)]),
                false => ((wave, host), values),
            };
            match groups.last_mut().filter(|group| group.contender == contender && group.place == place) {
                Some(group) => {
                    group.values.extend(values);
                    group.times.extend(times);
                }
                None => groups.push(ReplicateGroup { contender, place, values, times, middle: (0.0, 0.0) }),
            }
        }
        let order = Order::of(groups.iter().flat_map(|group| &group.times));
        groups
            .iter_mut()
            .filter(|group| !group.times.is_empty())
            .for_each(|group| group.middle = order.middle(&group.times));
        let noise = noise(&groups);
        let drift = drift(&groups, noise);
        Self { is_nested: design.is_nested, groups, noise, drift }
    }

    /// The difference of two contenders that both have results: where their runs alternate; else on the hosts that
    /// they share, with a drift between waves. `None` if they share no host.
    pub fn difference(&self, a: &str, b: &str) -> Option<LogDifference> {
        let (own, others) = (self.own(a), self.own(b));
        // Others may have run with both of them.
        let in_turn: Vec<_> =
            shared(own, others).into_iter().filter(|[one, other]| one.alternates_with(other)).collect();
        match in_turn.iter().map(|[one, other]| one.longest_block(other)).max() {
            Some(Some(longest)) if !self.is_nested => {
                let blocks = |[one, other]: &[&ReplicateGroup<'a>; 2]| [one.in_blocks(other), other.in_blocks(one)];
                let (own, others): (Vec<_>, Vec<_>) = in_turn.iter().map(blocks).map(<(_, _)>::from).unzip();
                let difference = self.within(&shared(&own, &others), [&own, &others]);
                return Some(LogDifference { longest_block: Some(longest), ..difference });
            }
            Some(_) => return Some(self.within(&in_turn, [own, others])),
            None => {}
        }
        let is_known = own.iter().chain(others).all(|group| group.place.1.is_some());
        let hosts = [own, others].map(|side| by_host(side, is_known));
        let on_hosts = shared(&hosts[0], &hosts[1]);
        let difference = Some(self.within(&on_hosts, [own, others])).filter(|_| !on_hosts.is_empty())?;
        let waves = 1.0 / waves(own).len() as f64 + 1.0 / waves(others).len() as f64;
        let precision = difference.precision.map(|noise| self.drift.added_to(noise, waves));
        Some(LogDifference { precision, is_together: false, ..difference })
    }

    /// What the noise leaves open of a difference of two contenders, whose variances are these multiples of those of
    /// their replicates. Each has its own noise, or that of all contenders if it shows none.
    fn precision(&self, sides: [&[ReplicateGroup<'_>]; 2], shares: [f64; 2]) -> Option<Precision> {
        let own = sides.map(noise);
        if own == [None; 2] {
            return self
                .noise
                .map(|noise| Precision { error: noise.error * shares.iter().sum::<f64>().sqrt(), ..noise });
        }
        let [a, b] = own.map(|noise| noise.or(self.noise));
        let spread = |of_value, share| Spread { of_value, share };
        Some(spread(a?, shares[0]).difference(spread(b?, shares[1])))
    }

    fn own(&self, contender: &str) -> &[ReplicateGroup<'a>] {
        let begin = self.groups.partition_point(|group| group.contender < contender);
        let count = self.groups[begin..].partition_point(|group| group.contender == contender);
        &self.groups[begin..begin + count]
    }

    /// The difference within places, weighted by the number of replicates; at least one. The error of several places is
    /// that of their weighted mean, which their own differences show (Hartung and Knapp, 2001): what a contender gains
    /// on one host it may lose on another. Of one place it is the noise of `sides`.
    fn within(&self, places: &[[&ReplicateGroup<'_>; 2]], sides: [&[ReplicateGroup<'_>]; 2]) -> LogDifference {
        let weight = |[one, other]: &[&ReplicateGroup<'_>; 2]| 1.0 / (1.0 / one.count() + 1.0 / other.count());
        let weights: f64 = places.iter().map(weight).sum();
        let differences: Vec<(f64, f64)> =
            places.iter().map(|pair| (pair[0].mean() - pair[1].mean(), weight(pair) / weights)).collect();
        let estimate = differences.iter().map(|(difference, weight)| weight * difference).sum::<f64>();
        let share = |side: usize| {
            places.iter().zip(&differences).map(|(pair, (_, weight))| weight.powi(2) / pair[side].count()).sum::<f64>()
        };
        let within = self.precision(sides, [share(0), share(1)]);
        let freedom = differences.len() as f64 - 1.0;
        let square =
            differences.iter().map(|(difference, weight)| weight * (difference - estimate).powi(2)).sum::<f64>();
        let between = Precision { error: (square / freedom).sqrt(), freedom };
        let precision = if between.error > FLAT { Some(between) } else { within };
        let count = |side: usize| places.iter().map(|pair| pair[side].values.len()).sum::<usize>();
        LogDifference {
            estimate,
            precision,
            is_together: true,
            is_flat: is_flat(within),
            is_repeated: count(0) > 1 && count(1) > 1,
            is_repeated_somewhere: sides.iter().all(|side| side.iter().map(|it| it.values.len()).sum::<usize>() > 1),
            longest_block: None,
        }
    }

    /// By how much each contender differs from itself between its waves: the largest ratio, at least 1.
    pub fn between_waves(&self) -> Vec<(&'a str, f64)> {
        let of = |own: &[ReplicateGroup<'a>]| {
            let means = waves(own).into_iter().map(|wave| wave.0);
            let (low, high) =
                means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
            (high > low).then(|| (own[0].contender, (high - low).exp()))
        };
        by_contender(&self.groups).filter_map(of).collect()
    }
}

/// The groups of each contender.
fn by_contender<'g, 'a>(groups: &'g [ReplicateGroup<'a>]) -> impl Iterator<Item = &'g [ReplicateGroup<'a>]> {
    groups.chunk_by(|one, other| one.contender == other.contender)
}

/// The groups of the places that both contenders have.
fn shared<'g, 'a>(own: &'g [ReplicateGroup<'a>], others: &'g [ReplicateGroup<'a>]) -> Vec<[&'g ReplicateGroup<'a>; 2]> {
    let places: BTreeMap<Place<'_>, &ReplicateGroup<'_>> = others.iter().map(|other| (other.place, other)).collect();
    own.iter().filter_map(|one| Some([one, *places.get(&one.place)?])).collect()
}

/// The groups of a contender by host, or all together, whatever their waves.
fn by_host<'a>(groups: &[ReplicateGroup<'a>], is_known: bool) -> Vec<ReplicateGroup<'a>> {
    let mut hosts: BTreeMap<Option<&str>, Vec<f64>> = BTreeMap::new();
    for group in groups {
        hosts.entry(group.place.1.filter(|_| is_known)).or_default().extend(&group.values);
    }
    hosts.into_iter().map(|(host, values)| groups[0].with((0, host), values)).collect()
}

fn is_flat(noise: Option<Precision>) -> bool {
    noise.is_some_and(|noise| noise.error < FLAT)
}

/// The standard deviation of replicates of the same contender and wave, pooled.
fn noise(groups: &[ReplicateGroup<'_>]) -> Option<Precision> {
    let freedom: f64 = groups.iter().map(|group| group.count() - 1.0).sum();
    let square = groups.iter().map(|group| squares(&group.values)).sum::<f64>() / freedom;
    (freedom > 0.0).then(|| Precision { error: square.sqrt(), freedom })
}

/// How much waves differ: what is assumed of sessions, and what contenders show that ran in several waves.
fn drift(groups: &[ReplicateGroup<'_>], noise: Option<Precision>) -> Drift {
    by_contender(groups).fold(Drift::ASSUMED, |drift, own| {
        let waves = waves(own);
        let count = waves.len() as f64;
        let squares = squares(&waves.iter().map(|wave| wave.0).collect::<Vec<f64>>());
        let within = waves.iter().map(|wave| 1.0 / wave.1).sum::<f64>() / count;
        let noise = noise.map_or(0.0, |noise| noise.error.powi(2) * within);
        if waves.len() > 1 { drift.and(squares / (count - 1.0) - noise, count - 1.0) } else { drift }
    })
}

/// The mean and the number of replicates of each wave of a contender.
fn waves(groups: &[ReplicateGroup<'_>]) -> Vec<(f64, f64)> {
    let mut waves: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for group in groups {
        waves.entry(group.place.0).or_default().extend(&group.values);
    }
    waves.into_values().map(|values| (mean(&values), values.len() as f64)).collect()
}

/// The ratio of the plain means over all rows of two contenders, at least one each, and Welch's t, as if every row were
/// a replicate and nothing else differed; t is `None` without a repetition.
pub fn naive(sides: [&[&Measured]; 2]) -> (f64, Option<f64>) {
    let [left, right] = sides.map(|rows| rows.iter().map(|row| row.value).collect::<Vec<f64>>());
    let error = [&left, &right].map(|values| squares(values) / (values.len() as f64 - 1.0) / values.len() as f64);
    let t = (mean(&left) - mean(&right)) / error.iter().sum::<f64>().sqrt();
    let ratio = sides[0][0].better.log_ratio(mean(&left), mean(&right)).exp();
    (ratio, Some(t.abs()).filter(|t| t.is_finite()))
}
