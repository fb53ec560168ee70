//! Attributes of files and directories: inode flags (ioctl_iflags(2)), extended flags with the project
//! (ioctl_fsgetxattr(2)), and the compression property of btrfs (btrfs-property(8)).

use std::os::fd::AsFd;

use rustix::fs::{fgetxattr, ioctl_getflags};
use rustix::ioctl::{Getter, Opcode, ioctl};

/// `FS_IOC_FSGETXATTR` of `linux/fs.h`.
const FSGETXATTR: Opcode = 0x801c_581f;

/// `struct fsxattr` of `linux/fs.h`.
#[repr(C)]
#[derive(Default)]
struct Extended {
    flags: u32,
    extent_size: u32,
    extents: u32,
    project: u32,
    cow_extent_size: u32,
    padding: [u8; 8],
}

/// Inode flags that change what the file system does with a file, by their bit (`linux/fs.h`, `FS_*_FL`).
const FLAGS: [(u32, &str); 11] = [
    (0x4, "compressed"),
    (0x8, "sync"),
    (0x80, "noatime"),
    (0x400, "nocompress"),
    (0x800, "encrypted"),
    (0x4000, "journal-data"),
    (0x1_0000, "dirsync"),
    (0x10_0000, "verity"),
    (0x80_0000, "nocow"),
    (0x200_0000, "dax"),
    (0x4000_0000, "casefold"),
];

/// Extended flags that have no inode flag (`FS_XFLAG_*`): for a file, and what a directory hands down.
const EXTENDED: [(u32, &str); 4] =
    [(0x1, "realtime"), (0x100, "realtime"), (0x800, "extent-size"), (0x1000, "extent-size")];

/// The attributes of an open file or directory by name, such as `nocow`, `compress=zstd` or `project=42`; empty where
/// the file system has none. Those of [`FLAGS`] and [`EXTENDED`].
pub fn attributes(file: impl AsFd) -> Vec<String> {
    let flags = ioctl_getflags(&file).map_or(0, |flags| flags.bits());
    // SAFETY: the request writes one `fsxattr`.
    let extended = unsafe { ioctl(&file, Getter::<FSGETXATTR, Extended>::new()) }.unwrap_or_default();
    let of_inode = FLAGS.iter().filter(|(bit, _)| flags & bit != 0);
    let further = EXTENDED.iter().filter(|(bit, _)| extended.flags & bit != 0);
    let mut names: Vec<String> = of_inode.chain(further).map(|(_, name)| (*name).to_owned()).collect();
    names.extend((extended.project != 0).then(|| format!("project={}", extended.project)));
    let mut value = [0_u8; 32];
    let length = fgetxattr(&file, "btrfs.compression", &mut value[..]).unwrap_or(0);
    names.extend((length > 0).then(|| format!("compress={}", String::from_utf8_lossy(&value[..length]))));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_the_kernels_size() {
        assert_eq!(size_of::<Extended>(), 28);
    }

    #[test]
    fn a_new_file_has_no_attributes() {
        assert_eq!(attributes(tempfile::tempfile_in("/dev/shm").expect("temporary file")), Vec::<String>::new());
    }
}
