//! Block devices: finds the disk below a folder, finds free disks, and holds a disk for a run.
//!
//! A disk is opened once, exclusively for this process, and all checks use that descriptor or its device number. A
//! device in use is never taken. A device that holds data is taken only with the user's consent, which names the disk.

mod contents;
mod id;
mod signature;
mod usage;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_model::{Bytes, Plan, Storage};
use fsarena_sys::{Access, block};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::LaneError;
use crate::busy::BusyPatience;
use crate::kind::made_lanes;
use crate::space::nearest_existing;

pub use contents::{EDGE, LaneLayout};
use contents::{LOOK, Owner};
pub(crate) use usage::BlockNode;

/// Name prefixes of devices that are never disks.
const NOT_DISKS: &[&str] = &["loop", "ram", "zram", "sr", "fd", "nbd", "mtdblock"];

/// Name below `/sys/block` of the whole disk that backs the lanes of `storage`, if there is exactly one.
pub fn beneath(storage: &Storage) -> Option<String> {
    let paths = match storage {
        Storage::Directory(path) => vec![nearest_existing(path)],
        Storage::Memory => return None,
        disks => disks.disks().to_vec(),
    };
    let whole = |path: &PathBuf| BlockNode::at(path).map(|node| node.whole().unwrap_or(node).name());
    let mut names = paths.iter().map(whole).collect::<Option<Vec<String>>>()?;
    names.dedup();
    names.pop().filter(|_| names.is_empty())
}

/// Name of the block device with this number.
pub fn name(number: u64) -> Option<String> {
    Some(BlockNode::of(number)?.name())
}

/// Size of the disk at `path` according to sysfs. This is an estimate: lanes are laid out by the size of the open disk.
pub fn size_at(path: &Path) -> Option<Bytes> {
    let sectors: u64 = BlockNode::of(fs::metadata(path).ok()?.rdev())?.attribute("size")?.parse().ok()?;
    Some(Bytes(sectors * 512))
}

/// The largest lane that fits on each of these disks, in whole MiB.
pub fn largest_lane(disks: &[PathBuf]) -> Option<Bytes> {
    let sizes = disks.iter().map(|path| size_at(path)).collect::<Option<Vec<Bytes>>>()?;
    let smallest = sizes.into_iter().min()?;
    Some(Bytes(smallest.0.saturating_sub(2 * EDGE) >> 20 << 20)).filter(|lane| lane.0 > 0)
}

/// Layout of the lanes: all on one disk, or one on each partition.
pub fn layout(plan: &Plan, lanes: usize) -> LaneLayout {
    let lanes = if matches!(plan.lanes.storage, Storage::Partitions(_)) { 1 } else { lanes as u64 };
    LaneLayout { lane_size: plan.lanes.size.0, lanes }
}

/// The size of each disk for the lanes of `plan`; `None` if no disk is that large.
pub fn needed(plan: &Plan) -> Option<Bytes> {
    layout(plan, made_lanes(plan)).needed().map(Bytes)
}

/// A disk that was opened exclusively for this process. It is held until this is dropped.
#[derive(Debug)]
pub struct Disk {
    /// Path of its device file, as the user gave it.
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) size: Bytes,
    sequence: Option<u64>,
    id: String,
    data: Option<String>,
}

impl Disk {
    /// The ledger record that is needed to release the disk.
    pub(crate) fn record(&self, layout: LaneLayout) -> io::Result<OnDisk> {
        Ok(OnDisk { path: self.path.clone(), size: self.size, boot: boot()?, sequence: self.sequence, layout })
    }

    /// Writes the label of the run `token`.
    pub(crate) fn occupy(&self, token: &str, layout: LaneLayout) -> io::Result<()> {
        contents::occupy(&self.file, self.size.0, token, layout)
    }

    /// Refuses a disk with data that the user does not give up: `erase` has not its ID.
    fn require_empty(&self, erase: &[String]) -> Result<(), LaneError> {
        match &self.data {
            Some(what) if !erase.contains(&self.id) => {
                Err(LaneError::DiskHoldsData { path: self.path.clone(), what: what.clone(), id: self.id.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Opens the disk if it is free, and looks for data on it, between samples for as long as `look`.
    fn open(path: &Path, access: Access, look: Duration) -> Result<Self, LaneError> {
        Self::opened(path, access, look).map_err(|why| LaneError::DiskInUse { path: path.to_owned(), why })
    }

    fn opened(path: &Path, access: Access, look: Duration) -> Result<Self, String> {
        let (opened, node) = open_alone(path, access)?;
        let as_text = |error: io::Error| error.to_string();
        if let Some(user) = usage::user(&node).map_err(as_text)? {
            return Err(user);
        }
        let file = opened.map_err(refused)?;
        if block::is_read_only(&file).map_err(as_text)? {
            return Err("it is read-only".to_owned());
        }
        let tags = signature::tags(&file).map_err(as_text)?;
        if let Some(table) = usage::named(&node, &tags).map_err(as_text)? {
            return Err(table);
        }
        let size = Bytes(block::size(&file).map_err(as_text)?);
        let found = contents::data(&file, size.0, look).map_err(as_text)?;
        let data = tags.words().map(|words| format!("blkid finds {words}")).or(found);
        let sequence = block::sequence(&file).map_err(as_text)?;
        Ok(Self { path: path.to_owned(), file, size, sequence, id: id::of(&node, size), data })
    }
}

/// Opens the block device at `path` exclusively. Other files are not opened at all: opening a tape rewinds it.
fn open_alone(path: &Path, access: Access) -> Result<(io::Result<File>, BlockNode), String> {
    let handle = OpenOptions::new().read(true).custom_flags(OFlags::PATH.bits() as i32).open(path);
    let handle = handle.map_err(|error| format!("it cannot be looked up: {error}"))?;
    let found = handle.metadata().map_err(|error| error.to_string())?;
    let node = found.file_type().is_block_device().then(|| BlockNode::of(found.rdev()));
    let node = node.ok_or("it is not a block device")?.ok_or("the kernel has no such device")?;
    let flags = (OFlags::EXCL | OFlags::DIRECT).bits() as i32;
    let mut options = OpenOptions::new();
    options.read(true).write(access == Access::ReadWrite).custom_flags(flags);
    Ok((options.open(format!("/proc/self/fd/{}", handle.as_raw_fd())), node))
}

fn refused(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ResourceBusy => {
            "another program holds it, or it is mounted where this process cannot see it".to_owned()
        }
        _ => format!("it cannot be opened: {error}"),
    }
}

/// Checks the disks that `plan` uses for its lanes, and opens them exclusively for this run. Writes to none of them. The
/// contents of those with the IDs `erase` may be lost.
///
/// # Errors
/// [`LaneError::DiskInUse`], [`LaneError::DiskHoldsData`], [`LaneError::WrongDisk`] if `erase` names a disk that the plan
/// does not use.
pub fn hold(plan: &Plan, erase: &[String]) -> Result<Vec<Disk>, LaneError> {
    opened(plan, erase, Access::ReadWrite)
}

/// Refuses disks that [`hold`] would refuse, and leaves them alone.
///
/// # Errors
/// Those of [`hold`].
pub fn examine(plan: &Plan, erase: &[String]) -> Result<(), LaneError> {
    opened(plan, erase, Access::ReadOnly).map(drop)
}

fn opened(plan: &Plan, erase: &[String], access: Access) -> Result<Vec<Disk>, LaneError> {
    let paths = if made_lanes(plan) > 0 { plan.lanes.storage.disks() } else { &[] };
    // The disk of a guest was made for this run, and its host has emptied it.
    let look = if plan.guest.is_some() { Duration::ZERO } else { LOOK };
    let disks = paths.iter().map(|path| Disk::open(path, access, look)).collect::<Result<Vec<Disk>, LaneError>>()?;
    let is_one = |named: &&String| disks.iter().any(|disk| disk.id == **named);
    if let Some(named) = erase.iter().find(|named| !is_one(named)) {
        let ids = disks.iter().map(|disk| disk.id.clone()).collect();
        return Err(LaneError::WrongDisk { named: named.clone(), ids });
    }
    disks.iter().try_for_each(|disk| disk.require_empty(erase))?;
    Ok(disks)
}

/// Examines the disk at `path` without writing to it. Returns its size and ID if it is free.
///
/// # Errors
/// [`LaneError::DiskInUse`], [`LaneError::DiskHoldsData`].
pub fn look(path: &Path) -> Result<(Bytes, String), LaneError> {
    let disk = Disk::open(path, Access::ReadOnly, LOOK)?;
    disk.require_empty(&[])?;
    Ok((disk.size, disk.id))
}

/// Device files of all disks and partitions of this machine.
///
/// # Errors
/// A message that says why they cannot be listed.
pub fn all() -> Result<Vec<PathBuf>, String> {
    if !rustix::process::geteuid().is_root() {
        return Err("only root may look whether a disk is unused".to_owned());
    }
    let entries = fs::read_dir("/sys/class/block").map_err(|error| format!("/sys/class/block: {error}"))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.filter(|name| may_be_disk(name)).collect();
    names.sort();
    Ok(names.into_iter().map(|name| Path::new("/dev").join(name.replace('!', "/"))).collect())
}

fn may_be_disk(name: &str) -> bool {
    let is_one =
        |kind: &&str| name.strip_prefix(*kind).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !NOT_DISKS.iter().any(is_one)
}

/// A disk that a run has taken: what is needed to recognise it and to release it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OnDisk {
    pub path: PathBuf,
    size: Bytes,
    /// Boot ID of the machine: sequence numbers restart at each boot.
    boot: String,
    sequence: Option<u64>,
    #[serde(flatten)]
    layout: LaneLayout,
}

impl OnDisk {
    /// Releases the disk if it still belongs to the run `token`. Returns what was done, or why the disk was left alone.
    /// If I/O fails, or the disk is still in use, for example by a loop device, the caller can try again.
    pub fn release(&self, token: &str) -> io::Result<Option<String>> {
        let left = |why: &str| Ok(Some(format!("{}, which is left as it is: {why}", self.path.display())));
        let (file, node) = match self.open() {
            Ok(opened) => opened,
            Err(why) => return left(&why),
        };
        if let Some(user) = usage::user(&node)? {
            return Err(io::Error::other(user));
        }
        if !self.is_same(&file)? {
            return left("it is not the disk that the run had");
        }
        match contents::owner(&file, self.size.0, token, self.layout)? {
            Owner::NoRun => Ok(None),
            Owner::Other => left("another program has written over the run's label"),
            Owner::Run => {
                contents::release(&file, self.size.0, self.layout)?;
                Ok(Some(format!("what was on the lanes of {}: cleared away", self.path.display())))
            }
        }
    }

    fn open(&self) -> Result<(File, BlockNode), String> {
        let opened = BusyPatience::seconds(2).wait(|| match open_alone(&self.path, Access::ReadWrite) {
            Ok((opened, node)) => opened.map(|file| Ok((file, node))),
            Err(why) => Ok(Err(why)),
        });
        opened.map_err(refused)?
    }

    fn is_same(&self, file: &File) -> io::Result<bool> {
        let is_same_medium = boot()? != self.boot || block::sequence(file)? == self.sequence;
        Ok(is_same_medium && block::size(file)? == self.size.0)
    }
}

/// Boot ID of the machine, which changes at each boot (random(4)).
pub(crate) fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_memory_or_files_are_no_disks() {
        for name in ["loop0", "loop1003", "ram3", "zram0", "sr0", "nbd7p1"] {
            assert!(!may_be_disk(name), "{name}");
        }
        for name in ["vda", "sda1", "nvme0n1p2", "dm-0", "md127", "mmcblk0p1"] {
            assert!(may_be_disk(name), "{name}");
        }
    }

    #[test]
    fn other_files_than_block_devices_are_refused_and_never_opened() {
        for (path, why) in [("/dev/no-such-disk", "looked up"), ("/dev/null", "block device"), ("/", "block device")] {
            let refusal = look(Path::new(path)).expect_err("refused");
            assert!(
                matches!(&refusal, LaneError::DiskInUse { why: text, .. } if text.contains(why)),
                "{path}: {refusal:?}"
            );
        }
    }
}
