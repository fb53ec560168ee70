//! What is true of the fake world, and what goes wrong in it.

use fsarena_model::seed::generator;
use fsarena_model::{Durability, Environment, Nanos, Place};
use rand::Rng;

/// The truth that a session is to find out. Contenders are numbered as in the plan.
#[derive(Debug, Clone)]
pub struct World {
    /// From which all noise follows.
    pub seed: u64,
    /// True operations per second of each contender.
    pub rates: Vec<f64>,
    /// The standard deviation, between rounds, of what a contender's logarithm of speed differs by.
    pub round_noise: f64,
    /// Likewise, but the same for all contenders of a workload and round.
    pub shared_noise: f64,
    /// Likewise, between operations.
    pub operation_noise: f64,
    /// The factor by which each lane makes everything faster; lanes beyond have 1.
    pub lane_speed: Vec<f64>,
    /// A workload in which the second contender is so many times faster than its rate says.
    pub advantage: Option<(String, f64)>,
    /// Contenders' classes; those beyond are flushed.
    pub durability: Vec<Durability>,
    /// Contenders that cannot be mounted again.
    pub stuck: Vec<usize>,
    /// A contender, and what its jobs do that only ends once they are told to stop.
    pub lingers: Option<(usize, &'static str)>,
    /// Contender and round in which the check finds damage.
    pub damage: Vec<(usize, u32)>,
    /// Rounds in which a quota holds the run back for a second.
    pub throttled: Vec<u32>,
    /// A place for references, and the operations per second there.
    pub reference: Option<(Place, f64)>,
    /// What goes wrong, and when.
    pub traps: Vec<Trap>,
    /// Operations of a run that ends when its work is done.
    pub work: u64,
    /// What a survey of the machine says.
    pub environment: Environment,
    /// How long it takes to make, and again to finish, a contender.
    pub upkeep: Nanos,
    /// How long it takes to read the machine.
    pub survey: Nanos,
}

/// Something that happens at a certain entry of the journal.
#[derive(Debug, Clone)]
pub struct Trap {
    /// The round, from 1.
    pub round: u32,
    /// How the entry begins.
    pub entry: String,
    /// Which of those entries in that round, from 1; 0: before the run begins.
    pub nth: u32,
    /// What happens.
    pub effect: Effect,
}

/// What a trap does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The act fails.
    Fail,
    /// Somebody wants to stop.
    Stop,
}

impl World {
    /// Contenders of those speeds, without any noise or fault.
    pub fn of(rates: &[f64]) -> Self {
        Self {
            seed: 1,
            rates: rates.to_vec(),
            round_noise: 0.0,
            shared_noise: 0.0,
            operation_noise: 0.0,
            lane_speed: Vec::new(),
            advantage: None,
            durability: Vec::new(),
            stuck: Vec::new(),
            lingers: None,
            damage: Vec::new(),
            throttled: Vec::new(),
            reference: None,
            traps: Vec::new(),
            work: 20,
            environment: Environment::default(),
            upkeep: Nanos::millis(200),
            survey: Nanos::millis(500),
        }
    }

    /// The same with noise between rounds, the same shared by all, and a fifth between operations.
    pub fn noisy(self, round_noise: f64, seed: u64) -> Self {
        Self { seed, round_noise, shared_noise: 0.1, operation_noise: 0.2, ..self }
    }

    /// The same with a trap at the `nth` entry of a round that begins so.
    pub fn trap(mut self, effect: Effect, round: u32, nth: u32, entry: &str) -> Self {
        self.traps.push(Trap { round, entry: entry.to_owned(), nth, effect });
        self
    }

    /// The median seconds of an operation in that round.
    pub fn operation_seconds(&self, contender: usize, workload: &str, lane: Option<usize>, round: u32) -> f64 {
        let round = u64::from(round);
        let shared = self.normal(&format!("{workload} round"), &[round]) * self.shared_noise;
        let own = self.normal(&format!("{workload} contender"), &[contender as u64, round]) * self.round_noise;
        let lane = lane.and_then(|lane| self.lane_speed.get(lane)).copied().unwrap_or(1.0);
        let advantage = self.advantage.as_ref().filter(|(name, _)| contender == 1 && name == workload);
        let rate = self.rates.get(contender).copied().or(self.reference.map(|(_, rate)| rate)).unwrap_or(1.0);
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

/// Above 0, up to 1.
fn uniform(random: &mut impl Rng) -> f64 {
    ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
