//! The storage that workers use: files in a folder, or a block device as a reference.

use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, CacheState, DurablePoint, Workload};
use rustix::fs::OFlags;

use super::files::{self, Opening};
use super::parameters::{Calls, DataParameters, FilesOfWork, Pattern, Work};
use crate::{EngineError, folder};

/// Reads and writes on a device are multiples of this, bytes.
const BLOCK: u64 = 4096;

/// The storage that workers use.
#[derive(Debug, Clone)]
pub enum DataGround {
    Folder(PathBuf),
    /// The first `size` bytes of a block device.
    Device {
        /// The device, or a regular file in place of it.
        path: PathBuf,
        size: u64,
    },
}

pub struct OpenFiles {
    pub files: Vec<File>,
    /// The folder that holds the files; `None` on a device.
    pub folder: Option<File>,
}

/// The parts of a device that workers use, bytes from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The end of the parts of all workers.
    pub end: u64,
    /// The part of this worker.
    pub own: Range<u64>,
}

impl DataGround {
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Device { .. } => None,
        }
    }

    /// The part of the device for worker `number`. It is the whole range if it is shared or places are random. `None`
    /// for a folder.
    pub fn stretch(&self, parameters: &DataParameters, number: u32) -> Option<Stretch> {
        let Self::Device { size, .. } = self else { return None };
        let (workers, number) = (u64::from(parameters.workers()), u64::from(number));
        let each = match parameters.target() {
            FilesOfWork::Existing => parameters.file_size * u64::from(parameters.files),
            FilesOfWork::New => size / workers / parameters.file_size * parameters.file_size,
        };
        let end = if parameters.shared { each } else { each * workers };
        let is_whole = parameters.shared || parameters.pattern == Pattern::Random;
        let own = if is_whole { 0..end } else { number * each..(number + 1) * each };
        Some(Stretch { end, own })
    }

    /// Opens the existing files `numbers`, or the device.
    pub fn open_existing(&self, opening: Opening, numbers: Range<u32>) -> Result<OpenFiles, EngineError> {
        let files = match self {
            Self::Folder(folder) => numbers.map(|number| opening.existing(&files::path(folder, number))).collect(),
            Self::Device { path, .. } => opening.existing(path).map(|device| vec![device]),
        };
        Ok(OpenFiles { files: files?, folder: self.open_folder()? })
    }

    /// The path of worker `number`'s new file, or of the device.
    pub fn new_file(&self, number: u32) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(format!("new{number}")),
            Self::Device { path, .. } => path.clone(),
        }
    }

    /// Opens the folder. `None` on a device, where a sync goes to the device itself.
    pub fn open_folder(&self) -> Result<Option<File>, EngineError> {
        self.folder().map(folder::open).transpose()
    }
}

/// The variant of `workload` for a device: direct I/O, and a flush of the device for each sync. `None` if some of the
/// work does not reach the device (reads from memory, writes that are not made durable), or if it is not possible on a
/// device.
pub fn on_device(workload: &Workload, parameters: &DataParameters, size: Bytes) -> Option<Workload> {
    let reads_reach_it = parameters.operation == Work::Write || workload.cache != CacheState::Warm;
    let is_durable = workload.durable != DurablePoint::None;
    let writes_reach_it = !parameters.writes() || workload.cache == CacheState::Direct || is_durable;
    let needs_files = parameters.operation == Work::Trim || parameters.calls == Calls::Mmap;
    let fits = parameters.block_size.is_multiple_of(BLOCK) && parameters.demand() <= size;
    let can_be_done = reads_reach_it && writes_reach_it && fits && !needs_files;
    can_be_done.then(|| Workload { cache: CacheState::Direct, durable: flush(workload.durable), ..workload.clone() })
}

/// A device has no inode: each sync call of a file becomes a flush there (`blkdev_fsync` in the kernel's block/fops.c).
fn flush(durable: DurablePoint) -> DurablePoint {
    match durable {
        DurablePoint::Fsync | DurablePoint::Fdatasync | DurablePoint::Syncfs => DurablePoint::Fdatasync,
        DurablePoint::None | DurablePoint::OSync | DurablePoint::ODsync => durable,
    }
}

/// Refuses a device on which a file system is mounted. The kernel does not open such a device exclusively (open(2),
/// `O_EXCL`).
///
/// # Errors
/// `EBUSY` if the device is in use, or another error of open(2).
pub fn require_unused(device: &Path) -> Result<(), EngineError> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).custom_flags(OFlags::EXCL.bits() as i32).open(device);
    opened.map(drop).map_err(EngineError::io(format!("open {} exclusively", device.display())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workload(durable: &str, cache: &str, parameters: serde_json::Value) -> Workload {
        let mut all = json!({ "pattern": "random", "file-size": "1M", "block-size": "4K", "operations": 9 });
        let more = parameters.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(more);
        fsarena_testing::parameterised("data", durable, cache, all)
    }

    fn there(durable: &str, cache: &str, parameters: serde_json::Value) -> Option<Workload> {
        let workload = workload(durable, cache, parameters);
        on_device(&workload, &DataParameters::of(&workload).expect("understood"), Bytes::mib(1))
    }

    #[test]
    fn durable_work_has_a_baseline_on_the_device_with_flushes() {
        let read = || json!({ "operation": "read" });
        let write = || json!({ "operation": "write" });
        for (durable, cache, parameters, flush) in [
            ("none", "cold", read(), DurablePoint::None),
            ("none", "direct", write(), DurablePoint::None),
            ("fsync", "warm", write(), DurablePoint::Fdatasync),
            ("syncfs", "warm", write(), DurablePoint::Fdatasync),
            ("o-sync", "warm", write(), DurablePoint::OSync),
            ("fsync", "cold", json!({ "operation": "mixed" }), DurablePoint::Fdatasync),
        ] {
            let there = there(durable, cache, parameters).expect("it can be done");
            assert_eq!((there.cache, there.durable), (CacheState::Direct, flush), "{durable} {cache}");
        }
    }

    #[test]
    fn work_without_syncs_or_with_files_is_no_baseline_of_the_device() {
        let cannot = [
            ("none", "warm", json!({ "operation": "read" })),
            ("none", "warm", json!({ "operation": "write" })),
            ("none", "cold", json!({ "operation": "mixed" })),
            ("fsync", "warm", json!({ "operation": "mixed" })),
            ("none", "cold", json!({ "operation": "read", "calls": "mmap" })),
            ("none", "direct", json!({ "operation": "trim" })),
            ("none", "direct", json!({ "operation": "read", "block-size": 512 })),
            ("none", "direct", json!({ "operation": "read", "file-size": "2M" })),
            ("none", "direct", json!({ "operation": "read", "files": 2 })),
        ];
        for (durable, cache, parameters) in cannot {
            assert_eq!(there(durable, cache, parameters.clone()), None, "{durable} {cache} {parameters}");
        }
    }
}
