//! Mounts with fsopen, fsconfig and fsmount, which provide the kernel's message about a refusal.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, FsPickFlags, MountAttrFlags, MoveMountFlags, UnmountFlags, fsconfig_create,
    fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, fspick, move_mount, unmount,
};

use crate::{Access, fault, mountinfo};

/// Why the kernel refused a mount.
#[derive(Debug, thiserror::Error)]
#[error("{} ({errno})", self.message())]
pub struct MountError {
    /// The system call's error.
    pub errno: Errno,
    /// The kernel's message; often empty.
    pub words: String,
    /// The step that failed.
    pub step: String,
}

impl MountError {
    fn new(errno: Errno, words: String, step: impl Into<String>) -> Self {
        Self { errno, words, step: step.into() }
    }

    fn message(&self) -> &str {
        if self.words.is_empty() { &self.step } else { &self.words }
    }
}

/// Mounts `source` as `kind` at the directory `point`, with comma-separated `options`.
///
/// # Errors
/// With the kernel's message if there is one, such as `ext4: Unknown parameter 'bogus'`.
pub fn mount(kind: &str, source: &str, options: &str, point: &Path) -> Result<(), MountError> {
    injected(&format!("mount {kind}"))?;
    let context = open(kind)?;
    let failed = |step: &str, errno| MountError::new(errno, kernel_words(&context), step);
    fsconfig_set_string(context.as_fd(), "source", source).map_err(|errno| failed("set the source", errno))?;
    let attributes = set_options(&context, options)?;
    fsconfig_create(context.as_fd()).map_err(|errno| failed("the mount fails", errno))?;
    let mounted = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
        .map_err(|errno| failed("make the mount", errno))?;
    move_mount(mounted.as_fd(), "", rustix::fs::CWD, point, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .map_err(|errno| failed(&format!("attach it at {}", point.display()), errno))
}

/// Asks the kernel whether the file system `kind` knows the comma-separated `options`, without mounting anything. This
/// finds no error that depends on the content of the file system, and none for kinds that check their options only at
/// the mount.
///
/// # Errors
/// With the kernel's message if there is one; also if the caller may not mount.
pub fn check_options(kind: &str, options: &str) -> Result<(), MountError> {
    set_options(&open(kind)?, options).map(|_| ())
}

fn open(kind: &str) -> Result<OwnedFd, MountError> {
    fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC).map_err(|errno| {
        MountError::new(errno, String::new(), format!("the kernel does not know the file system `{kind}`"))
    })
}

/// Sets the options of the file system, and returns those of the mount.
fn set_options(context: &OwnedFd, options: &str) -> Result<MountAttrFlags, MountError> {
    let mut attributes = MountAttrFlags::empty();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        match attribute(option) {
            Some(flag) => attributes |= flag,
            None => {
                let set = match option.split_once('=') {
                    Some((key, value)) => fsconfig_set_string(context.as_fd(), key, value),
                    None => fsconfig_set_flag(context.as_fd(), option),
                };
                let step = format!("option `{option}`");
                set.map_err(|errno| MountError::new(errno, kernel_words(context), step))?;
            }
        }
    }
    Ok(attributes)
}

/// Changes the access of the mounted file system at `point`, and leaves all other options as they are (fspick(2)). The
/// kernel completes deferred work before it makes one read-only.
///
/// # Errors
/// `EBUSY` for read-only while a file is open for writing.
pub fn reconfigure(point: &Path, access: Access) -> Result<(), MountError> {
    let flag = if access == Access::ReadOnly { "ro" } else { "rw" };
    let step = format!("make it {flag}");
    injected(&step)?;
    let context = fspick(rustix::fs::CWD, point, FsPickFlags::FSPICK_CLOEXEC)
        .map_err(|errno| MountError::new(errno, String::new(), &step))?;
    let done = fsconfig_set_flag(context.as_fd(), flag).and_then(|()| fsconfig_reconfigure(context.as_fd()));
    done.map_err(|errno| MountError::new(errno, kernel_words(&context), &step))
}

/// Removes the mount at `point`; never lazily, since a lane must be free afterwards.
///
/// # Errors
/// `EBUSY` while it is in use.
pub fn unmount_plainly(point: &Path) -> Result<(), Errno> {
    injected("unmount").map_err(|error| error.errno)?;
    unmount(point, UnmountFlags::NOFOLLOW)
}

/// Unmounts what is mounted below `directory` in the caller's namespace, the last mount first.
///
/// # Errors
/// `EBUSY` while one of them is in use.
pub fn unmount_below(directory: &Path) -> io::Result<()> {
    let mounts = mountinfo::mounts()?.into_iter().rev();
    let mut below = mounts.filter(|mount| mount.point.starts_with(directory) && mount.point != directory);
    below.try_for_each(|mount| Ok(unmount_plainly(&mount.point)?))
}

fn injected(step: &str) -> Result<(), MountError> {
    fault::step(step)
        .map_err(|error| MountError::new(Errno::from_io_error(&error).unwrap_or(Errno::IO), String::new(), step))
}

/// Whether a mount option is for fstab(5), mount(8) and systemd.mount(5) alone: it says who mounts when, and never
/// reaches the kernel.
pub fn is_of_fstab(option: &str) -> bool {
    const WORDS: [&str; 11] =
        ["auto", "noauto", "user", "nouser", "users", "owner", "group", "nofail", "fail", "_netdev", "comment"];
    let name = option.split('=').next().unwrap_or(option);
    WORDS.contains(&name) || name.to_ascii_lowercase().starts_with("x-")
}

/// Options that belong to the mount and not to the file system.
fn attribute(option: &str) -> Option<MountAttrFlags> {
    Some(match option {
        "noatime" => MountAttrFlags::MOUNT_ATTR_NOATIME,
        "relatime" | "rw" | "suid" | "dev" | "exec" | "defaults" | "atime" | "diratime" | "symfollow" | "silent"
        | "loud" | "norelatime" | "nostrictatime" => MountAttrFlags::empty(),
        "nosymfollow" => MountAttrFlags::MOUNT_ATTR_NOSYMFOLLOW,
        "strictatime" => MountAttrFlags::MOUNT_ATTR_STRICTATIME,
        "nodiratime" => MountAttrFlags::MOUNT_ATTR_NODIRATIME,
        "nosuid" => MountAttrFlags::MOUNT_ATTR_NOSUID,
        "nodev" => MountAttrFlags::MOUNT_ATTR_NODEV,
        "noexec" => MountAttrFlags::MOUNT_ATTR_NOEXEC,
        _ => return None,
    })
}

/// The kernel's messages in the context, without the letter for the kind of message.
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
    fn mount_options_are_distinguished_from_file_system_options() {
        assert!(attribute("noatime").is_some());
        assert!(attribute("compress=zstd").is_none());
        for word in ["silent", "loud", "norelatime", "nostrictatime"] {
            assert_eq!(attribute(word), Some(MountAttrFlags::empty()), "{word}");
        }
    }

    #[test]
    fn words_that_only_fstab_knows_are_recognised() {
        for word in ["nofail", "_netdev", "noauto", "user", "x-systemd.automount", "X-mount.mkdir=0755", "comment=x"] {
            assert!(is_of_fstab(word), "{word}");
        }
        for word in ["noatime", "usrquota", "user_xattr", "grpid", "xino", "defaults"] {
            assert!(!is_of_fstab(word), "{word}");
        }
    }
}
