//! Folders that stay open during a run, and calls that act on all of a folder or of its file system.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::Path;

use fsarena_model::DurablePoint;
use rustix::fs::{Mode, OFlags, mkdirat, syncfs};

use crate::EngineError;

/// Opens the folder `path` for work relative to it.
pub fn open(path: &Path) -> Result<File, EngineError> {
    File::open(path).map_err(EngineError::io(format!("open {}", path.display())))
}

/// Writes all data of the file system that holds `folder` to its device.
pub fn sync(folder: impl AsFd) -> Result<(), EngineError> {
    syncfs(folder).map_err(EngineError::io("syncfs"))
}

/// Makes an empty folder `name` in `parent`. Removes an existing folder of that name first.
pub fn renew(parent: &Path, name: &str) -> Result<(), EngineError> {
    let path = parent.join(name);
    if path.exists() {
        fs::remove_dir_all(&path).map_err(EngineError::io(format!("remove {name}")))?;
    }
    let parent = open(parent)?;
    mkdirat(&parent, name, Mode::RWXU).map_err(EngineError::io(format!("mkdir {name}")))?;
    sync(&parent)
}

/// Removes a file or a link. Does nothing if it does not exist.
///
/// # Errors
/// If the file system returns an error.
pub fn unlink(path: &Path) -> Result<(), EngineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(EngineError::io(format!("unlink {}", path.display()))(error))
        }
        _ => Ok(()),
    }
}

/// Flags of open(2) for a file that is created and written once.
pub fn create_flags() -> OFlags {
    OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC
}

/// Flags of open(2) that make each write to a file durable, if the workload asks for that.
pub fn sync_flags(durable: DurablePoint) -> OFlags {
    match durable {
        DurablePoint::OSync => OFlags::SYNC,
        DurablePoint::ODsync => OFlags::DSYNC,
        _ => OFlags::empty(),
    }
}

/// Permissions of new files: the owner may read and write.
pub fn file_mode() -> Mode {
    Mode::RUSR | Mode::WUSR
}
