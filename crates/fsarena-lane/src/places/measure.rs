//! The cost of a write and flush in a place, measured on an unnamed temporary file.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fsarena_model::{Bytes, LaneCost, Nanos};
use fsarena_sys::clock;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::{Effort, LaneError, file_cost, image};

const FILE_SIZE: Bytes = Bytes::mib(16);
const EFFORT: Effort = Effort { writes: 200, paced_writes: 60, at_most: clock::look(Nanos::millis(600)) };

/// Seed of the file's content; it does not affect the cost.
const SEED: u64 = 1;

/// The findings about a place.
#[derive(Debug)]
pub struct PlaceFindings {
    /// Why lanes cannot be there.
    pub obstacle: Option<String>,
    /// Whether files can be opened for direct I/O; `None` if that was not tried.
    pub direct: Option<bool>,
    /// The cost of a write and flush; `Err` holds the reason if it is unknown.
    pub cost: Result<LaneCost, String>,
}

impl PlaceFindings {
    /// Nothing is known, for this reason.
    pub fn unmeasured(why: &str) -> Self {
        Self { obstacle: None, direct: None, cost: Err(format!("not measured: {why}")) }
    }
}

/// Measures in `folder`, or in its nearest ancestor on the same file system in which this user may write.
pub fn in_folder(folder: &Path, deadline: Nanos) -> PlaceFindings {
    if clock::now() >= deadline {
        return PlaceFindings::unmeasured("the other places took all the time");
    }
    match temporary_file(folder) {
        Ok(file) => on_file(&file),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            PlaceFindings::unmeasured("this user may not write there")
        }
        Err(error) => refused(format!("nothing can be written there: {error}")),
    }
}

/// Measures in memory, like a lane there.
pub fn in_memory() -> PlaceFindings {
    match memfd_create("fsarena-doctor", MemfdFlags::CLOEXEC) {
        Ok(descriptor) => on_file(&File::from(descriptor)),
        Err(errno) => refused(format!("no file can be made in memory: {errno}")),
    }
}

fn refused(why: String) -> PlaceFindings {
    PlaceFindings { cost: Err(why.clone()), obstacle: Some(why), direct: None }
}

/// An unnamed file, which vanishes with its descriptor, however this process ends.
pub fn temporary_file(folder: &Path) -> io::Result<File> {
    let number = fs::metadata(folder)?.dev();
    let is_there = |folder: &&Path| fs::metadata(folder).is_ok_and(|found| found.dev() == number);
    let mut outcome = tempfile::tempfile_in(folder);
    for above in folder.ancestors().skip(1).take_while(is_there) {
        if !matches!(&outcome, Err(error) if error.kind() == io::ErrorKind::PermissionDenied) {
            break;
        }
        outcome = tempfile::tempfile_in(above);
    }
    outcome
}

fn on_file(file: &File) -> PlaceFindings {
    let direct = image::make_direct(file).is_ok();
    let obstacle = (!direct).then(|| "lanes need direct I/O, and this file system opens no file for it".to_owned());
    let cost = file_cost(file, FILE_SIZE, SEED, EFFORT).map_err(|error| format!("not measured: {}", why(error)));
    PlaceFindings { obstacle, direct: Some(direct), cost }
}

/// Why something could not be measured; the place is known.
fn why(error: LaneError) -> String {
    match error {
        LaneError::Io { act, source, .. } => format!("{act}: {source}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_in_the_folder() {
        let place = tempfile::tempdir().expect("temporary folder");
        let found = in_folder(place.path(), clock::now() + Nanos::seconds(60));
        assert!(found.cost.is_ok(), "{found:?}");
        assert_eq!(fs::read_dir(place.path()).expect("readable").count(), 0);
    }

    #[test]
    fn an_unmeasured_place_says_so() {
        let found = in_folder(Path::new("/"), Nanos(0));
        assert!(found.cost.is_err_and(|why| why.contains("not measured")) && found.obstacle.is_none());
        let found = in_folder(Path::new("/proc/self"), clock::now() + Nanos::seconds(60));
        assert!(found.cost.is_err());
    }
}
