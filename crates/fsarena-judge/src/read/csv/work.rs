//! Columns of a CSV that the user did not name, but that show what was done, or under which conditions.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use fsarena_lane::kind::named_in;

use super::super::at_number;
use super::super::doubts::is_file;
use super::super::options::{size, without_label, without_mounts};
use super::super::time::{self, is_cost, is_date, is_failure, is_percentile, is_rate, is_time, seconds};
use super::CsvRecord;
use super::direction::said_in;
use crate::work::CountRange;

/// The most values of a column that shows what was done.
const MOST_VALUES: usize = 64;
/// The share of records that may be alone with a number in work that is otherwise the same.
const ALONE: f64 = 0.25;
/// Below how many times the smallest value figures that were measured again are expected.
const SAME_LEVEL: f64 = 2.0;

/// Words in titles of columns with numbers that were chosen, even if each is there once.
const CHOSEN: [&str; 29] = [
    "iodepth", "depth", "qd", "threads", "thread", "jobs", "numjobs", "clients", "procs", "processes", "tasks",
    "connections", "concurrency", "bs", "block", "blocksize", "blksize", "recordsize", "nrfiles", "nodes", "workers",
    "cores", "cpus", "ranks", "streams", "readers", "writers", "users", "filesize",
];
/// Words in titles of columns that number runs, or say when they were made, even with gaps.
const NUMBERED: [&str; 19] = [
    "run", "iter", "iteration", "rep", "repeat", "repetition", "trial", "round", "seed", "when", "start", "epoch", "t",
    "attempt", "try", "sample", "i", "idx", "index",
];

/// Words in titles of columns that describe the machine or the file system, and no work.
const CONDITIONS: [&str; 26] = [
    "disk", "drive", "device", "dev", "ssd", "model", "vendor", "firmware", "partition", "serial", "uuid", "host",
    "hostname", "machine", "server", "vm", "instance", "os", "distro", "cpu", "processor", "kernel", "user", "mkfs",
    "mount", "progs",
];

/// Words in titles of figures that may be the same in all rows of a contender, since they summarise these, are counted
/// in coarse steps, or are of all of them.
const MEASURED: [&str; 20] = [
    "mean", "avg", "average", "median", "geomean", "total", "sum", "std", "stddev", "stdev", "sd", "lat", "clat",
    "slat", "latency", "cpu", "iowait", "elapsed", "wall", "timestamp",
];
/// Below this number, figures that were measured again may all be rounded to the same whole number.
const COARSE: f64 = 100.0;

/// The least number that was set if others are less than half of it: below it, a step more or less may be by chance.
const FEW_STEPS: f64 = 5.0;

/// The places of columns that the user did not name.
pub(super) struct ShownColumns {
    /// What was done: words or sizes that are there twice on average; and whole numbers whose title says so, of which
    /// most are there more than once in work that is otherwise the same, or that several contenders have and that look
    /// chosen; else they number the runs, or are further figures.
    pub work: Vec<usize>,
    /// What should be the same for all contenders: other words that are there twice on average, and numbers that were
    /// set. Neither is what names the contender, a time, the number of a run or a further figure.
    pub conditions: Vec<usize>,
    /// Columns of [`Self::work`] without which rows would be repetitions, while no row is one with all of them.
    pub alone: Vec<usize>,
}

/// Whether a title is that of a column that numbers runs, or says when they were made.
pub(super) fn is_numbering(title: &str) -> bool {
    has_word(title, &NUMBERED)
}

fn has_word(title: &str, names: &[&str]) -> bool {
    time::words(title).iter().any(|word| names.contains(&word.as_str()))
}

impl ShownColumns {
    /// `records` are those below the header, `figure` the columns of the contender and the workload, and `groups` that
    /// of the host, too.
    pub fn of<'a, I: Iterator<Item = CsvRecord<'a>>>(
        records: impl Fn() -> I,
        header: &CsvRecord<'_>,
        used: &[usize],
        figure: &[usize],
        groups: &[usize],
    ) -> Self {
        let unused = (0..header.fields.len()).filter(|place| !used.contains(place));
        let new = |place: usize| {
            let title = header.fields[place].trim().to_owned();
            UnnamedColumn { place, title, values: BTreeSet::new(), names_contender: true }
        };
        let mut columns: Vec<UnnamedColumn> = unused.map(new).collect();
        let mut count = 0;
        for record in records() {
            count += 1;
            columns.retain_mut(|column| column.add(record.field(column.place), record.field(figure[0])));
        }
        columns.retain(|column| !column.names_contender);
        let is_repeated = |column: &UnnamedColumn| 2 * column.values.len() <= count;
        let is_apart = |column: &UnnamedColumn| column.has(&CONDITIONS) && column.is_apart(records(), figure[0]);
        let is_word = |column: &UnnamedColumn| column.is_word() && is_repeated(column) && !is_apart(column);
        let is_run = |column: &UnnamedColumn| column.has(&NUMBERED) && is_word(column);
        let (words, others): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|it| it.says_direction() || (is_word(it) && !it.has(&NUMBERED)));
        let words: Vec<usize> = words.iter().map(|column| column.place).collect();
        let is_again = |column: &UnnamedColumn, groups: &[usize]| {
            let mut counts: HashMap<u64, usize> = HashMap::new();
            for record in records() {
                *counts.entry(digest(&record, groups.iter().chain(&words).chain([&column.place]))).or_default() += 1;
            }
            counts.into_values().filter(|own| *own == 1).count() as f64 <= ALONE * count as f64
        };
        // What every contender has once may be runs or sizes.
        let is_count = |it: &UnnamedColumn| {
            let is_other = || it.is_figure() || is_cost(&it.title) || it.has(&NUMBERED) || is_apart(it);
            let is_again = || is_again(it, groups) || (it.is_scale() && is_again(it, &figure[1..]));
            it.may_be_work()
                && it.is_numbered()
                && ((it.values.len() > 1 && it.has(&CHOSEN)) || (!is_other() && is_again()))
        };
        let (counts, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|it| is_count(it) || (is_run(it) && is_again(it, groups)));
        let work: Vec<usize> = words.iter().copied().chain(counts.iter().map(|column| column.place)).collect();
        let is_alone = |without: Option<usize>| {
            let places = || groups.iter().chain(&work).filter(|place| Some(**place) != without);
            let mut known = HashSet::new();
            records().all(|record| known.insert(digest(&record, places())))
        };
        let is_known = is_alone(None);
        let alone = work.iter().copied().filter(|place| is_known && !is_alone(Some(*place))).collect();
        let is_condition = |column: &UnnamedColumn| {
            let is_result = column.is_figure() || (is_cost(&column.title) && !is_failure(&column.title));
            match is_result {
                _ if is_run(column) => false,
                true if column.has(&CONDITIONS) && column.is_word() => is_repeated(column),
                true if column.has(&MEASURED) || is_percentile(&column.title) => false,
                true => is_constant(&column.levels(records(), &figure[..1])),
                false => column.is_set(is_repeated(column), || column.levels(records(), figure)),
            }
        };
        let conditions = others.iter().filter(|it| is_condition(it)).map(|it| it.place).collect();
        Self { work, conditions, alone }
    }
}

/// A column and its values.
struct UnnamedColumn {
    place: usize,
    title: String,
    values: BTreeSet<String>,
    /// Whether all values name the contender, a file system, or where it is.
    names_contender: bool,
}

impl UnnamedColumn {
    /// Adds a value; false if they are too many.
    fn add(&mut self, value: &str, contender: &str) -> bool {
        if let Some(command) = command(value, contender) {
            self.names_contender = false;
            self.values.insert(command);
        } else if !value.is_empty() && !self.values.contains(value) {
            let is_place = value.starts_with('/') && !value.starts_with("/dev/") && !is_file(value);
            let mut words = value.split(|letter: char| !letter.is_alphanumeric()).chain([value]);
            let is_contender = words.any(|word| word.eq_ignore_ascii_case(contender)) && value.parse::<f64>().is_err();
            self.names_contender &= is_place || is_contender || named_in(value).is_some();
            self.values.insert(value.to_owned());
        }
        self.values.len() <= MOST_VALUES
    }

    /// Whether its title has one of these words.
    fn has(&self, names: &[&str]) -> bool {
        has_word(&self.title, names)
    }

    fn is_figure(&self) -> bool {
        is_time(&self.title) || is_rate(&self.title)
    }

    /// Whether all values say which direction of figures is better.
    fn says_direction(&self) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| said_in(&self.title, value).is_some())
    }

    /// Whether all values are whole numbers, or have letters: no path, no time, and no name of a file system.
    fn may_be_work(&self) -> bool {
        let is_word = |value: &str| value.contains(char::is_alphabetic) && seconds(value).is_none();
        self.values.iter().all(|value| {
            value.bytes().all(|byte| byte.is_ascii_digit())
                || (is_word(value) && !value.starts_with('/') && named_in(value).is_none())
        })
    }

    /// Whether values differ in a number at their ends only: `1` and `2`, or `run-1` and `run-2`.
    fn is_numbered(&self) -> bool {
        let parts = || self.values.iter().map(|value| at_number(value));
        parts().map(|(before, _)| before).collect::<BTreeSet<_>>().len() == 1
            && parts().all(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn is_word(&self) -> bool {
        self.may_be_work() && !self.is_numbered()
    }

    /// Whether its numbers are round and too far apart to number runs, of which a few may be missing.
    fn is_scale(&self) -> bool {
        let numbers: Vec<f64> = self.values.iter().filter_map(|value| number(value)).collect();
        let range = CountRange::of(numbers.iter().copied());
        range.is_some_and(|range| range.width() >= 2.0 * (numbers.len() - 1) as f64)
            && numbers.iter().all(|number| is_round(*number))
    }

    /// Whether each contender has values of its own.
    fn is_apart<'a>(&self, records: impl Iterator<Item = CsvRecord<'a>>, contender: usize) -> bool {
        let mut sides: HashMap<String, BTreeSet<String>> = HashMap::new();
        for record in records.filter(|record| !record.field(self.place).is_empty()) {
            let contender = record.field(contender);
            sides.entry(contender.to_lowercase()).or_default().insert(condition(record.field(self.place), contender));
        }
        let all: BTreeSet<&String> = sides.values().flatten().collect();
        sides.len() > 1 && sides.values().map(BTreeSet::len).sum::<usize>() == all.len()
    }

    /// The numbers of each group.
    fn levels<'a>(&self, records: impl Iterator<Item = CsvRecord<'a>>, groups: &[usize]) -> Vec<Vec<f64>> {
        let mut levels: HashMap<u64, Vec<f64>> = HashMap::new();
        for record in records {
            let group = || digest(&record, groups.iter());
            number(record.field(self.place)).into_iter().for_each(|it| levels.entry(group()).or_default().push(it));
        }
        levels.into_values().collect()
    }

    /// Whether the values were chosen: they are no times, no numbers of runs and no figures that were measured.
    fn is_set(&self, is_repeated: bool, levels: impl FnOnce() -> Vec<Vec<f64>>) -> bool {
        let Some(mut numbers) = self.values.iter().map(|value| number(value)).collect::<Option<Vec<f64>>>() else {
            return is_repeated && !self.values.iter().any(|value| is_date(value) || seconds(value).is_some());
        };
        numbers.sort_by(f64::total_cmp);
        let levels: Vec<CountRange> = levels().into_iter().filter_map(CountRange::of).collect();
        let varies = levels.iter().any(|level| level.width() > 0.0);
        let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
        // What was measured again is near what was measured before.
        let is_figure = varies && (!is_whole || levels.iter().all(|level| level.most < SAME_LEVEL * level.least));
        let steps = CountRange::of(numbers.windows(2).map(|pair| pair[1] - pair[0]));
        let is_order = steps.is_none_or(|it| it.most < SAME_LEVEL * it.least && (numbers.len() > 2 || it.most <= 1.0));
        match (varies, is_repeated) {
            (false, true) => true,
            _ if is_figure || is_order => false,
            (_, true) => true,
            (_, false) => is_whole && numbers.iter().all(|number| is_round(*number)),
        }
    }
}

/// Whether the numbers of each contender are the same in all of its rows and were set, whatever their title: what is
/// measured again varies, unless it is rounded to a few steps.
fn is_constant(contenders: &[Vec<f64>]) -> bool {
    let Some(all) = CountRange::of(contenders.iter().flatten().copied()) else { return false };
    let digits = |number: f64| format!("{number:e}").split('e').next().unwrap_or_default().replace('.', "").len();
    let is_exact = |number: f64| number == 0.0 || number >= COARSE || digits(number) > 2;
    let is_far = all.most > SAME_LEVEL * all.least && all.most >= FEW_STEPS;
    let is_same = |own: &Vec<f64>| own.len() > 1 && own.iter().all(|number| *number == own[0]);
    contenders.iter().all(|own| is_same(own) && (is_far || is_exact(own[0])))
}

/// The number that a value is, or that it ends with.
fn number(value: &str) -> Option<f64> {
    at_number(value).1.parse().ok()
}

fn digest<'p>(record: &CsvRecord<'_>, places: impl Iterator<Item = &'p usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    places.for_each(|place| record.field(*place).hash(&mut hasher));
    hasher.finish()
}

/// Whether a number is as people choose them: a power of two, or of two digits and zeros.
fn is_round(number: f64) -> bool {
    let power = 10_f64.powf(number.max(1.0).log10().floor() - 1.0).max(1.0);
    number % power == 0.0 || number.log2().fract() == 0.0
}

/// A command with a path, with `{label}` for the contender and for mount points, as for hyperfine. Commands that make
/// or mount a file system are the contender.
fn command(value: &str, contender: &str) -> Option<String> {
    let (program, _) = value.split_once(' ')?;
    let is_of_contender = ["/dev/", "mkfs", "mount"].iter().any(|begin| program.starts_with(begin));
    if is_of_contender || named_in(program).is_some() || !value.contains('/') {
        return None;
    }
    Some(without_mounts(&without_label(value, contender)))
}

/// What was done, so that spellings of a size are the same.
pub(super) fn setting(value: &str, contender: &str) -> String {
    size(&condition(value, contender))
}

/// The disk of a partition; a command in general; any other value as it is.
pub(super) fn condition(value: &str, contender: &str) -> String {
    disk(value).or_else(|| command(value, contender)).unwrap_or_else(|| value.to_owned())
}

/// The disk of a device or a partition, as `sda` of `/dev/sda1`, `sda1` and `sda`.
fn disk(value: &str) -> Option<String> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let name = value.strip_prefix("/dev/").unwrap_or(value);
    let disk = name.trim_end_matches(is_digit);
    let is_disk = |kind: &&str| {
        let letters = disk.strip_prefix(*kind).unwrap_or_default();
        (1..=2).contains(&letters.len()) && letters.bytes().all(|letter| letter.is_ascii_lowercase())
    };
    match disk.strip_suffix('p').filter(|disk| disk.ends_with(is_digit)) {
        Some(disk) if name != value || ["nvme", "mmcblk"].iter().any(|kind| disk.starts_with(kind)) => Some(disk),
        _ if ["sd", "vd", "hd", "xvd"].iter().any(is_disk) => Some(disk),
        _ => Some(name).filter(|_| name != value),
    }
    .map(str::to_owned)
}
