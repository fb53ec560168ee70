//! Makes operations durable inside the timer: by an fsync of each, by flags of its file, or by a syncfs of each batch.

use std::fs::File;
use std::os::fd::AsFd;

use fsarena_model::DurablePoint;
use fsarena_sys::clock;
use rustix::fs::{Mode, OFlags, fdatasync, fsync, openat};

use super::names::{Folders, Shape};
use crate::meter::Meter;
use crate::{EngineError, Operation};

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

/// The sync call at the end of each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Nothing.
    Nothing,
    /// fsync(2).
    Fsync,
    /// fdatasync(2).
    Fdatasync,
}

impl Each {
    /// The sync call that the workload asks for.
    pub fn of(durable: DurablePoint) -> Self {
        match durable {
            DurablePoint::Fsync => Self::Fsync,
            DurablePoint::Fdatasync => Self::Fdatasync,
            _ => Self::Nothing,
        }
    }

    /// Makes `file` durable, within an operation.
    #[inline]
    pub fn sync(self, file: impl AsFd, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        if self == Self::Nothing {
            return Ok(());
        }
        let before = clock::now();
        let operation = match self {
            Self::Fdatasync => fdatasync(file).map(|()| Operation::Fdatasync).map_err(EngineError::io("fdatasync"))?,
            _ => fsync(file).map(|()| Operation::Fsync).map_err(EngineError::io("fsync"))?,
        };
        meter.within(operation, before);
        Ok(())
    }
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
    pub fn sync(&mut self, root: &File, number: u32, each: Each, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let leaf = number / self.per_leaf;
        match &self.open {
            Some((open, folder)) if *open == leaf => each.sync(folder, meter),
            _ => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let folder = openat(root, self.folders.of(leaf), flags, Mode::empty());
                let folder = folder.map_err(EngineError::io("open a directory"))?;
                each.sync(&self.open.insert((leaf, folder.into())).1, meter)
            }
        }
    }

    /// Closes the open directory.
    pub fn close(&mut self) {
        self.open = None;
    }
}
