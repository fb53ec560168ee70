//! A folder that is open while a run lasts, and what is done to all of it.

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

/// Writes everything of the file system in which `folder` lies to its device.
pub fn sync(folder: impl AsFd) -> Result<(), EngineError> {
    syncfs(folder).map_err(EngineError::io("syncfs"))
}

/// Makes an empty folder `name` in `parent`, taking away what was there.
pub fn renew(parent: &Path, name: &str) -> Result<(), EngineError> {
    let path = parent.join(name);
    if path.exists() {
        fs::remove_dir_all(&path).map_err(EngineError::io(format!("remove {name}")))?;
    }
    let parent = open(parent)?;
    mkdirat(&parent, name, Mode::RWXU).map_err(EngineError::io(format!("mkdir {name}")))?;
    sync(&parent)
}

/// Removes a file, or a link; nothing if there is none.
///
/// # Errors
/// If the file system refuses.
pub fn unlink(path: &Path) -> Result<(), EngineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(EngineError::io(format!("unlink {}", path.display()))(error))
        }
        _ => Ok(()),
    }
}

/// How a file is opened to be created and written once.
pub fn create_flags() -> OFlags {
    OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC
}

/// What makes each write to a file durable by itself, if the workload wants that.
pub fn sync_flags(durable: DurablePoint) -> OFlags {
    match durable {
        DurablePoint::OSync => OFlags::SYNC,
        DurablePoint::ODsync => OFlags::DSYNC,
        _ => OFlags::empty(),
    }
}

/// How the user who runs this may use new files.
pub fn file_mode() -> Mode {
    Mode::RUSR | Mode::WUSR
}
