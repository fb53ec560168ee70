//! A lane: a range of storage behind a loop device that the run makes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Plan};
use fsarena_sys::loopdev::{self, FileExtent};

use crate::ledger::{BoundLoop, Ledger, Made};
use crate::{LaneError, layer, queue};

/// Numbers below this one are left to other programs.
const FIRST_NUMBER: u32 = 1000;
const NUMBERS: u32 = 10_000;

/// Logical block size of every lane, in bytes: the sector size of every medium that is sold today. See
/// `docs/decisions/`.
pub const BLOCK_SIZE: u32 = 4096;

/// A range of storage behind a loop device. The kernel frees the device when this and all mounts are gone.
#[derive(Debug)]
pub struct Lane {
    bound: BoundLoop,
    _device: File,
}

pub struct Backing<'a> {
    pub file: &'a File,
    pub path: &'a Path,
    /// The part of it that the lane uses.
    pub extent: FileExtent,
}

impl Lane {
    /// Binds a new loop device to `backing`, sets its queue as `plan` has it, and verifies that its I/O is direct.
    pub fn open(ledger: &mut Ledger, backing: &Backing<'_>, plan: &Plan, index: usize) -> Result<Self, LaneError> {
        let lane = Self::bind(ledger, backing, plan, index)?;
        // LOOP_CONFIGURE silently falls back to the page cache if the host's file system does not support direct I/O.
        let flag = fs::read_to_string(lane.sysfs().join("loop/dio"));
        match flag.is_ok_and(|text| text.trim() == "1") {
            true => Ok(lane),
            false => Err(LaneError::NotDirect { path: backing.path.to_owned() }),
        }
    }

    /// Binds a new loop device to `backing`, and sets its queue as `plan` has it.
    pub fn bind(ledger: &mut Ledger, backing: &Backing<'_>, plan: &Plan, index: usize) -> Result<Self, LaneError> {
        let name = format!("fsarena-{}-{index}", ledger.token());
        let bound = add(ledger, name, backing.path)?;
        let device = loopdev::bind(bound.number, backing.file, backing.extent, BLOCK_SIZE, &bound.name);
        let device = device.map_err(LaneError::io("bind", loopdev::device_path(bound.number)))?;
        queue::imitate(bound.number, plan)?;
        Ok(Self { bound, _device: device })
    }

    pub fn number(&self) -> u32 {
        self.bound.number
    }

    pub fn path(&self) -> PathBuf {
        loopdev::device_path(self.number())
    }

    /// The device's name below `/sys/block`.
    pub fn name(&self) -> String {
        format!("loop{}", self.number())
    }

    /// The device's folder in sysfs.
    pub fn sysfs(&self) -> PathBuf {
        Path::new("/sys/block").join(self.name())
    }

    /// The entry of the ledger for layers that are made on it.
    pub fn layers(&self) -> Made {
        Made::Layers(self.bound.clone())
    }

    pub fn size(&self) -> Result<Bytes, LaneError> {
        layer::size(&self.path())
    }
}

/// Adds a loop device. Announces each number in the ledger before it tries it, and withdraws it if another program has
/// it.
fn add(ledger: &mut Ledger, name: String, backing: &Path) -> Result<BoundLoop, LaneError> {
    let mut bound = BoundLoop { number: FIRST_NUMBER, name, backing: backing.to_owned() };
    let is_free = |number: &u32| !Path::new(&format!("/sys/block/loop{number}")).exists();
    for number in (FIRST_NUMBER..FIRST_NUMBER + NUMBERS).filter(is_free) {
        bound.number = number;
        ledger.announce(Made::Loop(bound.clone()))?;
        match loopdev::add(number) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => ledger.withdraw()?,
            other => return other.map(|()| bound).map_err(LaneError::io("add", loopdev::device_path(number))),
        }
    }
    let none = std::io::Error::other("no number is free");
    Err(LaneError::io("add", loopdev::device_path(FIRST_NUMBER))(none))
}
