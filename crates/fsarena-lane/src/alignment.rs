//! Checks whether a file system reports the alignment that direct I/O needs.

use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, open, statx, unlink};
use rustix::io::Errno;

/// STATX_DIOALIGN of Linux' include/uapi/linux/stat.h, since 6.1.
const DIOALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);

/// Temporary name of the probe file on file systems without O_TMPFILE.
const NAME: &str = ".fsarena-alignment";

/// Whether statx(2) reports the alignment of direct I/O for a new file in `directory`. An alignment of 0 counts as not
/// reported. `None` if no file can be created there, or statx fails.
///
/// A file system that reports no alignment may serve direct I/O from the page cache, as btrfs with checksums, or may
/// just not report it, as btrfs without checksums.
pub fn says_alignment(directory: &Path) -> Option<bool> {
    let file = probe_file(directory).ok()?;
    let facts = statx(&file, "", AtFlags::EMPTY_PATH, DIOALIGN).ok()?;
    Some(facts.stx_mask & DIOALIGN.bits() != 0 && facts.stx_dio_offset_align > 0)
}

/// A new file in `directory` that has no name.
pub fn probe_file(directory: &Path) -> Result<rustix::fd::OwnedFd, Errno> {
    nameless(directory, OFlags::empty()).or_else(|errno| named(directory, errno))
}

/// A new file without a name, opened with further flags; only on file systems with O_TMPFILE (open(2)).
pub fn nameless(directory: &Path, flags: OFlags) -> Result<rustix::fd::OwnedFd, Errno> {
    open(directory, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC | flags, Mode::RUSR | Mode::WUSR)
}

/// Creates a file and unlinks it at once, on file systems without O_TMPFILE (open(2)).
fn named(directory: &Path, why: Errno) -> Result<rustix::fd::OwnedFd, Errno> {
    if ![Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL].contains(&why) {
        return Err(why);
    }
    let path = directory.join(NAME);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    let file = open(&path, flags, Mode::RUSR | Mode::WUSR)?;
    unlink(&path).map(|()| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_behind_with_a_name_or_without() {
        let place = tempfile::tempdir().expect("temporary folder");
        assert!(says_alignment(place.path()).is_some());
        assert!(named(place.path(), Errno::OPNOTSUPP).is_ok());
        assert_eq!(std::fs::read_dir(place.path()).expect("readable").count(), 0);
    }

    #[test]
    fn where_no_file_can_be_made_it_is_not_known() {
        assert_eq!(says_alignment(Path::new("/proc/self")), None);
        assert_eq!(says_alignment(Path::new("/no-such-folder")), None);
    }
}
