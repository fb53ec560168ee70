//! A world in which everything is known: how fast each contender is, how noisy, what fails, and what time it is.

mod backstage;
mod clock;
mod job;
mod listener;
mod play;
mod stage;
mod world;

pub use clock::FakeClock;
pub use listener::Collector;
pub use play::{Performance, Play, workload};
pub use stage::FakeStage;
pub use world::{Effect, World};
