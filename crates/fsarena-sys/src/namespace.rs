//! A mount namespace of the run's own: its mounts disappear with the process, even if that is killed.

use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::UnshareFlags;

/// Moves this process into its own mount namespace, from which no mount propagates to the machine's. Unmounts of the
/// machine propagate to it (MS_SLAVE) where its mounts are shared, as systemd makes them. What was mounted privately, as
/// in many containers, stays in the namespace until this process ends, and so its device stays busy.
///
/// Call it before any other thread is started: the kernel moves only the calling thread.
///
/// # Errors
/// `EPERM` without the privilege.
pub fn enter_private_mounts() -> Result<(), Errno> {
    // SAFETY: a new mount namespace does not change what any file descriptor or memory of this process means.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS)? };
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM)
}

/// Moves the calling thread into its own network namespace, with a loopback interface that is down. Abstract sockets,
/// such as the lock of one run at a time, belong to a network namespace: tests use this to start runs at the same time.
///
/// # Errors
/// `EPERM` without the privilege.
pub fn enter_private_network() -> Result<(), Errno> {
    // SAFETY: a new network namespace does not change what any file descriptor or memory of this process means.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }
}
