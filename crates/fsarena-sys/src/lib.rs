//! What fsarena asks of the kernel. All `unsafe` of the project is in this crate, behind safe functions.

pub mod affinity;
pub mod aligned;
pub mod child;
pub mod clock;
pub mod loopdev;
pub mod memory;
pub mod mount;
pub mod mountinfo;
pub mod namespace;

pub use aligned::AlignedBuffer;
pub use clock::{Clock, MonotonicClock};
