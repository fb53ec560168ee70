//! Whole sessions on a fake stage, with fake jobs and a fake clock: exact, fast, and the same every time.

mod assess;
mod budget;
mod calibration;
mod durability;
mod failures;
mod fake;
mod lane_bias;
mod order;
mod rate;
mod record;
mod resume;
mod slices;
mod stop;
mod stream;
mod validity;
mod verdicts;
