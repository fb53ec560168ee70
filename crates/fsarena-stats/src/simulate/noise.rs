//! Random numbers that are the same on every machine and in every version.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The source of all chance of a simulation.
pub(crate) struct Noise {
    generator: Pcg64,
}

impl Noise {
    /// The noise of one run: every number of a run has its own generator.
    pub(crate) fn new(seed: u64, run: u32) -> Self {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        Self { generator: Pcg64::seed_from_u64(seed.wrapping_mul(GOLDEN).wrapping_add(u64::from(run))) }
    }

    /// Uniform in (0, 1].
    fn uniform(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        ((self.generator.next_u64() >> 11) + 1) as f64 * STEP
    }

    /// Standard normal (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// The numbers below `count` in random order (Fisher and Yates).
    pub(crate) fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let chosen = (self.uniform() * (last + 1) as f64).ceil() as usize - 1;
            order.swap(last, chosen);
        }
        order
    }
}
