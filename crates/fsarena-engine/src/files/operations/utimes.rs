//! Setting the times of files. Each pass sets other times than the pass before.

use std::fs::File;

use rustix::fs::{AtFlags, Timespec, Timestamps, utimensat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Sets the times of one file after the other.
pub struct Utimes {
    paths: Paths,
}

/// The times that the first pass sets, seconds since 1970. Each later pass sets them one second later.
const FIRST: i64 = 1_000_000_000;

impl Step for Utimes {
    const OPERATION: Operation = Operation::Utimes;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::Batch;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let time = Timespec { tv_sec: FIRST + i64::from(visit.pass), tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        let path = self.paths.of(visit.number);
        utimensat(root, path, &times, AtFlags::SYMLINK_NOFOLLOW).map_err(EngineError::io("utimes"))?;
        Ok(0)
    }
}
