//! What a run makes, and how each is taken away: only what is the run's by device and inode, or by the run's token.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_sys::directory::{Directory, FileId, Removal};
use fsarena_sys::{loopdev, mountinfo};
use serde::{Deserialize, Serialize};

use super::{Cleared, Leftover};
use crate::cgroup;
use crate::disk::{self, OnDisk};

/// How often a busy device is tried again, and how long in between: ten seconds in all.
const PATIENCE: (u32, Duration) = (200, Duration::from_millis(50));

/// Something that a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// A directory, removed with all that is in it.
    Directory {
        /// Where; its parent without symbolic links.
        path: PathBuf,
        /// Which directory it is; `None` until it is made.
        id: Option<FileId>,
    },
    /// A directory above those of the run, removed if it is empty.
    Parent {
        /// Where; its parent without symbolic links.
        path: PathBuf,
        /// Which directory it is; `None` until it is made.
        id: Option<FileId>,
    },
    /// A mount in the run's own namespace, which ends with the run: there is nothing to clear after its death.
    Mount {
        /// Where.
        path: PathBuf,
    },
    /// What is on a disk that the run has taken.
    Disk(OnDisk),
    /// A control group with the run's token in its name.
    Cgroup {
        /// Its folder.
        path: PathBuf,
        /// The folder of the group from which the run's processes came.
        home: PathBuf,
    },
    /// A loop device, bound under a name with the run's token to a file.
    Loop {
        /// Its number.
        number: u32,
        /// The name under which it is bound.
        name: String,
        /// The backing file.
        backing: PathBuf,
    },
}

/// The run that made things.
#[derive(Debug, Clone)]
pub struct Run {
    /// A word that no other run has.
    pub token: String,
    /// The boot of the machine at hand.
    pub boot: String,
    /// Whether the run began during this boot: numbers of devices are the same only then.
    pub is_same_boot: bool,
}

impl Run {
    /// A new one.
    ///
    /// # Errors
    /// If there are no random numbers.
    pub fn new() -> io::Result<Self> {
        let mut random = [0; 8];
        File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random))?;
        let boot = disk::boot().unwrap_or_default();
        Ok(Self { token: format!("{:016x}", u64::from_ne_bytes(random)), boot, is_same_boot: true })
    }
}

/// Takes away all of `made`, the last first; what fails stays in it, as does a directory with the backing of a loop device
/// that stays.
pub fn undo(made: &mut Vec<Made>, run: &Run) -> Cleared {
    let mut cleared = Cleared::default();
    let mut staying: Vec<Made> = Vec::new();
    while let Some(last) = made.pop() {
        let blocked = staying.iter().any(|other| last.contains(other));
        let done = if blocked { Err(io::Error::other("something in it is still in use")) } else { last.undo(run) };
        match done {
            Ok(what) => cleared.removed.extend(what),
            Err(why) => {
                cleared.kept.push(Leftover { what: last.words(), why: why.to_string() });
                staying.push(last);
            }
        }
    }
    staying.reverse();
    *made = staying;
    cleared
}

impl Made {
    /// Says which directory was made.
    pub fn identify(&mut self, made: FileId) {
        if let Self::Directory { id, .. } | Self::Parent { id, .. } = self {
            *id = Some(made);
        }
    }

    /// Takes it away if it is there and is the run's; says what was taken away.
    fn undo(&self, run: &Run) -> io::Result<Option<String>> {
        match self {
            Self::Directory { path, id } => remove_directory(path, *id, run),
            Self::Parent { path, id } => remove_parent(path, *id, run),
            Self::Mount { path } => unmount(path),
            Self::Disk(made) => made.release(&run.token),
            Self::Cgroup { path, home } => patiently(|| cgroup::remove(path, home, &run.token)),
            Self::Loop { number, name, backing } => remove_loop(*number, name, backing),
        }
    }

    /// Whether the kernel takes it away with the run's namespace: a mount of that name is then another's.
    pub fn ends_with_its_run(&self) -> bool {
        matches!(self, Self::Mount { .. })
    }

    /// Whether it is a directory in which `other` lies, or has its backing.
    fn contains(&self, other: &Self) -> bool {
        let (Self::Directory { path, .. } | Self::Parent { path, .. }) = self else { return false };
        match other {
            Self::Directory { path: inner, .. } | Self::Parent { path: inner, .. } | Self::Mount { path: inner } => {
                inner.starts_with(path)
            }
            Self::Loop { backing, .. } => backing.starts_with(path),
            Self::Disk(_) | Self::Cgroup { .. } => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Directory { path, .. } | Self::Parent { path, .. } => format!("the folder {}", path.display()),
            Self::Mount { path } => format!("the mount {}", path.display()),
            Self::Disk(made) => format!("lanes on {}", made.path.display()),
            Self::Cgroup { path, .. } => format!("the control group {}", path.display()),
            Self::Loop { number, name, .. } => format!("the loop device {number} ({name})"),
        }
    }
}

/// The directory above `path`, and the name of `path` in it; `None` if that is gone.
fn parent(path: &Path) -> io::Result<Option<(Directory, &str)>> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::Error::other("it has no place in a directory"));
    };
    match Directory::open(above) {
        Ok(directory) => Ok(Some((directory, name))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove_directory(path: &Path, id: Option<FileId>, run: &Run) -> io::Result<Option<String>> {
    let Some((parent, name)) = parent(path)? else { return Ok(None) };
    let Some(id) = id else { return remove_if_empty(&parent, name, path) };
    require_same_device(&parent, id, run)?;
    // What is mounted in it would be entered by the removal if it were not refused (EXDEV).
    let removed = parent.remove(name, id.inode).map_err(|error| match error.raw_os_error() {
        Some(errno) if errno == rustix::io::Errno::XDEV.raw_os_error() => {
            io::Error::other("something is mounted in it")
        }
        _ => error,
    })?;
    Ok((removed == Removal::Done).then(|| format!("the folder {}: removed", path.display())))
}

fn remove_parent(path: &Path, id: Option<FileId>, run: &Run) -> io::Result<Option<String>> {
    let Some((parent, name)) = parent(path)? else { return Ok(None) };
    if let Some(id) = id {
        require_same_device(&parent, id, run)?;
        let found = parent.child(name.as_ref()).and_then(|child| child.id());
        if !found.is_ok_and(|found| found.inode == id.inode) {
            return Ok(None);
        }
    }
    remove_if_empty(&parent, name, path)
}

/// The run may have died between making a directory and writing down which one it is. Removing an
/// empty one loses nothing.
fn remove_if_empty(parent: &Directory, name: &str, path: &Path) -> io::Result<Option<String>> {
    match parent.remove_empty(name) {
        Ok(Removal::Done) => Ok(Some(format!("the empty folder {}: removed", path.display()))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(None),
        Err(error) => Err(error),
    }
}

/// Another file system may be mounted there by now, or that one not yet. After a restart its number may be another.
fn require_same_device(parent: &Directory, id: FileId, run: &Run) -> io::Result<()> {
    match run.is_same_boot && parent.id()?.device != id.device {
        true => Err(io::Error::other("another file system is mounted there now")),
        false => Ok(()),
    }
}

fn unmount(path: &Path) -> io::Result<Option<String>> {
    if !mountinfo::mounts()?.iter().any(|mount| mount.point == path) {
        return Ok(None);
    }
    patiently(|| fsarena_sys::mount::unmount_plainly(path).map_err(io::Error::from))?;
    Ok(Some(format!("the mount {}: unmounted", path.display())))
}

/// A device that is bound to something else is not ours any more; one that is free goes.
fn remove_loop(number: u32, name: &str, backing: &Path) -> io::Result<Option<String>> {
    match loopdev::binding(number)? {
        Some(binding) if !is_ours(&binding, name, backing) => return Ok(None),
        Some(_) => {
            let _ = loopdev::unbind(number);
        }
        None if !Path::new(&format!("/sys/block/loop{number}")).exists() => return Ok(None),
        None => {}
    }
    patiently(|| match loopdev::remove(number) {
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error()) => Ok(()),
        other => other,
    })?;
    Ok(Some(format!("the loop device {number}: removed")))
}

/// The name must match and, where the backing file is still there, device and inode as well.
fn is_ours(binding: &loopdev::Binding, name: &str, backing: &Path) -> bool {
    let same_file = match fs::metadata(backing) {
        Ok(file) => (binding.device, binding.inode) == (file.dev(), file.ino()),
        Err(_) => true,
    };
    binding.name == name && same_file
}

fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let busy = rustix::io::Errno::BUSY.raw_os_error();
    for _ in 0..PATIENCE.0 {
        match act() {
            Err(error) if error.raw_os_error() == Some(busy) => std::thread::sleep(PATIENCE.1),
            other => return other,
        }
    }
    act()
}
