//! Where the next operation goes: file, offset and length, in the order that the workload wants.

mod permutation;

use rand::{Rng, RngExt};
use rand_distr::{Distribution as _, Zipf};
use rand_pcg::Pcg64Mcg;

use super::parameters::{Distribution, Parameters, Pattern, Target};
use permutation::Permutation;

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which of the worker's files.
    pub file: u32,
    /// Bytes from the file's beginning.
    pub offset: u64,
    /// Bytes.
    pub length: usize,
}

/// The places of one worker, one after the other.
pub struct Places {
    order: Order,
    random: Pcg64Mcg,
    /// Bytes of each file.
    file_size: u64,
    /// The smallest block; offsets and lengths are multiples of it.
    block: u64,
    /// The longest operation, in smallest blocks.
    longest: u64,
    /// What is left of the run's operations and bytes.
    operations: u64,
    bytes: u64,
}

enum Order {
    Sequential { next: u64, end: u64, stride: u64, repeat: bool },
    Random { pick: Pick, files: u64 },
}

/// One of a number of places, by its number.
enum Pick {
    Uniform { count: u64 },
    Once { permutation: Permutation, next: u64 },
    Zipf { ranks: Zipf<f64>, permutation: Permutation },
    Pareto { count: u64, power: f64, permutation: Permutation },
}

/// The exponent of zipf and the share of pareto where the workload says none; fio's too.
const ZIPF: f64 = 1.2;
const PARETO: f64 = 0.2;

impl Places {
    /// Those of `parameters`; every choice comes from `random`.
    pub fn new(parameters: &Parameters, mut random: Pcg64Mcg) -> Self {
        let (file_size, block) = (parameters.file_size, parameters.block_size);
        // New files are made one after the other.
        let files = if parameters.target() == Target::New { 1 } else { u64::from(parameters.files) };
        let order = match parameters.pattern {
            Pattern::Sequential => {
                let (stride, repeat) = (parameters.stride, parameters.repeat);
                Order::Sequential { next: 0, end: file_size * files, stride, repeat }
            }
            Pattern::Random => {
                Order::Random { pick: Pick::new(parameters, file_size / block * files, &mut random), files }
            }
        };
        let longest = parameters.longest() / block;
        let mut places = Self { order, random, file_size, block, longest, operations: 0, bytes: 0 };
        places.begin(parameters);
        places
    }

    /// A new run: it may do as much as the workload allows.
    pub fn begin(&mut self, parameters: &Parameters) {
        self.operations = parameters.operations.unwrap_or(u64::MAX);
        self.bytes = parameters.bytes.unwrap_or(u64::MAX);
    }

    /// A new run on files from their beginning.
    pub fn rewind(&mut self) {
        if let Order::Sequential { next, .. } = &mut self.order {
            *next = 0;
        }
    }

    /// The next place; `None` when there is nothing left to do.
    #[inline]
    pub fn next(&mut self) -> Option<Place> {
        if self.operations == 0 || self.bytes == 0 {
            return None;
        }
        let blocks = if self.longest == 1 { 1 } else { 1 + below(&mut self.random, self.longest) };
        let place = match &mut self.order {
            Order::Sequential { next, end, stride, repeat } => {
                if *next >= *end {
                    if !*repeat {
                        return None;
                    }
                    *next = 0;
                }
                let (file, offset) = (*next / self.file_size, *next % self.file_size);
                let length = (blocks * self.block).min(self.file_size - offset);
                *next += length + *stride;
                Place { file: file as u32, offset, length: length as usize }
            }
            Order::Random { pick, files } => {
                let number = pick.next(&mut self.random);
                let in_a_file = self.file_size / self.block;
                let (file, number) = if *files == 1 { (0, number) } else { (number / in_a_file, number % in_a_file) };
                let first = number.min(in_a_file - blocks);
                Place { file: file as u32, offset: first * self.block, length: (blocks * self.block) as usize }
            }
        };
        self.operations -= 1;
        self.bytes = self.bytes.saturating_sub(place.length as u64);
        Some(place)
    }

    /// The source of the run's other random choices.
    #[inline]
    pub fn random(&mut self) -> &mut Pcg64Mcg {
        &mut self.random
    }

    /// How far sequential work has come, for a worker that works elsewhere; random work gives its generator's next number.
    pub fn position(&mut self) -> u64 {
        match &self.order {
            Order::Sequential { next, .. } => *next,
            Order::Random { .. } => self.random.next_u64(),
        }
    }

    /// Goes on from [`Places::position`].
    pub fn resume(&mut self, position: u64) {
        match &mut self.order {
            Order::Sequential { next, .. } => *next = position,
            Order::Random { .. } => self.random = fsarena_model::seed::generator(position, "offsets", &[]),
        }
    }
}

impl Pick {
    fn new(parameters: &Parameters, count: u64, random: &mut Pcg64Mcg) -> Self {
        let permutation = |random: &mut Pcg64Mcg| Permutation::new(count, random.next_u64());
        match parameters.distribution {
            Distribution::Uniform => Self::Uniform { count },
            Distribution::Once => Self::Once { permutation: permutation(random), next: 0 },
            Distribution::Zipf => {
                let ranks = Zipf::new(count as f64, parameters.skew.unwrap_or(ZIPF));
                Self::Zipf { ranks: ranks.expect("checked: the exponent is above 0"), permutation: permutation(random) }
            }
            Distribution::Pareto => {
                let share = parameters.skew.unwrap_or(PARETO);
                // The share `h` of the places gets 1 - h of the visits: F(x) = x^(ln(1-h) / ln h).
                let power = share.ln() / (1.0 - share).ln();
                Self::Pareto { count, power, permutation: permutation(random) }
            }
        }
    }

    #[inline]
    fn next(&mut self, random: &mut Pcg64Mcg) -> u64 {
        match self {
            Self::Uniform { count } => below(random, *count),
            Self::Once { permutation, next } => {
                let place = permutation.of(*next);
                *next = (*next + 1) % permutation.count();
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

#[cfg(test)]
mod tests;
