//! The file servers of the contenders, as far as they can be reached: their caches, and what their disks read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fsarena_model::{Readings, probe};

use crate::Result;

/// A file server of the contenders.
pub trait Server {
    /// Drops what its memory has cached of its disks.
    ///
    /// # Errors
    /// If it cannot, or the connection is lost.
    fn drop_caches(&self) -> Result<()>;

    /// Bytes that its disks have read so far.
    ///
    /// # Errors
    /// If they cannot be read, or the connection is lost.
    fn bytes_read(&self) -> Result<u64>;
}

/// The servers that the plan names.
pub(super) struct Servers {
    servers: Vec<Box<dyn Server>>,
    /// Bytes that they have read for each contender since its last readings.
    bytes_read: RefCell<BTreeMap<usize, u64>>,
}

impl Servers {
    pub fn new(servers: Vec<Box<dyn Server>>) -> Self {
        Self { servers, bytes_read: RefCell::default() }
    }

    pub fn drop_caches(&self) -> Result<()> {
        self.servers.iter().try_for_each(|server| server.drop_caches())
    }

    /// Bytes that the disks of all have read so far.
    pub fn read_so_far(&self) -> Result<u64> {
        self.servers.iter().map(|server| server.bytes_read()).sum()
    }

    /// Counts what the disks have read since `before` as the contender's.
    pub fn count(&self, contender: usize, before: u64) -> Result<()> {
        let read = self.read_so_far()?.saturating_sub(before);
        *self.bytes_read.borrow_mut().entry(contender).or_default() += read;
        Ok(())
    }

    /// What was counted for the contender since the last call.
    pub fn take_readings(&self, contender: usize) -> Readings {
        let read = self.bytes_read.borrow_mut().remove(&contender);
        let read = read.filter(|_| !self.servers.is_empty()).map(|bytes| bytes as f64);
        read.map(|bytes| probe::SERVER_READ.reading(bytes)).into_iter().collect()
    }
}
