//! What is written: random bytes from the seed, so that nothing beneath can compress or merge them.

use fsarena_model::seed::generator;
use fsarena_sys::AlignedBuffer;
use rand::Rng;

const POOL: usize = 4 << 20;
const STEP: usize = 4096;

/// A pool of random bytes from which writes of up to 1 MiB are taken at ever other places, aligned for direct I/O.
pub struct Payload {
    pool: AlignedBuffer,
    next: usize,
    stamp: u64,
}

/// The longest piece, in bytes.
pub const LONGEST_PIECE: usize = 1 << 20;

impl Payload {
    /// The pool that follows from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut pool = AlignedBuffer::new(POOL + LONGEST_PIECE);
        generator(seed, "payload", &[]).fill_bytes(&mut pool);
        Self { pool, next: 0, stamp: seed }
    }

    /// The next `length` bytes, at most [`LONGEST_PIECE`]. Each block of 4 KiB bears a number of its own, so that no two
    /// blocks are alike; that costs a store a block.
    #[inline]
    pub fn piece(&mut self, length: usize) -> &[u8] {
        self.next = (self.next + STEP) % POOL;
        let piece = &mut self.pool[self.next..self.next + length];
        for block in piece.chunks_mut(STEP) {
            self.stamp = self.stamp.wrapping_add(1);
            let bytes = self.stamp.to_le_bytes();
            let end = block.len().min(bytes.len());
            block[..end].copy_from_slice(&bytes[..end]);
        }
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_and_the_seed_decides() {
        let (mut one, mut other) = (Payload::new(1), Payload::new(1));
        let first = one.piece(1024).to_vec();
        assert_eq!(first, other.piece(1024));
        assert_ne!(first, one.piece(1024));
        let blocks: std::collections::BTreeSet<Vec<u8>> = (0..8)
            .flat_map(|_| one.piece(LONGEST_PIECE).chunks(STEP).map(<[u8]>::to_vec).collect::<Vec<_>>())
            .collect();
        assert_eq!(blocks.len(), 8 * LONGEST_PIECE / STEP, "no block occurs twice");
        assert_eq!(one.piece(LONGEST_PIECE).as_ptr() as usize % 4096, 0);
    }
}
