//! Comma-separated values (RFC 4180) with a header line; the user names the columns.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use fsarena_model::Better;

use super::ReadError;
use super::time::seconds;
use crate::measured::{Durable, Measured, Reads, Run};

/// The columns of a CSV file by their names in its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvColumns {
    /// What the figure is of.
    pub contender: String,
    /// What was done; `None`: all rows are of one workload.
    pub workload: Option<String>,
    /// The figure.
    pub value: String,
    /// When it was measured: seconds, or RFC 3339.
    pub time: Option<String>,
    /// The machine.
    pub host: Option<String>,
    /// The file system that was recorded.
    pub recorded: Option<String>,
    /// Which direction of the figure is better.
    pub better: Better,
}

/// The rows of a CSV file.
///
/// # Errors
/// [`ReadError::Malformed`] names the line.
pub fn read(name: &str, text: &str, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    let mut records =
        records(text).into_iter().enumerate().filter(|(_, fields)| fields.iter().any(|it| !it.is_empty()));
    let (_, header) = records.next().ok_or_else(|| ReadError::malformed(name, "it is empty"))?;
    let place = |column: &String| {
        let found = header.iter().position(|title| title.trim() == column);
        found.ok_or_else(|| ReadError::malformed(name, format!("no column `{column}`; it has {}", header.join(", "))))
    };
    let maybe = |column: &Option<String>| column.as_ref().map(place).transpose();
    let (contender, value) = (place(&columns.contender)?, place(&columns.value)?);
    let [workload, time, host, recorded] =
        [&columns.workload, &columns.time, &columns.host, &columns.recorded].map(maybe);
    let (workload, time, host, recorded) = (workload?, time?, host?, recorded?);
    let row = |(number, fields): (usize, Vec<String>)| {
        let source = format!("{name}, row {}", number + 1);
        let field = |place: usize| fields.get(place).map(|text| text.trim().to_owned()).unwrap_or_default();
        let wrong = |what: &str, text: &str| ReadError::malformed(&source, format!("`{text}` is no {what}"));
        let text = field(value);
        let figure: f64 = text.parse().map_err(|_| wrong("figure", &text))?;
        if !(figure.is_finite() && figure > 0.0) {
            return Err(wrong("figure above 0", &text));
        }
        let time = time.map(|place| seconds(&field(place)).ok_or_else(|| wrong("time", &field(place)))).transpose()?;
        Ok(Measured {
            run: run(name, &source, time.is_some(), &fields),
            contender: field(contender),
            work: BTreeMap::new(),
            is_bound: false,
            clock_step: None,
            notes: Vec::new(),
            workload: workload.map_or_else(|| columns.value.clone(), field),
            value: figure,
            unit: String::new(),
            better: columns.better,
            time,
            host: host.map(field),
            recorded: recorded.map(field).filter(|text| !text.is_empty()),
            durable: Durable::Unknown,
            reads: Reads::Unknown,
            conditions: BTreeMap::new(),
            source,
        })
    };
    let mut rows = records.map(row).collect::<Result<Vec<Measured>, _>>()?;
    if time.is_none() {
        name_copy(&mut rows);
    }
    Ok(rows)
}

/// The run that a record is of. Records of the same time are one run if they are the same; without times, figures may
/// be the same by chance, and all are of one run.
fn run(name: &str, source: &str, has_time: bool, fields: &[String]) -> Run {
    if !has_time {
        return Run { name: name.to_owned(), digest: 0 };
    }
    let mut hasher = DefaultHasher::new();
    fields.hash(&mut hasher);
    Run { name: source.to_owned(), digest: hasher.finish() }
}

/// Makes the second half of a table a run of its own if it is the first half once more.
fn name_copy(rows: &mut [Measured]) {
    let (first, second) = rows.split_at_mut(rows.len() / 2);
    let is_same = |(one, other): (&Measured, &Measured)| {
        let key = |row: &Measured| (row.contender.clone(), row.workload.clone(), row.value.to_bits(), row.host.clone());
        key(one) == key(other)
    };
    let values: BTreeSet<u64> = first.iter().map(|row| row.value.to_bits()).collect();
    // Fewer figures may be the same by chance.
    if values.len() > 2 && first.len() == second.len() && first.iter().zip(&*second).all(is_same) {
        for row in second {
            row.run.name += ", second half";
        }
    }
}

/// The fields of each record; quoted fields may have commas, line ends and doubled quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let record = records.last_mut().expect("one was made at the start");
        let field = record.last_mut().expect("a record has a field");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(String::new()),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => records.push(vec![String::new()]),
            other => field.push(other),
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_keep_commas_quotes_and_lines() {
        let text = "a,b\r\n\"x, y\",\"say \"\"so\"\"\nand so\"\n";
        assert_eq!(records(text)[1], ["x, y", "say \"so\"\nand so"]);
    }
}
