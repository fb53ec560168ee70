//! The size of each file: a function of the seed and of the number of the file.

use fsarena_model::seed::scatter;

/// Sizes of files. If they differ, their logarithms have a normal distribution. Its mean is halfway between the
/// logarithms of the smallest and of the largest size, three standard deviations from each. Sizes beyond these two are
/// clamped. Files on real file systems have such a distribution (Agrawal, Bolosky, Douceur and Lorch, FAST 2007).
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    smallest: u64,
    largest: u64,
    seed: u64,
}

impl Sizes {
    /// Sizes from `smallest` to `largest` bytes, both included.
    pub fn new(smallest: u64, largest: u64, seed: u64) -> Self {
        Self { smallest, largest, seed: scatter(seed) }
    }

    /// The largest size, bytes.
    pub fn largest(&self) -> usize {
        self.largest as usize
    }

    /// Bytes of file `number`. A fixed size costs nothing, others about 40 ns.
    #[inline]
    pub fn of(&self, number: u32) -> usize {
        if self.smallest == self.largest { self.largest() } else { self.lognormal(number) as usize }
    }

    fn lognormal(&self, number: u32) -> u64 {
        let (low, high) = ((self.smallest as f64).ln(), (self.largest as f64).ln());
        let ln = (low + high) / 2.0 + (high - low) / 6.0 * self.normal(number);
        (ln.exp() as u64).clamp(self.smallest, self.largest)
    }

    /// A standard normal number (Box and Muller 1958, doi:10.1214/aoms/1177706645).
    fn normal(&self, number: u32) -> f64 {
        let unit = |which| ((self.word(number, which) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        (-2.0 * unit(0).ln()).sqrt() * (std::f64::consts::TAU * unit(1)).cos()
    }

    fn word(&self, number: u32, which: u64) -> u64 {
        scatter(self.seed ^ (u64::from(number) << 1 | which))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 10_000;

    fn sorted(seed: u64) -> Vec<usize> {
        let sizes = Sizes::new(1000, 64_000, seed);
        let mut sizes: Vec<usize> = (0..COUNT as u32).map(|number| sizes.of(number)).collect();
        sizes.sort_unstable();
        sizes
    }

    /// Asserts that the quantile at `percent` is within 5 % of `expected`.
    fn assert_quantile(sizes: &[usize], percent: usize, expected: f64) {
        let found = sizes[COUNT * percent / 100] as f64;
        assert!((found / expected - 1.0).abs() < 0.05, "{percent} %: {found}, not {expected}");
    }

    #[test]
    fn sizes_lie_around_the_geometric_middle() {
        let sizes = sorted(1);
        assert!(sizes[0] >= 1000 && sizes[COUNT - 1] <= 64_000);
        let (middle, deviation) = (8000_f64, 2_f64.ln());
        assert_quantile(&sizes, 50, middle);
        assert_quantile(&sizes, 84, middle * (0.9945 * deviation).exp());
        assert_quantile(&sizes, 16, middle * (-0.9945 * deviation).exp());
        assert_ne!(sizes, sorted(2), "another seed, other sizes");
    }

    #[test]
    fn a_range_of_one_size_has_no_other() {
        assert_eq!(Sizes::new(7, 7, 1).of(5), 7);
    }
}
