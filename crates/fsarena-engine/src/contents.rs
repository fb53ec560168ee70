//! The contents of writes: random bytes from the seed. No lower layer can compress or deduplicate them, unless the
//! workload asks for compressible ones.

use fsarena_model::seed::generator;
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
/// The repeated content of the compressible part.
const PATTERN: &[u8; 16] = b"fsarena fsarena ";

/// How contents are generated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recipe {
    /// Seed of all bytes.
    pub seed: u64,
    /// The longest piece, bytes.
    pub longest: usize,
    /// Maximum number of pieces in flight.
    pub at_once: usize,
    /// Percentage of each unit that a compressor can remove, 0 to 100.
    pub compressible_percent: u32,
}

impl Recipe {
    /// A recipe of random bytes for pieces of up to `longest` bytes.
    pub fn random(seed: u64, longest: usize) -> Self {
        Self { seed, longest: longest.max(1), at_once: 1, compressible_percent: 0 }
    }

    #[inline]
    fn unit(&self) -> usize {
        self.longest.clamp(1, UNIT)
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

/// Marks units. Each mark differs from all earlier marks of this marker.
#[derive(Debug, Clone)]
pub struct Marker {
    unit: usize,
    /// Begins at a random number. A marker that takes it over from another uses no mark twice.
    pub counter: u64,
}

impl Marker {
    /// A marker whose marks differ from those of other `worker`s of the same seed.
    fn new(recipe: &Recipe, worker: u32) -> Self {
        let counter = generator(recipe.seed, "marks", &[u64::from(worker)]).next_u64();
        Self { unit: recipe.unit(), counter }
    }

    /// Marks a piece of a filled pool. Costs one store per unit.
    #[inline]
    pub fn mark(&mut self, piece: &mut [u8]) {
        for unit in piece.chunks_mut(self.unit) {
            self.counter = self.counter.wrapping_add(1);
            let end = unit.len().min(MARK);
            unit[..end].copy_from_slice(&self.counter.to_le_bytes()[..end]);
        }
    }
}

/// A pool from which consecutive pieces are taken at different offsets. It is aligned for direct I/O.
pub struct Contents {
    /// How the pool was filled.
    pub recipe: Recipe,
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
        Self { recipe, pool, next: 0, marker: Marker::new(&recipe, worker) }
    }

    /// The contents of another worker with the same recipe. With 1,000 workers, copies of the pool save seconds.
    pub fn of_worker(&self, worker: u32) -> Self {
        let mut pool = AlignedBuffer::new(self.pool.len());
        pool.copy_from_slice(&self.pool);
        Self { recipe: self.recipe, pool, next: 0, marker: Marker::new(&self.recipe, worker) }
    }

    /// The next `length` bytes, at most those of the longest piece or 1 MiB. A piece that is shorter than a unit is the
    /// beginning of one.
    #[inline]
    pub fn piece(&mut self, length: usize) -> &[u8] {
        let at = if self.next + length <= self.pool.len() { self.next } else { 0 };
        self.next = at + length.next_multiple_of(self.marker.unit);
        let piece = &mut self.pool[at..at + length];
        self.marker.mark(piece);
        piece
    }
}

#[cfg(test)]
mod tests;
