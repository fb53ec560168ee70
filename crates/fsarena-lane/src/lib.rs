//! Lanes: the storage that each contender gets, the file systems made on it, and the ledger of what must be undone.
//!
//! [`LaneSet`] is the entry point: it makes lanes, makes and mounts file systems on them, checks them, and removes
//! everything again.

pub mod age;
mod attributes;
mod busy;
mod cgroup;
mod cost;
mod direct;
pub mod disk;
mod error;
pub mod flush;
mod image;
pub mod kind;
mod lane;
mod lane_set;
pub mod layer;
mod ledger;
pub mod loops;
mod mounted;
pub mod places;
mod pool;
mod precondition;
mod queue;
pub mod require;
pub mod reread;
pub mod shared;
mod space;
mod storage;
pub mod trial;

pub use cost::{Effort, file_cost};
pub use direct::with_direct;
pub use error::LaneError;
pub use kind::{KINDS, Kind, Tool, kernel_symbols, kind, lane_count, made_lanes, needs_lane};
pub use lane::BLOCK_SIZE;
pub use lane_set::{CheckResult, Go, LaneSet, LibraryContent, Place, Remounted};
pub use ledger::{Cleared, Ledger, Leftover, Wait, default_folder, take_machine};
pub use mounted::{Mounting, unmount};
pub use pool::export as export_pool;
pub use require::{kernel_has, missing_tool, tool_versions};
pub use space::{free_space, nearest_existing};
pub use storage::{DEFAULT_FOLDER, require_safety, show_kernel_counters};
