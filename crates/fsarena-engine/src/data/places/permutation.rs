//! A permutation of all numbers below a bound, in a scattered order, without storing any of them.

use fsarena_model::seed::scatter;

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

    /// The bound: how many numbers the permutation has.
    pub fn count(&self) -> u64 {
        self.count
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
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_once_and_out_of_order() {
        for count in [1, 2, 3, 7, 64, 1000, 4097] {
            let permutation = Permutation::new(count, 7);
            let mut numbers: Vec<u64> = (0..count).map(|number| permutation.of(number)).collect();
            if count > 60 {
                assert!(numbers.iter().zip(0..).filter(|(one, other)| **one == *other).count() < 10);
            }
            numbers.sort_unstable();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
        }
        assert_ne!(Permutation::new(1000, 1).of(5), Permutation::new(1000, 2).of(5));
    }
}
