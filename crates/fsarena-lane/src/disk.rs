//! Block devices: which lies beneath a folder, and which nobody uses.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Storage, seed};
use fsarena_sys::child::{self, Patience};
use fsarena_sys::loopdev::Extent;
use fsarena_sys::mountinfo;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::image;
use crate::space::nearest_existing;

/// Devices that are never a disk of their own.
const NOT_DISKS: &[&str] = &["loop", "ram", "zram", "sr", "fd", "nbd", "mtdblock"];

/// A partition or disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// Its device file.
    pub path: PathBuf,
    /// Its size; `None` if sysfs does not say.
    pub size: Option<Bytes>,
}

/// The whole disk beneath the lanes of `storage`, by its name below `/sys/block`, if there is exactly one.
pub fn beneath(storage: &Storage) -> Option<String> {
    let number = match storage {
        Storage::Directory(path) => fs::metadata(nearest_existing(path)).ok()?.dev(),
        Storage::Disk(path) => fs::metadata(path).ok()?.rdev(),
        Storage::Memory => return None,
    };
    let folder = sysfs(number)?;
    let disk = if folder.join("partition").exists() { folder.parent()?.to_owned() } else { folder };
    file_name(&disk)
}

/// A block device's own name, by its number.
pub fn name(number: u64) -> Option<String> {
    file_name(&sysfs(number)?)
}

fn sysfs(number: u64) -> Option<PathBuf> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
}

fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// Partitions and disks that nobody uses and on which nothing is found. They are read, never written.
///
/// # Errors
/// In words, why it cannot be told.
pub fn unused() -> Result<Vec<Disk>, String> {
    if !rustix::process::geteuid().is_root() {
        return Err("only root may look whether a disk is unused".to_owned());
    }
    if child::find_program("blkid").is_none() {
        return Err("`blkid` is not installed, so an empty disk cannot be told from a used one".to_owned());
    }
    let entries = fs::read_dir("/sys/class/block").map_err(|error| format!("/sys/class/block: {error}"))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.filter(|name| may_be_disk(name)).collect();
    names.sort();
    let disks = names.iter().map(|name| disk_at(Path::new("/dev").join(name.replace('!', "/"))));
    Ok(disks.filter(|disk| disk.size.is_some_and(|size| size.0 > 0) && why_not(&disk.path).is_none()).collect())
}

/// The disk at `path`, with its size as sysfs has it.
pub fn disk_at(path: PathBuf) -> Disk {
    let sectors = fs::metadata(&path).ok().and_then(|found| sysfs(found.rdev())).and_then(|folder| {
        let text = fs::read_to_string(folder.join("size")).ok()?;
        text.trim().parse::<u64>().ok()
    });
    Disk { path, size: sectors.map(|sectors| Bytes(sectors * 512)) }
}

fn may_be_disk(name: &str) -> bool {
    let is_one =
        |kind: &&str| name.strip_prefix(*kind).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !NOT_DISKS.iter().any(is_one)
}

/// Why lanes cannot have the device at `path`, if they cannot.
pub fn why_not(path: &Path) -> Option<String> {
    let Ok(found) = fs::metadata(path) else { return Some("it does not exist".to_owned()) };
    let Some(folder) = sysfs(found.rdev()) else { return Some("it is no block device".to_owned()) };
    if fs::read_to_string(folder.join("ro")).is_ok_and(|text| text.trim() == "1") {
        return Some("it is read-only".to_owned());
    }
    if has_entry(&folder.join("holders"), |_| true) {
        return Some("another device is built on it".to_owned());
    }
    if has_entry(&folder, |entry| entry.join("partition").exists()) {
        return Some("it has partitions; name one of them".to_owned());
    }
    mounted(path).or_else(|| claimed(path)).or_else(|| signature(path))
}

fn has_entry(folder: &Path, wanted: impl Fn(&Path) -> bool) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| wanted(&entry.path()))))
}

fn mounted(path: &Path) -> Option<String> {
    let canonical = path.canonicalize().ok()?;
    let mounts = mountinfo::mounts().ok()?;
    let mount = mounts.iter().find(|mount| Path::new(&mount.source).canonicalize().is_ok_and(|it| it == canonical))?;
    Some(format!("it is mounted at {}", mount.point.display()))
}

/// A mount in any namespace, swap, a volume group: each of them has claimed its device, and open(2) with `O_EXCL` tells.
fn claimed(path: &Path) -> Option<String> {
    let exclusive = OFlags::EXCL.bits() as i32;
    let opened: std::io::Result<File> = OpenOptions::new().read(true).custom_flags(exclusive).open(path);
    opened.err().map(|error| format!("it cannot be had: {error}"))
}

/// What blkid(8) finds; for a partition it also prints its entry in the table, which says nothing about what is on it.
fn signature(path: &Path) -> Option<String> {
    let argv = ["blkid".as_ref(), "-p".as_ref(), "-o".as_ref(), "export".as_ref(), path.as_os_str()];
    match child::run(&argv, Patience::query()) {
        Ok(ended) if ended.status.code() == Some(2) => None,
        Ok(ended) if !ended.status.success() => Some(format!("blkid finds {}", ended.words())),
        Ok(ended) => found_on(&ended.stdout),
        Err(error) => Some(format!("blkid: {error}")),
    }
}

fn found_on(export: &str) -> Option<String> {
    let says_something =
        |line: &&str| !line.is_empty() && !line.starts_with("DEVNAME=") && !line.starts_with("PART_ENTRY_");
    let found: Vec<&str> = export.lines().filter(says_something).collect();
    (!found.is_empty()).then(|| format!("blkid finds {}", found.join(" ")))
}

/// What a run puts on a disk that it found free: a file system at the start of each lane, with a UUID from the seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnDisk {
    /// The disk.
    pub path: PathBuf,
    /// The size of each lane; lane n begins at n times that.
    pub lane_size: Bytes,
    /// How many lanes there are.
    pub lanes: u64,
    /// The plan's seed.
    pub seed: u64,
}

/// All file systems have what blkid finds within this much of a lane's start.
const SIGNATURES: Bytes = Bytes::mib(1);

impl OnDisk {
    /// Takes away the signatures of the run's own file systems, so that the disk is as free as it was found; one with
    /// another UUID is another's, and so is a disk that somebody holds.
    pub fn wipe(&self) -> std::io::Result<Option<String>> {
        let exclusive = (OFlags::EXCL | OFlags::DIRECT).bits() as i32;
        let opened = OpenOptions::new().read(true).write(true).custom_flags(exclusive).open(&self.path);
        let Ok(disk) = opened else { return Ok(None) };
        let mut wiped = 0;
        for lane in 0..self.lanes {
            let start = Extent { offset: lane * self.lane_size.0, size: SIGNATURES.0.min(self.lane_size.0) };
            if self.is_own(&start)? {
                image::fill(&disk, start, self.seed, u32::MAX)?;
                wiped += 1;
            }
        }
        disk.sync_all()?;
        Ok((wiped > 0).then(|| format!("{wiped} file systems on {}", self.path.display())))
    }

    fn is_own(&self, lane: &Extent) -> std::io::Result<bool> {
        let (offset, size) = (lane.offset.to_string(), self.lane_size.0.to_string());
        let path = self.path.display().to_string();
        let argv = ["blkid", "-p", "-O", &offset, "-S", &size, "-s", "UUID", "-o", "value", &path];
        let found = child::run(&argv, Patience::unstoppable(Patience::QUERY))?;
        let uuid = found.stdout.trim();
        let mut own = (1..=MOST_ROUNDS).flat_map(|round| (0..self.lanes).map(move |contender| [round, contender]));
        Ok(!uuid.is_empty() && own.any(|numbers| seed::uuid(self.seed, UUID_PURPOSE, &numbers) == uuid))
    }
}

/// `--rounds` takes no more.
const MOST_ROUNDS: u64 = 1000;

/// What the seed draws file systems' UUIDs for.
pub const UUID_PURPOSE: &str = "uuid";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_memory_or_files_is_no_disk() {
        for name in ["loop0", "loop1003", "ram3", "zram0", "sr0", "nbd7p1"] {
            assert!(!may_be_disk(name), "{name}");
        }
        for name in ["vda", "sda1", "nvme0n1p2", "dm-0", "md127", "mmcblk0p1"] {
            assert!(may_be_disk(name), "{name}");
        }
    }

    #[test]
    fn an_empty_partition_is_free_and_a_table_is_not() {
        assert_eq!(found_on("DEVNAME=/dev/sda1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_NUMBER=1\n"), None);
        assert!(found_on("DEVNAME=/dev/sda\nPTTYPE=gpt\n").is_some_and(|found| found.contains("PTTYPE=gpt")));
    }

    #[test]
    fn what_is_no_disk_is_not_free() {
        assert!(why_not(Path::new("/dev/no-such-disk")).is_some());
        assert!(why_not(Path::new("/dev/null")).is_some());
    }
}
