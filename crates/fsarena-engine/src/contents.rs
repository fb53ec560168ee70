//! What is written: random bytes from the seed, so that nothing beneath can compress or merge them unless the workload
//! says so; and the marks by which what is read can be told to be what was written.

use fsarena_model::seed::{generator, scatter};
use fsarena_sys::AlignedBuffer;
use rand::Rng;

/// The unit of contents, at most: what a file system's block usually is.
const UNIT: usize = 4096;
/// A piece takes up the pool at ever other places; after so many bytes they come again.
const POOL: usize = 4 << 20;
/// The longest piece may always be this long: files are laid out in such pieces, however small the blocks are.
const LAID_OUT: usize = 1 << 20;
/// Bytes at the beginning of each unit that make it different from all others.
const MARK: usize = 8;
/// Bytes of a mark by which a unit can be checked.
const LONG_MARK: usize = 24;
/// What a compressor finds in the compressible part.
const PATTERN: &[u8; 16] = b"fsarena fsarena ";
/// The mark of a unit that may occur again.
const DUPLICATE: u64 = 0;

/// How contents are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// From which all bytes follow.
    pub seed: u64,
    /// The smallest piece, bytes: units are not larger.
    pub smallest: usize,
    /// The longest piece, bytes.
    pub longest: usize,
    /// Pieces that are in flight at a time.
    pub at_once: usize,
    /// How much of each unit a compressor can take away, 0 to 100.
    pub compressible_percent: u32,
    /// How many of a hundred units are copies of others, 0 to 100.
    pub duplicated_percent: u32,
    /// Whether units bear where they belong and can be checked.
    pub checkable: bool,
}

impl Recipe {
    /// Random bytes for pieces of up to `longest` bytes.
    pub fn random(seed: u64, longest: usize) -> Self {
        let longest = longest.max(1);
        Self {
            seed,
            smallest: longest,
            longest,
            at_once: 1,
            compressible_percent: 0,
            duplicated_percent: 0,
            checkable: false,
        }
    }

    fn unit(&self) -> usize {
        self.smallest.clamp(1, UNIT)
    }

    /// Fills `memory`: random bytes, and in each unit as much of the pattern as is to be compressible. The same memory
    /// always gets the same bytes, and a shorter one the beginning of them.
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

    /// Bytes that a pool for these pieces has.
    pub fn pool(&self) -> usize {
        (POOL + self.longest.max(LAID_OUT).next_multiple_of(UNIT)).max(2 * self.at_once * self.longest)
    }
}

/// Where a piece belongs: a file's number and the offset in it.
pub type Home = (u32, u64);

/// Marks units: each differs from all others that this marker has seen, except for those that are to be duplicates.
#[derive(Debug, Clone)]
pub struct Marker {
    recipe: Recipe,
    counter: u64,
}

impl Marker {
    /// A marker whose marks differ from those of other `worker`s of the same seed.
    pub fn new(recipe: Recipe, worker: u32) -> Self {
        let counter = generator(recipe.seed, "marks", &[u64::from(worker)]).next_u64();
        Self { recipe, counter }
    }

    /// As [`Contents::marked`].
    pub fn marked(&self) -> u64 {
        self.counter
    }

    /// Marks `piece`, which lies at byte `at` of a filled pool. That costs a store a unit.
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

/// What a unit at this place bears.
fn place(seed: u64, (file, offset): Home) -> u64 {
    scatter(seed ^ scatter((u64::from(file) << 48) ^ offset)) | 1
}

/// Why a piece is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// It bears another place's mark, or none.
    Place,
    /// Its bytes are others.
    Content,
}

/// A pool from which pieces are taken at ever other places, aligned for direct I/O.
pub struct Contents {
    pool: AlignedBuffer,
    next: usize,
    marker: Marker,
}

impl Contents {
    /// The contents of a `worker`.
    pub fn new(recipe: Recipe, worker: u32) -> Self {
        let mut pool = AlignedBuffer::new(recipe.pool());
        recipe.fill(&mut pool);
        Self { pool, next: 0, marker: Marker::new(recipe, worker) }
    }

    /// The next `length` bytes, at most [`Contents::longest`], for the place `home`. Pieces of less than a unit are the
    /// beginning of one.
    #[inline]
    pub fn piece(&mut self, length: usize, home: Home) -> &[u8] {
        let step = self.marker.recipe.unit();
        let at = self.next;
        self.next += length.next_multiple_of(step);
        if self.next >= POOL {
            self.next = 0;
        }
        let piece = &mut self.pool[at..at + length];
        self.marker.mark(piece, at, home);
        piece
    }

    /// What marks the next units.
    pub fn marker(&self) -> Marker {
        self.marker.clone()
    }

    /// How many units were marked, after an unknown beginning, for somebody who goes on elsewhere.
    pub fn marked(&self) -> u64 {
        self.marker.counter
    }

    /// Goes on after what others have marked: nothing is to be written twice.
    pub fn go_on(&mut self, marked: u64) {
        self.marker.counter = marked;
    }

    /// The longest piece that can be had.
    pub fn longest(&self) -> usize {
        self.marker.recipe.longest.max(LAID_OUT)
    }

    /// Whether `piece`, made of whole units, was written at `home` with this recipe.
    ///
    /// # Errors
    /// The first flaw, with the offset of its unit within the piece.
    pub fn check(&self, piece: &[u8], home: Home) -> Result<(), (usize, Flaw)> {
        let recipe = &self.marker.recipe;
        let unit = recipe.unit();
        for (index, found) in piece.chunks(unit).enumerate() {
            let offset = index * unit;
            self.check_unit(found, (home.0, home.1 + offset as u64)).map_err(|flaw| (offset, flaw))?;
        }
        Ok(())
    }

    fn check_unit(&self, found: &[u8], home: Home) -> Result<(), Flaw> {
        let word = |index: usize| {
            let bytes: [u8; 8] = found[index * MARK..(index + 1) * MARK].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes)
        };
        let expected = if word(0) == DUPLICATE { 0 } else { place(self.marker.recipe.seed, home) };
        if word(1) != expected {
            return Err(Flaw::Place);
        }
        let at = usize::try_from(word(2)).map_err(|_| Flaw::Content)?;
        let original = at.checked_add(found.len()).and_then(|end| self.pool.get(at..end)).ok_or(Flaw::Content)?;
        if original[LONG_MARK..] == found[LONG_MARK..] { Ok(()) } else { Err(Flaw::Content) }
    }
}

#[cfg(test)]
mod tests;
