//! Scratch directories for job files, the output of programs, sockets and logs. They are not on the lane.
//!
//! A run has one root for all of them. The root is in the ledger, so that nothing stays when the run is killed.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

use fsarena_sys::fault;
use tempfile::TempDir;

use crate::EngineError;

/// Maximum length of the path of a root, bytes: the path of a socket below it has at most 107 (unix(7)).
const LONGEST_ROOT: usize = 60;

static ROOT: RwLock<Option<PathBuf>> = RwLock::new(None);
static INPUTS: RwLock<Option<PathBuf>> = RwLock::new(None);
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Sets the directory in which all scratch directories of this process are made. It exists, belongs to this user, and
/// has mode 0711, so that the users of servers can pass it. Each run of a process has another one.
///
/// # Errors
/// If its path is not absolute, or too long for sockets in it.
pub fn set_root(path: PathBuf) -> io::Result<()> {
    if !path.is_absolute() || path.as_os_str().len() > LONGEST_ROOT {
        let what = format!("{} is not absolute, or longer than {LONGEST_ROOT} bytes", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    *ROOT.write().unwrap_or_else(PoisonError::into_inner) = Some(path);
    Ok(())
}

/// Sets the directory for the inputs of programs, which stay for the whole run. It exists and is empty.
pub fn set_inputs(path: PathBuf) {
    *INPUTS.write().unwrap_or_else(PoisonError::into_inner) = Some(path);
}

/// The directory for the inputs of programs; `None` outside of a run.
pub fn inputs() -> Option<PathBuf> {
    INPUTS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A directory that only this user may enter. It is removed with its contents when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Holds the directory if no root was set, as in tests of a library.
    _private: Option<TempDir>,
}

impl Scratch {
    /// Makes an empty scratch directory.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> Result<Self, EngineError> {
        let root = ROOT.read().unwrap_or_else(PoisonError::into_inner).clone();
        match root {
            Some(root) => Self::below(&root),
            None => {
                // Not in TMPDIR, whose path may be too long for a socket.
                let made = tempfile::Builder::new().prefix("fsarena-").tempdir_in("/tmp");
                let private = made.map_err(EngineError::io("make a scratch directory in /tmp"))?;
                Ok(Self { path: private.path().to_owned(), _private: Some(private) })
            }
        }
    }

    /// Makes an empty scratch directory in memory, if the inputs of programs are there: what a program writes to it is no
    /// load on a disk.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn in_memory() -> Result<Self, EngineError> {
        inputs().map_or_else(Self::new, |inputs| Self::below(&inputs))
    }

    fn below(root: &Path) -> Result<Self, EngineError> {
        let path = root.join(COUNT.fetch_add(1, Ordering::Relaxed).to_string());
        let made = fault::step("mkdir scratch").and_then(|()| DirBuilder::new().mode(0o700).create(&path));
        made.map_err(EngineError::io(format!("make the scratch directory {}", path.display())))?;
        Ok(Self { path, _private: None })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self._private.is_none() {
            // If it stays, it is removed with the root.
            let _ = fault::step("remove scratch").and_then(|()| fs::remove_dir_all(&self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn each_is_empty_and_its_own_and_gone_when_dropped() {
        let root = tempfile::tempdir().expect("temporary folder");
        let (one, two) = (Scratch::below(root.path()).expect("made"), Scratch::below(root.path()).expect("made"));
        assert_ne!(one.path(), two.path());
        fs::write(one.path().join("log"), "text").expect("written");
        let mode = fs::metadata(one.path()).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && two.path().is_dir());
    }

    #[test]
    fn without_a_root_it_is_a_private_one_with_a_short_path() {
        let scratch = Scratch::new().expect("made");
        let path = scratch.path().to_owned();
        assert!(path.is_dir() && path.as_os_str().len() <= LONGEST_ROOT, "{}", path.display());
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn a_root_is_absolute_and_short() {
        assert!(set_root("relative".into()).is_err());
        assert!(set_root(Path::new("/").join("x".repeat(LONGEST_ROOT))).is_err());
    }
}
