//! Worlds with a known truth: synthetic, or made of recorded noise.

use fsarena_stats::{Round, Workload};

use crate::noise::{Noise, Shape};
use crate::trace::Trace;

/// The size of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    pub contenders: usize,
    pub workloads: usize,
    pub rounds: usize,
    pub sweeps: usize,
}

/// Synthetic noise; spreads are standard deviations of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synthetic {
    /// Of a slice within its round.
    pub slice: f64,
    pub slice_shape: Shape,
    /// Of a contender's round: mkfs, place on the device.
    pub round: f64,
    pub round_shape: Shape,
    /// Workloads differ in both by a factor e^(x·normal).
    pub unlike: f64,
    /// Factor by which the last contender's noise is larger.
    pub noisy: f64,
    /// Lag-1 autocorrelation of a contender's rounds.
    pub own: f64,
    /// Standard deviation between lanes; contenders rotate over them.
    pub lane: f64,
    /// Standard deviation of the whole machine's rounds and sweeps.
    pub machine: f64,
}

impl Synthetic {
    /// The base case; each other world differs from it in one respect.
    pub const PLAIN: Self = Self {
        slice: 0.2,
        slice_shape: Shape::Normal,
        round: 0.02,
        round_shape: Shape::Normal,
        unlike: 0.4,
        noisy: 1.0,
        own: 0.0,
        lane: 0.0,
        machine: 0.1,
    };

    fn workload(&self, size: Size, noise: &mut Noise) -> Workload {
        let slice = self.slice * (self.unlike * noise.normal()).exp();
        let round = self.round * (self.unlike * noise.normal()).exp();
        let lanes: Vec<f64> = (0..size.contenders).map(|_| self.lane * noise.normal()).collect();
        let factor = |contender| if contender + 1 == size.contenders { self.noisy } else { 1.0 };
        let mut own: Vec<f64> = (0..size.contenders).map(|_| noise.draw(self.round_shape)).collect();
        let mut rounds = Vec::new();
        for number in 0..size.rounds {
            let common = self.machine * noise.normal();
            let level: Vec<f64> = (0..size.contenders)
                .map(|contender| {
                    let lane = lanes[(contender + number) % size.contenders];
                    common + lane + factor(contender) * round * own[contender]
                })
                .collect();
            let sweeps = (0..size.sweeps).map(|_| {
                let together = self.machine * noise.normal();
                let value = |(contender, level): (usize, &f64)| {
                    Some(level + together + factor(contender) * slice * noise.draw(self.slice_shape))
                };
                level.iter().enumerate().map(value).collect()
            });
            rounds.push(Round { sweeps: sweeps.collect() });
            for value in &mut own {
                *value = self.own * *value + (1.0 - self.own * self.own).sqrt() * noise.draw(self.round_shape);
            }
        }
        Workload { contenders: size.contenders, rounds }
    }
}

/// Source of a world's noise.
#[derive(Debug, Clone)]
pub enum Source {
    Synthetic(Synthetic),
    Recorded(Trace),
}

/// A kind of run.
#[derive(Debug, Clone)]
pub struct World {
    pub name: String,
    pub size: Size,
    pub source: Source,
    pub clock: Clock,
}

/// How the budget is used: after a share x of the rounds, `stretch`·x^`pace` of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// 2: as many rounds again were added after the planned end.
    pub stretch: f64,
    /// Below 1: rounds become faster.
    pub pace: f64,
}

impl Clock {
    pub const STEADY: Self = Self { stretch: 1.0, pace: 1.0 };
}

impl World {
    /// A world whose rounds take equally long and end as planned.
    pub fn new(name: &str, size: Size, source: Source) -> Self {
        Self { name: name.to_owned(), size, source, clock: Clock::STEADY }
    }

    /// The share of the budget that is used after that many rounds.
    pub fn progress(&self, rounds: usize) -> f64 {
        self.clock.stretch * (rounds as f64 / self.size.rounds as f64).powf(self.clock.pace)
    }

    /// The workloads of one run. The second contender is better by `effect` in all of them; the others are equal.
    pub fn run(&self, effect: f64, noise: &mut Noise) -> Vec<Workload> {
        let mut workloads = match &self.source {
            Source::Synthetic(world) => (0..self.size.workloads).map(|_| world.workload(self.size, noise)).collect(),
            Source::Recorded(trace) => trace.replay(self.size, noise),
        };
        let sweeps = workloads.iter_mut().flat_map(|workload| &mut workload.rounds).flat_map(|round| &mut round.sweeps);
        sweeps.filter_map(|sweep| sweep.get_mut(1)?.as_mut()).for_each(|value| *value += effect);
        workloads
    }
}
