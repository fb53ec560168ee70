//! The guarantee, in short simulations with a fixed seed; `examples/calibrate2` has the long ones.

#[allow(dead_code)]
#[path = "../examples/calibrate2/noise.rs"]
mod noise;
#[path = "../examples/calibrate2/tally.rs"]
mod tally;
#[allow(dead_code)]
#[path = "../examples/calibrate2/trace.rs"]
mod trace;
#[allow(dead_code)]
#[path = "../examples/calibrate2/world.rs"]
mod world;

use std::path::Path;

use tally::{Tally, play};
use trace::Trace;
use world::{Size, Source, Synthetic, World};

const RUNS: u32 = 300;

fn synthetic(rounds: usize, noise: Synthetic) -> World {
    let size = Size { contenders: 3, workloads: 10, rounds, sweeps: 6 };
    World { name: String::new(), size, source: Source::Synthetic(noise) }
}

fn wrong_share(tally: &Tally) -> f64 {
    f64::from(tally.wrong) / f64::from(tally.runs)
}

fn found_share(tally: &Tally) -> f64 {
    f64::from(tally.found) / f64::from(tally.differing)
}

#[test]
fn at_most_5_of_100_runs_have_a_false_winner() {
    let plain = Synthetic::PLAIN;
    let worlds = [
        ("few rounds", synthetic(4, plain)),
        ("many rounds", synthetic(11, plain)),
        ("rounds differ", synthetic(6, Synthetic { round: 0.1, ..plain })),
        ("one noisy contender", synthetic(6, Synthetic { round: 0.1, noisy: 3.0, ..plain })),
        ("workloads unlike", synthetic(6, Synthetic { unlike: 1.5, ..plain })),
        ("heavy tails", synthetic(6, Synthetic { slice_shape: noise::Shape::Heavy, ..plain })),
    ];
    for (name, world) in worlds {
        let equal = play(&world, 0.0, RUNS, 1);
        assert!(wrong_share(&equal) <= 0.05, "{name}: {}", wrong_share(&equal));
        let apart = play(&world, 0.2, RUNS / 10, 2);
        assert!(wrong_share(&apart) <= 0.05, "{name}, with a difference: {}", wrong_share(&apart));
    }
}

#[test]
fn recorded_noise_makes_no_more_false_winners() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/quiet.trace");
    let trace = Trace::read(&path).expect("the trace is in the repository");
    let size = Size { contenders: 3, workloads: 10, rounds: 8, sweeps: 4 };
    let world = World { name: String::new(), size, source: Source::Recorded(trace) };
    let equal = play(&world, 0.0, RUNS, 1);
    assert!(wrong_share(&equal) <= 0.05, "{}", wrong_share(&equal));
    let apart = play(&world, 1.3_f64.ln(), RUNS / 10, 2);
    assert!(found_share(&apart) >= 0.8, "{}", found_share(&apart));
}

#[test]
fn a_difference_of_10_percent_is_found() {
    let quiet = Synthetic { slice: 0.1, round: 0.02, ..Synthetic::PLAIN };
    let found = play(&synthetic(8, quiet), 1.1_f64.ln(), RUNS / 10, 3);
    assert!(found_share(&found) >= 0.5, "{}", found_share(&found));
}

#[test]
fn a_pair_at_the_margin_is_hardly_called_equivalent() {
    let precise = Synthetic { slice: 0.05, round: 0.01, ..Synthetic::PLAIN };
    let margin = play(&synthetic(8, precise), 1.05_f64.ln(), RUNS, 4);
    let share = f64::from(margin.wrong_equivalent) / f64::from(margin.apart);
    assert!(share <= 0.01, "{share}");
    let equal = play(&synthetic(8, precise), 0.0, RUNS / 10, 5);
    let share = f64::from(equal.equivalent) / f64::from(equal.equal);
    assert!(share >= 0.5, "{share}");
}
