//! The observations of a simulated run, all rounds that it could have.

use super::noise::Noise;
use super::scenario::{Lanes, Scenario, Shape};
use crate::observation::{Observation, WorkloadData};

/// The schedule that all workloads share.
struct Schedule {
    /// The lane of each contender in each round.
    lanes: Vec<Vec<Option<usize>>>,
    /// How much more noise than usual each round has.
    loudness: Vec<f64>,
}

/// The data of every workload, rounds labelled from 1.
pub(crate) fn world(scenario: &Scenario, noise: &mut Noise) -> Vec<WorkloadData> {
    let schedule = Schedule { lanes: lanes(scenario, noise), loudness: loudness(scenario, noise) };
    (0..scenario.workloads).map(|_| workload(scenario, &schedule, noise)).collect()
}

fn lanes(scenario: &Scenario, noise: &mut Noise) -> Vec<Vec<Option<usize>>> {
    let (contenders, rounds) = (scenario.effects.len(), scenario.last_round() as usize);
    let mut schedule = Vec::new();
    while schedule.len() < rounds {
        match scenario.lanes {
            Lanes::None => schedule.push(vec![None; contenders]),
            Lanes::LatinSquares => schedule.extend(latin_square(contenders, noise)),
        }
    }
    schedule.truncate(rounds);
    schedule
}

fn latin_square(contenders: usize, noise: &mut Noise) -> Vec<Vec<Option<usize>>> {
    let (rows, names) = (noise.permutation(contenders), noise.permutation(contenders));
    let lane = |row: usize, contender: usize| Some(names[(row + contender) % contenders]);
    rows.iter().map(|&row| (0..contenders).map(|contender| lane(row, contender)).collect()).collect()
}

/// Five times as much noise in two of the first twelve rounds, if the scenario says so.
fn loudness(scenario: &Scenario, noise: &mut Noise) -> Vec<f64> {
    let mut loudness = vec![1.0; scenario.last_round() as usize];
    if scenario.shape == Shape::TwoDisturbedRounds {
        let chosen = noise.permutation(scenario.rounds as usize);
        chosen.iter().take(2).for_each(|&round| loudness[round] = 5.0);
    }
    loudness
}

fn workload(scenario: &Scenario, schedule: &Schedule, noise: &mut Noise) -> WorkloadData {
    let contenders = scenario.effects.len();
    let deviation = scenario.pair_deviation / std::f64::consts::SQRT_2 * spread(scenario, noise);
    let biases: Vec<f64> = (0..contenders).map(|_| scenario.lane_deviation * noise.normal()).collect();
    let mut state: Vec<f64> = (0..contenders).map(|_| noise.normal()).collect();
    let mut machine = 0.0;
    let mut observations = Vec::with_capacity(contenders * schedule.lanes.len());
    for (round, (lanes, loudness)) in (1..).zip(schedule.lanes.iter().zip(&schedule.loudness)) {
        for contender in noise.permutation(contenders) {
            machine += scenario.machine_drift / (contenders as f64).sqrt() * noise.normal();
            let lane = lanes[contender];
            let bias = lane.map_or(0.0, |lane| biases[lane]);
            let own = deviation * loudness * scenario.shape.value(contender, state[contender], noise);
            let y = scenario.effects[contender] + bias + machine + own;
            observations.push(Observation { round, contender, lane, y });
        }
        state.iter_mut().for_each(|last| *last = following(*last, scenario.autocorrelation, noise));
    }
    WorkloadData { contenders, observations, ..WorkloadData::default() }
}

fn spread(scenario: &Scenario, noise: &mut Noise) -> f64 {
    (scenario.workload_spread * noise.normal()).exp()
}

/// The next value of a first-order autoregression with variance 1.
fn following(last: f64, autocorrelation: f64, noise: &mut Noise) -> f64 {
    autocorrelation * last + (1.0 - autocorrelation.powi(2)).sqrt() * noise.normal()
}

impl Shape {
    /// The noise of a contender whose underlying standard normal value is `normal`.
    fn value(self, contender: usize, normal: f64, noise: &mut Noise) -> f64 {
        match self {
            Self::Normal | Self::TwoDisturbedRounds => normal,
            Self::OneNoisy if contender == 0 => 3.0 * normal,
            Self::OneNoisy => normal,
            Self::UnequalSkew if contender == 0 => slow_tail(normal, 1.0),
            Self::UnequalSkew => slow_tail(normal, 0.25),
            Self::HeavyTail => slow_tail(normal, 0.75),
            Self::TwoModes => mode(normal) + 0.2 * noise.normal(),
        }
    }
}

/// A log-normal value with mean 0 and variance 1, turned so that its long tail is on the slow side.
fn slow_tail(normal: f64, shape: f64) -> f64 {
    let square = shape * shape;
    let (mean, deviation) = ((square / 2.0).exp(), (square.exp() * (square.exp() - 1.0)).sqrt());
    (mean - (shape * normal).exp()) / deviation
}

/// The slow mode in 3 of 10 cases; mean 0, variance .96, which leaves .04 for noise within the mode.
fn mode(normal: f64) -> f64 {
    const SLOW_BELOW: f64 = -0.524_400_512_708_041;
    let is_slow = normal < SLOW_BELOW;
    let step = (0.96_f64 / 0.21).sqrt();
    if is_slow { -0.7 * step } else { 0.3 * step }
}
