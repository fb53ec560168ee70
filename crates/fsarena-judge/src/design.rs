//! How results were obtained: on which hosts, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use crate::measured::Measured;

/// A contender on a host: what ran together.
pub type Unit<'a> = (&'a str, Option<&'a str>);

/// How the results were obtained.
pub struct Design<'a> {
    /// Whether each host had one contender only: then hosts are the replicates, and their runs are not.
    pub is_nested: bool,
    /// The wave of each unit: the runs of its units alternate. Units of different waves ran one after the other.
    pub waves: BTreeMap<Unit<'a>, usize>,
    /// Whether the order of all of them is known.
    pub has_times: bool,
}

impl<'a> Design<'a> {
    pub fn of(rows: impl IntoIterator<Item = &'a Measured>) -> Self {
        let mut units: BTreeMap<Unit<'a>, Vec<f64>> = BTreeMap::new();
        let mut has_times = true;
        let mut clocks = BTreeSet::new();
        for row in rows {
            has_times &= row.time.is_some();
            clocks.insert(&row.clock);
            units.entry(unit(row)).or_default().extend(row.time);
        }
        has_times &= clocks.len() < 2;
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
        self.waves.values().collect::<BTreeSet<_>>().len()
    }
}

pub fn unit(row: &Measured) -> Unit<'_> {
    (&row.contender, row.host.as_deref())
}

/// The order of runs in time.
pub struct Order(Vec<f64>);

impl Order {
    pub fn of<'t>(times: impl Iterator<Item = &'t f64>) -> Self {
        let mut times: Vec<f64> = times.copied().collect();
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// The place of a time, from 0; of several runs at this time, the middle one.
    fn place(&self, time: f64) -> f64 {
        let [first, end] = [f64::lt, f64::le].map(|before| self.0.partition_point(|other| before(other, &time)));
        (first + end) as f64 / 2.0
    }

    /// Whether no time is from the first to the last one.
    pub fn has_none(&self, first: f64, last: f64) -> bool {
        self.0.partition_point(|time| *time < first) == self.0.partition_point(|time| *time <= last)
    }

    /// From which place to which the middle half of some runs is: those of contenders in turn overlap, and a few runs
    /// before or after the others do not count.
    pub fn middle(&self, times: &[f64]) -> (f64, f64) {
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
