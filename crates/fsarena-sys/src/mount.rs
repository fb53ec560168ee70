//! Mounting with fsopen, fsconfig and fsmount, so that the kernel's own words about a refusal are at hand.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, FsPickFlags, MountAttrFlags, MoveMountFlags, UnmountFlags, fsconfig_create,
    fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, fspick, move_mount, unmount,
};

use crate::fault;

/// Why the kernel refused a mount.
#[derive(Debug, thiserror::Error)]
#[error("{} ({errno})", self.said())]
pub struct MountError {
    /// The system call's error.
    pub errno: Errno,
    /// What the kernel wrote about it; often empty.
    pub words: String,
    /// What was being done.
    pub step: String,
}

impl MountError {
    fn said(&self) -> &str {
        if self.words.is_empty() { &self.step } else { &self.words }
    }
}

/// Mounts `source` as `kind` at the directory `point`, with comma-separated `options`.
///
/// # Errors
/// With the kernel's own words where it has any, such as `ext4: Unknown parameter 'bogus'`.
pub fn mount(kind: &str, source: &str, options: &str, point: &Path) -> Result<(), MountError> {
    injected(&format!("mount {kind}"))?;
    let context = open(kind)?;
    let failed = |step: &str, errno| MountError { errno, words: kernel_words(&context), step: step.to_owned() };
    fsconfig_set_string(context.as_fd(), "source", source).map_err(|errno| failed("set the source", errno))?;
    let attributes = set_options(&context, options)?;
    fsconfig_create(context.as_fd()).map_err(|errno| failed("read the file system", errno))?;
    let mounted = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
        .map_err(|errno| failed("make the mount", errno))?;
    move_mount(mounted.as_fd(), "", rustix::fs::CWD, point, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .map_err(|errno| failed(&format!("attach it at {}", point.display()), errno))
}

/// Asks the kernel whether the file system `kind` knows the comma-separated `options`; nothing is mounted. What depends
/// on the file system's own content is not found, nor is anything for kinds that look at their options only when they
/// are mounted.
///
/// # Errors
/// With the kernel's own words where it has any; also where the caller may not mount.
pub fn check_options(kind: &str, options: &str) -> Result<(), MountError> {
    set_options(&open(kind)?, options).map(|_| ())
}

fn open(kind: &str) -> Result<OwnedFd, MountError> {
    fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC).map_err(|errno| MountError {
        errno,
        words: String::new(),
        step: format!("the kernel does not know the file system `{kind}`"),
    })
}

/// Sets those of the file system, and gives those of the mount.
fn set_options(context: &OwnedFd, options: &str) -> Result<MountAttrFlags, MountError> {
    let mut attributes = MountAttrFlags::empty();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        match attribute(option) {
            Some(flag) => attributes |= flag,
            None => configure(context, option).map_err(|errno| MountError {
                errno,
                words: kernel_words(context),
                step: format!("option `{option}`"),
            })?,
        }
    }
    Ok(attributes)
}

/// Whether a file system may be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It may not: what it had left for later is done.
    ReadOnly,
    /// It may.
    ReadWrite,
}

/// Gives the mounted file system at `point` another access, and leaves all other options as they are (fspick(2)).
///
/// # Errors
/// `EBUSY` to read-only while a file is open for writing.
pub fn reconfigure(point: &Path, access: Access) -> Result<(), MountError> {
    let flag = if access == Access::ReadOnly { "ro" } else { "rw" };
    let step = format!("make it {flag}");
    let failed = |errno, words| MountError { errno, words, step: step.clone() };
    injected(&step)?;
    let context =
        fspick(rustix::fs::CWD, point, FsPickFlags::FSPICK_CLOEXEC).map_err(|errno| failed(errno, String::new()))?;
    let done = fsconfig_set_flag(context.as_fd(), flag).and_then(|()| fsconfig_reconfigure(context.as_fd()));
    done.map_err(|errno| failed(errno, kernel_words(&context)))
}

/// Takes away the mount at `point`; never lazily, since a lane must be free afterwards.
///
/// # Errors
/// `EBUSY` while somebody uses it.
pub fn unmount_plainly(point: &Path) -> Result<(), Errno> {
    injected("unmount").map_err(|error| error.errno)?;
    unmount(point, UnmountFlags::NOFOLLOW)
}

fn injected(step: &str) -> Result<(), MountError> {
    let failed = |error: std::io::Error| MountError {
        errno: Errno::from_io_error(&error).unwrap_or(Errno::IO),
        words: String::new(),
        step: step.to_owned(),
    };
    fault::step(step).map_err(failed)
}

fn configure(context: &OwnedFd, option: &str) -> Result<(), Errno> {
    match option.split_once('=') {
        Some((key, value)) => fsconfig_set_string(context.as_fd(), key, value),
        None => fsconfig_set_flag(context.as_fd(), option),
    }
}

/// Options that belong to the mount and not to the file system.
fn attribute(option: &str) -> Option<MountAttrFlags> {
    Some(match option {
        "noatime" => MountAttrFlags::MOUNT_ATTR_NOATIME,
        "relatime" | "rw" | "suid" | "dev" | "exec" | "defaults" => MountAttrFlags::empty(),
        "strictatime" => MountAttrFlags::MOUNT_ATTR_STRICTATIME,
        "nodiratime" => MountAttrFlags::MOUNT_ATTR_NODIRATIME,
        "nosuid" => MountAttrFlags::MOUNT_ATTR_NOSUID,
        "nodev" => MountAttrFlags::MOUNT_ATTR_NODEV,
        "noexec" => MountAttrFlags::MOUNT_ATTR_NOEXEC,
        _ => return None,
    })
}

/// What the kernel wrote into the context, without the letter for the kind of message.
fn kernel_words(context: &OwnedFd) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut buffer = [0_u8; 1024];
    while let Ok(length @ 1..) = rustix::io::read(context, &mut buffer) {
        let line = String::from_utf8_lossy(&buffer[..length]);
        words.push(line.trim_start_matches(['e', 'w', 'i']).trim().to_owned());
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_options_are_told_from_file_system_options() {
        assert!(attribute("noatime").is_some());
        assert!(attribute("compress=zstd").is_none());
    }
}
