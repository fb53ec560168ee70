//! Records of a CSV (RFC 4180), also with semicolons, tabs, `|` as in tables in Markdown, or blanks instead of commas.

use std::borrow::Cow;

/// What may be between fields.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// What separates the fields of a header that has none of these; several blanks are one.
pub(super) const BLANK: u8 = b' ';

/// A record of a CSV.
pub(super) struct CsvRecord<'a> {
    /// Its place, from 1; blank lines count.
    pub number: usize,
    /// The table that it is of, from 0: where tables were put together, each has the header.
    pub table: usize,
    pub fields: Vec<Cow<'a, str>>,
    /// Whether a quote that began in it has no end.
    pub is_open: bool,
}

impl<'a> CsvRecord<'a> {
    /// The same place with other fields.
    pub fn with(&self, fields: Vec<Cow<'a, str>>) -> Self {
        Self { fields, ..*self }
    }

    /// The field at a place without blanks around it; empty if there is none.
    pub fn field(&self, place: usize) -> &str {
        self.fields.get(place).map(|text| text.trim()).unwrap_or_default()
    }

    /// The fields of a header, for a message.
    pub fn titles(&self) -> String {
        self.fields.iter().map(|title| title.trim()).collect::<Vec<_>>().join(", ")
    }
}

/// The records of a CSV that are not blank. Quoted fields may have separators, line ends and doubled quotes.
pub(super) struct Records<'a> {
    rest: &'a str,
    pub separator: u8,
    /// Whether rows begin and end with the separator, as in Markdown.
    is_framed: bool,
    number: usize,
    table: usize,
    header: Option<Vec<Cow<'a, str>>>,
}

impl<'a> Records<'a> {
    /// The separator is the one that the header has most often, else a blank. Comments may be above it.
    pub fn of(text: &'a str) -> Self {
        let (mut rest, mut number) = (text, 0);
        while let Some((line, after)) = rest.split_once('\n')
            && (line.is_empty() || line.starts_with("# "))
        {
            (rest, number) = (after, number + 1);
        }
        let header = rest.lines().next().unwrap_or_default().trim();
        let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
        // Of several, the last one is found.
        let separator = SEPARATORS.into_iter().rev().max_by_key(count).filter(|it| count(it) > 0).unwrap_or(BLANK);
        let is_framed = separator == b'|' && header.starts_with('|') && header.ends_with('|');
        Self { rest, separator, is_framed, number, table: 0, header: None }
    }

    /// The record at the beginning of the rest, which is not empty.
    fn record(&mut self) -> CsvRecord<'a> {
        self.number += 1;
        let mut record = CsvRecord { number: self.number, table: self.table, fields: Vec::new(), is_open: false };
        loop {
            if self.separator == BLANK {
                self.rest = self.rest.trim_start_matches(' ');
            }
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
            let mut record = self.record();
            if self.is_framed {
                record.fields.remove(0);
                record.fields.pop_if(|field| field.trim().is_empty());
            }
            // Tables in Markdown have a rule below the header.
            let is_rule = |field: &str| self.is_framed && field.trim().bytes().all(|byte| b":-".contains(&byte));
            if record.fields.iter().all(|field| field.is_empty() || is_rule(field)) {
                continue;
            }
            if self.header.as_ref() == Some(&record.fields) {
                self.table += 1;
                continue;
            }
            self.header.get_or_insert_with(|| record.fields.clone());
            return Some(record);
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
        assert_eq!(records("a|b\n-|-5\n"), [["a", "b"], ["-", "-5"]]);
        assert_eq!(records("fs    rate\next4 1,5\nxfs     2\n"), [["fs", "rate"], ["ext4", "1,5"], ["xfs", "2"]]);
        let table = "| a | b |\n|---|:-:|\n| x |  |\n";
        assert_eq!(records(table), [[" a ", " b "], [" x ", "  "]]);
        let together = "a,b\nx,1\na,b\ny,2\n";
        assert_eq!(records(together), [["a", "b"], ["x", "1"], ["y", "2"]]);
        assert_eq!(Records::of(together).map(|record| record.table).collect::<Vec<_>>(), [0, 0, 1]);
    }

    #[test]
    fn comments_may_be_above_the_header() {
        let text = "# by hand, of one, two, three\n\na;b\n1;2\n";
        assert_eq!(records(text), [["a", "b"], ["1", "2"]]);
        assert_eq!(Records::of(text).map(|record| record.number).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(records("#,a\n1,2\n"), [["#", "a"], ["1", "2"]]);
    }
}
