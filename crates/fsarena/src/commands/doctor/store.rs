//! The store: its path, and whether it is writable. It is not opened, because that would make it.

use std::io;
use std::path::Path;

use fsarena_lane::nearest_existing;
use fsarena_model::Bytes;
use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::page::{DoctorLine, Topic};
use crate::cli::Global;
use crate::places;

/// The line about the store.
pub fn section(global: &Global) -> Topic {
    let line = match places::store_path(global.store.clone()) {
        Ok(path) => look(&path),
        Err(error) => DoctorLine::no("place", error.to_string()).hint("name one: --store FILE"),
    };
    Topic { title: "Store of results", lines: vec![line] }
}

fn look(path: &Path) -> DoctorLine {
    let place = path.display();
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => DoctorLine::no("place", format!("{place} is no file")).hint("--store FILE"),
        Ok(found) => judge(path, format!("{place}, {}", Bytes(found.len()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            judge(&nearest_existing(path), format!("{place}, which the first run makes"))
        }
        Err(error) => DoctorLine::no("place", format!("{place}: {error}")).hint("name another: --store FILE"),
    }
}

/// The line for an existing path. Writability is tested with the effective user's rights.
fn judge(writable: &Path, words: String) -> DoctorLine {
    match accessat(CWD, writable, Access::WRITE_OK, AtFlags::EACCESS) {
        Ok(()) => DoctorLine::ok("place", words),
        Err(errno) => DoctorLine::no("place", format!("{words}; but {}: {errno}", writable.display()))
            .hint("name another: --store FILE"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_not_there_will_be_made() {
        let place = tempfile::tempdir().expect("temporary folder");
        let path = place.path().join("a/b/store.sqlite");
        assert!(format!("{:?}", look(&path)).contains("the first run makes"));
        assert!(!place.path().join("a").exists());
    }

    #[test]
    fn a_folder_is_no_store() {
        assert!(format!("{:?}", look(Path::new("/"))).contains("is no file"));
    }
}
