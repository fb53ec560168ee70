//! A day in a few figures, for whoever wants to know whether two have the same.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::{Counts, TradingDay};

/// What a day's CSV comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Its rows.
    pub counts: Counts,
}

impl Summary {
    /// Writes the day to `out` and sums it up.
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

/// Hashes what goes through it.
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
