//! Mounts, from `/proc/PID/mountinfo` (proc_pid_mountinfo(5)).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use fsarena_model::distinct;
use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, StatxFlags, major, makedev, minor, statfs, statvfs, statx};

use crate::block;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The kernel's ID of the mount.
    pub id: u64,
    /// Device number; that of btrfs and of file systems without a device belongs to no block device.
    pub device: u64,
    /// The mount point.
    pub point: PathBuf,
    /// The mount's own options, such as `rw,noatime`.
    pub options: String,
    /// The file system's type, such as `ext4`.
    pub kind: String,
    /// The device, or another name of the source.
    pub source: String,
    /// The file system's own options.
    pub super_options: String,
}

impl Mount {
    /// Mount and file-system options as the kernel reports them, each once.
    pub fn all_options(&self) -> String {
        let all = self.options.split(',').chain(self.super_options.split(','));
        distinct(all.filter(|option| !option.is_empty())).join(",")
    }

    /// Whether jbd2 works for its device (`/proc/fs/jbd2/DEVICE-INODE`), whatever its source is called.
    pub fn has_journal(&self) -> bool {
        let link = format!("/sys/dev/block/{}:{}", major(self.device), minor(self.device));
        let Ok(device) = fs::read_link(link) else { return false };
        let beginning = format!("{}-", device.file_name().unwrap_or_default().display());
        let mut journals = fs::read_dir("/proc/fs/jbd2").into_iter().flatten().flatten();
        journals.any(|journal| journal.file_name().to_string_lossy().starts_with(&beginning))
    }
}

/// The mounts that the calling thread sees; it may have its own namespace.
///
/// # Errors
/// If `/proc/thread-self/mountinfo` cannot be read.
pub fn mounts() -> io::Result<Vec<Mount>> {
    // Any user can mount something under a name that is not UTF-8: that mount is not found by its name, all others are.
    Ok(parse(&String::from_utf8_lossy(&fs::read("/proc/thread-self/mountinfo")?)))
}

/// The mounts of all mount namespaces that have a process, the caller's first. A process that ends meanwhile is
/// omitted.
///
/// # Errors
/// If the caller's mounts, or the list of processes, cannot be read.
pub fn everywhere() -> io::Result<Vec<Mount>> {
    let mut all = mounts()?;
    let mut seen: BTreeSet<PathBuf> = fs::read_link("/proc/thread-self/ns/mnt").into_iter().collect();
    for process in fs::read_dir("/proc")?.filter_map(Result::ok) {
        let folder = process.path();
        let Ok(namespace) = fs::read_link(folder.join("ns/mnt")) else { continue };
        if seen.insert(namespace) {
            let text = fs::read(folder.join("mountinfo")).unwrap_or_default();
            all.extend(parse(&String::from_utf8_lossy(&text)));
        }
    }
    Ok(all)
}

/// The mount in which `path` lies. In a chroot whose root is no mount point, the kernel hides that mount, and without
/// `/proc` there is no table: then only its device, its type and the most common options are known.
///
/// # Errors
/// If the path or the table cannot be read.
pub fn mount_of(path: &Path) -> io::Result<Mount> {
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID)?;
    let known = match mounts() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        mounts => mounts?,
    };
    match known.into_iter().find(|mount| mount.id == found.stx_mnt_id) {
        Some(mount) => Ok(mount),
        None => hidden(path, found.stx_mnt_id, makedev(found.stx_dev_major, found.stx_dev_minor)),
    }
}

/// A mount as the file system itself reports it; its type is the magic number of statfs(2).
fn hidden(path: &Path, id: u64, device: u64) -> io::Result<Mount> {
    let flags = statvfs(path)?.f_flag;
    let named = [
        (StatVfsMountFlags::RDONLY, "ro"),
        (StatVfsMountFlags::SYNCHRONOUS, "sync"),
        (StatVfsMountFlags::NOATIME, "noatime"),
        (StatVfsMountFlags::RELATIME, "relatime"),
    ];
    let is_set = |(flag, name)| flags.contains(flag).then_some(name);
    let options: Vec<&str> = named.into_iter().filter_map(is_set).collect();
    let kind = format!("{:#x}", statfs(path)?.f_type);
    let (point, options) = (PathBuf::from("/"), options.join(","));
    Ok(Mount { id, device, point, options, kind, source: String::new(), super_options: String::new() })
}

/// Parses the text of a mountinfo file; omits malformed lines.
pub fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ');
    let id = fields.next()?.parse().ok()?;
    let device = block::number(fields.nth(1)?)?;
    let point = PathBuf::from(unescape(fields.nth(1)?));
    let options = fields.next()?.to_owned();
    let mut fields = after.split(' ');
    let kind = fields.next()?.to_owned();
    let source = unescape(fields.next()?).to_string_lossy().into_owned();
    let super_options = fields.next().unwrap_or_default().to_owned();
    Some(Mount { id, device, point, options, kind, source, super_options })
}

/// Decodes a field of the kernel's tables, or of fstab(5): space, tab, newline and backslash are written as three octal
/// digits.
pub fn unescape(field: &str) -> OsString {
    let mut parts = field.split('\\');
    let mut plain = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(byte.unwrap_or(b'\\'));
        plain.extend_from_slice(if byte.is_some() { &part.as_bytes()[3..] } else { part.as_bytes() });
    }
    OsString::from_vec(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r"36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";

    #[test]
    fn a_hidden_mount_is_known_by_the_file_system_itself() {
        let known = mount_of(Path::new("/dev/shm")).expect("it is mounted");
        let found = hidden(Path::new("/dev/shm"), known.id, known.device).expect("it is there");
        assert_eq!((found.kind.as_str(), found.device, found.id), ("0x1021994", known.device, known.id));
        assert_eq!(found.source, "");
    }

    #[test]
    fn a_line_is_taken_apart() {
        let mounts = parse(LINE);
        assert_eq!(mounts.len(), 1);
        assert_eq!(mounts[0].id, 36);
        assert_eq!(mounts[0].device, makedev(98, 0));
        assert_eq!(mounts[0].point, PathBuf::from("/mnt 2"));
        assert_eq!(mounts[0].kind, "ext3");
        assert_eq!(mounts[0].source, "/dev/root");
        assert_eq!(mounts[0].all_options(), "rw,noatime,errors=continue");
    }

    #[test]
    fn rubbish_is_left_out() {
        assert!(parse("rubbish\n\n1 2 - ext4").is_empty());
    }

    #[test]
    fn the_root_is_mounted() {
        let root = mount_of(Path::new("/")).expect("the root has a mount");
        assert_eq!(root.point, PathBuf::from("/"));
        assert!(everywhere().expect("readable").contains(&root));
    }
}
