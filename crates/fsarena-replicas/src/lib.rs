//! Engines that do the work of articles' tools, with the same system calls in the same order, and each part timed. A new
//! one is one file and one line in [`REPLICAS`].

mod blogbench;
mod bork;
mod iozone;
mod sequence;
mod tiotest;

use fsarena_engine::Engine;

/// All engines of this crate.
pub static REPLICAS: &[Engine] = &[iozone::ENGINE, sequence::ENGINE, bork::ENGINE, tiotest::ENGINE, blogbench::ENGINE];
