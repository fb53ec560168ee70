//! Comma-separated values (RFC 4180) with a header line, also with other separators; the user names the columns.

mod decimal;
mod direction;
mod names;
mod records;
mod runs;
mod work;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use fsarena_model::Better;

use self::decimal::Decimal;
pub use self::decimal::rounding;
use self::decimal::rounding_without_zeros;
pub use self::names::name_alike;
use self::names::{Spellings, is_summary, is_summary_of_runs};
use self::records::{CsvRecord, Records};
use self::runs::{name_copies, name_runs, run};
use self::work::{ShownColumns, is_numbering};
use super::time::{TimeNotation, is_time_alone, seconds};
use super::{ReadError, shared};
use crate::copies::FEWEST_FIGURES;
use crate::findings::FindingClass;
use crate::measured::{Clock, Measured};

/// What to do about a figure that is missing.
const MISSING: &str = "leave out the row of a figure that is missing, or, where each contender has a column, leave its \
                       cell empty";

/// The columns of a CSV file by their names in its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvColumns {
    /// What the figure is of.
    pub contender: String,
    /// Instead of the columns of the contender and the figure: the columns of one contender's figures each.
    pub contenders: Vec<String>,
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
    /// Which direction of the figure is better; `None`: what the table says, or the higher, if the
    /// names of figures leave no doubt.
    pub better: Option<Better>,
}

impl CsvColumns {
    /// These two columns.
    pub fn of(contender: impl Into<String>, value: impl Into<String>) -> Self {
        let (contender, value) = (contender.into(), value.into());
        let (workload, time, host, recorded) = (None, None, None, None);
        Self { contender, contenders: Vec::new(), workload, value, time, host, recorded, better: None }
    }

    /// A column of figures for each of these contenders.
    pub fn of_each(contenders: Vec<String>) -> Self {
        Self { contenders, ..Self::of("contender", "figures") }
    }

    /// The columns without which nothing can be read.
    fn needed(&self) -> Vec<&String> {
        if self.contenders.is_empty() { vec![&self.contender, &self.value] } else { self.contenders.iter().collect() }
    }

    /// The records of a table. If contenders have columns of their own, each figure becomes a record: the contender, the
    /// figure, and what the other columns have.
    fn records<'a>(&self, text: &'a str) -> Box<dyn Iterator<Item = CsvRecord<'a>> + 'a> {
        let mut records = Records::of(text);
        if self.contenders.is_empty() {
            return Box::new(records);
        }
        let header = records.next();
        let place = |title: &String| Some((*places(header.as_ref()?, title).first()?, title.clone()));
        let own: Vec<(usize, String)> = self.contenders.iter().filter_map(place).collect();
        let others = {
            let own: Vec<usize> = own.iter().map(|(place, _)| *place).collect();
            move |fields: &[Cow<'a, str>]| -> Vec<Cow<'a, str>> {
                let others = fields.iter().enumerate().filter(|(place, _)| !own.contains(place));
                others.map(|(_, field)| field.clone()).collect()
            }
        };
        let titles = [Cow::from(self.contender.clone()), Cow::from(self.value.clone())];
        let header = header.map(|header| header.with(titles.into_iter().chain(others(&header.fields)).collect()));
        let of_each = move |record: CsvRecord<'a>| {
            let figure = |(place, contender): &(usize, String)| {
                let figure = record.fields.get(*place).filter(|figure| !figure.trim().is_empty())?.clone();
                let fields = [Cow::from(contender.clone()), figure].into_iter().chain(others(&record.fields));
                Some(record.with(fields.collect()))
            };
            own.iter().filter_map(figure).collect::<Vec<_>>()
        };
        Box::new(header.into_iter().chain(records.flat_map(of_each)))
    }
}

/// Whether the header has the columns without which nothing can be read.
pub fn has_columns(text: &str, columns: &CsvColumns) -> bool {
    let header = Records::of(text).next();
    columns.needed().into_iter().all(|name| header.iter().any(|header| !places(header, name).is_empty()))
}

/// The titles of the columns of what may be a CSV; empty if it is none.
pub fn titles(text: &str) -> String {
    let mut records = Records::of(text);
    let (Some(header), Some(first)) = (records.next(), records.next()) else { return String::new() };
    // Two lines of prose may have equally many words.
    let is_prose = records.separator == records::BLANK && first.fields.iter().all(|it| it.parse::<f64>().is_err());
    let is_table = header.fields.len() > 1
        && !is_prose
        && first.fields.len() == header.fields.len()
        && !is_time_alone(header.field(0))
        && header.fields.iter().all(|title| title.trim().parse::<f64>().is_err() && !title.starts_with(['{', '[']));
    if is_table { header.titles() } else { String::new() }
}

/// The places of columns of that name; if there are none, of those that differ from it in case only.
fn places(header: &CsvRecord<'_>, name: &str) -> Vec<usize> {
    let of =
        |is_it: fn(&str, &str) -> bool| (0..header.fields.len()).filter(|it| is_it(header.field(*it), name)).collect();
    let found: Vec<usize> = of(|title, name| title == name);
    if found.is_empty() { of(str::eq_ignore_ascii_case) } else { found }
}

fn place_of(name: &str, header: &CsvRecord<'_>, column: &str) -> Result<usize, ReadError> {
    match places(header, column)[..] {
        [place] => Ok(place),
        [] => Err(ReadError::table(name, format!("no column `{column}`; it has {}", header.titles()))),
        _ => Err(ReadError::table(name, format!("two columns `{column}`: {}", header.titles()))),
    }
}

/// The places of the columns that the user named, and of the unit.
struct NamedPlaces {
    contender: usize,
    workload: Option<usize>,
    host: Option<usize>,
    value: usize,
    time: Option<usize>,
    recorded: Option<usize>,
    unit: Option<usize>,
}

impl NamedPlaces {
    fn of(name: &str, header: &CsvRecord<'_>, columns: &CsvColumns) -> Result<Self, ReadError> {
        let place = |column: &String| place_of(name, header, column);
        let maybe = |column: &Option<String>| column.as_ref().map(place).transpose();
        let (contender, value) = (place(&columns.contender)?, place(&columns.value)?);
        let (workload, time) = (maybe(&columns.workload)?, maybe(&columns.time)?);
        let (host, recorded) = (maybe(&columns.host)?, maybe(&columns.recorded)?);
        let roles = [Some(contender), workload, Some(value), time].into_iter().flatten();
        if let Some(twice) = roles.clone().find(|place| roles.clone().filter(|other| other == place).count() > 1) {
            let why = format!("`{}` is given as two columns", header.field(twice));
            let hint = "the contender, the workload, the figure and the time are columns of their own";
            return Err(ReadError::table(name, why).hinting(hint));
        }
        let is_free = |place: &usize| !roles.clone().chain(host).chain(recorded).any(|other| other == *place);
        let is_unit = |place: &usize| ["unit", "units"].contains(&header.field(*place).to_lowercase().as_str());
        let unit = (0..header.fields.len()).filter(is_free).find(is_unit);
        Ok(Self { contender, workload, host, value, time, recorded, unit })
    }
}

/// The rows of a CSV file. Figures may have decimal commas if no figure could also be read otherwise.
///
/// # Errors
/// [`ReadError::Malformed`] names the row.
pub fn read(name: &str, text: &str, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    let mut records = Records::of(text);
    let separator = records.separator;
    if text.trim_start().starts_with(['[', '{']) {
        let hint = "make a CSV of it, as with `jq -rs '[\"fs\", \"rate\"], (flatten[] | [.fs, .rate]) | @csv' FILE`";
        return Err(ReadError::table(name, "it is JSON of no tool that judge knows").hinting(hint));
    }
    let header = records.next().ok_or_else(|| ReadError::table(name, "it is empty"))?;
    columns.needed().into_iter().try_for_each(|column| place_of(name, &header, column).map(drop))?;
    let header = columns.records(text).next().unwrap_or(header);
    let NamedPlaces { contender, workload, host, value, time, recorded, unit } =
        NamedPlaces::of(name, &header, columns)?;
    let figures = columns.records(text).skip(1).filter_map(|it| it.fields.into_iter().nth(value));
    let decimal = Decimal::of(separator, figures);
    let used: Vec<usize> =
        [Some(contender), workload, host, Some(value), time, recorded, unit].into_iter().flatten().collect();
    let groups: Vec<usize> = [Some(contender), workload, host].into_iter().flatten().collect();
    let figure: Vec<usize> = [Some(contender), workload].into_iter().flatten().collect();
    let numbering: Vec<usize> =
        (0..header.fields.len()).filter(|it| !used.contains(it) && is_numbering(header.field(*it))).collect();
    // What a row that is made of others is called, such as `Average`, or `best` in a column of runs.
    let summary = |record: &CsvRecord<'_>| {
        let mut cells = numbering.iter().map(|place| record.field(*place)).filter(|cell| is_summary_of_runs(cell));
        cells.next().or(Some(record.field(contender)).filter(|cell| is_summary(cell))).map(str::to_owned)
    };
    let records = || columns.records(text).skip(1);
    let rows = || records().filter(|record| summary(record).is_none());
    let shown = ShownColumns::of(rows, &header, &used, &figure, &groups);
    let mut cells: Vec<Spellings> = header.fields.iter().map(|_| Spellings::default()).collect();
    let (mut works, mut conditions) = (BTreeSet::new(), BTreeSet::new());
    let mut roundings: Vec<[f64; 2]> = Vec::new();
    let mut notations: BTreeMap<TimeNotation, (String, String)> = BTreeMap::new();
    let row = |record: CsvRecord<'_>| {
        let own = |place: usize| record.field(place).to_owned();
        let of_each = if columns.contenders.is_empty() { String::new() } else { format!(", {}", own(contender)) };
        let source = format!("{name}, row {}{of_each}", record.number);
        let wrong = |why: String| ReadError::cell(&source, why);
        if record.is_open {
            let open = wrong("a quote that begins here has no end".to_owned());
            return Err(open.hinting("close it; a quote within a cell is written twice, and the cell stands in quotes"));
        }
        let further = record.fields.get(header.fields.len()..).unwrap_or_default();
        if further.iter().any(|field| !field.trim().is_empty()) {
            let (own, all) = (record.fields.len(), header.fields.len());
            return Err(wrong(format!("it has {own} fields, and the header has {all}; decimal commas need quotes")));
        }
        let field = |place: usize| record.field(place);
        if let Some(place) = groups.iter().chain([&value]).find(|place| field(**place).is_empty()) {
            let hint = if *place == value { MISSING } else { "fill in the cell, also where several rows shared one" };
            return Err(wrong(format!("it has no `{}`", header.fields[*place].trim())).hinting(hint));
        }
        let text = field(value);
        let value = decimal.number(text).map_err(|why| {
            let error = wrong(format!("`{text}` is no figure{why}"));
            if text.contains(|letter: char| letter.is_ascii_digit()) { error } else { error.hinting(MISSING) }
        })?;
        if !(value.is_finite() && value > 0.0) {
            return Err(wrong(format!("`{text}` is no figure above 0")));
        }
        let mut moment = |place: usize| {
            let text = field(place);
            let plain = text.replace(',', ".");
            let seconds = seconds(&plain).ok_or_else(|| wrong(format!("`{text}` is no time")))?;
            let notation = TimeNotation::of(&plain);
            notations.entry(notation).or_insert_with(|| (source.clone(), text.to_owned()));
            let clock = if notation == TimeNotation::Local { Clock::Local } else { Clock::Universal };
            Ok((seconds, clock))
        };
        let (time, clock) = time.map(&mut moment).transpose()?.unzip();
        let workload = workload.map_or_else(|| columns.value.clone(), |it| cells[it].first(field(it)).to_owned());
        let mut facts = |places: &[usize], value: fn(&str, &str) -> String| {
            let facts = places.iter().map(|place| {
                let value = value(field(*place), field(contender));
                (header.fields[*place].trim().to_owned(), cells[*place].first(&value).to_owned())
            });
            facts.filter(|(_, value)| !value.is_empty()).collect()
        };
        let unit = unit.map(own).unwrap_or_default();
        roundings.push([rounding(text), rounding_without_zeros(text)]);
        Ok(Measured {
            run: run(name, &source, time.is_some(), &record),
            contender: own(contender),
            time,
            clock: clock.unwrap_or_default(),
            host: host.map(own),
            recorded: recorded.map(own).filter(|text| !text.is_empty()),
            work: shared(&mut works, facts(&shown.work, work::setting)),
            conditions: shared(&mut conditions, facts(&shown.conditions, work::condition)),
            source,
            unit,
            ..Measured::rate(workload, value, "")
        })
    };
    let mut rows = rows().map(row).collect::<Result<Vec<Measured>, ReadError>>()?;
    if notations.len() > 1 {
        let examples: Vec<String> = notations.values().map(|(place, text)| format!("`{text}` ({place})")).collect();
        let why = format!("times are not of one kind, so their order is unknown: {}", examples.join(", "));
        let hint = "write all times alike: as 2026-11-26T12:00:00Z, without an offset from UTC, or in seconds";
        return Err(ReadError::table(name, why).hinting(hint));
    }
    name_alike(&mut rows);
    let alone = shown.alone.iter().map(|place| header.fields[*place].trim()).map(|title| {
        format!(
            "each row of a contender has another `{title}`, so each is work of its own, with one run; leave the column \
             out if it only names the runs"
        )
    });
    if let Some(row) = rows.first_mut() {
        row.notes.extend(FindingClass::OneRun.findings(alone));
        let summaries = Vec::from_iter(BTreeSet::from_iter(records().filter_map(|record| summary(&record)))).join(", ");
        let left_out = format!("other rows are called {summaries}: they are made of others and left out");
        row.notes.extend(FindingClass::Copy.findings(Some(left_out).filter(|_| !summaries.is_empty())));
    }
    if time.is_some() {
        name_runs(&mut rows);
    }
    if rows.is_empty() {
        return Err(ReadError::table(name, "it has a header and no rows"));
    }
    direction::apply(name, columns, &header, &mut rows)?;
    round_alike(&mut rows, &roundings);
    if time.is_none() {
        name_copies(&mut rows);
    }
    Ok(rows)
}

/// The figures of a workload are rounded to the digits that the longest of them has, since zeros may be left out. Zeros
/// that all of several figures end with do not count; a few may end with them by chance. `roundings` are how far each
/// figure may be off, by its digits and without its zeros.
fn round_alike(rows: &mut [Measured], roundings: &[[f64; 2]]) {
    let mut finest: HashMap<String, ([f64; 2], usize)> = HashMap::new();
    for (row, own) in rows.iter().zip(roundings) {
        let (finest, count) = finest.entry(row.workload.clone()).or_insert(([f64::INFINITY; 2], 0));
        *finest = [finest[0].min(own[0]), finest[1].min(own[1])];
        *count += 1;
    }
    for row in rows {
        let ([digits, without_zeros], count) = finest[&row.workload];
        let rounding = if count > FEWEST_FIGURES { without_zeros } else { digits };
        row.clock_step = Some(rounding / row.value);
    }
}
