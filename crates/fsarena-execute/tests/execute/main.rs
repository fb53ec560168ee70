//! Whole sessions on a fake stage, with fake jobs and a fake clock: exact, fast and reproducible.

mod assess;
mod beside;
mod budget;
mod calibration;
mod disturbance;
mod durability;
mod failures;
mod fake;
mod lane_bias;
mod order;
mod price;
mod rate;
mod recommendation;
mod record;
mod reproduction;
mod resume;
mod slices;
mod stability;
mod standings;
mod stop;
mod stream;
mod validity;
mod verdicts;
mod whole;
