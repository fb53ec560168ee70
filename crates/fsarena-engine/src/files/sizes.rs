//! The size of each file: a function of the seed and of the number of the file.

use fsarena_model::seed::scatter;
use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeDistribution {
    /// All files have the smallest size.
    #[default]
    Fixed,
    /// All sizes are equally likely.
    Uniform,
    /// The logarithms of sizes have a normal distribution. Its mean is halfway between the logarithms of the smallest
    /// and of the largest size, three standard deviations from each. Sizes beyond these two are clamped. Files on real
    /// file systems have such a distribution (Agrawal, Bolosky, Douceur and Lorch, FAST 2007).
    Lognormal,
}

#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    distribution: SizeDistribution,
    smallest: u64,
    largest: u64,
    seed: u64,
}

impl Sizes {
    /// Sizes from `smallest` to `largest` bytes, both included.
    pub fn new(distribution: SizeDistribution, smallest: u64, largest: u64, seed: u64) -> Self {
        Self { distribution, smallest, largest, seed: scatter(seed) }
    }

    /// The largest size, bytes.
    pub fn largest(&self) -> usize {
        self.largest as usize
    }

    /// Bytes of file `number`. Fixed sizes cost nothing, lognormal sizes about 40 ns.
    #[inline]
    pub fn of(&self, number: u32) -> usize {
        match self.distribution {
            SizeDistribution::Fixed => self.smallest as usize,
            SizeDistribution::Uniform => {
                let span = u128::from(self.largest - self.smallest + 1);
                (self.smallest + ((u128::from(self.word(number, 0)) * span) >> 64) as u64) as usize
            }
            SizeDistribution::Lognormal => self.lognormal(number) as usize,
        }
    }

    fn lognormal(&self, number: u32) -> u64 {
        let (low, high) = ((self.smallest as f64).ln(), (self.largest as f64).ln());
        let ln = (low + high) / 2.0 + (high - low) / 6.0 * self.normal(number);
        (ln.exp() as u64).clamp(self.smallest, self.largest)
    }

    /// A standard normal number (Box and Muller 1958, doi:10.1214/aoms/1177706645).
    fn normal(&self, number: u32) -> f64 {
        let unit = |word: u64| ((word >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let (radius, angle) = (unit(self.word(number, 0)), unit(self.word(number, 1)));
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    #[inline]
    fn word(&self, number: u32, which: u64) -> u64 {
        scatter(self.seed ^ (u64::from(number) << 1 | which))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 10_000;

    fn sorted(distribution: SizeDistribution, seed: u64) -> Vec<usize> {
        let sizes = Sizes::new(distribution, 1000, 64_000, seed);
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
    fn uniform_sizes_fill_the_range_evenly() {
        let sizes = sorted(SizeDistribution::Uniform, 1);
        assert!(sizes[0] >= 1000 && sizes[COUNT - 1] <= 64_000);
        [25, 50, 75].iter().for_each(|percent| {
            assert_quantile(&sizes, *percent, 1000.0 + 63_000.0 * *percent as f64 / 100.0);
        });
        assert_ne!(sizes, sorted(SizeDistribution::Uniform, 2), "another seed, other sizes");
    }

    #[test]
    fn lognormal_sizes_lie_around_the_geometric_middle() {
        let sizes = sorted(SizeDistribution::Lognormal, 1);
        assert!(sizes[0] >= 1000 && sizes[COUNT - 1] <= 64_000);
        let (middle, deviation) = (8000_f64, 2_f64.ln());
        assert_quantile(&sizes, 50, middle);
        assert_quantile(&sizes, 84, middle * (0.9945 * deviation).exp());
        assert_quantile(&sizes, 16, middle * (-0.9945 * deviation).exp());
    }

    #[test]
    fn a_range_of_one_size_has_no_other() {
        assert_eq!(Sizes::new(SizeDistribution::Uniform, 7, 7, 1).of(5), 7);
        assert_eq!(Sizes::new(SizeDistribution::Lognormal, 7, 7, 1).of(5), 7);
    }
}
