//! Comma-separated values (RFC 4180) with a header line; the user names the columns.

use fsarena_model::Better;

use super::ReadError;
use crate::measured::{Durable, Measured};

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
            contender: field(contender),
            workload: workload.map_or_else(|| columns.value.clone(), field),
            value: figure,
            unit: String::new(),
            better: columns.better,
            time,
            host: host.map(field),
            recorded: recorded.map(field).filter(|text| !text.is_empty()),
            durable: Durable::Unknown,
            reads: None,
            source,
        })
    };
    records.map(row).collect()
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

/// Seconds: a number, or RFC 3339 without regard to its offset, which all rows are expected to share.
pub(super) fn seconds(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let time = time.trim_end_matches('Z').split(['+', '-']).next()?;
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes, rest) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0.0))?);
    Some(days(year, month, day) as f64 * 86400.0 + hours * 3600.0 + minutes * 60.0 + rest)
}

/// Days since 1970 (Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*, `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_keep_commas_quotes_and_lines() {
        let text = "a,b\r\n\"x, y\",\"say \"\"so\"\"\nand so\"\n";
        assert_eq!(records(text)[1], ["x, y", "say \"so\"\nand so"]);
    }

    #[test]
    fn times_are_seconds_or_dates() {
        assert_eq!(seconds("12.5"), Some(12.5));
        assert_eq!(seconds("1970-01-02T00:00:01Z"), Some(86401.0));
        assert_eq!(seconds("2025-08-26T20:53:34.5+00:00"), Some(1_756_241_614.5));
        assert_eq!(seconds("2024-03-01 00:00:00"), Some(1_709_251_200.0));
        assert_eq!(seconds("soon"), None);
    }
}
