//! Drops the files of a directory from memory, like a script that syncs and drops the caches.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::page_cache::drop_all_cached;
use crate::{EngineError, folder};

/// proc_sys_vm(5): 1 drops the page cache, 2 names and inodes, 3 both, of all file systems.
const DROP: &str = "/proc/sys/vm/drop_caches";

/// Syncs the file system of `directory` and drops the caches of the machine, which takes root. Without root, it asks
/// the kernel to drop the data of the directory's files; names and inodes then stay in memory.
pub fn make(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    folder::sync(folder::open(directory)?)?;
    match fs::write(DROP, "3\n") {
        Ok(()) => Ok(()),
        Err(_) => drop_all_cached(directory, stop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NEVER;

    #[test]
    fn files_of_all_levels_are_forgotten_and_stay_what_they_are() {
        let place = tempfile::tempdir().expect("temporary folder");
        fs::create_dir_all(place.path().join("a/b")).expect("made");
        fs::write(place.path().join("a/b/file"), "text").expect("written");
        drop_all_cached(place.path(), &NEVER).expect("asked");
        make(place.path(), &NEVER).expect("done");
        assert_eq!(fs::read_to_string(place.path().join("a/b/file")).expect("there"), "text");
        assert!(drop_all_cached(&place.path().join("none"), &NEVER).is_err());
    }
}
