//! Storage of the lanes: images in a folder of the run, on a host file system or in memory, or a disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Plan, Storage};
use fsarena_sys::fault;
use fsarena_sys::loopdev::FileExtent;

use crate::disk::{Disk, layout};
use crate::kind::lane_count;
use crate::lane::{Backing, Lane};
use crate::ledger::{Ledger, Made};
use crate::mounted::mount_tmpfs;
use crate::{LaneError, disk, image, space};

/// Memory that images in memory leave free.
const RESERVE: Bytes = Bytes::mib(256);

/// Default place for the runs' folders.
pub const DEFAULT_FOLDER: &str = "/var/tmp/fsarena";

/// Makes the run's folder and, if the plan stores the lanes in memory, mounts a tmpfs for them.
pub fn make_place(ledger: &mut Ledger, plan: &Plan, count: usize) -> Result<PathBuf, LaneError> {
    let parent = match &plan.lanes.storage {
        Storage::Directory(path) => path.clone(),
        Storage::Memory | Storage::Disk(_) | Storage::Partitions(_) => DEFAULT_FOLDER.into(),
    };
    ledger.make_parents(&parent)?;
    let parent = parent.canonicalize().map_err(LaneError::io("look up", &parent))?;
    require_safety(&parent)?;
    require_space(plan, &parent, count)?;
    let folder = parent.join(ledger.name());
    ledger.make_directory(&folder, 0o711)?;
    if plan.lanes.storage == Storage::Memory && count > 0 {
        let options = format!("size={}", plan.lanes.size.0 * count as u64 + RESERVE.0);
        mount_tmpfs(ledger, &image_folder(plan, &folder), 0o700, &options)?;
    }
    Ok(folder)
}

/// Folder of the images: the run's folder, or the tmpfs that is mounted below it.
fn image_folder(plan: &Plan, folder: &Path) -> PathBuf {
    if plan.lanes.storage == Storage::Memory { folder.join("images") } else { folder.to_owned() }
}

/// What backs the lanes: the folder with the images, or the disk; of several disks the last one, which has the
/// calibration lane.
pub fn beneath(plan: &Plan, folder: &Path) -> PathBuf {
    plan.lanes.storage.disks().last().cloned().unwrap_or_else(|| image_folder(plan, folder))
}

/// Refuses a folder in which another user could replace files that root makes.
///
/// # Errors
/// [`LaneError::UnsafePlace`] with the first folder of the path that belongs to another user, or to which others may
/// write.
pub fn require_safety(parent: &Path) -> Result<(), LaneError> {
    for folder in parent.ancestors() {
        let found = fs::symlink_metadata(folder).map_err(LaneError::io("look up", folder))?;
        let unsafe_because = |why| Err(LaneError::UnsafePlace { path: folder.to_owned(), why });
        let is_foreign = found.uid() != 0 && found.uid() != rustix::process::geteuid().as_raw();
        if is_foreign {
            return unsafe_because("it belongs to another user");
        }
        if found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0 {
            return unsafe_because("others may write to it");
        }
    }
    Ok(())
}

/// Checks, before anything is made, that `count` lanes fit.
pub fn require_space(plan: &Plan, parent: &Path, count: usize) -> Result<(), LaneError> {
    let look_up = |error| LaneError::io("look up", parent)(error);
    let ((free, group), reserve) = match &plan.lanes.storage {
        Storage::Directory(_) => {
            let free = space::free_space(parent).map_err(look_up)?;
            ((free, None), space::reserve(parent).map_err(look_up)?)
        }
        Storage::Memory => (fsarena_sys::memory::limited().unwrap_or_default(), RESERVE),
        // The disks are opened and measured again when the run takes them.
        disks => {
            let smallest = disks.disks().iter().filter_map(|path| disk::size_at(path)).min();
            return smallest.map_or(Ok(()), |free| require_room(plan, count, free));
        }
    };
    let needed = Bytes(plan.lanes.size.0.saturating_mul(count as u64).saturating_add(reserve.0));
    if count == 0 || free >= needed {
        return Ok(());
    }
    Err(no_space(plan, limited(plan.lanes.storage.to_string(), group), count, needed, free))
}

/// The error for lanes that need more than is free, with the workload whose data smaller lanes have no room for.
fn no_space(plan: &Plan, place: String, lanes: usize, needed: Bytes, free: Bytes) -> LaneError {
    let largest = plan.workloads.iter().max_by_key(|workload| workload.traits.peak);
    let filling = largest.filter(|workload| workload.traits.peak.0 > plan.lanes.size.0 / 2);
    LaneError::NoSpace { place, lanes, needed, free, filled_by: filling.map(|workload| workload.name.to_string()) }
}

/// A place, and the control group whose limit counts there, if there is one.
pub(crate) fn limited(place: String, group: Option<PathBuf>) -> String {
    match group {
        Some(group) => format!("{place}, limited by the control group {}", group.display()),
        None => place,
    }
}

/// Mounts debugfs in the run's own namespace, for its counters per file system. If that fails, they are missing.
pub fn show_kernel_counters(ledger: &mut Ledger) -> Result<(), LaneError> {
    let point = Path::new("/sys/kernel/debug");
    if point.exists() && !point.join("bdi").exists() {
        ledger.announce(Made::Mount { path: point.to_owned() })?;
        let _ = fsarena_sys::mount::mount("debugfs", "fsarena", "", point);
    }
    Ok(())
}

/// Memory for references, in the run's `folder`: a tmpfs as large as a lane, so that what fits on a lane fits there. A
/// run without a folder uses one in `/dev/shm`; `None` if that is not a tmpfs.
pub fn memory(ledger: &mut Ledger, plan: &Plan, folder: &Path) -> Result<Option<PathBuf>, LaneError> {
    if !folder.as_os_str().is_empty() {
        let (at, options) = (folder.join("memory"), format!("size={}", plan.lanes.size.0));
        // With small pages, as on a kernel without large ones, tmpfs is slower with large files than file systems on a
        // disk. Large pages for large files, small ones for small files (Documentation/filesystems/tmpfs.rst).
        mount_tmpfs(ledger, &at, 0o755, &format!("{options},huge=within_size"))
            .or_else(|_| mount_tmpfs(ledger, &at, 0o755, &options))?;
        return Ok(Some(at));
    }
    let Some(shared) = space::shared_memory() else { return Ok(None) };
    let folder = shared.join(ledger.name());
    ledger.make_directory(&folder, 0o700).map(|_| Some(folder))
}

fn require_room(plan: &Plan, lanes: usize, free: Bytes) -> Result<(), LaneError> {
    if let Storage::Partitions(paths) = &plan.lanes.storage
        && paths.len() != lanes
    {
        return Err(LaneError::Partitions { partitions: paths.len(), contenders: lane_count(plan) });
    }
    match layout(plan, lanes).needed() {
        Some(needed) if needed <= free.0 => Ok(()),
        needed => {
            let needed = Bytes(needed.unwrap_or(u64::MAX));
            Err(no_space(plan, plan.lanes.storage.to_string(), lanes, needed, free))
        }
    }
}

/// Takes the held disks for the run: writes the run's label to each.
pub fn occupy(ledger: &mut Ledger, plan: &Plan, disks: &[Disk], lanes: usize) -> Result<(), LaneError> {
    let layout = layout(plan, lanes);
    for disk in disks {
        require_room(plan, lanes, disk.size)?;
        ledger.announce(Made::Disk(disk.record(layout).map_err(LaneError::io("look up", &disk.path))?))?;
        disk.occupy(ledger.token(), layout).map_err(LaneError::io("write the label of", &disk.path))?;
    }
    Ok(())
}

/// Opens lane `index`, a part of a held disk or an image, after writing it in full.
pub fn open_lane(
    ledger: &mut Ledger,
    plan: &Plan,
    folder: &Path,
    disks: &[Disk],
    index: usize,
) -> Result<Lane, LaneError> {
    if let Some((Disk { file, path, .. }, extent)) = part(plan, disks, index) {
        // The host has allocated a guest's disk in full.
        if plan.guest.is_none() {
            let filled = fault::step("fill lane").and_then(|()| image::fill(file, extent, plan.seed, index as u32));
            filled.map_err(LaneError::io("write", path))?;
        }
        return Lane::open(ledger, &Backing { file, path, extent }, plan, index);
    }
    let path = image_folder(plan, folder).join(format!("lane-{index}.img"));
    let file = image::write(&path, plan.lanes.size, plan.seed, index as u32)?;
    Lane::open(ledger, &Backing { file: &file, path: &path, extent: FileExtent::default() }, plan, index)
}

/// The disk with lane `index`, and the lane's position on it; `None` if lanes are images.
fn part<'a>(plan: &Plan, disks: &'a [Disk], index: usize) -> Option<(&'a Disk, FileExtent)> {
    let (disk, place) =
        if matches!(plan.lanes.storage, Storage::Partitions(_)) { (index, 0) } else { (0, index as u64) };
    Some((disks.get(disk)?, layout(plan, index + 1).lane(place)))
}
