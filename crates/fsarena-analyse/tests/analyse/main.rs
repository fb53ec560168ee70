//! What follows from records: of whole runs on a fake testbed, and written by hand.

mod assess;
mod baselines;
mod calibration;
mod durability;
mod effects;
mod explanation;
mod findings;
mod lane_bias;
mod noise;
mod rate;
mod recommendation;
mod required_rounds;
mod sides;
mod stability;
mod standings;
mod validation;
mod validity;
mod verdicts;
