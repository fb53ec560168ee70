//! What the spread of the results can resolve: units, waves, and differences of contenders with their errors.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_stats::{Drift, Precision, Spread};

use crate::measured::Measured;

/// A contender on a host: what ran together.
type Unit<'a> = (&'a str, Option<&'a str>);

/// How the results were obtained.
pub struct Design<'a> {
    /// Whether each host had one contender only: then hosts are the replicates, and their runs are not.
    pub is_nested: bool,
    /// The wave of each unit: the runs of its units alternate. Units of different waves ran one after the other.
    pub waves: BTreeMap<Unit<'a>, usize>,
    pub has_times: bool,
}

impl<'a> Design<'a> {
    pub fn of(rows: impl IntoIterator<Item = &'a Measured>) -> Self {
        let mut units: BTreeMap<Unit<'a>, Vec<f64>> = BTreeMap::new();
        let mut has_times = true;
        for row in rows {
            has_times &= row.time.is_some();
            units.entry(unit(row)).or_default().extend(row.time);
        }
        let hosts: Vec<&str> = units.keys().filter_map(|(_, host)| *host).collect();
        let is_nested = hosts.len() == units.len() && hosts.iter().collect::<BTreeSet<_>>().len() == hosts.len();
        let waves = match has_times {
            true => {
                let order = Order::of(units.values().flatten());
                overlapping(units.iter().map(|(unit, times)| (*unit, order.middle(times))).collect())
            }
            // Without times each contender may have run alone.
            false => {
                let mut waves: BTreeMap<&str, usize> = BTreeMap::new();
                let mut wave = |name| {
                    let next = waves.len();
                    *waves.entry(name).or_insert(next)
                };
                units.keys().map(|unit| (*unit, wave(unit.0))).collect()
            }
        };
        Self { is_nested, waves, has_times }
    }

    /// The number of waves.
    pub fn count(&self) -> usize {
        let mut waves: Vec<usize> = self.waves.values().copied().collect();
        waves.sort_unstable();
        waves.dedup();
        waves.len()
    }
}

fn unit(row: &Measured) -> Unit<'_> {
    (&row.contender, row.host.as_deref())
}

/// The order of runs in time.
struct Order(Vec<f64>);

impl Order {
    fn of<'t>(times: impl Iterator<Item = &'t f64>) -> Self {
        let mut times: Vec<f64> = times.copied().collect();
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// The place of a time, from 0; of several runs at this time, the middle one.
    fn place(&self, time: f64) -> f64 {
        let [first, end] = [f64::lt, f64::le].map(|before| self.0.partition_point(|other| before(other, &time)));
        (first + end) as f64 / 2.0
    }

    /// From which place to which the middle half of some runs is: those of contenders in turn overlap, and a few runs
    /// before or after the others do not count.
    fn middle(&self, times: &[f64]) -> (f64, f64) {
        let own = Self::of(times.iter());
        let at = |share: f64| {
            let place = share * (own.0.len() - 1) as f64;
            let [low, high] = [place.floor(), place.ceil()].map(|place| self.place(own.0[place as usize]));
            low + place.fract() * (high - low)
        };
        (at(0.25), at(0.75))
    }
}

/// Numbers the groups of spans that overlap, directly or through others, in the order of time.
fn overlapping(mut spans: Vec<(Unit<'_>, (f64, f64))>) -> BTreeMap<Unit<'_>, usize> {
    spans.sort_by(|one, other| one.1.0.total_cmp(&other.1.0));
    let (mut wave, mut end) = (0, f64::NEG_INFINITY);
    let mut waves = BTreeMap::new();
    for (unit, (first, last)) in spans {
        if first > end && end > f64::NEG_INFINITY {
            wave += 1;
        }
        end = if first > end { last } else { end.max(last) };
        waves.insert(unit, wave);
    }
    waves
}

/// A spread (of a logarithm) below which repetitions have the same figure: that of rounding in the last place.
const FLAT: f64 = 1e-9;

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
    /// Whether one of them is only a bound, so that their spread shows nothing.
    is_bound: bool,
}

impl ReplicateGroup<'_> {
    fn mean(&self) -> f64 {
        mean(&self.values)
    }

    fn count(&self) -> f64 {
        self.values.len() as f64
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
}

impl<'a> Resolution<'a> {
    /// `rows` are of one workload.
    pub fn of(rows: &[&'a Measured]) -> Self {
        let design = Design::of(rows.iter().copied());
        let mut units: BTreeMap<(&str, Place<'_>), [Vec<f64>; 2]> = BTreeMap::new();
        for row in rows {
            let wave = design.waves.get(&unit(row)).copied().unwrap_or_default();
            let [values, times] = units.entry((&row.contender, (wave, row.host.as_deref()))).or_default();
            values.push(row.y());
            times.extend(row.time);
        }
        let bounded: BTreeSet<&str> =
            rows.iter().filter(|row| row.is_bound).map(|row| row.contender.as_str()).collect();
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
                None => {
                    let is_bound = bounded.contains(contender);
                    groups.push(ReplicateGroup { contender, place, values, times, middle: (0.0, 0.0), is_bound });
                }
            }
        }
        let order = Order::of(groups.iter().flat_map(|group| &group.times));
        groups
            .iter_mut()
            .filter(|group| !group.times.is_empty())
            .for_each(|group| group.middle = order.middle(&group.times));
        let noise = noise(&groups);
        let drift = drift(&groups, noise);
        Self { groups, noise, drift }
    }

    /// Whether a contender has more than one replicate.
    pub fn is_repeated(&self, contender: &str) -> bool {
        self.own(contender).iter().map(|group| group.values.len()).sum::<usize>() > 1
    }

    /// The difference of two contenders that both have results: within the waves that they share, else overall.
    pub fn difference(&self, a: &str, b: &str) -> Option<LogDifference> {
        let (own, others) = (self.own(a), self.own(b));
        if own.is_empty() || others.is_empty() {
            return None;
        }
        if let Some(difference) = self.within_places(own, others) {
            return Some(difference);
        }
        let all =
            |groups: &[ReplicateGroup<'_>]| groups.iter().flat_map(|group| group.values.clone()).collect::<Vec<f64>>();
        let (left, right) = (all(own), all(others));
        let noise = self.precision([own, others], [&left, &right].map(|values| 1.0 / values.len() as f64));
        let waves = 1.0 / waves(own).len() as f64 + 1.0 / waves(others).len() as f64;
        Some(LogDifference {
            estimate: mean(&left) - mean(&right),
            precision: noise.map(|noise| self.drift.added_to(noise, waves)),
            is_together: false,
            is_flat: is_flat(noise),
        })
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

    /// The difference within the places that both share, weighted by the number of replicates; `None` if they share
    /// none. From three places on, the error also follows from how the places differ.
    fn within_places(&self, own: &[ReplicateGroup<'_>], others: &[ReplicateGroup<'_>]) -> Option<LogDifference> {
        let places: BTreeMap<Place<'_>, &ReplicateGroup<'_>> =
            others.iter().map(|other| (other.place, other)).collect();
        let shared = own.iter().filter_map(|one| Some((one, *places.get(&one.place)?)));
        // Others may have run with both of them.
        let shared: Vec<_> = shared.filter(|(one, other)| one.alternates_with(other)).collect();
        let weight =
            |one: &ReplicateGroup<'_>, other: &ReplicateGroup<'_>| 1.0 / (1.0 / one.count() + 1.0 / other.count());
        let weights: f64 = shared.iter().map(|(one, other)| weight(one, other)).sum();
        let differences: Vec<(f64, f64)> =
            shared.iter().map(|(one, other)| (one.mean() - other.mean(), weight(one, other) / weights)).collect();
        let estimate = differences.iter().map(|(difference, weight)| weight * difference).sum::<f64>();
        let share = |side: fn(&(&ReplicateGroup<'_>, &ReplicateGroup<'_>)) -> f64| {
            shared.iter().zip(&differences).map(|(pair, (_, weight))| weight.powi(2) / side(pair)).sum::<f64>()
        };
        let within = self.precision([own, others], [share(|pair| pair.0.count()), share(|pair| pair.1.count())]);
        let count = differences.len() as f64;
        let squares: f64 = differences.iter().map(|(difference, _)| (difference - estimate).powi(2)).sum();
        let between = Precision { error: (squares / (count - 1.0) / count).sqrt(), freedom: count - 1.0 };
        let is_wider = count > 2.0 && between.error > FLAT && within.is_none_or(|within| between.error > within.error);
        let precision = if is_wider { Some(between) } else { within };
        let is_flat = is_flat(within);
        (!differences.is_empty()).then_some(LogDifference { estimate, precision, is_together: true, is_flat })
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

fn is_flat(noise: Option<Precision>) -> bool {
    noise.is_some_and(|noise| noise.error < FLAT)
}

/// The standard deviation of replicates of the same contender and wave, pooled.
fn noise(groups: &[ReplicateGroup<'_>]) -> Option<Precision> {
    let timed = || groups.iter().filter(|group| !group.is_bound);
    let freedom: f64 = timed().map(|group| group.count() - 1.0).sum();
    let square = timed().map(|group| squares(&group.values)).sum::<f64>() / freedom;
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

/// The ratio of the plain means over all rows of two contenders and Welch's t, as if every row were a replicate and
/// nothing else differed; t is `None` without a repetition.
pub fn naive(left: &[&Measured], right: &[&Measured]) -> Option<(f64, Option<f64>)> {
    let better = left.first()?.better;
    right.first()?;
    let of = |rows: &[&Measured]| rows.iter().map(|row| row.value).collect::<Vec<f64>>();
    let (left, right) = (of(left), of(right));
    let [left_square, right_square] =
        [&left, &right].map(|values| squares(values) / (values.len() as f64 - 1.0) / values.len() as f64);
    let error = (left_square + right_square).sqrt();
    let t = (mean(&left) - mean(&right)) / error;
    let ratio = better.oriented_ln(mean(&left)) - better.oriented_ln(mean(&right));
    Some((ratio.exp(), Some(t.abs()).filter(|t| t.is_finite())))
}
