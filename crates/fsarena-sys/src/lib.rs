//! System calls that fsarena needs. All `unsafe` of the project is in this crate, behind safe functions.

pub mod affinity;
pub mod aligned;
pub mod block;
pub mod cgroup;
pub mod child;
pub mod clock;
pub mod daemon;
pub mod directory;
pub mod fault;
pub mod files;
pub mod fork;
#[cfg(test)]
mod fuzz;
pub mod gate;
pub mod inode;
pub mod loopdev;
pub mod machine;
pub mod mapping;
pub mod mark;
pub mod memory;
pub mod mount;
pub mod mountinfo;
pub mod namespace;
pub mod perf;
pub mod random;
pub mod resident;
pub mod stdio;
pub mod tracefs;
pub mod uring;
pub mod usage;

pub use aligned::AlignedBuffer;
pub use clock::{Clock, MonotonicClock};

/// Whether a file, a mapping or a file system is for reading alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading only.
    ReadOnly,
    /// Reading and writing.
    ReadWrite,
}

/// The error of a call of the C library that returned less than 0.
fn check(result: libc::c_int) -> std::io::Result<()> {
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
