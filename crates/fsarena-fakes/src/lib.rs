//! A world in which everything is known: each contender's speed and noise, the failures, and the time.

mod backstage;
mod clock;
mod job;
mod listener;
mod play;
pub mod record;
mod testbed;
mod wire;
mod world;

pub use backstage::Backstage;
pub use clock::FakeClock;
pub use listener::Collector;
pub use play::{Performance, Play, workload};
pub use testbed::FakeTestbed;
pub use wire::{Clocks, Wire};
pub use world::{Effect, Trap, World};
