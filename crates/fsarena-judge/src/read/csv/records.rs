//! Records of a CSV (RFC 4180), with commas, semicolons or tabs.

use std::borrow::Cow;

/// What may be between fields.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// A record of a CSV.
pub(super) struct CsvRecord<'a> {
    /// Its place, from 1; blank lines count.
    pub number: usize,
    pub fields: Vec<Cow<'a, str>>,
    /// Whether a quote that began in it has no end.
    pub is_open: bool,
}

impl CsvRecord<'_> {
    /// The field at a place without blanks around it; empty if there is none.
    pub fn field(&self, place: usize) -> &str {
        self.fields.get(place).map(|text| text.trim()).unwrap_or_default()
    }
}

/// The records of a CSV that are not blank. Quoted fields may have separators, line ends and doubled quotes.
pub(super) struct Records<'a> {
    rest: &'a str,
    pub separator: u8,
    number: usize,
}

impl<'a> Records<'a> {
    /// The separator is the one that the first line has most often.
    pub fn of(text: &'a str) -> Self {
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
}
