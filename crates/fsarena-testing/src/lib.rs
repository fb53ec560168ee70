//! Shared code of the tests of several crates: hostile texts for parsers, JSON schemas, workloads, requirements of a
//! test, exclusive use of the machine, and folders in memory.

mod alone;
pub mod fuzz;
mod memory;
mod needs;
pub mod schema;
mod workload;

pub use alone::{Alone, Machine, alone};
pub use memory::{Memory, holds_lanes};
pub use needs::{Need, has};
pub use workload::{parameterised, workload};
