//! Chooses the place of the next operation: file and offset.

use std::ops::Range;

use fsarena_model::seed::scatter;
use rand::Rng;
use rand_distr::{Distribution as _, Zipf};
use rand_pcg::Pcg64Mcg;

use super::ground::Stretch;
use super::parameters::{DataParameters, Distribution, FilesOfWork, Pattern};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePart {
    /// Number of the file among the worker's files.
    pub file: u32,
    /// Bytes from the file's beginning.
    pub offset: u64,
}

/// The sequence of places of one worker, as if all its files were one.
pub struct FileParts {
    order: BlockOrder,
    random: Pcg64Mcg,
    /// Bytes of each file, a multiple of the block.
    file_size: u64,
    /// Bytes of each operation.
    block: u64,
    /// Operations of the run that are left.
    operations: u64,
}

enum BlockOrder {
    /// From `first` to `end`, in bytes.
    Sequential {
        first: u64,
        next: u64,
        end: u64,
        repeat: bool,
    },
    Random(Pick),
}

/// How the number of a random block is chosen.
enum Pick {
    Uniform { count: u64 },
    Once { permutation: Permutation, next: u64 },
    Zipf { ranks: Zipf<f64>, permutation: Permutation },
}

/// The exponent of the Zipf distribution.
const SKEW: f64 = 1.2;

impl FileParts {
    /// The places of `parameters` in files, or on a device, which counts as one file. Every choice comes from `random`.
    pub fn new(parameters: &DataParameters, mut random: Pcg64Mcg, device: Option<Stretch>) -> Self {
        // New files are made one after the other.
        let files = if parameters.target() == FilesOfWork::New { 1 } else { u64::from(parameters.files) };
        let (block, all) = (parameters.block_size, 0..parameters.file_size * files);
        let (file_size, part) = device.map_or((parameters.file_size, all), |Stretch { end, own }| (end, own));
        let order = match parameters.pattern {
            Pattern::Sequential => {
                BlockOrder::Sequential { first: part.start, next: part.start, end: part.end, repeat: parameters.repeat }
            }
            Pattern::Random => BlockOrder::Random(Pick::new(parameters.distribution, part.end / block, &mut random)),
        };
        let mut places = Self { order, random, file_size, block, operations: 0 };
        places.begin(parameters);
        places
    }

    /// Begins a new run, with all operations that the workload allows.
    pub fn begin(&mut self, parameters: &DataParameters) {
        self.operations = parameters.operations.unwrap_or(u64::MAX);
    }

    /// Moves sequential work back to its beginning.
    pub fn rewind(&mut self) {
        if let BlockOrder::Sequential { first, next, .. } = &mut self.order {
            *next = *first;
        }
    }

    /// For sequential work: bytes passed since the beginning, and bytes left to the end.
    pub fn passed_and_left(&self) -> Option<(u64, u64)> {
        match &self.order {
            BlockOrder::Sequential { first, next, end, .. } => Some((next - first, end.saturating_sub(*next))),
            BlockOrder::Random(_) => None,
        }
    }

    /// Moves sequential work to the `size` bytes of `part` after those of the last run, or to the beginning of `part`
    /// if fewer bytes are left. A later rewind does not repeat this run.
    pub fn move_on(&mut self, part: &Range<u64>, size: u64) {
        if let BlockOrder::Sequential { first, next, end, .. } = &mut self.order {
            *next = if *first + size <= part.end { *first } else { part.start };
            *end = *next + size;
            *first = *end;
        }
    }

    /// The next place; `None` if the run has no operation left.
    #[inline(always)]
    pub fn next(&mut self) -> Option<FilePart> {
        if self.operations == 0 {
            return None;
        }
        self.operations -= 1;
        let at = match &mut self.order {
            BlockOrder::Sequential { first, next, end, repeat } => {
                if *next >= *end {
                    if !*repeat {
                        return None;
                    }
                    *next = *first;
                }
                let at = *next;
                *next += self.block;
                at
            }
            BlockOrder::Random(pick) => pick.next(&mut self.random) * self.block,
        };
        // Without a division in the first file, which mostly is the only one.
        let (file, offset) = if at < self.file_size { (0, at) } else { (at / self.file_size, at % self.file_size) };
        Some(FilePart { file: file as u32, offset })
    }

    /// The generator of the run's other random choices.
    #[inline]
    pub fn random(&mut self) -> &mut Pcg64Mcg {
        &mut self.random
    }

    /// The position from which [`FileParts::resume`] continues: the progress of work that visits each place once, and the
    /// next number of the generator.
    pub fn position(&mut self) -> [u64; 2] {
        let come = match &self.order {
            BlockOrder::Sequential { next, .. } | BlockOrder::Random(Pick::Once { next, .. }) => *next,
            BlockOrder::Random(_) => 0,
        };
        [come, self.random.next_u64()]
    }

    /// Continues from [`FileParts::position`].
    pub fn resume(&mut self, [come, random]: [u64; 2]) {
        if let BlockOrder::Sequential { next, .. } | BlockOrder::Random(Pick::Once { next, .. }) = &mut self.order {
            *next = come;
        }
        self.random = fsarena_model::seed::generator(random, "offsets", &[]);
    }
}

impl Pick {
    fn new(distribution: Distribution, count: u64, random: &mut Pcg64Mcg) -> Self {
        let mut permutation = || Permutation::new(count, random.next_u64());
        match distribution {
            Distribution::Uniform => Self::Uniform { count },
            Distribution::Once => Self::Once { permutation: permutation(), next: 0 },
            Distribution::Zipf => {
                let ranks = Zipf::new(count as f64, SKEW).expect("the exponent is above 0");
                Self::Zipf { ranks, permutation: permutation() }
            }
        }
    }

    #[inline(always)]
    fn next(&mut self, random: &mut Pcg64Mcg) -> u64 {
        if let Self::Uniform { count } = self { below(random, *count) } else { self.next_uneven(random) }
    }

    #[inline(never)]
    fn next_uneven(&mut self, random: &mut Pcg64Mcg) -> u64 {
        match self {
            Self::Uniform { count } => below(random, *count),
            Self::Once { permutation, next } => {
                let place = permutation.of(*next);
                *next = (*next + 1) % permutation.count;
                place
            }
            Self::Zipf { ranks, permutation } => permutation.of(ranks.sample(random) as u64 - 1),
        }
    }
}

/// A number below `bound`, by multiplication: the bias is below `bound` / 2⁶⁴ (Lemire 2019, doi:10.1145/3230636).
#[inline]
pub fn below(random: &mut Pcg64Mcg, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A bijection of the numbers below `count`: four Feistel rounds over the next even power of two, repeated until the
/// number is below the bound (cycle walking; Black and Rogaway 2002, doi:10.1007/3-540-45760-7_9).
#[derive(Debug, Clone)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// A permutation of `count` numbers, at least 1.
    pub fn new(count: u64, seed: u64) -> Self {
        let bits = (u64::BITS - (count - 1).leading_zeros()).max(2);
        let keys = [1, 2, 3, 4].map(|round: u64| scatter(seed.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
        Self { count, half_bits: bits.div_ceil(2), keys }
    }

    /// The image of `number`, which is below the count.
    #[inline]
    pub fn of(&self, mut number: u64) -> u64 {
        loop {
            number = self.once(number);
            if number < self.count {
                return number;
            }
        }
    }

    #[inline]
    fn once(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (scatter(right ^ key) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests;
