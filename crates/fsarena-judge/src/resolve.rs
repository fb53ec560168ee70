//! What the spread of the results can resolve: units, waves, and differences of contenders with their errors.

use std::collections::BTreeMap;

use fsarena_stats::{Drift, Precision};

use crate::measured::Measured;

/// A contender on a host: what ran together.
type Unit<'a> = (&'a str, Option<&'a str>);

/// How the results were obtained.
pub struct Design<'a> {
    /// Whether each host had one contender only: then hosts are the replicates, and their runs are not.
    pub is_nested: bool,
    /// The wave of each unit: units of a wave overlap in time. Units of different waves ran one after the other.
    pub waves: BTreeMap<Unit<'a>, usize>,
    /// Whether the times are known.
    pub has_times: bool,
}

impl<'a> Design<'a> {
    pub fn of(rows: &'a [Measured]) -> Self {
        let mut spans: BTreeMap<Unit<'a>, Option<(f64, f64)>> = BTreeMap::new();
        for row in rows {
            let span = row.time.map(|time| (time, time));
            let joined = |(low, high): (f64, f64)| Some((low.min(row.time?), high.max(row.time?)));
            spans.entry(unit(row)).and_modify(|own| *own = own.and_then(joined)).or_insert(span);
        }
        let has_times = spans.values().all(Option::is_some);
        let hosts: Vec<&str> = spans.keys().filter_map(|(_, host)| *host).collect();
        let is_nested =
            hosts.len() == spans.len() && hosts.iter().all(|host| hosts.iter().filter(|it| *it == host).count() == 1);
        let waves = match has_times {
            true => overlapping(spans.into_iter().filter_map(|(unit, span)| Some((unit, span?))).collect()),
            // Without times each contender may have run alone.
            false => {
                let names: Vec<&str> = spans.keys().map(|(contender, _)| *contender).collect();
                let place = |name: &str| names.iter().position(|other| *other == name).unwrap_or_default();
                spans.keys().map(|unit| (*unit, place(unit.0))).collect()
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

/// The replicates of a contender in one wave of a workload: logarithms.
struct Group<'a> {
    contender: &'a str,
    wave: usize,
    values: Vec<f64>,
}

impl Group<'_> {
    fn mean(&self) -> f64 {
        mean(&self.values)
    }

    fn count(&self) -> f64 {
        self.values.len() as f64
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The results of one workload.
pub struct Resolution<'a> {
    groups: Vec<Group<'a>>,
    /// The noise of a replicate; `None` if no contender has two in a wave.
    noise: Option<Precision>,
    drift: Drift,
}

/// A difference of two contenders, as a logarithm.
pub struct Difference {
    pub estimate: f64,
    /// How well it is known; `None` without any repetition.
    pub precision: Option<Precision>,
    /// Whether both ran in the same wave.
    pub is_together: bool,
}

impl<'a> Resolution<'a> {
    /// `rows` are of one workload.
    pub fn of(rows: &[&'a Measured], design: &Design<'a>) -> Self {
        let mut units: BTreeMap<(&str, usize, Option<&str>), Vec<f64>> = BTreeMap::new();
        for row in rows {
            let wave = design.waves.get(&unit(row)).copied().unwrap_or_default();
            units.entry((&row.contender, wave, row.host.as_deref())).or_default().push(row.y());
        }
        let mut groups: Vec<Group<'a>> = Vec::new();
        for ((contender, wave, _), values) in units {
            let values = if design.is_nested { vec![mean(&values)] } else { values };
            match groups.iter_mut().find(|group| group.contender == contender && group.wave == wave) {
                Some(group) => group.values.extend(values),
                None => groups.push(Group { contender, wave, values }),
            }
        }
        let noise = noise(&groups);
        let drift = drift(&groups, noise);
        Self { groups, noise, drift }
    }

    /// The difference of two contenders that both have results: within the waves that they share, else overall.
    pub fn difference(&self, a: &str, b: &str) -> Option<Difference> {
        let of = |name: &str| self.groups.iter().filter(|group| group.contender == name).collect::<Vec<_>>();
        let (own, others) = (of(a), of(b));
        if own.is_empty() || others.is_empty() {
            return None;
        }
        let shared = own
            .iter()
            .flat_map(|one| others.iter().filter(|other| other.wave == one.wave).map(move |other| (one, other)));
        let (mut sum, mut weights) = (0.0, 0.0);
        for (one, other) in shared {
            let weight = 1.0 / (1.0 / one.count() + 1.0 / other.count());
            sum += weight * (one.mean() - other.mean());
            weights += weight;
        }
        if weights > 0.0 {
            let precision = self.noise.map(|noise| Precision { error: noise.error / weights.sqrt(), ..noise });
            return Some(Difference { estimate: sum / weights, precision, is_together: true });
        }
        let all = |groups: &[&Group<'_>]| groups.iter().flat_map(|group| group.values.clone()).collect::<Vec<f64>>();
        let (left, right) = (all(&own), all(&others));
        let precision = self.noise.map(|noise| {
            let counts = 1.0 / left.len() as f64 + 1.0 / right.len() as f64;
            let waves = 1.0 / own.len() as f64 + 1.0 / others.len() as f64;
            let noise = Precision { error: noise.error * counts.sqrt(), ..noise };
            self.drift.added_to(noise, waves)
        });
        Some(Difference { estimate: mean(&left) - mean(&right), precision, is_together: false })
    }

    /// By how much each contender differs from itself between its waves: the largest ratio, at least 1.
    pub fn between_waves(&self) -> Vec<(&'a str, f64)> {
        let mut names: Vec<&str> = self.groups.iter().map(|group| group.contender).collect();
        names.dedup();
        let of = |name: &'a str| {
            let means = self.groups.iter().filter(|group| group.contender == name).map(Group::mean);
            let (low, high) =
                means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
            (high > low).then(|| (name, (high - low).exp()))
        };
        names.into_iter().filter_map(of).collect()
    }
}

/// The standard deviation of replicates of the same contender and wave, pooled.
fn noise(groups: &[Group<'_>]) -> Option<Precision> {
    let squares = |group: &Group<'_>| group.values.iter().map(|value| (value - group.mean()).powi(2)).sum::<f64>();
    let freedom: f64 = groups.iter().map(|group| group.count() - 1.0).sum();
    let square = groups.iter().map(squares).sum::<f64>() / freedom;
    (freedom > 0.0).then(|| Precision { error: square.sqrt().max(1e-6), freedom })
}

/// How much waves differ: what is assumed of sessions, and what contenders show that ran in several waves.
fn drift(groups: &[Group<'_>], noise: Option<Precision>) -> Drift {
    let mut names: Vec<&str> = groups.iter().map(|group| group.contender).collect();
    names.dedup();
    names.into_iter().fold(Drift::ASSUMED, |drift, name| {
        let own: Vec<&Group<'_>> = groups.iter().filter(|group| group.contender == name).collect();
        let count = own.len() as f64;
        let middle = own.iter().map(|group| group.mean()).sum::<f64>() / count;
        let squares: f64 = own.iter().map(|group| (group.mean() - middle).powi(2)).sum();
        let within = own.iter().map(|group| 1.0 / group.count()).sum::<f64>() / count;
        let noise = noise.map_or(0.0, |noise| noise.error.powi(2) * within);
        if own.len() > 1 { drift.and(squares / (count - 1.0) - noise, count - 1.0) } else { drift }
    })
}

/// The ratio of the plain means over all rows and Welch's t, as if every row were a replicate and nothing else
/// differed; t is `None` without a repetition.
pub fn naive(rows: &[&Measured], a: &str, b: &str) -> Option<(f64, Option<f64>)> {
    let of = |name: &str| rows.iter().filter(|row| row.contender == name).map(|row| row.value).collect::<Vec<f64>>();
    let (left, right) = (of(a), of(b));
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let square = |values: &[f64]| {
        let middle = mean(values);
        let count = values.len() as f64;
        values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (count - 1.0) / count
    };
    let error = (square(&left) + square(&right)).sqrt();
    let t = (mean(&left) - mean(&right)) / error;
    let better = rows.iter().find(|row| row.contender == a)?.better;
    let ratio = better.oriented_ln(mean(&left)) - better.oriented_ln(mean(&right));
    Some((ratio.exp(), Some(t.abs()).filter(|t| t.is_finite())))
}
