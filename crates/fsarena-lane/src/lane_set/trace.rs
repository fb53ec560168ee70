//! The buffer in which events of the kernel are recorded.

use std::io;
use std::sync::Arc;

use fsarena_sys::fault;
use fsarena_sys::tracefs::{TraceBuffer, Tracefs};

use super::LaneSet;
use crate::ledger::Made;

/// Memory for the events of each processor. What is small stays in the processor's cache.
const KIBIBYTES: u32 = 1024;

impl LaneSet {
    /// A buffer for events of the kernel, made at the first call.
    ///
    /// # Errors
    /// Without the privilege, or if the ledger cannot be written.
    pub fn trace_buffer(&mut self) -> io::Result<Arc<TraceBuffer>> {
        if let Some(made) = &self.trace_buffer {
            return Ok(Arc::clone(made));
        }
        let tracefs = Tracefs::open()?;
        self.ledger.announce(Made::TraceBuffer).map_err(io::Error::other)?;
        let made =
            fault::step("make trace buffer").and_then(|()| TraceBuffer::make(tracefs, &self.ledger.name(), KIBIBYTES));
        if made.is_err() {
            self.ledger.withdraw().map_err(io::Error::other)?;
        }
        Ok(Arc::clone(self.trace_buffer.insert(Arc::new(made?))))
    }
}
