//! The observations of a simulated run, all rounds that it could have.

use super::noise::Noise;
use super::scenario::{Lanes, Scenario};
use crate::observation::{Observation, WorkloadData};

/// The data of every workload, rounds labelled from 1.
pub(crate) fn world(scenario: &Scenario, noise: &mut Noise) -> Vec<WorkloadData> {
    let schedule = schedule(scenario, noise);
    (0..scenario.workloads).map(|_| workload(scenario, &schedule, noise)).collect()
}

/// The lane of each contender in each round.
fn schedule(scenario: &Scenario, noise: &mut Noise) -> Vec<Vec<Option<usize>>> {
    let (contenders, rounds) = (scenario.effects.len(), scenario.rounds as usize);
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

fn workload(scenario: &Scenario, schedule: &[Vec<Option<usize>>], noise: &mut Noise) -> WorkloadData {
    let contenders = scenario.effects.len();
    let biases: Vec<f64> = (0..contenders).map(|_| scenario.lane_deviation * noise.normal()).collect();
    let mut drift: Vec<f64> = (0..contenders).map(|_| noise.normal()).collect();
    let mut observations = Vec::with_capacity(contenders * schedule.len());
    for (round, lanes) in (1..).zip(schedule) {
        for (contender, &lane) in lanes.iter().enumerate() {
            let bias = lane.map_or(0.0, |lane| biases[lane]);
            let own = drift[contender] * scenario.pair_deviation / std::f64::consts::SQRT_2;
            let y = scenario.effects[contender] + bias + own;
            observations.push(Observation { round, contender, lane, y });
        }
        drift.iter_mut().for_each(|last| *last = following(*last, scenario.autocorrelation, noise));
    }
    WorkloadData { contenders, observations }
}

/// The next value of a first-order autoregression with variance 1.
fn following(last: f64, autocorrelation: f64, noise: &mut Noise) -> f64 {
    autocorrelation * last + (1.0 - autocorrelation.powi(2)).sqrt() * noise.normal()
}
