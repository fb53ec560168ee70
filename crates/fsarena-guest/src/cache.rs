//! The folder of the user's cache that keeps what guests are made of.

use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use fsarena_sys::child;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::GuestError;

/// A cache that no other process fills meanwhile.
pub struct Cache<'a> {
    pub folder: &'a Path,
    telling: RefCell<&'a mut dyn FnMut(&str)>,
    _lock: File,
}

impl<'a> Cache<'a> {
    /// Waits until no other process fills the cache in `folder`; not if this process is asked to stop. `telling` gets a
    /// description of that, and of each later step that takes seconds.
    pub fn locked(folder: &'a Path, telling: &'a mut dyn FnMut(&str)) -> Result<Self, GuestError> {
        const PAUSE: Duration = Duration::from_millis(100);
        fs::create_dir_all(folder).map_err(GuestError::io("create", folder))?;
        let path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(GuestError::io("open", &path))?;
        let mut is_told = false;
        loop {
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) if !child::gives_up() => {}
                Err(error) => return Err(GuestError::io("lock", &path)(error.into())),
            }
            if !std::mem::replace(&mut is_told, true) {
                telling(&format!("waiting for another run, which fills {}", folder.display()));
            }
            thread::sleep(PAUSE);
        }
        let cache = Self { folder, telling: RefCell::new(telling), _lock: lock };
        // What a process left that was killed.
        let _ = fs::remove_dir_all(cache.unfinished());
        Ok(cache)
    }

    pub fn tell(&self, what: &str) {
        (self.telling.borrow_mut())(what);
    }

    /// The folder of what is moved to its place in the cache once it is complete.
    pub fn unfinished(&self) -> PathBuf {
        self.folder.join("unfinished")
    }
}

impl Drop for Cache<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.unfinished());
    }
}
