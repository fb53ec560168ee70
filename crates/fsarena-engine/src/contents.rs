//! The contents of writes: random bytes from the seed. No lower layer can compress or deduplicate them, unless the
//! workload asks for that. Marks in the contents allow a check of what is read against what was written.

use fsarena_model::seed::{generator, scatter};
use fsarena_sys::AlignedBuffer;
use rand::Rng;

/// Maximum size of a unit of contents: the usual block size of a file system.
const UNIT: usize = 4096;
/// Minimum size of the pool and of the longest piece. Consecutive pieces come from different offsets in the pool, and
/// repeat after its length, which is beyond what file systems compress at once. A larger pool would leave the
/// processor's cache: writes of 1 MiB would be a quarter slower than those of fio, which writes one buffer again and
/// again. Files are laid out in pieces of this size, even if their blocks are small.
const LAID_OUT: usize = 1 << 20;
/// Bytes at the beginning of each unit that make it different from all others.
const MARK: usize = 8;
/// Bytes of a mark that allows a check of the unit.
const LONG_MARK: usize = 24;
/// The repeated content of the compressible part.
const PATTERN: &[u8; 16] = b"fsarena fsarena ";
/// The mark of a duplicate unit.
const DUPLICATE: u64 = 0;

/// How contents are generated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recipe {
    /// Seed of all bytes.
    pub seed: u64,
    /// The smallest piece, bytes: units are not larger.
    pub smallest: usize,
    /// The longest piece, bytes.
    pub longest: usize,
    /// Maximum number of pieces in flight.
    pub at_once: usize,
    /// Percentage of each unit that a compressor can remove, 0 to 100.
    pub compressible_percent: u32,
    /// Percentage of units that are copies of others, 0 to 100.
    pub duplicated_percent: u32,
    /// Whether units store their place and can be checked.
    pub checkable: bool,
}

impl Recipe {
    /// A recipe of random bytes for pieces of up to `longest` bytes.
    pub fn random(seed: u64, longest: usize) -> Self {
        let longest = longest.max(1);
        Self { seed, smallest: longest, longest, at_once: 1, ..Self::default() }
    }

    #[inline]
    fn unit(&self) -> usize {
        self.smallest.clamp(1, UNIT)
    }

    /// Fills `memory` with random bytes, and the compressible part of each unit with the pattern. The bytes depend on
    /// the recipe alone. A shorter memory gets the beginning of them.
    pub fn fill(&self, memory: &mut [u8]) {
        generator(self.seed, "payload", &[]).fill_bytes(memory);
        let unit = self.unit();
        let random = unit - unit * self.compressible_percent as usize / 100;
        for unit in memory.chunks_mut(unit) {
            let from = random.min(unit.len());
            for (byte, pattern) in unit[from..].iter_mut().zip(PATTERN.iter().cycle()) {
                *byte = *pattern;
            }
        }
    }

    /// Bytes of the pool for these pieces.
    pub fn pool(&self) -> usize {
        self.longest.max(LAID_OUT).next_multiple_of(UNIT).max(2 * self.at_once * self.longest)
    }
}

/// The place of a piece: the number of its file, and the offset in the file, bytes.
pub type Home = (u32, u64);

/// Marks units. Each mark differs from all earlier marks of this marker, except for the marks of duplicates.
#[derive(Debug, Clone)]
pub struct Marker {
    recipe: Recipe,
    /// Begins at a random number. A marker that takes it over from another uses no mark twice.
    pub counter: u64,
}

impl Marker {
    /// A marker whose marks differ from those of other `worker`s of the same seed.
    pub fn new(recipe: Recipe, worker: u32) -> Self {
        let counter = generator(recipe.seed, "marks", &[u64::from(worker)]).next_u64();
        Self { recipe, counter }
    }

    /// Marks `piece`, which begins at byte `at` of a filled pool. Costs one store per unit.
    #[inline]
    pub fn mark(&mut self, piece: &mut [u8], at: usize, home: Home) {
        let unit = self.recipe.unit();
        for (index, unit_bytes) in piece.chunks_mut(unit).enumerate() {
            self.counter = self.counter.wrapping_add(1);
            let mark = if self.is_duplicate() { DUPLICATE } else { self.counter | 1 };
            if self.recipe.checkable && unit_bytes.len() >= LONG_MARK {
                let offset = (index * unit) as u64;
                let place = if mark == DUPLICATE { 0 } else { place(self.recipe.seed, (home.0, home.1 + offset)) };
                unit_bytes[MARK..2 * MARK].copy_from_slice(&place.to_le_bytes());
                unit_bytes[2 * MARK..LONG_MARK].copy_from_slice(&(at as u64 + offset).to_le_bytes());
            }
            let end = unit_bytes.len().min(MARK);
            unit_bytes[..end].copy_from_slice(&mark.to_le_bytes()[..end]);
        }
    }

    #[inline]
    fn is_duplicate(&self) -> bool {
        let percent = self.recipe.duplicated_percent;
        percent > 0 && (scatter(self.counter) >> 32) * 100 < u64::from(percent) << 32
    }
}

/// The mark of a unit at this place.
fn place(seed: u64, (file, offset): Home) -> u64 {
    scatter(seed ^ scatter((u64::from(file) << 48) ^ offset)) | 1
}

/// How a piece differs from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// It has the mark of another place, or none.
    Place,
    /// Its bytes differ.
    Content,
}

/// A pool from which consecutive pieces are taken at different offsets. It is aligned for direct I/O.
pub struct Contents {
    pool: AlignedBuffer,
    next: usize,
    /// Marks the next units.
    pub marker: Marker,
}

impl Contents {
    /// The contents of a `worker`.
    pub fn new(recipe: Recipe, worker: u32) -> Self {
        let mut pool = AlignedBuffer::new(recipe.pool());
        recipe.fill(&mut pool);
        Self { pool, next: 0, marker: Marker::new(recipe, worker) }
    }

    /// The contents of another worker with the same recipe. With 1,000 workers, copies of the pool save seconds.
    pub fn of_worker(&self, worker: u32) -> Self {
        let mut pool = AlignedBuffer::new(self.pool.len());
        pool.copy_from_slice(&self.pool);
        Self { pool, next: 0, marker: Marker::new(self.marker.recipe, worker) }
    }

    /// The next `length` bytes, at most those of the longest piece or 1 MiB, for the place `home`. A piece that is
    /// shorter than a unit is the beginning of one.
    #[inline]
    pub fn piece(&mut self, length: usize, home: Home) -> &[u8] {
        let at = if self.next + length <= self.pool.len() { self.next } else { 0 };
        self.next = at + length.next_multiple_of(self.marker.recipe.unit());
        let piece = &mut self.pool[at..at + length];
        self.marker.mark(piece, at, home);
        piece
    }

    /// Checks that `piece`, which consists of whole units, was written at `home` with this recipe.
    ///
    /// # Errors
    /// The first mismatch, with the offset of its unit within the piece.
    pub fn check(&self, piece: &[u8], home: Home) -> Result<(), (usize, Mismatch)> {
        let recipe = &self.marker.recipe;
        let unit = recipe.unit();
        for (index, found) in piece.chunks(unit).enumerate() {
            let offset = index * unit;
            self.check_unit(found, (home.0, home.1 + offset as u64)).map_err(|mismatch| (offset, mismatch))?;
        }
        Ok(())
    }

    fn check_unit(&self, found: &[u8], home: Home) -> Result<(), Mismatch> {
        let word = |index: usize| {
            let bytes: [u8; 8] = found[index * MARK..(index + 1) * MARK].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes)
        };
        let expected = if word(0) == DUPLICATE { 0 } else { place(self.marker.recipe.seed, home) };
        if word(1) != expected {
            return Err(Mismatch::Place);
        }
        let at = usize::try_from(word(2)).map_err(|_| Mismatch::Content)?;
        let original = at.checked_add(found.len()).and_then(|end| self.pool.get(at..end)).ok_or(Mismatch::Content)?;
        if original[LONG_MARK..] == found[LONG_MARK..] { Ok(()) } else { Err(Mismatch::Content) }
    }
}

#[cfg(test)]
mod tests;
