//! Random numbers: SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195), one sequence for each contract
//! and day.

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence for a purpose. The same seed, number and words always give the same sequence.
    pub fn of(seed: u64, number: u64, words: &str) -> Self {
        let bytes = seed.to_le_bytes().into_iter().chain(number.to_le_bytes()).chain(words.bytes());
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Self(scatter(hash))
    }

    /// The next number.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scatter(self.0)
    }

    /// A number below `bound`, which is below 2³².
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((self.next() >> 32) * bound) >> 32
    }
}

#[inline]
fn scatter(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn each_purpose_has_its_own() {
        let first = |seed, number, words| Random::of(seed, number, words).next();
        let all = [first(1, 1, "a"), first(2, 1, "a"), first(1, 2, "a"), first(1, 1, "b")];
        assert!((1..4).all(|index| all[index] != all[0]), "{all:?}");
        let mut random = Random::of(1, 1, "");
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
