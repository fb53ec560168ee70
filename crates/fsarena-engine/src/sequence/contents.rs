//! The contents of writes: pieces of random bytes from the seed. Each piece can be distinguished from all others by its
//! place in the pool.

use fsarena_model::seed::scatter;

use super::parameters::LONGEST;
use crate::contents::Recipe;

/// Places of pieces in the pool are below this, bytes.
const POOL: u64 = 8 << 20;

/// A range of bytes of a file, and their place in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Length, bytes.
    pub length: u64,
    /// Place in the pool, bytes.
    pub at: u64,
}

/// The place in the pool of piece `block` of the file `item` of step `step`.
pub fn place(seed: u64, step: usize, item: usize, block: u64) -> u64 {
    let salt = scatter(seed ^ scatter((step as u64) << 48 ^ (item as u64) << 28 ^ block));
    salt % POOL
}

/// The bytes of which all pieces are made.
pub struct Pool(Vec<u8>);

impl Pool {
    /// The pool of a seed.
    pub fn new(seed: u64) -> Self {
        let length = (POOL + LONGEST) as usize;
        let mut bytes = vec![0; length];
        Recipe::random(seed, length).fill(&mut bytes);
        Self(bytes)
    }

    /// The bytes of a piece, which has at most [`LONGEST`] bytes.
    #[inline]
    pub fn bytes(&self, piece: Piece) -> &[u8] {
        &self.0[piece.at as usize..][..piece.length as usize]
    }

    /// Copies the part of `piece` that belongs into `memory`, which begins at byte `from` of the file.
    pub fn put(&self, piece: Piece, from: u64, memory: &mut [u8]) {
        let (begin, end) = (piece.offset.max(from), (piece.offset + piece.length).min(from + memory.len() as u64));
        if begin < end {
            let source = &self.bytes(piece)[(begin - piece.offset) as usize..(end - piece.offset) as usize];
            memory[(begin - from) as usize..(end - from) as usize].copy_from_slice(source);
        }
    }
}
