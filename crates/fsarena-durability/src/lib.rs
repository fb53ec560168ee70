//! Durability: whether a file system keeps what it has acknowledged when the power fails.
//!
//! A writer ([`Writer`]) does operations on a file system whose disk logs every request ([`log`]), and marks each
//! acknowledgement in the same log. From the log follow the contents that the disk can have after a power cut
//! ([`states`]). In each of them the operations that were acknowledged before the cut must be found ([`find_lost`]).

mod found;
pub mod log;
pub mod states;
mod tally;
mod work;

pub use found::{Found, Loss, find_lost};
pub use log::{LogError, Request, RequestKind};
pub use states::{CrashState, Disk, Recording, RecordingError};
pub use tally::Tally;
pub use work::{Action, Syncs, WorkError, Writer, record};
