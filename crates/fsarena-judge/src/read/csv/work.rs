//! Columns of a CSV that the user did not name, but that show what was done.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use fsarena_lane::kind::named_in;

use super::super::at_number;
use super::super::time::seconds;
use super::{CsvRecord, Records};

/// The most values of a column that shows what was done.
const MOST_VALUES: usize = 64;

/// The places of such columns: those of words or sizes that are there twice on average, and those of numbers that are
/// there more than once in work that is otherwise the same, by `groups` of columns; else they number the runs.
pub(super) fn columns(text: &str, header: &CsvRecord<'_>, used: &[usize], groups: &[usize]) -> Vec<usize> {
    let records = || Records::of(text).skip(1);
    let unused = (0..header.fields.len()).filter(|place| !used.contains(place));
    let mut values: BTreeMap<usize, BTreeSet<String>> = unused.map(|place| (place, BTreeSet::new())).collect();
    let mut count = 0;
    for record in records() {
        count += 1;
        values.retain(|place, known| {
            let value = field(&record, *place);
            if !value.is_empty() && !known.contains(value) {
                known.insert(value.to_owned());
            }
            known.len() <= MOST_VALUES && (value.is_empty() || may_be_work(value))
        });
    }
    let (numbers, words): (Vec<_>, Vec<_>) = values.into_iter().partition(|(_, values)| is_numbered(values));
    let words = words.into_iter().filter(|(_, values)| 2 * values.len() <= count);
    let words: Vec<usize> = words.map(|(place, _)| place).collect();
    let is_repeated = |number: &usize| {
        let mut again: HashMap<u64, bool> = HashMap::new();
        for record in records() {
            let mut hasher = DefaultHasher::new();
            groups.iter().chain(&words).chain([number]).for_each(|place| field(&record, *place).hash(&mut hasher));
            again.entry(hasher.finish()).and_modify(|again| *again = true).or_insert(false);
        }
        again.into_values().all(|again| again)
    };
    let numbers: Vec<usize> = numbers.into_iter().map(|(place, _)| place).filter(is_repeated).collect();
    [words, numbers].concat()
}

fn field<'a>(record: &'a CsvRecord<'_>, place: usize) -> &'a str {
    record.fields.get(place).map(|text| text.trim()).unwrap_or_default()
}

/// Whether it is a whole number, or has letters: no path, no time, and no name of a file system.
fn may_be_work(value: &str) -> bool {
    let is_word = value.contains(char::is_alphabetic) && seconds(value).is_none();
    value.bytes().all(|byte| byte.is_ascii_digit()) || (is_word && !value.starts_with('/') && named_in(value).is_none())
}

/// Whether values differ in a number at their ends only: `1` and `2`, or `run-1` and `run-2`.
fn is_numbered(values: &BTreeSet<String>) -> bool {
    let parts = || values.iter().map(|value| at_number(value));
    parts().map(|(before, _)| before).collect::<BTreeSet<_>>().len() == 1
        && parts().all(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
