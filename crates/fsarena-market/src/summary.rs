//! A summary of a day in a few figures, which shows whether two days are equal.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::{Counts, TradingDay};

/// The summary of a day's CSV.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its size, bytes.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// The counts of its rows.
    pub counts: Counts,
}

impl Summary {
    /// Writes the day to `out`, and returns its summary.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(day: &TradingDay, out: &mut impl Write) -> io::Result<Self> {
        let mut through = Through { out, hash: Sha256::new(), bytes: 0 };
        let counts = day.write(&mut through)?;
        let sha256 = through.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { bytes: through.bytes, sha256, counts })
    }
}

/// Hashes the bytes that are written through it.
struct Through<'a, W> {
    out: &'a mut W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Through<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let written = self.out.write(text)?;
        self.hash.update(&text[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
