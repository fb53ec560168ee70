//! A lane: a stretch of storage behind a loop device of our own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Medium};
use fsarena_sys::loopdev::{self, Extent};

use crate::ledger::{Ledger, Made};
use crate::{LaneError, queue};

/// Numbers below are left to everybody else.
const FIRST_NUMBER: u32 = 1000;
const NUMBERS: u32 = 10_000;

/// Logical blocks of every lane, in bytes: the sector of every medium that is sold today. See `docs/decisions/`.
const BLOCK_SIZE: u32 = 4096;

/// A stretch of storage behind a loop device. The device frees itself when this and all mounts are gone.
#[derive(Debug)]
pub struct Lane {
    number: u32,
    _device: File,
}

/// What a lane is made of.
pub struct Backing<'a> {
    /// The open image or disk.
    pub file: &'a File,
    /// Where it is.
    pub path: &'a Path,
    /// Which part of it.
    pub extent: Extent,
}

impl Lane {
    /// Puts a new loop device before `backing`, sets its queue for `medium`, and verifies that its I/O is direct.
    ///
    /// # Errors
    /// If the kernel refuses any of it.
    pub fn open(ledger: &mut Ledger, backing: &Backing<'_>, medium: Medium, index: usize) -> Result<Self, LaneError> {
        let name = format!("fsarena-{}-{index}", ledger.token());
        let number = add(ledger, &name, backing.path)?;
        let device = loopdev::bind(number, backing.file, backing.extent, BLOCK_SIZE, &name);
        let device = device.map_err(LaneError::io("bind", loopdev::device_path(number)))?;
        verify_direct(number, backing.path)?;
        queue::imitate(number, medium)?;
        Ok(Self { number, _device: device })
    }

    /// The loop device's number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The loop device's path.
    pub fn path(&self) -> PathBuf {
        loopdev::device_path(self.number)
    }

    /// The device's name below `/sys/block`.
    pub fn name(&self) -> String {
        format!("loop{}", self.number)
    }

    /// The device's size as the kernel has it.
    ///
    /// # Errors
    /// If sysfs does not say.
    pub fn size(&self) -> Result<Bytes, LaneError> {
        let path = PathBuf::from(format!("/sys/block/loop{}/size", self.number));
        let text = fs::read_to_string(&path).map_err(LaneError::io("read", &path))?;
        Ok(Bytes(text.trim().parse::<u64>().unwrap_or(0) * 512))
    }
}

/// Each number is announced before it is tried, and withdrawn if it turns out to be somebody else's.
fn add(ledger: &mut Ledger, name: &str, backing: &Path) -> Result<u32, LaneError> {
    for number in FIRST_NUMBER..FIRST_NUMBER + NUMBERS {
        if Path::new(&format!("/sys/block/loop{number}")).exists() {
            continue;
        }
        ledger.announce(Made::Loop { number, name: name.to_owned(), backing: backing.to_owned() })?;
        match loopdev::add(number) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => ledger.withdraw()?,
            other => return other.map(|()| number).map_err(LaneError::io("add", loopdev::device_path(number))),
        }
    }
    let none = std::io::Error::other("no number is free");
    Err(LaneError::io("add", loopdev::device_path(FIRST_NUMBER))(none))
}

/// LOOP_CONFIGURE falls back to the page cache without a word where the host's file system cannot do better.
fn verify_direct(number: u32, path: &Path) -> Result<(), LaneError> {
    let flag = fs::read_to_string(format!("/sys/block/loop{number}/loop/dio"));
    match flag.map(|text| text.trim() == "1") {
        Ok(true) => Ok(()),
        _ => Err(LaneError::NotDirect { number, path: path.to_owned() }),
    }
}
