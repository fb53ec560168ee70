//! Block devices: which lies beneath a folder, which are free, and holding one for a run.
//!
//! A disk is opened once, for this process alone, and everything is asked of that descriptor or of its device number.
//! What is in use is never taken. What holds data is taken only with the user's consent, which names the disk.

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
use fsarena_sys::block;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::LaneError;
use crate::require::made_lanes;
use crate::space::nearest_existing;

use contents::Owner;
pub use contents::{Contents, EDGE, Layout};
use usage::Node;

/// Devices that are never a disk of their own.
const NOT_DISKS: &[&str] = &["loop", "ram", "zram", "sr", "fd", "nbd", "mtdblock"];

/// The whole disk beneath the lanes of `storage`, by its name below `/sys/block`, if there is exactly one.
pub fn beneath(storage: &Storage) -> Option<String> {
    let numbers: Vec<u64> = match storage {
        Storage::Directory(path) => vec![fs::metadata(nearest_existing(path)).ok()?.dev()],
        Storage::Memory => return None,
        disks => disks.disks().iter().map(|path| Some(fs::metadata(path).ok()?.rdev())).collect::<Option<_>>()?,
    };
    let wholes = numbers.into_iter().map(|number| Node::of(number).map(|node| node.whole().unwrap_or(node).name()));
    let mut names: Vec<String> = wholes.collect::<Option<_>>()?;
    names.dedup();
    names.pop().filter(|_| names.is_empty())
}

/// A block device's own name, by its number.
pub fn name(number: u64) -> Option<String> {
    Some(Node::of(number)?.name())
}

/// The size of the disk at `path`, as sysfs has it. It only says what to expect: lanes are laid out by the open disk.
pub fn size_at(path: &Path) -> Option<Bytes> {
    let sectors: u64 = Node::of(fs::metadata(path).ok()?.rdev())?.attribute("size")?.parse().ok()?;
    Some(Bytes(sectors * 512))
}

/// The largest lane that fits on each of these disks, in whole MiB.
pub fn largest_lane(disks: &[PathBuf]) -> Option<Bytes> {
    let sizes = disks.iter().map(|path| size_at(path)).collect::<Option<Vec<Bytes>>>()?;
    let smallest = sizes.into_iter().min()?;
    Some(Bytes(smallest.0.saturating_sub(2 * EDGE) >> 20 << 20)).filter(|lane| lane.0 > 0)
}

/// The IDs of disks whose contents may be lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent(pub Vec<String>);

/// Why a disk is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is in use, or cannot be looked at.
    InUse(String),
    /// It holds data: to take it, its ID has to be named.
    HoldsData {
        /// What was found.
        what: String,
        /// Its ID.
        id: String,
    },
}

/// A disk that was opened for this process alone. It is free until this is dropped.
#[derive(Debug)]
pub struct Disk {
    path: PathBuf,
    file: File,
    size: Bytes,
    sequence: Option<u64>,
    id: String,
    data: Option<String>,
}

/// How a disk is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// To look at it.
    Read,
    /// To take it.
    Write,
}

impl Disk {
    /// Its device file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open device.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its size.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// What has to be named for its contents to be given up.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What the ledger needs to know in order to give it back.
    pub fn record(&self, layout: Layout) -> io::Result<OnDisk> {
        Ok(OnDisk {
            path: self.path.clone(),
            size: self.size,
            boot: boot()?,
            sequence: self.sequence,
            lane_size: Bytes(layout.lane_size),
            lanes: layout.lanes,
        })
    }

    /// Writes the label of the run `token`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn occupy(&self, token: &str, layout: Layout) -> io::Result<()> {
        contents::occupy(&self.file, self.size.0, token, layout)
    }

    fn open(path: &Path, access: Access) -> Result<Self, String> {
        let (opened, node) = open_alone(path, access)?;
        let told = |error: io::Error| error.to_string();
        if let Some(user) = usage::user(&node).map_err(told)? {
            return Err(user);
        }
        let file = opened.map_err(refused)?;
        if block::is_read_only(&file).map_err(told)? {
            return Err("it is read-only".to_owned());
        }
        let tags = signature::tags(&file).map_err(told)?;
        if let Some(table) = usage::named(&node, &tags).map_err(told)? {
            return Err(table);
        }
        let size = Bytes(block::size(&file).map_err(told)?);
        let found = contents::contents(&file, size.0).map_err(told)?;
        let data = tags.words().map(|words| format!("blkid finds {words}"));
        let data = data.or(if let Contents::Data(what) = found { Some(what) } else { None });
        let sequence = block::sequence(&file).map_err(told)?;
        Ok(Self { path: path.to_owned(), file, size, sequence, id: id::of(&node, size), data })
    }
}

/// Opens the block device at `path` for this process alone, and everything else not at all: opening a tape rewinds it.
fn open_alone(path: &Path, access: Access) -> Result<(io::Result<File>, Node), String> {
    let handle = OpenOptions::new().read(true).custom_flags(OFlags::PATH.bits() as i32).open(path);
    let handle = handle.map_err(|error| format!("it cannot be looked up: {error}"))?;
    let found = handle.metadata().map_err(|error| error.to_string())?;
    let node = found.file_type().is_block_device().then(|| Node::of(found.rdev()));
    let node = node.ok_or("it is not a block device")?.ok_or("the kernel has no such device")?;
    let flags = (OFlags::EXCL | OFlags::DIRECT).bits() as i32;
    let mut options = OpenOptions::new();
    options.read(true).write(access == Access::Write).custom_flags(flags);
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

/// Opens the disks that `plan` takes for its lanes, for this run alone and after every check. None of them is written.
///
/// # Errors
/// [`LaneError::DiskInUse`], [`LaneError::DiskHoldsData`] without `consent`, [`LaneError::WrongDisk`] if `consent`
/// names a disk that is none of these.
pub fn hold(plan: &Plan, consent: &Consent) -> Result<Vec<Disk>, LaneError> {
    let paths = if made_lanes(plan) > 0 { plan.storage.disks() } else { &[] };
    let open = |path: &PathBuf| {
        Disk::open(path, Access::Write).map_err(|why| LaneError::DiskInUse { path: path.clone(), why })
    };
    let disks = paths.iter().map(open).collect::<Result<Vec<Disk>, LaneError>>()?;
    let is_one = |named: &&String| disks.iter().any(|disk| disk.id == **named);
    if let Some(named) = consent.0.iter().find(|named| !is_one(named)) {
        let ids = disks.iter().map(|disk| disk.id.clone()).collect();
        return Err(LaneError::WrongDisk { named: named.clone(), ids });
    }
    for disk in &disks {
        if let Some(what) = disk.data.clone().filter(|_| !consent.0.contains(&disk.id)) {
            return Err(LaneError::DiskHoldsData { path: disk.path.clone(), what, id: disk.id.clone() });
        }
    }
    Ok(disks)
}

/// Looks at the disk at `path`, without writing to it: its size and ID if it is free, and why not otherwise.
///
/// # Errors
/// The reason for which lanes cannot have it.
pub fn look(path: &Path) -> Result<(Bytes, String), Refusal> {
    let disk = Disk::open(path, Access::Read).map_err(Refusal::InUse)?;
    match disk.data {
        None => Ok((disk.size, disk.id)),
        Some(what) => Err(Refusal::HoldsData { what, id: disk.id }),
    }
}

/// All disks and partitions of this machine, by their device files.
///
/// # Errors
/// In words, why they cannot be looked at.
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

/// A disk that a run has taken: enough to know it again and to give it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnDisk {
    /// The disk, as it was named.
    pub path: PathBuf,
    /// Its size.
    pub size: Bytes,
    /// Since when the machine runs: sequence numbers start again with it.
    pub boot: String,
    /// The disk's sequence number, where the kernel has one.
    pub sequence: Option<u64>,
    /// The size of each lane.
    pub lane_size: Bytes,
    /// How many lanes there are.
    pub lanes: u64,
}

/// How often a disk that is busy is tried, and how long in between: two seconds in all.
const PATIENCE: (u32, Duration) = (40, Duration::from_millis(50));

impl OnDisk {
    /// Makes the disk free again if it is still that of the run `token`; says what was done, or why it was left alone.
    ///
    /// # Errors
    /// If the disk refuses, or a loop device still stands on it: it can be tried again.
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
        let layout = Layout { lane_size: self.lane_size.0, lanes: self.lanes };
        match contents::owner(&file, self.size.0, token, layout)? {
            Owner::Nobody => Ok(None),
            Owner::Other => left("somebody has written over the run's label"),
            Owner::Run => {
                contents::release(&file, self.size.0, layout)?;
                Ok(Some(format!("what was on the lanes of {}: cleared away", self.path.display())))
            }
        }
    }

    fn open(&self) -> Result<(File, Node), String> {
        for _ in 0..PATIENCE.0 {
            match open_alone(&self.path, Access::Write)? {
                (Ok(file), node) => return Ok((file, node)),
                (Err(error), _) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PATIENCE.1),
                (Err(error), _) => return Err(refused(error)),
            }
        }
        Err(refused(io::ErrorKind::ResourceBusy.into()))
    }

    fn is_same(&self, file: &File) -> io::Result<bool> {
        let is_same_medium = boot()? != self.boot || block::sequence(file)? == self.sequence;
        Ok(is_same_medium && block::size(file)? == self.size.0)
    }
}

/// A word that changes when the machine is started again (random(4)).
///
/// # Errors
/// If the kernel does not say.
pub(crate) fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

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
    fn what_is_not_a_block_device_is_refused_and_never_opened() {
        for (path, why) in [("/dev/no-such-disk", "looked up"), ("/dev/null", "block device"), ("/", "block device")] {
            let refusal = look(Path::new(path)).expect_err("refused");
            assert!(matches!(&refusal, Refusal::InUse(text) if text.contains(why)), "{path}: {refusal:?}");
        }
    }
}
