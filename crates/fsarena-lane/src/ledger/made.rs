//! What a run makes, and how it is removed: only what is the run's by device and inode, or by the run's token.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fsarena_sys::directory::{Directory, FileId, Removal};
use fsarena_sys::tracefs::TraceBuffer;
use fsarena_sys::{fault, loopdev, mountinfo};
use rustix::rand::GetRandomFlags;
use serde::{Deserialize, Serialize};

use super::{Cleared, Leftover};
use crate::busy::{BusyPatience, settle_udev};
use crate::cgroup;
use crate::disk::{self, OnDisk};
use crate::layer;

/// How long something may stay busy.
const PATIENCE: BusyPatience = BusyPatience::seconds(10);

/// Something that a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// A directory, removed with its contents.
    Directory {
        /// Its path; the parent's path has no symbolic links.
        path: PathBuf,
        /// Its device and inode; `None` until it is made.
        id: Option<FileId>,
    },
    /// A directory above those of the run, removed if it is empty.
    Parent {
        path: PathBuf,
        id: Option<FileId>,
    },
    /// A mount in the run's own namespace, which ends with the run: nothing is left after the run's death.
    Mount {
        path: PathBuf,
    },
    /// Label and lanes on a disk that the run has taken.
    Disk(OnDisk),
    /// A control group with the run's token in its name.
    Cgroup {
        path: PathBuf,
        /// The folder of the previous group of the run's processes.
        home: PathBuf,
    },
    Loop(BoundLoop),
    /// A parameter of a module of the kernel, changed from the value `before` to the value `set`.
    Parameter {
        path: PathBuf,
        before: String,
        set: String,
    },
    /// Layers and pools on a loop device of the run.
    Layers(BoundLoop),
    /// A buffer for events of the kernel, with the run's token in its name.
    TraceBuffer,
}

/// A loop device of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundLoop {
    pub number: u32,
    /// The name under which it is bound, with the run's token.
    pub name: String,
    /// The file to which it is bound.
    pub backing: PathBuf,
}

/// A run that has made things.
#[derive(Debug, Clone)]
pub struct DeadRun {
    /// A unique word of the run.
    pub token: String,
    /// ID of the current boot.
    pub boot: String,
    /// Whether the run began during this boot: device numbers are comparable only then.
    pub is_same_boot: bool,
}

impl DeadRun {
    pub fn new() -> io::Result<Self> {
        let mut random = [0; 8];
        // At most 256 bytes are never cut short (getrandom(2)). A chroot may lack /dev/urandom.
        rustix::rand::getrandom(&mut random[..], GetRandomFlags::empty())?;
        let boot = disk::boot().unwrap_or_default();
        Ok(Self { token: format!("{:016x}", u64::from_ne_bytes(random)), boot, is_same_boot: true })
    }
}

/// Removes all of `made`, in reverse order. What cannot be removed stays in `made`, as does a directory that contains
/// it, or its backing file.
pub fn undo(made: &mut Vec<Made>, run: &DeadRun) -> Cleared {
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
    /// Records which directory was made.
    pub fn identify(&mut self, made: FileId) {
        if let Self::Directory { id, .. } | Self::Parent { id, .. } = self {
            *id = Some(made);
        }
    }

    /// Removes it if it exists and is the run's; returns what was removed.
    fn undo(&self, run: &DeadRun) -> io::Result<Option<String>> {
        match self {
            Self::Directory { path, id } => remove_directory(path, *id, run),
            Self::Parent { path, id } => remove_parent(path, *id, run),
            Self::Mount { path } => unmount(path),
            Self::Disk(made) => made.release(&run.token),
            Self::Cgroup { path, home } => PATIENCE.wait(|| cgroup::remove(path, home, &run.token)),
            Self::Loop(device) => remove_loop(device),
            Self::Parameter { path, before, set } => set_back(path, before, set),
            Self::Layers(device) => remove_layers(device, &run.token),
            Self::TraceBuffer => PATIENCE.wait(|| remove_trace_buffer(&run.token)),
        }
    }

    /// Whether the kernel removes it with the run's namespace: a mount of that name then belongs to another process.
    pub fn ends_with_its_run(&self) -> bool {
        matches!(self, Self::Mount { .. })
    }

    /// Whether it is a directory that contains `other`, or the backing file of `other`.
    fn contains(&self, other: &Self) -> bool {
        let (Self::Directory { path, .. } | Self::Parent { path, .. }) = self else { return false };
        match other {
            Self::Directory { path: inner, .. } | Self::Parent { path: inner, .. } | Self::Mount { path: inner } => {
                inner.starts_with(path)
            }
            Self::Loop(device) | Self::Layers(device) => device.backing.starts_with(path),
            Self::Disk(_) | Self::Cgroup { .. } | Self::Parameter { .. } | Self::TraceBuffer => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Directory { path, .. } | Self::Parent { path, .. } => format!("the folder {}", path.display()),
            Self::Mount { path } => format!("the mount {}", path.display()),
            Self::Disk(made) => format!("lanes on {}", made.path.display()),
            Self::Cgroup { path, .. } => format!("the control group {}", path.display()),
            Self::Loop(BoundLoop { number, name, .. }) => format!("the loop device {number} ({name})"),
            Self::Parameter { path, .. } => format!("the parameter {}", path.display()),
            Self::Layers(device) => format!("layers on the loop device {}", device.number),
            Self::TraceBuffer => "the buffer for events of the kernel".to_owned(),
        }
    }
}

/// The directory above `path`, and the name of `path` in it; `None` if that directory does not exist.
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

fn remove_directory(path: &Path, id: Option<FileId>, run: &DeadRun) -> io::Result<Option<String>> {
    let Some((parent, name)) = parent(path)? else { return Ok(None) };
    let Some(id) = id else { return remove_if_empty(&parent, name, path) };
    require_same_device(&parent, id, run)?;
    // The removal refuses to enter a mounted file system (EXDEV).
    let removed = parent.remove(name, id.inode).map_err(|error| match error.raw_os_error() {
        Some(errno) if errno == rustix::io::Errno::XDEV.raw_os_error() => {
            io::Error::other("something is mounted in it")
        }
        _ => error,
    })?;
    Ok((removed == Removal::Done).then(|| format!("the folder {}: removed", path.display())))
}

fn remove_parent(path: &Path, id: Option<FileId>, run: &DeadRun) -> io::Result<Option<String>> {
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

/// The run may have died between making a directory and recording its identity. Removing an empty directory loses
/// nothing.
fn remove_if_empty(parent: &Directory, name: &str, path: &Path) -> io::Result<Option<String>> {
    match parent.remove_empty(name) {
        Ok(Removal::Done) => Ok(Some(format!("the empty folder {}: removed", path.display()))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(None),
        Err(error) => Err(error),
    }
}

/// Another file system may be mounted there by now, or the original one not yet. After a reboot its device number may
/// differ, so it is compared only within one boot.
fn require_same_device(parent: &Directory, id: FileId, run: &DeadRun) -> io::Result<()> {
    match run.is_same_boot && parent.id()?.device != id.device {
        true => Err(io::Error::other("another file system is mounted there now")),
        false => Ok(()),
    }
}

fn unmount(path: &Path) -> io::Result<Option<String>> {
    if !mountinfo::mounts()?.iter().any(|mount| mount.point == path) {
        return Ok(None);
    }
    PATIENCE.wait(|| fsarena_sys::mount::unmount_plainly(path).map_err(io::Error::from))?;
    Ok(Some(format!("the mount {}: unmounted", path.display())))
}

/// A device that is bound to something else no longer belongs to the run; an unbound one is removed.
fn remove_loop(device: &BoundLoop) -> io::Result<Option<String>> {
    let number = device.number;
    let bound = loopdev::binding(number)?;
    if bound.as_ref().is_some_and(|binding| !is_ours(binding, device)) {
        return Ok(None);
    }
    if bound.is_some() {
        let _ = loopdev::unbind(number);
    }
    let is_there = exists(number);
    if is_there {
        remove_unbound(number)?;
    }
    // A program of udev that opens its node at this moment makes it again (loop_probe() of the kernel).
    settle_udev();
    let is_there_again = exists(number) && loopdev::binding(number)?.is_none();
    if is_there_again {
        remove_unbound(number)?;
    }
    Ok((is_there || is_there_again).then(|| format!("the loop device {number}: removed")))
}

fn remove_unbound(number: u32) -> io::Result<()> {
    PATIENCE.wait(|| match loopdev::remove(number) {
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error()) => Ok(()),
        other => other,
    })
}

fn exists(number: u32) -> bool {
    Path::new(&format!("/sys/block/loop{number}")).exists()
}

/// What another program has set since stays.
pub fn set_back(path: &Path, before: &str, set: &str) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(now) if now.trim() == set => fs::write(path, before)?,
        _ => return Ok(None),
    }
    Ok(Some(format!("the parameter {}: set back to {before}", path.display())))
}

fn remove_trace_buffer(token: &str) -> io::Result<Option<String>> {
    fault::step("remove trace buffer")?;
    let name = super::name(token);
    Ok(TraceBuffer::remove(&name)?.then(|| format!("the buffer {name} for events of the kernel: removed")))
}

/// What lies on the run's own loop device is the run's, and so is a mapped device with the run's token.
fn remove_layers(device: &BoundLoop, token: &str) -> io::Result<Option<String>> {
    let number = device.number;
    let is_own = loopdev::binding(number)?.is_some_and(|binding| is_ours(&binding, device));
    let mut removed = if is_own { layer::take_down(&format!("loop{number}"))? } else { Vec::new() };
    removed.extend(layer::take_down_named(token)?);
    Ok((!removed.is_empty()).then(|| format!("layers on the loop device {number}: removed {}", removed.join(", "))))
}

/// The name must match and, if the backing file still exists, so must its device and inode.
fn is_ours(binding: &loopdev::Binding, device: &BoundLoop) -> bool {
    let is_it = |file: fs::Metadata| (binding.device, binding.inode) == (file.dev(), file.ino());
    binding.name == device.name && fs::metadata(&device.backing).map_or(true, is_it)
}

#[cfg(test)]
mod tests {
    use fsarena_testing::{Need, has};

    use super::*;

    /// A loop device over a file of a MiB, under the name `theirs`.
    struct Theirs {
        number: u32,
        image: tempfile::NamedTempFile,
        /// The device is unbound when this is closed.
        device: Option<fs::File>,
    }

    impl Theirs {
        fn new() -> Self {
            let image = tempfile::NamedTempFile::new().expect("temporary file");
            image.as_file().set_len(1 << 20).expect("room");
            let number = (500..600).find(|number| loopdev::add(*number).is_ok()).expect("a free number");
            let mut theirs = Self { number, image, device: None };
            let extent = loopdev::FileExtent { offset: 0, size: 1 << 20 };
            theirs.device = Some(loopdev::bind(number, theirs.image.as_file(), extent, 4096, "theirs").expect("bound"));
            theirs
        }

        fn is_bound(&self) -> bool {
            loopdev::binding(self.number).expect("readable").is_some()
        }
    }

    impl Drop for Theirs {
        fn drop(&mut self) {
            drop(self.device.take());
            let _ = loopdev::remove(self.number);
        }
    }

    #[test]
    fn a_loop_device_with_another_name_or_file_stays_bound() {
        if !has(&[Need::Root]) {
            return;
        }
        let (mut theirs, other) = (Theirs::new(), tempfile::NamedTempFile::new().expect("temporary file"));
        let number = theirs.number;
        let device =
            |name: &str, backing: &Path| BoundLoop { number, name: name.to_owned(), backing: backing.to_owned() };
        for (name, backing) in [("ours", theirs.image.path()), ("theirs", other.path())] {
            assert_eq!(remove_loop(&device(name, backing)).expect("left alone"), None);
            assert!(theirs.is_bound(), "{name}");
        }
        drop(theirs.device.take());
        let device = device("theirs", theirs.image.path());
        let removed = remove_loop(&device).expect("removed");
        assert_eq!(removed, Some(format!("the loop device {number}: removed")));
        assert!(!Path::new(&format!("/sys/block/loop{number}")).exists());
        assert_eq!(remove_loop(&device).expect("it is gone"), None);
    }

    #[test]
    fn a_loop_device_is_the_runs_by_its_name_and_its_file() {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        let found = fs::metadata(file.path()).expect("there");
        let bound = |name: &str, inode: u64| loopdev::Binding {
            name: name.to_owned(),
            device: found.dev(),
            inode,
            backing_device: 0,
        };
        let ours = |backing: &Path| BoundLoop { number: 0, name: "ours".to_owned(), backing: backing.to_owned() };
        let (there, gone) = (ours(file.path()), ours(Path::new("/no/such/file")));
        assert!(is_ours(&bound("ours", found.ino()), &there));
        assert!(!is_ours(&bound("theirs", found.ino()), &there) && !is_ours(&bound("ours", found.ino() + 1), &there));
        assert!(is_ours(&bound("ours", 1), &gone) && !is_ours(&bound("theirs", 1), &gone));
    }

    #[test]
    fn a_parameter_is_set_back_unless_another_program_has_set_it() {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        let found = || fs::read_to_string(file.path()).expect("readable");
        fs::write(file.path(), "64\n").expect("written");
        assert!(set_back(file.path(), "0", "64").expect("set back").is_some());
        assert_eq!(found(), "0");
        assert_eq!((set_back(file.path(), "1", "64").expect("left alone"), found().as_str()), (None, "0"));
        assert_eq!(set_back(Path::new("/no/such/parameter"), "0", "64").expect("the module is gone"), None);
    }

    #[test]
    fn a_folder_contains_the_files_of_its_loop_devices() {
        let folder = Made::Directory { path: "/a".into(), id: None };
        let bound = |backing: &str| BoundLoop { number: 1000, name: "ours".to_owned(), backing: backing.into() };
        let device = |backing| Made::Loop(bound(backing));
        assert!(folder.contains(&device("/a/lane")) && !folder.contains(&device("/ab/lane")));
        assert!(!device("/a/lane").contains(&folder));
    }
}
