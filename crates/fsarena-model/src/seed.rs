//! Random choices that follow from the plan's seed alone.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// A generator for one purpose: the same arguments always give the same sequence.
pub fn generator(seed: u64, purpose: &str, numbers: &[u64]) -> Pcg64Mcg {
    let mut state = [0_u8; 16];
    state[..8].copy_from_slice(&mix(seed, purpose, numbers, 1).to_le_bytes());
    state[8..].copy_from_slice(&mix(seed, purpose, numbers, 2).to_le_bytes());
    Pcg64Mcg::from_seed(state)
}

/// FNV-1a over all arguments, finished with the mixer of SplitMix64. The result never changes between versions; similar
/// inputs give very different results.
fn mix(seed: u64, purpose: &str, numbers: &[u64], salt: u64) -> u64 {
    let words = [seed, salt].into_iter().chain(numbers.iter().copied());
    let bytes = purpose.bytes().chain(words.flat_map(u64::to_le_bytes));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    scatter(hash)
}

/// The mixer of SplitMix64: a bijection that maps similar values to very different ones (Steele, Lea and Flood 2014,
/// doi:10.1145/2660193.2660195).
#[inline]
pub fn scatter(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A version 4 UUID from the seed, in the usual spelling.
pub fn uuid(seed: u64, purpose: &str, numbers: &[u64]) -> String {
    let mut value = (u128::from(mix(seed, purpose, numbers, 3)) << 64) | u128::from(mix(seed, purpose, numbers, 4));
    value = (value & !(0xf << 76)) | (0x4 << 76);
    value = (value & !(0x3 << 62)) | (0x2 << 62);
    let digits = format!("{value:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn the_same_words_give_the_same_numbers() {
        let first: Vec<u64> = (0..4).map(|_| generator(7, "x", &[1]).next_u64()).collect();
        assert!(first.windows(2).all(|pair| pair[0] == pair[1]));
        assert_ne!(generator(7, "x", &[1]).next_u64(), generator(7, "x", &[2]).next_u64());
        assert_ne!(generator(7, "x", &[1]).next_u64(), generator(8, "x", &[1]).next_u64());
        assert_ne!(generator(7, "x", &[1]).next_u64(), generator(7, "y", &[1]).next_u64());
    }

    #[test]
    fn a_uuid_is_one_and_differs_by_number() {
        let first = uuid(1, "fs", &[1, 2]);
        assert_eq!(first.len(), 36);
        assert_eq!(&first[14..15], "4");
        assert_ne!(first, uuid(1, "fs", &[2, 1]));
    }
}
