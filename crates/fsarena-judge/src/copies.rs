//! Runs that were given more than once: they show nothing new.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::measured::Measured;

/// A run that has the same results as another one.
pub struct Copy {
    pub run: String,
    pub original: String,
    /// Whether the other one has further results, as a table that grew.
    pub is_part: bool,
    /// The contenders of both, if they are called differently.
    pub contenders: Option<[String; 2]>,
}

/// What a run measured, and of which contender.
struct RunContent<'a> {
    name: &'a str,
    contender: &'a str,
    /// What the program printed, 0 of a table.
    digest: u64,
    /// Its results in order.
    results: Vec<u64>,
    /// Different figures, as far as they count.
    figures: Vec<u64>,
    has_time: bool,
}

/// How many figures runs must have in common: fewer may be the same by chance.
pub const FEWEST_FIGURES: usize = 3;

impl<'a> RunContent<'a> {
    fn of(row: &'a Measured) -> Self {
        let (results, figures, has_time) = (Vec::new(), Vec::new(), row.time.is_some());
        Self { name: &row.run.name, contender: &row.contender, digest: row.run.digest, results, figures, has_time }
    }

    fn add(&mut self, row: &Measured) {
        let mut hasher = DefaultHasher::new();
        (&row.workload, &row.work, row.value.to_bits()).hash(&mut hasher);
        (row.time.map(f64::to_bits), &row.host, &row.recorded).hash(&mut hasher);
        if self.digest == 0 {
            row.contender.hash(&mut hasher);
        }
        self.results.push(hasher.finish());
        let figure = row.value.to_bits();
        if self.figures.len() < FEWEST_FIGURES && !self.figures.contains(&figure) {
            self.figures.push(figure);
        }
    }

    /// Whether its figures suffice to know it; else everything counts that the program printed. A moment is a figure,
    /// and a program may do the same twice.
    fn is_known_by_figures(&self) -> bool {
        let count = self.figures.len() + usize::from(self.has_time);
        count >= FEWEST_FIGURES && (self.has_time || self.digest == 0)
    }

    /// What runs that may be the same have in common.
    fn keys(&self) -> impl Iterator<Item = (u64, u64)> {
        let digest = if self.is_known_by_figures() { 0 } else { self.digest };
        self.results.iter().map(move |result| (*result, digest))
    }

    /// Whether the other one has all its results, each as often.
    fn is_in(&self, other: &Self) -> bool {
        let mut others = other.results.iter();
        self.results.iter().all(|result| others.any(|other| other == result))
    }
}

/// The rounding, as a share of the figure, up to which it has digits enough to know it by.
const FINE: f64 = 0.001;

/// The workload and the figure, and whether it has enough digits.
type RenamedFigure<'a> = (&'a str, u64, bool);

/// Pairs of contenders of which one has the same figures as the other throughout, and at least half as many: enough
/// different ones of enough digits.
pub fn renamed(rows: &[Measured]) -> Vec<[&str; 2]> {
    let mut contenders: BTreeMap<&str, Vec<RenamedFigure<'_>>> = BTreeMap::new();
    for row in rows {
        let has_digits = || format!("{:e}", row.value).find('e') > Some("1.23".len());
        let is_fine =
            !row.is_bound && !row.is_doubtful() && row.clock_step.map_or_else(has_digits, |step| step <= FINE);
        contenders.entry(&row.contender).or_default().push((&row.workload, row.value.to_bits(), is_fine));
    }
    contenders.values_mut().for_each(|figures| figures.sort_unstable());
    let is_in = |own: &[RenamedFigure<'_>], others: &[RenamedFigure<'_>]| {
        let mut rest = others.iter();
        2 * own.len() >= others.len()
            && others.binary_search(&own[0]).is_ok()
            && own.iter().all(|figure| rest.any(|other| other == figure))
    };
    let has_enough = |figures: &[RenamedFigure<'_>]| {
        let fine: BTreeSet<u64> = figures.iter().filter(|figure| figure.2).map(|figure| figure.1).collect();
        fine.len() >= FEWEST_FIGURES
    };
    let all: Vec<_> = contenders.iter().collect();
    let pairs = all.iter().enumerate().flat_map(|(place, one)| all[place + 1..].iter().map(move |other| (one, other)));
    let same = pairs.filter(|((_, own), (_, others))| {
        let [fewer, more] = if own.len() < others.len() { [own, others] } else { [others, own] };
        is_in(fewer, more) && has_enough(fewer)
    });
    same.map(|((one, _), (other, _))| [**one, **other]).collect()
}

/// The rows without those of copies, and the copies. A run that is given under the names of two contenders is kept.
pub fn removed(rows: &[Measured]) -> (Cow<'_, [Measured]>, Vec<Copy>) {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut runs: Vec<RunContent<'_>> = Vec::new();
    for row in rows {
        let place = *places.entry(&row.run.name).or_insert(runs.len());
        if place == runs.len() {
            runs.push(RunContent::of(row));
        }
        runs[place].add(row);
    }
    if runs.len() == 1 {
        return (Cow::Borrowed(rows), Vec::new());
    }
    runs.iter_mut().for_each(|run| run.results.sort_unstable());
    let mut alike: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
    for (place, run) in runs.iter().enumerate().filter(|(_, run)| run.digest != 0 || run.is_known_by_figures()) {
        run.keys().for_each(|key| alike.entry(key).or_default().push(place));
    }
    let mut copies = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let is_whole = |other: &usize| runs[*other].results == run.results;
        // Tables grow; what a program printed is whole.
        let is_original = |other: &&usize| {
            let is_earlier = **other < place && is_whole(other);
            let is_larger = run.digest == 0 && runs[**other].digest == 0 && **other != place && !is_whole(other);
            is_earlier || (is_larger && run.is_in(&runs[**other]))
        };
        let candidates = run.keys().filter_map(|key| alike.get(&key)).min_by_key(|runs| runs.len());
        let Some(original) = candidates.and_then(|runs| runs.iter().find(is_original)) else { continue };
        let names = [&runs[*original], run];
        copies.push(Copy {
            run: run.name.to_owned(),
            original: names[0].name.to_owned(),
            is_part: !is_whole(original),
            contenders: (names[0].contender != run.contender && run.digest != 0)
                .then(|| names.map(|run| run.contender.to_owned())),
        });
    }
    let gone: BTreeSet<&str> =
        copies.iter().filter(|copy| copy.contenders.is_none()).map(|copy| copy.run.as_str()).collect();
    let rows = match gone.is_empty() {
        true => Cow::Borrowed(rows),
        false => rows.iter().filter(|row| !gone.contains(row.run.name.as_str())).cloned().collect(),
    };
    (rows, copies)
}
