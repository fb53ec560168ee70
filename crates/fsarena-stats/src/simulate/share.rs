//! Counts, and how sure one may be of them.

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// How many of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Cases that meet the condition.
    pub hits: u32,
    /// Cases looked at.
    pub of: u32,
}

impl Share {
    /// The fraction, in [0, 1]; `None` without cases.
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.hits) / f64::from(self.of))
    }

    /// The 95 % interval of the true fraction (Wilson 1927), for independent cases; `None` without cases.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        let fraction = self.fraction()?;
        let (count, square) = (f64::from(self.of), NORMAL * NORMAL);
        let scale = 1.0 + square / count;
        let centre = (fraction + square / (2.0 * count)) / scale;
        let spread = fraction * (1.0 - fraction) / count + square / (4.0 * count * count);
        let half = NORMAL * spread.sqrt() / scale;
        Some(((centre - half).max(0.0), (centre + half).min(1.0)))
    }

    pub(super) fn count(&mut self, is_hit: bool) {
        self.hits += u32::from(is_hit);
        self.of += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.of += other.of;
    }
}

/// How often each number of rounds occurred.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    counts: Vec<u32>,
}

impl Histogram {
    /// How many cases there are.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// How many cases took at most that many rounds.
    #[must_use]
    pub fn at_most(&self, rounds: u32) -> u32 {
        self.counts.iter().take(rounds as usize + 1).sum()
    }

    /// The smallest number of rounds that at least `fraction` of the cases did not exceed; `None` without cases.
    #[must_use]
    pub fn quantile(&self, fraction: f64) -> Option<u32> {
        let wanted = fraction * f64::from(self.total());
        (0..self.counts.len() as u32).find(|&rounds| {
            let reached = self.at_most(rounds);
            reached > 0 && f64::from(reached) >= wanted
        })
    }

    pub(super) fn count(&mut self, rounds: u32) {
        let place = rounds as usize;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
    }
}
