//! Random numbers that are the same on every machine.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The shape of a distribution with mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Normal,
    /// Student's t with three degrees of freedom: heavy tails on both sides.
    Heavy,
    /// The logarithm of a value that is occasionally much smaller: a long tail downwards.
    Skewed,
    /// Two sharp modes.
    Modes,
}

/// The source of all randomness of a simulated run.
pub struct Noise {
    generator: Pcg64,
}

impl Noise {
    pub fn new(seed: u64, run: u64) -> Self {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        Self { generator: Pcg64::seed_from_u64(seed.wrapping_mul(GOLDEN).wrapping_add(run)) }
    }

    /// Uniform in (0, 1].
    pub fn uniform(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        ((self.generator.next_u64() >> 11) + 1) as f64 * STEP
    }

    /// Uniform below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64).ceil() as usize - 1
    }

    pub fn sign(&mut self) -> f64 {
        if self.uniform() < 0.5 { -1.0 } else { 1.0 }
    }

    /// Standard normal (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub fn draw(&mut self, shape: Shape) -> f64 {
        match shape {
            Shape::Normal => self.normal(),
            Shape::Heavy => {
                let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
                self.normal() / squares.sqrt()
            }
            Shape::Skewed => 1.0 + self.uniform().ln(),
            Shape::Modes => (self.sign() + 0.1 * self.normal()) / 1.01_f64.sqrt(),
        }
    }

    /// The numbers below `count` in random order (Fisher and Yates).
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let chosen = self.below(last + 1);
            order.swap(last, chosen);
        }
        order
    }
}
