//! Whole sessions on a fake testbed, with fake jobs and a fake clock: exact, fast and reproducible.

mod assess;
mod baselines;
mod budget;
mod calibration;
mod durability;
mod effects;
mod failures;
mod fake;
mod lane_bias;
mod noise;
mod order;
mod rate;
mod recommendation;
mod record;
mod reproduction;
mod required_rounds;
mod resume;
mod slices;
mod stability;
mod standings;
mod stop;
mod stream;
mod validity;
mod verdicts;
mod whole;
