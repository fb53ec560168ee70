//! The true properties of the fake world, and its failures.

use fsarena_model::seed::generator;
use fsarena_model::{BaselineKind, Durability, Environment, Nanos};
use rand::Rng;

/// The truth that a session has to find. Contenders are numbered as in the plan.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Seed of all noise.
    pub seed: u64,
    /// True operations per second of each contender.
    pub rates: Vec<f64>,
    /// Standard deviation, between rounds, of the logarithm of a contender's speed.
    pub round_noise: f64,
    /// Standard deviation, between rounds, of a deviation that all contenders of a workload have in common.
    pub shared_noise: f64,
    /// Standard deviation between operations.
    pub operation_noise: f64,
    /// The factor by which each lane makes a contender faster; 1 for lanes that are not listed.
    pub lane_speed: Vec<f64>,
    /// A workload in which the second contender is faster than its rate by this factor.
    pub advantage: Option<(String, f64)>,
    /// The contenders' durability classes; contenders that are not listed are flushed.
    pub durability: Vec<Durability>,
    /// Contenders that cannot be remounted.
    pub stuck: Vec<usize>,
    /// A contender, and an act of its jobs that ends only after `stop` is set.
    pub lingers: Option<(usize, &'static str)>,
    /// Contenders and rounds in which the check finds damage.
    pub damage: Vec<(usize, u32)>,
    /// Rounds in which a processor quota throttles the run for a second.
    pub throttled: Vec<u32>,
    /// A place for baselines, and its operations per second.
    pub baseline: Option<(BaselineKind, f64)>,
    /// The failures and stops, and when they happen.
    pub traps: Vec<Trap>,
    /// Number of operations of a run that ends when its work is done.
    pub work: u64,
    /// The result of the survey.
    pub environment: Environment,
    /// Duration of making a contender, and of finishing it.
    pub upkeep: Nanos,
    /// Duration of the survey.
    pub survey: Nanos,
}

/// Something that happens at a certain entry of the journal.
#[derive(Debug, Clone)]
pub struct Trap {
    /// The round, from 1.
    pub round: u32,
    /// The beginning of the entry.
    pub entry: String,
    /// Which of the round's entries with this beginning, from 1; 0: before the run begins.
    pub nth: u32,
    /// The effect at this entry.
    pub effect: Effect,
}

/// The effect of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The act fails.
    Fail,
    /// The run is stopped.
    Stop,
}

impl World {
    /// Contenders with these speeds, without noise and failures.
    pub fn of(rates: &[f64]) -> Self {
        Self {
            seed: 1,
            rates: rates.to_vec(),
            work: 20,
            upkeep: Nanos::millis(200),
            survey: Nanos::millis(500),
            ..Self::default()
        }
    }

    /// This world with noise: `round_noise` between rounds, 0.1 common to all contenders, and 0.2 between operations.
    pub fn noisy(self, round_noise: f64, seed: u64) -> Self {
        Self { seed, round_noise, shared_noise: 0.1, operation_noise: 0.2, ..self }
    }

    /// This world with a trap at the `nth` entry of a round that begins with `entry`.
    pub fn trap(mut self, effect: Effect, round: u32, nth: u32, entry: &str) -> Self {
        self.traps.push(Trap { round, entry: entry.to_owned(), nth, effect });
        self
    }

    /// The median seconds of an operation in this round.
    pub fn operation_seconds(&self, contender: usize, workload: &str, lane: Option<usize>, round: u32) -> f64 {
        let round = u64::from(round);
        let shared = self.normal(&format!("{workload} round"), &[round]) * self.shared_noise;
        let own = self.normal(&format!("{workload} contender"), &[contender as u64, round]) * self.round_noise;
        let lane = lane.and_then(|lane| self.lane_speed.get(lane)).copied().unwrap_or(1.0);
        let advantage = self.advantage.as_ref().filter(|(name, _)| contender == 1 && name == workload);
        let rate = self.rates.get(contender).copied().or(self.baseline.map(|(_, rate)| rate)).unwrap_or(1.0);
        (shared + own).exp() / (rate * lane * advantage.map_or(1.0, |(_, times)| *times))
    }

    fn normal(&self, purpose: &str, numbers: &[u64]) -> f64 {
        normal(&mut generator(self.seed, purpose, numbers))
    }
}

/// A standard normal number (Box and Muller, 1958).
pub fn normal(random: &mut impl Rng) -> f64 {
    let (first, second) = (uniform(random), uniform(random));
    (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos()
}

/// A uniform number above 0 and up to 1.
fn uniform(random: &mut impl Rng) -> f64 {
    ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
