//! Tables of figures with a header, separated by commas (RFC 4180), semicolons or tabs. The user names every column
//! that counts, since titles do not tell work from conditions (docs/decisions/0041).

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};
use fsarena_model::{Better, joined};

use super::time::moment;
use super::{File, ReadError, figure, shared};
use crate::findings::FindingClass;
use crate::measured::{InputFacts, Measured, Run};

/// The columns of a table: by their names in its header, or by their places in a row, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvColumns<T = String> {
    /// The contender; none: it is the label of the file.
    pub contender: Option<T>,
    /// The figure; several: those of a contender each, which is called after its column.
    pub figures: Vec<T>,
    /// Which direction of the figures is better.
    pub better: Better,
    /// What was done, and further columns that define it; none: all rows are of one workload.
    pub work: Vec<T>,
    /// When it was measured: seconds, or RFC 3339.
    pub time: Option<T>,
    /// The machine.
    pub host: Option<T>,
    /// The file system that was recorded.
    pub recorded: Option<T>,
    /// What should have been the same for all contenders.
    pub conditions: Vec<T>,
}

impl CsvColumns<usize> {
    fn of(file: &str, titles: &StringRecord, columns: &CsvColumns) -> Result<Self, ReadError> {
        let place = |title: &String| {
            let places: Vec<usize> = (0..titles.len()).filter(|place| titles[*place] == **title).collect();
            let wrong = |count| format!("{count} column `{title}`; it has {}", joined(titles.iter().take(16), ", "));
            match places[..] {
                [place] => Ok(place),
                [] => Err(ReadError::table(file, wrong("no"))),
                _ => Err(ReadError::table(file, wrong("more than one"))),
            }
        };
        let one = |title: &Option<String>| title.as_ref().map(place).transpose();
        let all = |titles: &[String]| titles.iter().map(place).collect::<Result<Vec<usize>, ReadError>>();
        Ok(Self {
            contender: one(&columns.contender)?,
            figures: all(&columns.figures)?,
            better: columns.better,
            work: all(&columns.work)?,
            time: one(&columns.time)?,
            host: one(&columns.host)?,
            recorded: one(&columns.recorded)?,
            conditions: all(&columns.conditions)?,
        })
    }

    fn has(&self, place: usize) -> bool {
        [self.contender, self.time, self.host, self.recorded].contains(&Some(place))
            || [&self.figures, &self.work, &self.conditions].into_iter().any(|places| places.contains(&place))
    }
}

/// A row of a table.
struct Row<'a> {
    file: &'a File<'a>,
    titles: &'a StringRecord,
    places: &'a CsvColumns<usize>,
    cells: &'a StringRecord,
    /// Where it is, such as `a.csv, line 3`.
    line: String,
}

impl Row<'_> {
    fn wrong(&self, why: String) -> ReadError {
        ReadError::cell(&self.line, why)
    }

    fn text(&self, place: usize) -> Result<String, ReadError> {
        match &self.cells[place] {
            "" => Err(ReadError::Malformed {
                place: self.line.clone(),
                why: format!("it has no `{}`", &self.titles[place]),
                hint: "fill in the cell, or leave out the row",
            }),
            text => Ok(text.to_owned()),
        }
    }

    /// What columns have, by their titles.
    fn facts(&self, places: &[usize]) -> InputFacts {
        let facts = places.iter().map(|place| (self.titles[*place].to_owned(), self.cells[*place].to_owned()));
        facts.filter(|(_, text)| !text.is_empty()).collect()
    }

    /// The figure in a column; `None` if a contender has none in a table with a column for each.
    fn measured(&self, column: usize) -> Result<Option<Measured>, ReadError> {
        let (places, cells) = (self.places, self.cells);
        let has_own_column = places.figures.len() > 1;
        if has_own_column && cells[column].is_empty() {
            return Ok(None);
        }
        let contender = match places.contender {
            Some(place) => self.text(place)?,
            None if has_own_column => self.titles[column].to_owned(),
            None => self.file.label.to_owned(),
        };
        let text = self.text(column)?;
        let value = figure(&text).ok_or_else(|| self.wrong(format!("`{text}` is no number above 0")))?;
        let workload = places.work.first().map_or_else(|| Ok("work".to_owned()), |place| self.text(*place))?;
        let host = places.host.map(|place| self.text(place)).transpose()?;
        let line = format!("{}, {contender}", self.line);
        let mut row = Measured {
            better: places.better,
            clock_step: Some(rounding(&text)),
            recorded: places.recorded.map(|place| cells[place].to_owned()).filter(|text| !text.is_empty()),
            // Without times, figures may be the same by chance, and all of a table are of one run.
            run: Run { name: self.file.name.to_owned(), digest: 0 },
            source: line.clone(),
            ..Measured::rate(workload, value, "")
        };
        if let Some(place) = places.time {
            let text = self.text(place)?;
            let (time, clock) = moment(&text).ok_or_else(|| self.wrong(format!("`{text}` is no time")))?;
            (row.time, row.clock) = (Some(time), clock);
            // All that a contender did at one time on a host is one run, and rows that are the same are copies.
            let on = host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
            row.source = format!("{}, {contender}{on} at {time}", self.file.name);
            let mut hasher = DefaultHasher::new();
            cells.iter().chain([contender.as_str()]).for_each(|cell| cell.hash(&mut hasher));
            row.run = Run { name: line, digest: hasher.finish() };
        }
        Ok(Some(Measured { contender, host, ..row }))
    }
}

/// The figures of a table.
///
/// # Errors
/// [`ReadError::Malformed`] names the line.
pub fn read(file: &File<'_>, columns: &CsvColumns) -> Result<Vec<Measured>, ReadError> {
    let header = file.text.lines().next().unwrap_or_default();
    let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
    let separator = [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',');
    let broken = |error: csv::Error| match error.kind() {
        ErrorKind::UnequalLengths { pos: Some(pos), expected_len, len } => {
            let why = format!("it has {len} cells, and the header {expected_len}");
            ReadError::table(&format!("{}, line {}", file.name, pos.line()), why)
        }
        _ => ReadError::table(file.name, error.to_string()),
    };
    let mut reader = ReaderBuilder::new().delimiter(separator).trim(Trim::All).from_reader(file.text.as_bytes());
    let titles = &reader.headers().map_err(broken)?.clone();
    let places = &CsvColumns::of(file.name, titles, columns)?;
    let (mut rows, mut works, mut conditions) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for cells in reader.records() {
        let cells = &cells.map_err(broken)?;
        let line = format!("{}, line {}", file.name, cells.position().map_or(0, Position::line));
        // A quote without an end reaches to that of the file.
        if cells.iter().any(|cell| cell.contains('\n')) {
            return Err(ReadError::cell(&line, "a cell has several lines, or a quote has no end"));
        }
        let row = Row { file, titles, places, cells, line };
        for column in &places.figures {
            rows.extend(row.measured(*column)?.map(|measured| Measured {
                work: shared(&mut works, row.facts(places.work.get(1..).unwrap_or_default())),
                conditions: shared(&mut conditions, row.facts(&places.conditions)),
                ..measured
            }));
        }
    }
    round_alike(&mut rows);
    let unread = joined((0..titles.len()).filter(|place| !places.has(*place)).map(|place| &titles[place]), ", ");
    let unread = Some(unread).filter(|titles| !titles.is_empty()).map(|titles| {
        format!(
            "no option names {titles}; name what defines the work by `--workload`, and what should be the same for all \
             contenders by `--condition`"
        )
    });
    let Some(first) = rows.first_mut() else { return Err(ReadError::table(file.name, "it has no figures")) };
    first.notes.extend(FindingClass::Unread.findings(unread));
    Ok(rows)
}

/// How far a figure may be off since it is rounded: half a step of its last digit.
pub fn rounding(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let power = exponent.parse().unwrap_or(0_i32).saturating_sub(decimals as i32);
    0.5 * 10_f64.powi(power)
}

/// Makes shares of the figures of how far these are off. Figures of the same work have the digits of the longest, since
/// zeros may be left out.
fn round_alike(rows: &mut [Measured]) {
    let mut finest: HashMap<_, f64> = HashMap::new();
    let work = |row: &Measured| (row.workload.clone(), row.work.clone());
    for row in &*rows {
        let finest = finest.entry(work(row)).or_insert(f64::INFINITY);
        *finest = row.clock_step.map_or(*finest, |own| finest.min(own));
    }
    for row in rows {
        row.clock_step = Some(finest[&work(row)] / row.value);
    }
}

#[cfg(test)]
mod tests {
    use super::rounding;

    #[test]
    fn figures_are_rounded_to_their_last_digit() {
        assert_eq!(["200", "0.3", "1.25", "2e3", "2.5E1"].map(rounding), [0.5, 0.05, 0.005, 500.0, 0.5]);
    }
}
