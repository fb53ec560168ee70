//! What a run makes, and how each is taken away: only what bears the run's mark, never by number alone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_sys::{loopdev, mountinfo};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::disk::OnDisk;
use crate::{LaneError, cgroup};

/// How often a busy device is asked again, and how long in between: ten seconds in all.
const PATIENCE: (u32, Duration) = (200, Duration::from_millis(50));

/// Something that a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// A folder with all that is in it, marked by [`make_folder`].
    Folder {
        /// Where.
        path: PathBuf,
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
    /// Nothing: the announcement before this was taken back.
    Withdrawn,
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

/// Makes a folder, which must not exist, and marks it as the run's. Others may only pass through it, as servers do that do not run as
/// root: what lies in it is closed to them by its own mode.
///
/// # Errors
/// If it exists, or cannot be made or marked.
pub fn make_folder(path: &Path, token: &str) -> Result<(), LaneError> {
    DirBuilder::new().mode(0o711).create(path).map_err(LaneError::io("create the folder", path))?;
    let mark = mark_of(path, token);
    let synced = File::create(&mark).and_then(|mark| mark.sync_all()).and_then(|()| File::open(path)?.sync_all());
    synced.map_err(LaneError::io("create", &mark))
}

fn mark_of(folder: &Path, token: &str) -> PathBuf {
    folder.join(format!(".fsarena-{token}"))
}

impl Made {
    /// Takes it away if it is there and bears the run's mark; says what was taken away.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] if it is the run's and stays.
    pub fn undo(&self, token: &str) -> Result<Option<String>, LaneError> {
        let done = match self {
            Self::Folder { path } => remove_folder(path, token),
            Self::Mount { path } => unmount(path),
            Self::Disk(made) => made.release(token),
            Self::Cgroup { path, home } => patiently(|| cgroup::remove(path, home, token)),
            Self::Withdrawn => Ok(None),
            Self::Loop { number, name, backing } => remove_loop(*number, name, backing),
        };
        done.map_err(|why| LaneError::Leftover { what: self.words(), why: why.to_string() })
    }

    /// Whether the kernel takes it away with the run's namespace: a mount of that name is then another's.
    pub fn ends_with_its_run(&self) -> bool {
        matches!(self, Self::Mount { .. })
    }

    fn words(&self) -> String {
        match self {
            Self::Folder { path } => format!("the folder {}", path.display()),
            Self::Mount { path } => format!("the mount {}", path.display()),
            Self::Disk(made) => format!("lanes on {}", made.path.display()),
            Self::Cgroup { path, .. } => format!("the control group {}", path.display()),
            Self::Withdrawn => "nothing".to_owned(),
            Self::Loop { number, name, .. } => format!("the loop device {number} ({name})"),
        }
    }
}

/// A folder without our mark is ours only if it is empty: we died between making and marking it.
///
/// It is opened once, not through a link, and everything in it is reached through that: whoever may rename things
/// beside it cannot lead us elsewhere.
fn remove_folder(path: &Path, token: &str) -> io::Result<Option<String>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let folder = match OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let inside = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let is_own = folder.metadata()?.uid() == rustix::process::geteuid().as_raw();
    if !is_own || !mark_of(&inside, token).exists() {
        return Ok(fs::remove_dir(path).ok().map(|()| format!("the empty folder {}", path.display())));
    }
    if let Some(mount) = mountinfo::mounts()?.iter().find(|mount| mount.point.starts_with(path)) {
        return Err(io::Error::other(format!("{} is mounted in it", mount.point.display())));
    }
    // The mark goes last: a removal that is cut short can be taken up again.
    let mark = mark_of(&inside, token);
    for entry in fs::read_dir(&inside)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false if entry.path() != mark => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    fs::remove_file(mark)?;
    fs::remove_dir(path)?;
    Ok(Some(format!("the folder {}", path.display())))
}

fn unmount(path: &Path) -> io::Result<Option<String>> {
    if !mountinfo::mounts()?.iter().any(|mount| mount.point == path) {
        return Ok(None);
    }
    patiently(|| fsarena_sys::mount::unmount_plainly(path).map_err(io::Error::from))?;
    Ok(Some(format!("the mount {}", path.display())))
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
    Ok(Some(format!("the loop device {number}")))
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
