//! What the tests of several crates share: hostile texts for parsers, and what a test needs of the machine.

pub mod fuzz;
mod needs;

pub use needs::{Need, has};
