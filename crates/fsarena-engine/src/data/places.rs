//! Chooses the place of the next operation: file, offset and length.

use std::ops::Range;

use fsarena_model::seed::scatter;
use rand::{Rng, RngExt};
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
    pub length: usize,
}

/// The sequence of places of one worker.
pub struct FileParts {
    order: ByteOrder,
    random: Pcg64Mcg,
    /// Bytes of each file.
    file_size: u64,
    /// The smallest block; offsets and lengths are multiples of it.
    block: u64,
    /// Smallest blocks of the longest operation. If there are several, lengths are drawn.
    most_blocks: u64,
    /// Operations of the run that are left.
    operations: u64,
    /// Bytes of the run that are left, if lengths are drawn.
    bytes: u64,
}

enum ByteOrder {
    /// From `first` to `end`, in bytes, as if all files were one.
    Sequential {
        first: u64,
        next: u64,
        end: u64,
        stride: u64,
        repeat: bool,
    },
    Random {
        pick: Pick,
        files: u64,
        blocks_in_a_file: u64,
    },
}

/// How the number of a random place is chosen.
enum Pick {
    Uniform { count: u64 },
    Once { permutation: Permutation, next: u64 },
    Zipf { ranks: Zipf<f64>, permutation: Permutation },
    Pareto { count: u64, power: f64, permutation: Permutation },
}

impl FileParts {
    /// The places of `parameters` in files, or on a device, which counts as one file. Every choice comes from `random`.
    pub fn new(parameters: &DataParameters, mut random: Pcg64Mcg, device: Option<Stretch>) -> Self {
        // New files are made one after the other.
        let files = if parameters.target() == FilesOfWork::New { 1 } else { u64::from(parameters.files) };
        let (block, all) = (parameters.block_size, 0..parameters.file_size * files);
        let (file_size, part) = device.map_or((parameters.file_size, all), |Stretch { end, own }| (end, own));
        let order = match parameters.pattern {
            Pattern::Sequential => {
                let (stride, repeat) = (parameters.stride, parameters.repeat);
                ByteOrder::Sequential { first: part.start, next: part.start, end: part.end, stride, repeat }
            }
            Pattern::Random => {
                let (files, blocks_in_a_file) = (part.end / file_size, file_size / block);
                let pick = Pick::new(parameters, blocks_in_a_file * files, &mut random);
                ByteOrder::Random { pick, files, blocks_in_a_file }
            }
        };
        let most_blocks = parameters.longest() / block;
        let mut places = Self { order, random, file_size, block, most_blocks, operations: 0, bytes: 0 };
        places.begin(parameters);
        places
    }

    /// Begins a new run, with all operations and bytes that the workload allows.
    pub fn begin(&mut self, parameters: &DataParameters) {
        self.bytes = parameters.bytes.unwrap_or(u64::MAX);
        self.operations = parameters.operations.unwrap_or(u64::MAX);
        if self.most_blocks == 1 {
            self.operations = self.operations.min(self.bytes.div_ceil(self.block));
        }
    }

    /// Moves sequential work back to its beginning.
    pub fn rewind(&mut self) {
        if let ByteOrder::Sequential { first, next, .. } = &mut self.order {
            *next = *first;
        }
    }

    /// For sequential work: bytes passed since the beginning, and bytes left to the end.
    pub fn passed_and_left(&self) -> Option<(u64, u64)> {
        match &self.order {
            ByteOrder::Sequential { first, next, end, .. } => Some((next - first, end.saturating_sub(*next))),
            ByteOrder::Random { .. } => None,
        }
    }

    /// Moves sequential work to the `size` bytes of `part` after those of the last run, or to the beginning of `part`
    /// if fewer bytes are left. A later rewind does not repeat this run.
    pub fn move_on(&mut self, part: &Range<u64>, size: u64) {
        if let ByteOrder::Sequential { first, next, end, .. } = &mut self.order {
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
        if let ByteOrder::Random { pick, files, blocks_in_a_file } = &mut self.order
            && self.most_blocks == 1
        {
            let mut number = pick.next(&mut self.random);
            let mut file = 0;
            if *files > 1 {
                (file, number) = (number / *blocks_in_a_file, number % *blocks_in_a_file);
            }
            return Some(FilePart { file: file as u32, offset: number * self.block, length: self.block as usize });
        }
        self.next_of_other()
    }

    #[inline(never)]
    fn next_of_other(&mut self) -> Option<FilePart> {
        let length = if self.most_blocks == 1 { self.block } else { self.draw_length() };
        match &mut self.order {
            ByteOrder::Sequential { first, next, end, stride, repeat } => {
                if *next >= *end {
                    if !*repeat {
                        return None;
                    }
                    *next = *first;
                }
                let (file, offset) = (*next / self.file_size, *next % self.file_size);
                let length = length.min(self.file_size - offset);
                *next += length + *stride;
                Some(FilePart { file: file as u32, offset, length: length as usize })
            }
            ByteOrder::Random { pick, blocks_in_a_file, .. } => {
                let number = pick.next(&mut self.random);
                let (file, number) = (number / *blocks_in_a_file, number % *blocks_in_a_file);
                let offset = (number * self.block).min(self.file_size - length);
                Some(FilePart { file: file as u32, offset, length: length as usize })
            }
        }
    }

    fn draw_length(&mut self) -> u64 {
        let length = self.block * (1 + below(&mut self.random, self.most_blocks));
        self.bytes = self.bytes.saturating_sub(length);
        if self.bytes == 0 {
            self.operations = 0;
        }
        length
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
            ByteOrder::Sequential { next, .. } | ByteOrder::Random { pick: Pick::Once { next, .. }, .. } => *next,
            ByteOrder::Random { .. } => 0,
        };
        [come, self.random.next_u64()]
    }

    /// Continues from [`FileParts::position`].
    pub fn resume(&mut self, [come, random]: [u64; 2]) {
        if let ByteOrder::Sequential { next, .. } | ByteOrder::Random { pick: Pick::Once { next, .. }, .. } =
            &mut self.order
        {
            *next = come;
        }
        self.random = fsarena_model::seed::generator(random, "offsets", &[]);
    }
}

impl Pick {
    fn new(parameters: &DataParameters, count: u64, random: &mut Pcg64Mcg) -> Self {
        let permutation = |random: &mut Pcg64Mcg| Permutation::new(count, random.next_u64());
        let distribution = parameters.distribution;
        let skew = parameters.skew.unwrap_or(distribution.default_skew());
        match distribution {
            Distribution::Uniform => Self::Uniform { count },
            Distribution::Once => Self::Once { permutation: permutation(random), next: 0 },
            Distribution::Zipf => {
                let ranks = Zipf::new(count as f64, skew);
                Self::Zipf { ranks: ranks.expect("checked: the exponent is above 0"), permutation: permutation(random) }
            }
            Distribution::Pareto => {
                // The share `h` (`skew`) of the places gets 1 - h of the visits: F(x) = x^(ln(1-h) / ln h).
                let power = skew.ln() / (1.0 - skew).ln();
                Self::Pareto { count, power, permutation: permutation(random) }
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
            Self::Pareto { count, power, permutation } => {
                let rank = (*count as f64 * random.random::<f64>().powf(*power)) as u64;
                permutation.of(rank.min(*count - 1))
            }
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
