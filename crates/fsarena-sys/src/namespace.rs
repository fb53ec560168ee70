//! A mount namespace of the run's own: what is mounted in it goes away with the process, even when that is killed.

use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::UnshareFlags;

/// Moves this process into a mount namespace of its own, from which nothing spreads to the machine's. What the machine
/// unmounts goes away here as well (MS_SLAVE): a private copy would keep a stick busy that somebody pulls out.
///
/// It has to be called before any other thread is started: the kernel moves the calling thread only.
///
/// # Errors
/// `EPERM` without the right to do so.
pub fn enter_private_mounts() -> Result<(), Errno> {
    // SAFETY: a new mount namespace does not change what any file descriptor or memory of this process means.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS)? };
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM)
}
