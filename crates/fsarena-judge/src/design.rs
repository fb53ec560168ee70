//! How results were obtained: on which hosts, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use crate::measured::{Clock, Measured};

/// A contender on a host in a session: what ran together.
pub type Unit<'a> = (&'a str, Option<&'a str>, usize);

/// Seconds without a run after which another session begins, as on the next day.
const PAUSE_S: f64 = 6.0 * 3600.0;

/// How the results were obtained.
pub struct Design<'a> {
    /// Whether each host had one contender only: then hosts are the replicates, and their runs are not.
    pub is_nested: bool,
    /// The wave of each unit: the runs of its units alternate. Units of different waves ran one after the other.
    pub waves: BTreeMap<Unit<'a>, usize>,
    /// Whether the order of all of them is known.
    pub has_times: bool,
    /// When sessions began, without the first one; none if contenders of a session did not run in turn.
    sessions: Vec<f64>,
}

impl<'a> Design<'a> {
    pub fn of(rows: impl IntoIterator<Item = &'a Measured>) -> Self {
        let rows: Vec<&Measured> = rows.into_iter().collect();
        let clocks: BTreeSet<&Clock> = rows.iter().map(|row| &row.clock).collect();
        let has_times = clocks.len() < 2 && rows.iter().all(|row| row.time.is_some());
        let sides: BTreeSet<(&str, Option<&str>)> = rows.iter().map(|row| side(row)).collect();
        let hosts: BTreeSet<&str> = sides.iter().filter_map(|(_, host)| *host).collect();
        let is_nested = hosts.len() == sides.len();
        let mut design = Self { is_nested, waves: BTreeMap::new(), has_times, sessions: Vec::new() };
        if has_times && !is_nested {
            design.sessions = Order::of(rows.iter().filter_map(|row| row.time.as_ref())).after_pauses();
        }
        if !design.sessions.is_empty() {
            let mut contenders: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
            for ((name, ..), wave) in design.overlapping(&rows) {
                contenders.entry(wave).or_default().insert(name);
            }
            if contenders.values().any(|names| names.len() < 2) {
                design.sessions.clear();
            }
        }
        design.waves = match has_times {
            true => design.overlapping(&rows),
            // Without times each contender may have run alone.
            false => {
                let mut waves: BTreeMap<&str, usize> = BTreeMap::new();
                let mut wave = |name| {
                    let next = waves.len();
                    *waves.entry(name).or_insert(next)
                };
                sides.into_iter().map(|(name, host)| ((name, host, 0), wave(name))).collect()
            }
        };
        design
    }

    pub fn unit(&self, row: &'a Measured) -> Unit<'a> {
        let (contender, host) = side(row);
        let session = row.time.map_or(0, |time| self.sessions.partition_point(|begin| *begin <= time));
        (contender, host, session)
    }

    /// Numbers the groups of units whose middle halves overlap, directly or through others, in the order of time.
    fn overlapping(&self, rows: &[&'a Measured]) -> BTreeMap<Unit<'a>, usize> {
        let mut units: BTreeMap<Unit<'_>, Vec<f64>> = BTreeMap::new();
        rows.iter().for_each(|row| units.entry(self.unit(row)).or_default().extend(row.time));
        let order = Order::of(units.values().flatten());
        let mut spans: Vec<_> = units.iter().map(|(unit, times)| (*unit, order.middle(times))).collect();
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

    /// The number of waves.
    pub fn count(&self) -> usize {
        self.waves.values().collect::<BTreeSet<_>>().len()
    }
}

/// A contender and its host.
fn side(row: &Measured) -> (&str, Option<&str>) {
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

    /// The times before which nothing ran for a while.
    fn after_pauses(&self) -> Vec<f64> {
        self.0.windows(2).filter(|pair| pair[1] - pair[0] > PAUSE_S).map(|pair| pair[1]).collect()
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
