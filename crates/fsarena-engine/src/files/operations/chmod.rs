//! Changing permissions. Each pass sets other permissions than the pass before.

use std::fs::File;

use rustix::fs::{AtFlags, Mode, chmodat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Changes the permissions of one file after the other.
pub struct Chmod {
    paths: Paths,
}

impl Step for Chmod {
    const OPERATION: Operation = Operation::Chmod;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::Batch;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let others = if visit.pass.is_multiple_of(2) { Mode::RGRP } else { Mode::empty() };
        let mode = Mode::RUSR | Mode::WUSR | others;
        chmodat(root, self.paths.of(visit.number), mode, AtFlags::empty()).map_err(EngineError::io("chmod"))?;
        Ok(0)
    }
}
