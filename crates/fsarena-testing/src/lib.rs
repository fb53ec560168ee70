//! What the tests of several crates share: hostile texts for parsers, what a test needs of the machine, and the right to be
//! alone on it.

mod alone;
pub mod fuzz;
mod needs;

pub use alone::{Alone, alone};
pub use needs::{Need, has};
