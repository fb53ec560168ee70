//! Makes operations durable inside the timer: by an fsync of each, by flags of its file, or by a syncfs of each batch.

use std::fs::File;
use std::os::fd::AsFd;

use fsarena_model::DurablePoint;
use fsarena_sys::clock;
use rustix::fs::{Mode, OFlags, openat};

use super::names::{Folders, Shape};
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// How an operation can be made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syncable {
    /// The operation changes nothing.
    Never,
    /// By a syncfs of each batch.
    Batch,
    /// By a syncfs of each batch, or each by fsync or fdatasync of the directory in which the operation changes names.
    Directory,
    /// By a syncfs of each batch, or each by fsync or fdatasync of its file, or by flags of open(2).
    File,
}

impl Syncable {
    /// Whether the operation can be made durable in this way.
    pub fn allows(self, durable: DurablePoint) -> bool {
        match durable {
            DurablePoint::None => true,
            DurablePoint::Syncfs => self != Self::Never,
            DurablePoint::Fsync | DurablePoint::Fdatasync => matches!(self, Self::Directory | Self::File),
            DurablePoint::OSync | DurablePoint::ODsync => self == Self::File,
        }
    }
}

/// Makes `file` durable within an operation, by the sync call that the workload asks for.
#[inline]
pub fn sync_within(file: impl AsFd, durable: DurablePoint, meter: &mut Meter<'_>) -> Result<(), EngineError> {
    if let Some(call @ (Operation::Fsync | Operation::Fdatasync)) = Operation::sync_of(durable) {
        let before = clock::now();
        folder::sync_file(file, call)?;
        meter.within(call, before);
    }
    Ok(())
}

/// The directories of the objects. One at a time is open, to be synced.
pub struct Parents {
    folders: Folders,
    per_leaf: u32,
    open: Option<(u32, File)>,
}

impl Parents {
    /// The directories of the objects of a tree.
    pub fn new(shape: &Shape) -> Self {
        Self { folders: Folders::new(shape), per_leaf: shape.per_leaf(), open: None }
    }

    /// Makes the directory of object `number` durable.
    #[inline]
    pub fn sync(
        &mut self,
        root: &File,
        number: u32,
        durable: DurablePoint,
        meter: &mut Meter<'_>,
    ) -> Result<(), EngineError> {
        let leaf = number / self.per_leaf;
        match &self.open {
            Some((open, folder)) if *open == leaf => sync_within(folder, durable, meter),
            _ => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let folder = openat(root, self.folders.of(leaf), flags, Mode::empty());
                let folder = folder.map_err(EngineError::io("open a directory"))?;
                sync_within(&self.open.insert((leaf, folder.into())).1, durable, meter)
            }
        }
    }

    pub fn close(&mut self) {
        self.open = None;
    }
}
