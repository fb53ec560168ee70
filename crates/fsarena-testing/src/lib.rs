//! Shared code of the tests of several crates: hostile texts for parsers, JSON schemas, requirements of a test, and
//! exclusive use of the machine.

mod alone;
pub mod fuzz;
mod needs;
pub mod schema;

pub use alone::{Alone, Machine, alone};
pub use needs::{Need, has};
