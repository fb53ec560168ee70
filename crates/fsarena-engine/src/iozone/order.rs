//! The order of the random tests: each record once, shuffled as IOzone does with `srand48(0)` and `lrand48`. The newest
//! versions of IOzone (for example 3.471) take the numbers for the same shuffle from a Mersenne Twister.

/// The generator of `lrand48` (drand48(3)): X' = (0x5DEECE66D · X + 0xB) mod 2⁴⁸. The upper 31 bits are returned.
struct Lrand48(u64);

impl Lrand48 {
    /// The state after `srand48(seed)`: the upper 32 bits are the seed, the lower 16 are 0x330E.
    fn seeded(seed: u32) -> Self {
        Self((u64::from(seed) << 16) | 0x330E)
    }

    fn next(&mut self) -> u64 {
        self.0 = (self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB)) & ((1 << 48) - 1);
        self.0 >> 17
    }
}

/// The order in which `count` records are visited: each place in turn is exchanged with a random place.
pub fn order(count: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    let mut random = Lrand48::seeded(0);
    for place in 0..order.len() {
        order.swap(place, (random.next() % count) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values from glibc 2.36, printed by a C program of five lines.
    #[test]
    fn numbers_and_order_are_glibcs() {
        let mut random = Lrand48::seeded(0);
        let numbers: Vec<u64> = std::iter::repeat_with(|| random.next()).take(6).collect();
        assert_eq!(numbers, [366_850_414, 1_610_402_240, 206_956_554, 1_869_309_841, 1_239_749_840, 1_687_491_058]);
        assert_eq!(order(16), [4, 3, 5, 14, 6, 10, 15, 0, 8, 1, 7, 12, 13, 11, 2, 9]);
    }

    #[test]
    fn each_record_comes_once() {
        let mut order = order(1000);
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
        assert!(super::order(0).is_empty());
    }
}
