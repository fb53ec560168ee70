//! The decisions compared with other programs' figures, in simulations, and properties that hold for any data.

#[allow(dead_code)]
#[path = "../examples/calibrate/gates.rs"]
mod gates;
#[allow(dead_code)]
#[path = "../examples/calibrate/noise.rs"]
mod noise;
#[allow(dead_code)]
#[path = "../examples/calibrate/tally.rs"]
mod tally;
#[allow(dead_code)]
#[path = "../examples/calibrate/trace.rs"]
mod trace;
#[allow(dead_code)]
#[path = "../examples/calibrate/world.rs"]
mod world;
#[allow(dead_code)]
#[path = "../examples/calibrate/worlds.rs"]
mod worlds;

mod decision;
mod decision_simulation;
mod gate_errors;
mod machines;
mod mix;
mod prediction;
mod steady;
