//! Properties of an open block device (linux/fs.h, `block/ioctl.c`).

use std::ffi::c_int;
use std::fs::File;
use std::io;

use rustix::fs::{major, makedev, minor};
use rustix::io::Errno;
use rustix::ioctl::{Getter, NoArg, Opcode, ioctl};

const BLKFLSBUF: Opcode = 0x1261;
const BLKROGET: Opcode = 0x125E;
const BLKGETSIZE64: Opcode = 0x8008_1272;
const BLKGETDISKSEQ: Opcode = 0x8008_1280;

/// The kernel's own number of the block device of this name below `/sys/block`, as its tracepoints report it; `None` if
/// there is none.
pub fn kernel_number(name: &str) -> Option<u64> {
    number(&std::fs::read_to_string(format!("/sys/block/{name}/dev")).ok()?).map(kernels_own)
}

/// The hardware queues of the block device of this name below `/sys/block`: at least one.
pub fn hardware_queues(name: &str) -> usize {
    std::fs::read_dir(format!("/sys/block/{name}/mq")).map_or(1, Iterator::count).max(1)
}

/// `MKDEV` of `include/linux/kdev_t.h`.
fn kernels_own(number: u64) -> u64 {
    u64::from(major(number)) << 20 | u64::from(minor(number))
}

/// The device number that the kernel writes as `8:1`.
pub fn number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Whether the device of this name below `/sys/block` has a journal of jbd2 in use, as that of ext4
/// (`/proc/fs/jbd2/DEVICE-INODE`).
pub fn has_journal(name: &str) -> bool {
    let mut entries = std::fs::read_dir("/proc/fs/jbd2").into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{name}-")))
}

/// Size of the device in bytes.
///
/// # Errors
/// `ENOTTY` if it is not a block device.
pub fn size(device: &File) -> io::Result<u64> {
    // SAFETY: the request writes one `u64`.
    Ok(unsafe { ioctl(device, Getter::<BLKGETSIZE64, u64>::new()) }?)
}

/// Whether the device refuses writes.
///
/// # Errors
/// `ENOTTY` if it is not a block device.
pub fn is_read_only(device: &File) -> io::Result<bool> {
    // SAFETY: the request writes one `int`.
    Ok(unsafe { ioctl(device, Getter::<BLKROGET, c_int>::new()) }? != 0)
}

/// Sequence number: no other disk, and no other medium or file behind the same device, has had it since boot. `None`
/// before Linux 5.15.
///
/// # Errors
/// Any error of the kernel, except that it does not know the request.
pub fn sequence(device: &File) -> io::Result<Option<u64>> {
    // SAFETY: the request writes one `u64`.
    match unsafe { ioctl(device, Getter::<BLKGETDISKSEQ, u64>::new()) } {
        Err(Errno::NOTTY | Errno::INVAL) => Ok(None),
        number => Ok(Some(number?)),
    }
}

/// Writes back and forgets what the kernel has cached of the device itself. The kernel does that when the last user
/// closes the device.
///
/// # Errors
/// `ENOTTY` if it is not a block device; `EACCES` without `CAP_SYS_ADMIN`.
pub fn forget(device: &File) -> io::Result<()> {
    // SAFETY: the request takes no argument.
    Ok(unsafe { ioctl(device, NoArg::<BLKFLSBUF>::new()) }?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_numbered_as_the_kernel_does_within() {
        assert_eq!(number("7:1000\n").map(kernels_own), Some((7 << 20) + 1000));
        assert_eq!(number("7"), None);
    }

    #[test]
    fn a_file_is_not_a_block_device() {
        let file = tempfile::tempfile().expect("temporary file");
        assert!(size(&file).is_err() && is_read_only(&file).is_err() && forget(&file).is_err());
        assert_eq!(sequence(&file).ok().flatten(), None);
    }
}
