//! Directories held by descriptor. What is made in one, and removed from it, is reached through the descriptor and by
//! one component at a time: no path is resolved twice, no symbolic link is followed, no other mount is entered. That is
//! what openat2(2) would refuse by itself, which some containers and emulators do not have.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, StatxFlags, mkdirat, openat, statat, statx, unlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::fault;

/// Identity of a file or directory: a name can come to mean another file, these two numbers cannot as long as it
/// exists. Some file systems give a file another inode number once the kernel has forgotten the first one: there it has
/// none, and only the name tells files apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId {
    /// Device number of the file system (`st_dev`).
    pub device: u64,
    /// Inode number (`st_ino`); `None` if the file system does not keep it.
    pub inode: Option<u64>,
}

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
    path: PathBuf,
}

/// Result of the removal of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// It is removed with its contents.
    Done,
    /// The name does not exist.
    Absent,
    /// Another file or directory has that name, and was left alone.
    Another,
}

/// Types of file systems (statfs(2)) that do not keep the inode numbers of files which the kernel has forgotten: FUSE,
/// where each program decides (sshfs counts them up), shared folders of VirtualBox, and SMB without `serverino`.
const FORGETFUL: [i64; 4] = [0x6573_5546, 0x786f_4256, 0xff53_4d42, 0xfe53_4d42];

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
impl Directory {
    /// Opens the directory at `path`, whose last component must not be a symbolic link.
    ///
    /// # Errors
    /// As open(2).
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OPEN, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    /// Its path when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its identity.
    ///
    /// # Errors
    /// As fstat(2).
    pub fn id(&self) -> io::Result<FileId> {
        let (found, held_by) = (rustix::fs::fstat(&self.fd)?, rustix::fs::fstatfs(&self.fd)?);
        let keeps_inodes = !FORGETFUL.contains(&held_by.f_type);
        Ok(FileId { device: found.st_dev, inode: keeps_inodes.then_some(found.st_ino) })
    }

    /// User ID of its owner.
    ///
    /// # Errors
    /// As fstat(2).
    pub fn owner(&self) -> io::Result<u32> {
        Ok(rustix::fs::fstat(&self.fd)?.st_uid)
    }

    /// Makes the directory `name` in this one with the permissions `mode`, regardless of the umask, and opens it.
    ///
    /// # Errors
    /// `EEXIST` if the name exists; as mkdirat(2).
    pub fn make(&self, name: &str, mode: u32) -> io::Result<Self> {
        fault::step(&format!("mkdir {name}"))?;
        require_component(OsStr::new(name))?;
        mkdirat(&self.fd, name, Mode::from_raw_mode(0o700))?;
        let made = self.child(OsStr::new(name))?;
        rustix::fs::fchmod(&made.fd, Mode::from_raw_mode(mode))?;
        Ok(made)
    }

    /// Opens the directory `name` in this one.
    ///
    /// # Errors
    /// `ELOOP` or `ENOTDIR` for a symbolic link, `EXDEV` for a mount point; as openat(2).
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        require_component(name)?;
        let fd = open_here(self.fd.as_fd(), name)?;
        Ok(Self { fd, path: self.path.join(name) })
    }

    /// Syncs what was made and removed here to the disk (fsync(2) of the directory).
    ///
    /// # Errors
    /// As fsync(2).
    pub fn sync(&self) -> io::Result<()> {
        fault::step("sync directory")?;
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// Removes the directory `name` of this one with its contents, if it is the one with that `inode`, on the same file
    /// system as this one.
    ///
    /// # Errors
    /// `EXDEV` if something is mounted on it or in it; as openat(2) and unlinkat(2). Another call can remove the rest.
    pub fn remove(&self, name: &str, inode: Option<u64>) -> io::Result<Removal> {
        let child = match self.child(OsStr::new(name)) {
            Ok(child) => child,
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT) => return Ok(Removal::Absent),
                Some(Errno::NOTDIR | Errno::LOOP) => return Ok(Removal::Another),
                _ => return Err(error),
            },
        };
        if child.id()? != (FileId { inode, ..self.id()? }) {
            return Ok(Removal::Another);
        }
        fault::step(&format!("empty {name}"))?;
        empty(child.fd.as_fd())?;
        drop(child);
        self.remove_empty(name)
    }

    /// Removes the directory `name` of this one if it is empty.
    ///
    /// # Errors
    /// `ENOTEMPTY` if it is not empty; as unlinkat(2).
    pub fn remove_empty(&self, name: &str) -> io::Result<Removal> {
        fault::step(&format!("rmdir {name}"))?;
        require_component(OsStr::new(name))?;
        match unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(Removal::Done),
            Err(Errno::NOENT) => Ok(Removal::Absent),
            // On a read-only mount, unlinkat(2) fails before it looks for the name.
            Err(error) => match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => Ok(Removal::Absent),
                _ => Err(error.into()),
            },
        }
    }
}

/// Refuses `..`, an empty name and the like, which do not name an entry of this directory.
fn require_component(name: &OsStr) -> io::Result<()> {
    match name.is_empty() || name == "." || name == ".." || name.as_bytes().contains(&b'/') {
        true => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is not a name in a directory"))),
        false => Ok(()),
    }
}

/// Opens the directory `name` of `directory`, on the same mount.
fn open_here(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let fd = openat(directory, name, OPEN, Mode::empty())?;
    match mount(directory)? == mount(fd.as_fd())? {
        true => Ok(fd),
        false => Err(Errno::XDEV.into()),
    }
}

/// The device and the mount of an open directory. Before Linux 5.8 the latter is 0.
fn mount(directory: BorrowedFd<'_>) -> io::Result<(u32, u32, u64)> {
    let found = statx(directory, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS | StatxFlags::MNT_ID)?;
    Ok((found.stx_dev_major, found.stx_dev_minor, found.stx_mnt_id))
}

/// Removes everything in the directory. Reads all names before it removes the first: the result of readdir(3) on a
/// directory that changes meanwhile is not specified. An entry that no longer exists is no error.
fn empty(directory: BorrowedFd<'_>) -> io::Result<()> {
    let entries = Dir::read_from(directory)?.collect::<Result<Vec<_>, _>>()?;
    for name in entries.iter().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes())) {
        if name == "." || name == ".." {
            continue;
        }
        let removed = match unlinkat(directory, name, AtFlags::empty()) {
            Err(Errno::ISDIR) => {
                empty(open_here(directory, name)?.as_fd())?;
                unlinkat(directory, name, AtFlags::REMOVEDIR)
            }
            other => other,
        };
        match removed {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn place() -> (tempfile::TempDir, Directory) {
        let place = tempfile::tempdir().expect("a temporary directory");
        let opened = Directory::open(place.path()).expect("it opens");
        (place, opened)
    }

    #[test]
    fn a_directory_is_removed_with_all_that_is_in_it() {
        let (place, parent) = place();
        let made = parent.make("work", 0o755).expect("made");
        fs::create_dir_all(made.path().join("a/b/c")).expect("made");
        for file in ["f", "a/f", "a/b/c/f"] {
            fs::write(made.path().join(file), "x").expect("written");
        }
        let id = made.id().expect("known");
        assert_eq!(parent.remove("work", id.inode).expect("removed"), Removal::Done);
        assert_eq!(fs::read_dir(place.path()).expect("there").count(), 0);
        assert_eq!(parent.remove("work", id.inode).expect("nothing to do"), Removal::Absent);
    }

    #[test]
    fn a_link_in_it_is_removed_and_its_target_stays() {
        let (place, parent) = place();
        let theirs = place.path().join("theirs");
        fs::create_dir(&theirs).expect("made");
        fs::write(theirs.join("precious"), "x").expect("written");
        let made = parent.make("work", 0o755).expect("made");
        symlink(&theirs, made.path().join("link")).expect("linked");
        symlink("../theirs/precious", made.path().join("file")).expect("linked");
        assert_eq!(parent.remove("work", made.id().expect("known").inode).expect("removed"), Removal::Done);
        assert!(theirs.join("precious").exists());
    }

    #[test]
    fn a_replacement_of_the_directory_is_not_removed() {
        let (place, parent) = place();
        let made = parent.make("work", 0o755).expect("made");
        let inode = made.id().expect("known").inode;
        let theirs = place.path().join("theirs");
        fs::create_dir(&theirs).expect("made");
        fs::write(theirs.join("precious"), "x").expect("written");
        fs::rename(place.path().join("work"), place.path().join("moved")).expect("renamed");
        symlink(&theirs, place.path().join("work")).expect("linked");
        assert_eq!(parent.remove("work", inode).expect("looked at"), Removal::Another, "a link");
        fs::remove_file(place.path().join("work")).expect("removed");
        fs::rename(&theirs, place.path().join("work")).expect("renamed");
        assert_eq!(parent.remove("work", inode).expect("looked at"), Removal::Another, "another directory");
        assert!(place.path().join("work/precious").exists() && place.path().join("moved").exists());
        fs::write(place.path().join("file"), "x").expect("written");
        assert_eq!(parent.remove("file", inode).expect("looked at"), Removal::Another, "a file");
    }

    #[test]
    fn only_single_components_are_made_or_removed() {
        let (place, parent) = place();
        fs::create_dir_all(place.path().join("a/b")).expect("made");
        for name in ["", ".", "..", "a/b", "/tmp", "a/.."] {
            parent.make(name, 0o755).expect_err(name);
            parent.remove(name, Some(1)).expect_err(name);
            parent.remove_empty(name).expect_err(name);
        }
        assert!(place.path().join("a/b").exists());
    }

    #[test]
    fn a_folder_that_was_never_made_on_a_read_only_mount_is_absent() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let (place, _) = place();
        let there = || {
            crate::namespace::enter_private_mounts().expect("entered");
            crate::mount::mount("tmpfs", "none", "ro", place.path()).expect("mounted");
            let parent = Directory::open(place.path()).expect("it opens");
            parent.make("never", 0o755).expect_err("it is read-only");
            parent.remove_empty("never")
        };
        let removed = std::thread::scope(|scope| scope.spawn(there).join().expect("no panic"));
        assert_eq!(removed.expect("nothing to do"), Removal::Absent);
    }

    #[test]
    fn a_directory_that_is_not_empty_is_kept_if_only_an_empty_one_may_go() {
        let (place, parent) = place();
        fs::create_dir_all(place.path().join("a/b")).expect("made");
        parent.remove_empty("a").expect_err("it is not empty");
        let inner = Directory::open(&place.path().join("a")).expect("it opens");
        assert_eq!(inner.remove_empty("b").expect("removed"), Removal::Done);
        assert_eq!(parent.remove_empty("a").expect("removed"), Removal::Done);
    }
}
