//! Parses PostMark's output.

use super::Parameters;

/// The counts of PostMark's output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output {
    created: u64,
    created_alone: u64,
    created_mixed: u64,
    read: u64,
    appended: u64,
    deleted: u64,
    deleted_alone: u64,
    deleted_mixed: u64,
    /// In PostMark's megabytes, like the next field.
    megabytes_read: f64,
    megabytes_written: f64,
}

/// The parameters of the Phoronix Test Suite, and the counts that they always give: PostMark's choices follow from its
/// own seed.
const KNOWN: (Parameters, Output) = (
    Parameters { transactions: 25_000, files: 500, smallest: 5120, largest: 524_288 },
    Output {
        created: 12_978,
        created_alone: 500,
        created_mixed: 12_478,
        read: 12_475,
        appended: 12_512,
        deleted: 12_978,
        deleted_alone: 456,
        deleted_mixed: 12_522,
        megabytes_read: 4142.43,
        megabytes_written: 4324.33,
    },
);

impl Output {
    /// Parses PostMark's output.
    ///
    /// # Errors
    /// The name of the first figure that is missing.
    pub fn of(text: &str) -> Result<Self, &'static str> {
        let files = text.split("Files:").nth(1).ok_or("Files:")?;
        // The sections `created` and `deleted` both have a line `Mixed with transactions`.
        let (before, after) = files.split_once(" deleted ").ok_or("deleted")?;
        let deleted = before.lines().next_back().and_then(|line| line.trim().parse().ok());
        Ok(Self {
            created: count(files, "created").ok_or("created")?,
            created_alone: files_of(before, "Creation alone:").ok_or("Creation alone")?,
            created_mixed: files_of(before, "Mixed with transactions:").ok_or("created with transactions")?,
            read: count(files, "read").ok_or("read")?,
            appended: count(files, "appended").ok_or("appended")?,
            deleted: deleted.ok_or("deleted")?,
            deleted_alone: files_of(after, "Deletion alone:").ok_or("Deletion alone")?,
            deleted_mixed: files_of(after, "Mixed with transactions:").ok_or("deleted with transactions")?,
            megabytes_read: megabytes(after, "read").ok_or("bytes read")?,
            megabytes_written: megabytes(after, "written").ok_or("bytes written")?,
        })
    }

    /// Refuses wrong counts. Known parameters must give exactly the known counts, other counts must add up.
    ///
    /// # Errors
    /// A message with the counts.
    pub fn require(&self, parameters: &Parameters) -> Result<(), String> {
        let Parameters { transactions, files, .. } = *parameters;
        let is_right = match KNOWN.0 == *parameters {
            true => *self == KNOWN.1,
            // A file that cannot grow is not appended to, so reads and appends may be fewer than the transactions.
            false => {
                self.created_alone == files
                    && self.created == files + self.created_mixed
                    && self.deleted == self.created
                    && self.deleted == self.deleted_alone + self.deleted_mixed
                    && self.created_mixed + self.deleted_mixed == transactions
                    && self.read + self.appended <= transactions
                    && self.read > 0
                    && self.megabytes_written > 0.0
            }
        };
        let wrong = || format!("PostMark did other work than its commands ask for: {self:?}");
        if is_right { Ok(()) } else { Err(wrong()) }
    }

    /// The figures that are kept.
    pub fn figures(&self) -> [(&'static str, &'static str, f64); 6] {
        [
            ("postmark.created", "files", self.created as f64),
            ("postmark.read", "files", self.read as f64),
            ("postmark.appended", "files", self.appended as f64),
            ("postmark.deleted", "files", self.deleted as f64),
            ("postmark.megabytes-read", "MB", self.megabytes_read),
            ("postmark.megabytes-written", "MB", self.megabytes_written),
        ]
    }
}

/// Parses `12475 read (2079 per second)`.
fn count(text: &str, what: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        (words.next() == Some(what)).then_some(number)
    };
    text.lines().find_map(of_line)
}

/// Parses `Creation alone: 500 files (500 per second)`.
fn files_of(text: &str, what: &str) -> Option<u64> {
    let after = text.lines().find_map(|line| line.trim().strip_prefix(what))?;
    after.split_whitespace().next()?.parse().ok()
}

/// Parses `4142.43 megabytes read (690.41 megabytes per second)`. Small amounts are in `kilobytes` or `bytes`.
fn megabytes(text: &str, what: &str) -> Option<f64> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let number: f64 = words.next()?.parse().ok()?;
        let unit = match words.next()? {
            "bytes" => 1.0 / (1 << 20) as f64,
            "kilobytes" => 1.0 / 1024.0,
            "megabytes" => 1.0,
            "gigabytes" => 1024.0,
            _ => return None,
        };
        (words.next() == Some(what)).then_some(number * unit)
    };
    text.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("postmark.txt");

    #[test]
    fn its_own_words_are_read_and_are_those_that_are_known() {
        let said = Output::of(TEXT).expect("PostMark's");
        assert_eq!(said, KNOWN.1);
        assert_eq!(said.require(&KNOWN.0), Ok(()));
        let text = TEXT.replace("12475 read", "12476 read");
        let error = Output::of(&text).expect("readable").require(&KNOWN.0).expect_err("one too many");
        assert!(error.contains("read: 12476"), "{error}");
    }

    #[test]
    fn others_must_add_up() {
        let parameters = Parameters { smallest: 1, ..KNOWN.0 };
        assert_eq!(KNOWN.1.require(&parameters), Ok(()));
        for wrong in [
            Output { created: 12_979, ..KNOWN.1 },
            Output { deleted_mixed: 12_521, ..KNOWN.1 },
            Output { read: 0, ..KNOWN.1 },
            Output { appended: 13_000, ..KNOWN.1 },
        ] {
            assert!(wrong.require(&parameters).is_err(), "{wrong:?}");
        }
        assert!(KNOWN.1.require(&Parameters { files: 499, ..parameters }).is_err());
    }

    #[test]
    fn all_zeros_are_no_result() {
        let zeros: String = TEXT.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
        assert!(Output::of(&zeros).expect("readable").require(&Parameters { smallest: 1, ..KNOWN.0 }).is_err());
        assert_eq!(Output::of(""), Err("Files:"));
    }

    #[test]
    fn little_is_in_other_units() {
        assert_eq!(megabytes("\t512.00 kilobytes read (1 x)\n", "read"), Some(0.5));
        assert_eq!(megabytes("\t2.00 terabytes read", "read"), None);
    }
}
