//! Finds what uses a block device. All checks use the device number: a path may refer to another device at any time.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use fsarena_sys::{block, loopdev, mountinfo};

use super::signature::Tags;

/// A block device in sysfs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockNode {
    number: u64,
    pub folder: PathBuf,
}

impl BlockNode {
    /// The block device with that number, if it exists.
    pub fn of(number: u64) -> Option<Self> {
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let folder = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
        Some(Self { number, folder })
    }

    /// The block device that this is, or on which this file lies. Files of btrfs have a device number that belongs to no
    /// block device: then `None`.
    pub fn at(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Self::of(if found.file_type().is_block_device() { found.rdev() } else { found.dev() })
    }

    /// The block device with that name, if it exists.
    pub fn named(name: &str) -> Option<Self> {
        let text = fs::read_to_string(Path::new("/sys/class/block").join(name).join("dev")).ok()?;
        Self::of(block::number(&text)?)
    }

    /// The disk of which this is a partition.
    pub fn whole(&self) -> Option<Self> {
        self.partition()?;
        let folder = self.folder.parent()?.to_owned();
        let number = block::number(&fs::read_to_string(folder.join("dev")).ok()?)?;
        Some(Self { number, folder })
    }

    pub fn partition(&self) -> Option<String> {
        self.attribute("partition")
    }

    /// Its name below `/sys/class/block`.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// An attribute in its folder in sysfs; `None` if it is missing or empty.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let text = fs::read(self.folder.join(name)).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Its number and, for a partition, that of the whole disk.
    fn numbers(&self) -> Vec<u64> {
        [self.number].into_iter().chain(self.whole().map(|whole| whole.number)).collect()
    }

    fn loop_number(&self) -> Option<u32> {
        self.name().strip_prefix("loop")?.parse().ok()
    }
}

/// What uses the device, according to the kernel; `None` if it is unused. If this cannot be determined, it counts as used.
pub fn user(node: &BlockNode) -> io::Result<Option<String>> {
    let checks = [read_only, divided, held, mounted, swapped, beneath_loop, above_other];
    checks.iter().find_map(|check| check(node).transpose()).transpose()
}

fn read_only(node: &BlockNode) -> io::Result<Option<String>> {
    let is_read_only = node.attribute("ro").is_some_and(|flag| flag != "0");
    Ok(is_read_only.then(|| "it is read-only".to_owned()))
}

fn divided(node: &BlockNode) -> io::Result<Option<String>> {
    let partition = entries(&node.folder)?.into_iter().find(|entry| entry.join("partition").exists());
    Ok(partition.map(|partition| format!("it has partitions, such as {}; name one of them", last(&partition))))
}

/// Devices that are built on it: RAID, the device mapper (LVM, dm-crypt, multipath), bcache.
fn held(node: &BlockNode) -> io::Result<Option<String>> {
    for member in [Some(node.clone()), node.whole()].into_iter().flatten() {
        if let Some(holder) = entries(&member.folder.join("holders"))?.first() {
            let name = fs::read_to_string(holder.join("dm/name")).unwrap_or_default();
            let name = if name.is_empty() { last(holder) } else { format!("{} ({})", last(holder), name.trim()) };
            return Ok(Some(format!("the device {name} is built on {}", member.name())));
        }
    }
    Ok(None)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other?.map(|entry| Ok(entry?.path())).collect(),
    }
}

fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Checks the mounts of all namespaces. The device number of some file systems is not that of a block device: for
/// these, compares the source of the mount.
fn mounted(node: &BlockNode) -> io::Result<Option<String>> {
    let numbers = node.numbers();
    let mounts = mountinfo::everywhere()?;
    let is_on_it =
        |mount: &&mountinfo::Mount| numbers.contains(&mount.device) || is_one(Path::new(&mount.source), &numbers);
    Ok(mounts.iter().find(is_on_it).map(|mount| format!("it is mounted at {}", mount.point.display())))
}

/// The text of a file; empty if there is no such file.
fn read_if_there(path: &str) -> io::Result<String> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        other => Ok(String::from_utf8_lossy(&other?).into_owned()),
    }
}

fn is_one(path: &Path, numbers: &[u64]) -> bool {
    path.is_absolute()
        && fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device() && numbers.contains(&found.rdev()))
}

fn swapped(node: &BlockNode) -> io::Result<Option<String>> {
    let numbers = node.numbers();
    let table = read_if_there("/proc/swaps")?;
    let mut paths = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let is_swap = paths.any(|path| is_one(Path::new(&mountinfo::unescape(path)), &numbers));
    Ok(is_swap.then(|| "it is used as swap space".to_owned()))
}

/// A loop device does not claim its backing device, so `O_EXCL` does not detect it.
fn beneath_loop(node: &BlockNode) -> io::Result<Option<String>> {
    let numbers = node.numbers();
    let bound = bound_loops()?;
    let on_it = bound.iter().find(|(_, binding)| numbers.contains(&binding.backing_device));
    Ok(on_it.map(|(number, _)| format!("the loop device {} uses it", loopdev::device_path(*number).display())))
}

/// A loop device over another block device, or over a file that a second loop device uses: users of these do not claim
/// this device.
fn above_other(node: &BlockNode) -> io::Result<Option<String>> {
    let node = node.whole().unwrap_or_else(|| node.clone());
    let bound = bound_loops()?;
    let own = bound.iter().find(|(number, _)| Some(*number) == node.loop_number());
    let Some((number, binding)) = own else { return Ok(None) };
    if binding.backing_device != 0 {
        let path = node.attribute("loop/backing_file").unwrap_or_default();
        return Ok(Some(format!("it is a loop device over the block device {path}; name that one")));
    }
    let is_twin = |(other, twin): &&(u32, loopdev::Binding)| {
        other != number && (twin.device, twin.inode) == (binding.device, binding.inode)
    };
    let twin = bound.iter().find(is_twin);
    Ok(twin.map(|(twin, _)| format!("{} has the same file behind it", loopdev::device_path(*twin).display())))
}

fn bound_loops() -> io::Result<Vec<(u32, loopdev::Binding)>> {
    let mut bound = Vec::new();
    for folder in entries(Path::new("/sys/block"))?.into_iter().filter(|folder| folder.join("loop").exists()) {
        let Some(number) = last(&folder).strip_prefix("loop").and_then(|number| number.parse().ok()) else { continue };
        match loopdev::binding(number)? {
            Some(binding) => bound.push((number, binding)),
            None if !folder.join("loop").exists() => {}
            None => return Err(io::Error::other(format!("what is behind {} cannot be determined", last(&folder)))),
        }
    }
    Ok(bound)
}

/// System tables that name devices, even while these are unused, and the field with the name.
const TABLES: [(&str, usize); 2] = [("/etc/fstab", 0), ("/etc/crypttab", 1)];

/// The system table that names the device by path, link or tag, with its entry; `None` if no table does.
///
/// # Errors
/// If a table exists and cannot be read.
pub fn named(node: &BlockNode, tags: &Tags) -> io::Result<Option<String>> {
    for (table, field) in TABLES {
        let text = read_if_there(table)?;
        if let Some(spec) = specs(&text, field).find(|spec| is_meant(spec, &node.numbers(), tags)) {
            return Ok(Some(format!("{table} names it: {spec}")));
        }
    }
    Ok(None)
}

/// The device field of each line that is not a comment (fstab(5), crypttab(5)).
fn specs(table: &str, field: usize) -> impl Iterator<Item = &str> {
    let lines = table.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| line.split_whitespace().nth(field))
}

fn is_meant(spec: &str, numbers: &[u64], tags: &Tags) -> bool {
    let Some((tag, value)) = spec.split_once('=').filter(|(tag, _)| !tag.contains('/')) else {
        return is_one(Path::new(&mountinfo::unescape(spec)), numbers);
    };
    let value = mountinfo::unescape(value.trim_matches(['"', '\''])).to_string_lossy().into_owned();
    let link = Path::new("/dev/disk").join(format!("by-{}", tag.to_lowercase())).join(&value);
    tags.has(tag, &value) || is_one(&link, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_in_tables_are_found_by_path_and_tag() {
        let fstab = "# /dev/sda1 / ext4\n\n UUID=\"AB-1\" /boot vfat defaults 0 1\nLABEL=my\\040data /data xfs\n";
        assert_eq!(specs(fstab, 0).collect::<Vec<_>>(), ["UUID=\"AB-1\"", "LABEL=my\\040data"]);
        assert_eq!(specs("swap /dev/sdb2 /dev/urandom swap\n", 1).collect::<Vec<_>>(), ["/dev/sdb2"]);
        let tags = Tags::parse("UUID=ab-1\nLABEL=my\\ data\nPART_ENTRY_UUID=7\n");
        for meant in ["UUID=\"AB-1\"", "LABEL=my\\040data", "PARTUUID=7"] {
            assert!(is_meant(meant, &[], &tags), "{meant}");
        }
        for other in ["UUID=ab-2", "LABEL=my", "PARTLABEL=7", "/dev/null", "tmpfs", "UUID="] {
            assert!(!is_meant(other, &[0], &tags), "{other}");
        }
    }

    #[test]
    fn a_loop_device_has_a_number_and_its_partitions_have_none() {
        let node = |name: &str| BlockNode { number: 0, folder: PathBuf::from("/sys/block").join(name) };
        assert_eq!(node("loop7").loop_number(), Some(7));
        assert_eq!(node("loop7p1").loop_number(), None);
        assert_eq!(node("sda").loop_number(), None);
    }
}
