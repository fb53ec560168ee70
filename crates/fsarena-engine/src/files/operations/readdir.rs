//! Reading directories: open, all names by getdents(2), close. The files themselves are not accessed.

use std::ffi::CStr;
use std::fs::File;

use rustix::fs::{Mode, OFlags, RawDir, openat};

use crate::files::durability::Syncable;
use crate::files::names::Folders;
use crate::files::step::{Ground, Setting, Step};
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Size of the buffer for getdents(2), bytes: that of the GNU C library.
const BUFFER: usize = 32 << 10;

/// Reads one directory after the other.
pub struct Readdir {
    folders: Folders,
    buffer: Vec<u8>,
}

impl Step for Readdir {
    const OPERATION: Operation = Operation::Readdir;
    const GROUND: Ground = Ground::Directories;
    const SYNC: Syncable = Syncable::Never;

    fn new(setting: &Setting) -> Self {
        Self { folders: Folders::new(&setting.shape), buffer: Vec::with_capacity(BUFFER) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        read(root, self.folders.of(visit.number), &mut self.buffer)?;
        Ok(0)
    }
}

/// Reads a directory. Returns the number of its names, including `.` and `..`.
#[inline]
fn read(root: &File, path: &CStr, buffer: &mut Vec<u8>) -> Result<u32, EngineError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(root, path, flags, Mode::empty()).map_err(EngineError::io("open a directory"))?;
    let mut entries = RawDir::new(&folder, buffer.spare_capacity_mut());
    let mut names = 0;
    while let Some(entry) = entries.next() {
        entry.map_err(EngineError::io("readdir"))?;
        names += 1;
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_read_in_as_many_calls_as_it_takes() {
        let place = tempfile::tempdir().expect("temporary folder");
        (0..300).for_each(|number| drop(File::create(place.path().join(format!("f{number}"))).expect("created")));
        let root = File::open(place.path()).expect("opened");
        assert_eq!(read(&root, c".", &mut Vec::with_capacity(BUFFER)).expect("read"), 302);
        assert_eq!(read(&root, c".", &mut Vec::with_capacity(1024)).expect("read"), 302);
        assert!(read(&root, c"f0", &mut Vec::with_capacity(1024)).is_err());
    }
}
