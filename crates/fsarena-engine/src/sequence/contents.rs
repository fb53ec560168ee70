//! What is written: pieces of random bytes from the seed, each of which can be told from all others by where it was taken.

use fsarena_model::seed::scatter;

use super::parameters::LONGEST;
use crate::contents::Recipe;

/// Pieces begin anywhere within so many bytes.
const POOL: u64 = 8 << 20;

/// So many bytes of a file, and where they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it lies in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Where it was taken.
    pub at: u64,
}

/// Where the `block`th piece of a step's `item`th file is taken.
pub fn place(seed: u64, step: usize, item: usize, block: u64) -> u64 {
    let salt = scatter(seed ^ scatter((step as u64) << 48 ^ (item as u64) << 28 ^ block));
    salt % POOL
}

/// All bytes that pieces are made of.
pub struct Pool(Vec<u8>);

impl Pool {
    /// That of a seed.
    pub fn new(seed: u64) -> Self {
        let length = (POOL + LONGEST) as usize;
        let mut bytes = vec![0; length];
        Recipe::random(seed, length).fill(&mut bytes);
        Self(bytes)
    }

    /// The bytes of a piece of at most [`LONGEST`].
    #[inline]
    pub fn bytes(&self, piece: Piece) -> &[u8] {
        &self.0[piece.at as usize..][..piece.length as usize]
    }

    /// Puts as much of `piece` into `memory`, which begins at byte `from` of the file, as belongs there.
    pub fn put(&self, piece: Piece, from: u64, memory: &mut [u8]) {
        let (begin, end) = (piece.offset.max(from), (piece.offset + piece.length).min(from + memory.len() as u64));
        if begin < end {
            let source = &self.bytes(piece)[(begin - piece.offset) as usize..(end - piece.offset) as usize];
            memory[(begin - from) as usize..(end - from) as usize].copy_from_slice(source);
        }
    }
}
