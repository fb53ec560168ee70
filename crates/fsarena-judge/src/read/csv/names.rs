//! Names that people write into tables: spellings of one name, and names that are of no contender.

use std::collections::HashMap;

use crate::measured::Measured;

/// Words in names of rows that are made of other rows.
const SUMMARIES: [&str; 9] = ["average", "avg", "mean", "median", "geomean", "geometric", "total", "sum", "stddev"];
/// Names of such rows in a column that numbers the others.
const OF_NUMBERED: [&str; 4] = ["best", "worst", "min", "max"];

/// Whether a cell is the name of a row that is made of others.
pub(super) fn is_summary(cell: &str) -> bool {
    let cell = cell.to_lowercase();
    let mut words = cell.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| SUMMARIES.contains(&word))
}

/// The same in a column that numbers the others.
pub(super) fn is_summary_of_runs(cell: &str) -> bool {
    is_summary(cell) || OF_NUMBERED.contains(&cell.to_lowercase().as_str())
}

/// Spellings of names, which differ in blanks and, unless they are paths or commands, in case: the first one counts.
#[derive(Default)]
pub(super) struct Spellings(HashMap<String, String>);

impl Spellings {
    pub fn first(&mut self, name: &str) -> &str {
        let key = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = if key.contains('/') || key.contains(" -") { key } else { key.to_lowercase() };
        self.0.entry(key).or_insert_with(|| name.to_owned())
    }
}

/// `EXT4` and `ext4` become one contender, called as in its first row.
pub fn name_alike(rows: &mut [Measured]) {
    let mut names = Spellings::default();
    for row in rows {
        let name = names.first(&row.contender);
        if name != row.contender {
            row.contender = name.to_owned();
        }
    }
}
