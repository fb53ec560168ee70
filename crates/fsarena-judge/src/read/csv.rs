//! Comma-separated values (RFC 4180) with a header line, also with semicolons or tabs; the user names the columns.

mod work;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fsarena_model::Better;

use super::options::size;
use super::time::{is_rate, is_time, seconds};
use super::{KnownFacts, ReadError, ResultFigure};
use crate::measured::{InputFacts, Measured, Run};

/// What may be between fields.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

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
    /// Which direction of the figure is better; `None`: the higher, but of a time nothing is assumed.
    pub better: Option<Better>,
}

impl CsvColumns {
    /// These two columns.
    pub fn of(contender: impl Into<String>, value: impl Into<String>) -> Self {
        let (contender, value) = (contender.into(), value.into());
        let (workload, time, host, recorded) = (None, None, None, None);
        Self { contender, workload, value, time, host, recorded, better: None }
    }
}

/// Whether the header has the columns of the contender and the figure.
pub fn has_columns(text: &str, columns: &CsvColumns) -> bool {
    let titles = Records::of(text).next();
    let has = |name: &String| titles.iter().flat_map(|record| &record.fields).any(|title| title.trim() == name);
    has(&columns.contender) && has(&columns.value)
}

/// The titles of the columns of what may be a CSV; empty if it is none.
pub fn titles(text: &str) -> String {
    let mut records = Records::of(text);
    let (Some(header), Some(first)) = (records.next(), records.next()) else { return String::new() };
    let is_table = header.fields.len() > 1 && first.fields.len() > 1;
    if is_table { header.fields.join(", ") } else { String::new() }
}

/// The rows of a CSV file. Figures may have decimal commas if no figure could also be read otherwise.
///
/// # Errors
/// [`ReadError::Malformed`] names the row.
pub fn read(name: &str, text: &str, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    let mut records = Records::of(text);
    let header = records.next().ok_or_else(|| ReadError::table(name, "it is empty"))?;
    let place = |column: &String| {
        let mut found = header.fields.iter().enumerate().filter(|(_, title)| title.trim() == column);
        let titles = || header.fields.join(", ");
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (None, _) => Err(ReadError::table(name, format!("no column `{column}`; it has {}", titles()))),
            (Some(_), Some(_)) => Err(ReadError::table(name, format!("two columns `{column}`: {}", titles()))),
        }
    };
    let maybe = |column: &Option<String>| column.as_ref().map(place).transpose();
    let (contender, value) = (place(&columns.contender)?, place(&columns.value)?);
    let [workload, time, host, recorded] =
        [&columns.workload, &columns.time, &columns.host, &columns.recorded].map(maybe);
    let (workload, time, host, recorded) = (workload?, time?, host?, recorded?);
    let decimal =
        Decimal::of(records.separator, Records::of(text).skip(1).filter_map(|it| it.fields.into_iter().nth(value)));
    let is_unit = |title: &Cow<'_, str>| ["unit", "units"].contains(&title.trim().to_lowercase().as_str());
    let named = [Some(contender), workload, host, Some(value), time, recorded];
    let unit = header.fields.iter().position(is_unit).filter(|unit| !named.contains(&Some(*unit)));
    let used: Vec<usize> = named.into_iter().chain([unit]).flatten().collect();
    let groups: Vec<usize> = named[..3].iter().copied().flatten().collect();
    let of_work = work::columns(text, &header, &used, &groups);
    let better = |place: &str, title: &str, doubt: Option<&str>| match (columns.better, doubt) {
        (Some(better), _) => Ok(better),
        (None, None) => Ok(Better::Higher),
        (None, Some(doubt)) => Err(ReadError::Malformed {
            place: place.to_owned(),
            why: format!("`{title}` is {doubt}, and which direction is better is not given"),
            hint: "add `--lower`, or `--higher` if higher figures are better",
        }),
    };
    let is_of_time = |title: &str| is_time(title).then_some("the name of a time");
    better(name, &columns.value, is_of_time(&columns.value))?;
    let nothing = InputFacts::default();
    let mut known = KnownFacts::default();
    let row = |record: CsvRecord<'_>| {
        let source = format!("{name}, row {}", record.number);
        let wrong = |why: String| ReadError::cell(&source, why);
        if record.is_open {
            return Err(wrong("a quote that begins here has no end".to_owned()));
        }
        let further = record.fields.get(header.fields.len()..).unwrap_or_default();
        if further.iter().any(|field| !field.trim().is_empty()) {
            let (own, all) = (record.fields.len(), header.fields.len());
            return Err(wrong(format!("it has {own} fields, and the header has {all}; decimal commas need quotes")));
        }
        let field = |place: usize| record.fields.get(place).map(|text| text.trim()).unwrap_or_default();
        if let Some(place) = named[..4].iter().flatten().find(|place| field(**place).is_empty()) {
            return Err(wrong(format!("it has no `{}`", header.fields[*place].trim())));
        }
        let text = field(value);
        let value = decimal.number(text).map_err(|why| wrong(format!("`{text}` is no figure{why}")))?;
        if !(value.is_finite() && value > 0.0) {
            return Err(wrong(format!("`{text}` is no figure above 0")));
        }
        let moment = |place: usize| {
            let text = field(place);
            seconds(&text.replace(',', ".")).ok_or_else(|| wrong(format!("`{text}` is no time")))
        };
        let time = time.map(moment).transpose()?;
        let own = |place: usize| field(place).to_owned();
        let facts = of_work.iter().map(|place| (header.fields[*place].trim().to_owned(), size(field(*place))));
        let unit = unit.map(own).unwrap_or_default();
        let is_unknown = !unit.is_empty() && !is_rate(&unit);
        let better = better(&source, &unit, is_of_time(&unit).or(is_unknown.then_some("no unit of a rate")))?;
        let workload = workload.map_or_else(|| columns.value.clone(), own);
        Ok(Measured {
            run: run(name, &source, time.is_some(), &record.fields),
            contender: own(contender),
            time,
            host: host.map(own),
            recorded: recorded.map(own).filter(|text| !text.is_empty()),
            work: known.shared(facts.filter(|(_, value)| !value.is_empty()).collect()),
            source,
            unit,
            ..ResultFigure { workload, value, unit: "", better }.row(&nothing)
        })
    };
    let mut rows = records.map(row).collect::<Result<Vec<Measured>, ReadError>>()?;
    if rows.is_empty() {
        return Err(ReadError::table(name, "it has a header and no rows"));
    }
    if time.is_none() {
        name_copy(&mut rows);
    }
    Ok(rows)
}

/// The run that a record is of. Records of the same time are one run if they are the same; without times, figures may
/// be the same by chance, and all are of one run.
fn run(name: &str, source: &str, has_time: bool, fields: &[Cow<'_, str>]) -> Run {
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
        (&one.contender, &one.workload, one.value, &one.host)
            == (&other.contender, &other.workload, other.value, &other.host)
    };
    let values: BTreeSet<u64> = first.iter().map(|row| row.value.to_bits()).collect();
    // Fewer figures may be the same by chance.
    if values.len() > 2 && first.len() == second.len() && first.iter().zip(&*second).all(is_same) {
        for row in second {
            row.run.name += ", second half";
        }
    }
}

/// What separates the whole part of figures from their fraction.
enum Decimal {
    Point,
    Comma,
    /// Some figures have a comma and others a point.
    Both,
    /// Points separate thousands or fractions.
    Unclear,
}

impl Decimal {
    /// A comma counts as decimal if some figure shows it: as a separator of thousands, three digits would follow it. So
    /// does a point, unless fields are separated as where commas are decimal, and other figures have none.
    fn of<'a>(separator: u8, column: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let (mut has_comma, mut has_point, mut has_none, mut is_decimal) = (false, false, false, separator != b';');
        let shows = |(whole, rest): (&str, &str)| {
            let whole = whole.trim_start_matches('-');
            whole == "0" || whole.len() > 3 || rest.len() != 3
        };
        for text in column {
            let text = text.trim();
            let (comma, point) = (text.split_once(','), text.split_once('.'));
            has_comma |= comma.is_some_and(shows);
            has_point |= point.is_some();
            has_none |= point.is_none();
            is_decimal |= point.is_some_and(shows);
        }
        match (has_comma, has_point) {
            (true, true) => Self::Both,
            (true, false) => Self::Comma,
            (false, true) if has_none && !is_decimal => Self::Unclear,
            (false, _) => Self::Point,
        }
    }

    /// The number; without it, what to add to the message.
    fn number(&self, text: &str) -> Result<f64, &'static str> {
        match (self, text.contains(',')) {
            (_, true) if text.contains('.') => Err(": it has a comma and a point"),
            (Self::Unclear, false) if text.contains('.') => Err(": whether its point is decimal is not clear"),
            (Self::Point | Self::Unclear, true) => Err(": whether its comma is decimal is not clear"),
            (Self::Both, true) => Err(": other figures have a decimal point"),
            (Self::Comma, _) => text.replacen(',', ".", 1).parse().map_err(|_| ""),
            (_, false) => text.parse().map_err(|_| ""),
        }
    }
}

/// A record of a CSV.
struct CsvRecord<'a> {
    /// Its place, from 1; blank lines count.
    number: usize,
    fields: Vec<Cow<'a, str>>,
    /// Whether a quote that began in it has no end.
    is_open: bool,
}

/// The records of a CSV that are not blank. Quoted fields may have separators, line ends and doubled quotes.
struct Records<'a> {
    rest: &'a str,
    separator: u8,
    number: usize,
}

impl<'a> Records<'a> {
    /// The separator is the one that the first line has most often.
    fn of(text: &'a str) -> Self {
        let first = text.trim_start_matches('\n').lines().next().unwrap_or_default();
        let count = |separator: &u8| first.bytes().filter(|byte| byte == separator).count();
        // Of several, the last one is found.
        let separator = SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(b',');
        Self { rest: text, separator, number: 0 }
    }

    /// The record at the beginning of the rest, which is not empty.
    fn record(&mut self) -> CsvRecord<'a> {
        self.number += 1;
        let mut record = CsvRecord { number: self.number, fields: Vec::new(), is_open: false };
        loop {
            let field = match self.rest.strip_prefix('"') {
                Some(quoted) => {
                    let (field, is_open) = self.quoted(quoted);
                    record.is_open |= is_open;
                    field
                }
                None => Cow::Borrowed(self.until_end()),
            };
            record.fields.push(field);
            let end = self.rest.bytes().next();
            self.rest = self.rest.get(1..).unwrap_or_default();
            if end != Some(self.separator) {
                return record;
            }
        }
    }

    /// What comes before the next separator or line end.
    fn until_end(&mut self) -> &'a str {
        let is_end = |byte: u8| byte == b'\n' || byte == self.separator;
        let (field, rest) = self.rest.split_at(self.rest.bytes().position(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        field
    }

    /// The field that began with a quote, and whether it has no end.
    fn quoted(&mut self, mut rest: &'a str) -> (Cow<'a, str>, bool) {
        let mut field = String::new();
        while let Some((text, after)) = rest.split_once('"') {
            field += text;
            rest = after;
            match rest.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    rest = after;
                }
                None => {
                    self.rest = rest;
                    field += self.until_end();
                    return (Cow::Owned(field), false);
                }
            }
        }
        self.rest = "";
        (Cow::Owned(field + rest), true)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = CsvRecord<'a>;

    fn next(&mut self) -> Option<CsvRecord<'a>> {
        while !self.rest.is_empty() {
            let record = self.record();
            if record.fields.iter().any(|field| !field.is_empty()) {
                return Some(record);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<Vec<Cow<'_, str>>> {
        Records::of(text).map(|record| record.fields).collect()
    }

    #[test]
    fn quoted_fields_keep_separators_quotes_and_lines() {
        let text = "a,b\n\n\"x, y\",\"say \"\"so\"\"\nand so\"\n5\" disk,é\n";
        assert_eq!(records(text), [["a", "b"], ["x, y", "say \"so\"\nand so"], ["5\" disk", "é"]]);
        assert_eq!(Records::of(text).map(|record| record.number).collect::<Vec<_>>(), [1, 3, 4]);
        let open = Records::of("a,b\nx,\"y\nz,1").last().expect("it has two");
        assert!(open.is_open && open.fields == ["x", "y\nz,1"]);
    }

    #[test]
    fn separators_are_those_of_the_header() {
        assert_eq!(records("a;b\n1,5;2\n"), [["a", "b"], ["1,5", "2"]]);
        assert_eq!(records("a\tb\n1,5;2\t3"), [["a", "b"], ["1,5;2", "3"]]);
        assert_eq!(records("a\n1"), [["a"], ["1"]]);
    }

    #[test]
    fn decimal_commas_count_where_they_are_clear() {
        let by = |separator: u8, column: &[&'static str]| {
            let decimal = Decimal::of(separator, column.iter().map(|text| Cow::Borrowed(*text)));
            column.iter().map(|text| decimal.number(text)).collect::<Result<Vec<f64>, _>>()
        };
        let read = |column: &[&'static str]| by(b',', column);
        assert_eq!(read(&["100,5", "1,024", "7"]), Ok(vec![100.5, 1.024, 7.0]));
        assert_eq!(read(&["0,125"]), Ok(vec![0.125]));
        assert_eq!(read(&["1.024", "2e3"]), Ok(vec![1.024, 2000.0]));
        assert_eq!(read(&["1,024", "200"]), Err(": whether its comma is decimal is not clear"));
        assert_eq!(read(&["100,5", "1.024"]), Err(": other figures have a decimal point"));
        assert_eq!(read(&["1,024,000"]), Err(""));
        // German thousands.
        let german = |column: &[&'static str]| by(b';', column);
        assert_eq!(german(&["12.345", "998"]), Err(": whether its point is decimal is not clear"));
        assert_eq!(german(&["12.345,5", "998,1"]), Err(": it has a comma and a point"));
        assert_eq!(read(&["1,234.5", "998.1"]), Err(": it has a comma and a point"));
        assert_eq!(
            [german(&["12.345", "12.5"]), german(&["0.125", "7"])],
            [Ok(vec![12.345, 12.5]), Ok(vec![0.125, 7.0])]
        );
        assert_eq!(
            [german(&["12.345", "12.401"]), read(&["12.345", "7"])],
            [Ok(vec![12.345, 12.401]), Ok(vec![12.345, 7.0])]
        );
    }
}
