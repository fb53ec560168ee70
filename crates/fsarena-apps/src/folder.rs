//! Folders in which servers have their sockets and logs, and tools what they say, beside the lane. Whoever makes one holds a lock on it for as long as he lives, so
//! that the next start knows which ones nobody needs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fsarena_engine::EngineError;
use rustix::fs::{Access, FlockOperation, access, flock};
use tempfile::TempDir;

/// How their names begin.
const PREFIX: &str = "fsarena-run-";

/// A folder for one server or tool; dropped, it is removed with all that is in it.
#[derive(Debug)]
pub struct RunFolder {
    folder: TempDir,
    _lock: File,
}

impl RunFolder {
    /// An empty one. Its path is short, whatever TMPDIR says: that of a socket has at most 107 bytes (unix(7)).
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> Result<Self, EngineError> {
        loop {
            let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place());
            let folder = made.map_err(EngineError::io(format!("make a folder in {}", place().display())))?;
            // Somebody who clears away may have come before the lock: then once more.
            if let Some(lock) = locked(folder.path()).filter(|_| folder.path().exists()) {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Where they are: root's in /run, for nobody else can put something there before.
fn place() -> &'static Path {
    let run = Path::new("/run");
    let is_ours = rustix::process::geteuid().is_root() && run.is_dir() && access(run, Access::WRITE_OK).is_ok();
    if is_ours { run } else { Path::new("/tmp") }
}

/// The lock of the folder; `None` if another process has it, or the folder is gone.
fn locked(path: &Path) -> Option<File> {
    let folder = File::open(path).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(folder)
}

/// Takes away the folders that dead runs have left, and says which.
pub fn clear() -> Vec<String> {
    clear_in(place())
}

fn clear_in(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    // A link is no folder, and is not followed.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let ours = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let removed = |path: &PathBuf| locked(path).is_some_and(|_lock| fs::remove_dir_all(path).is_ok());
    let cleared = ours.map(|entry| entry.path()).filter(removed);
    cleared.map(|path| format!("the folder {} of a server or tool", path.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_in_use_stays_and_one_of_a_dead_run_goes() {
        let place = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| place.path().join(name);
        for name in ["fsarena-run-dead", "fsarena-run-used", "another"] {
            fs::create_dir(path(name)).expect("made");
            fs::write(path(name).join("log"), "x").expect("written");
        }
        let lock = locked(&path("fsarena-run-used")).expect("nobody has it");
        let cleared = clear_in(place.path());
        assert!(cleared.len() == 1 && cleared[0].contains("fsarena-run-dead"), "{cleared:?}");
        assert!(path("fsarena-run-used").exists() && path("another").exists() && !path("fsarena-run-dead").exists());
        drop(lock);
        assert_eq!(clear_in(place.path()).len(), 1, "its owner is dead, too");
    }

    #[test]
    fn dropped_it_is_gone() {
        let folder = RunFolder::new().expect("made");
        let path = folder.path().to_owned();
        assert!(path.is_dir() && locked(&path).is_none());
        assert!(path.starts_with("/run") || path.starts_with("/tmp"), "{}", path.display());
        drop(folder);
        assert!(!path.exists());
    }
}
