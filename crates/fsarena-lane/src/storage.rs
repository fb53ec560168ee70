//! The place of the lanes: a folder of the run's own with images in it, on a host file system, in memory, or a disk.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Plan, Storage};
use fsarena_sys::loopdev::Extent;
use rustix::fs::OFlags;

use crate::disk::OnDisk;
use crate::lane::{Backing, Lane};
use crate::ledger::{Ledger, Made, make_folder};
use crate::{LaneError, disk, image, space};

/// What images in memory leave free.
const RESERVE: Bytes = Bytes::mib(256);

/// Where runs put their folders if nothing else is said.
pub const DEFAULT_FOLDER: &str = "/var/tmp/fsarena";

/// Makes the run's folder, named after the run, and what it needs to be as `storage` says.
///
/// # Errors
/// If it exists, cannot be made, or is too small for `count` lanes of `size`.
pub fn make_place(ledger: &mut Ledger, plan: &Plan, run: i64, count: usize) -> Result<PathBuf, LaneError> {
    let parent = match &plan.storage {
        Storage::Directory(path) => path.clone(),
        Storage::Memory | Storage::Disk(_) => DEFAULT_FOLDER.into(),
    };
    let made = DirBuilder::new().recursive(true).mode(0o755).create(&parent);
    made.map_err(LaneError::io("create the folder", &parent))?;
    let parent = parent.canonicalize().map_err(LaneError::io("look up", &parent))?;
    require_safety(&parent)?;
    require_space(plan, &parent, count)?;
    let folder = parent.join(run.to_string());
    if folder.exists() {
        return Err(LaneError::io("create the folder", &folder)(io::ErrorKind::AlreadyExists.into()));
    }
    ledger.announce(Made::Folder { path: folder.clone() })?;
    make_folder(&folder, ledger.token())?;
    if plan.storage == Storage::Memory && count > 0 {
        mount_memory(ledger, &image_folder(plan, &folder), plan.lane_size, count)?;
    }
    Ok(folder)
}

/// Where the images lie: in the run's folder, or in the memory that is mounted below it.
fn image_folder(plan: &Plan, folder: &Path) -> PathBuf {
    if plan.storage == Storage::Memory { folder.join("images") } else { folder.to_owned() }
}

/// What lies beneath the lanes: the folder with the images, or the disk.
pub fn beneath(plan: &Plan, folder: &Path) -> PathBuf {
    match &plan.storage {
        Storage::Disk(path) => path.clone(),
        Storage::Directory(_) | Storage::Memory => image_folder(plan, folder),
    }
}

/// Refuses a folder in which another user could put something else in the place of what we make.
fn require_safety(parent: &Path) -> Result<(), LaneError> {
    for folder in parent.ancestors() {
        let found = fs::symlink_metadata(folder).map_err(LaneError::io("look up", folder))?;
        let unsafe_because = |why| Err(LaneError::UnsafePlace { path: folder.to_owned(), why });
        let is_foreign = found.uid() != 0 && found.uid() != rustix::process::geteuid().as_raw();
        match () {
            () if is_foreign => return unsafe_because("it belongs to another user"),
            () if found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0 => {
                return unsafe_because("others may write to it");
            }
            () => {}
        }
    }
    Ok(())
}

/// Checks, before anything is made, that `count` lanes fit.
///
/// # Errors
/// [`LaneError::NoSpace`] if not.
pub fn require_space(plan: &Plan, parent: &Path, count: usize) -> Result<(), LaneError> {
    let free = match &plan.storage {
        Storage::Directory(_) => space::free_space(parent).map_err(LaneError::io("look up", parent))?,
        Storage::Memory => fsarena_sys::memory::available().unwrap_or_default(),
        Storage::Disk(path) => disk_size(&open_disk(path)?, path)?,
    };
    let reserve = match &plan.storage {
        Storage::Directory(_) => space::reserve(parent).map_err(LaneError::io("look up", parent))?.0,
        Storage::Memory => RESERVE.0,
        Storage::Disk(_) => 0,
    };
    let needed = Bytes(plan.lane_size.0.saturating_mul(count as u64).saturating_add(reserve));
    match count == 0 || free >= needed {
        true => Ok(()),
        false => Err(LaneError::NoSpace { place: plan.storage.to_string(), lanes: count, needed, free }),
    }
}

/// Mounts debugfs, with its counters per file system, and tracefs, with its tracepoints, in the run's own namespace; where that
/// fails there are none.
///
/// # Errors
/// If the ledger cannot be written.
pub fn show_kernel_counters(ledger: &mut Ledger) -> Result<(), LaneError> {
    // Below debugfs the kernel would mount a tracefs by itself, which would then keep debugfs busy: this one is asked for first.
    for (kind, point, sign) in [("debugfs", "/sys/kernel/debug", "bdi"), ("tracefs", "/sys/kernel/tracing", "events")] {
        let point = Path::new(point);
        if point.join(sign).exists() || !point.exists() {
            continue;
        }
        ledger.announce(Made::Mount { path: point.to_owned() })?;
        let _ = fsarena_sys::mount::mount(kind, "fsarena", "", point);
    }
    Ok(())
}

fn mount_memory(ledger: &mut Ledger, at: &Path, size: Bytes, count: usize) -> Result<(), LaneError> {
    fs::create_dir(at).map_err(LaneError::io("create the folder", at))?;
    let options = format!("size={}", size.0 * count as u64 + RESERVE.0);
    ledger.announce(Made::Mount { path: at.to_owned() })?;
    fsarena_sys::mount::mount("tmpfs", "fsarena", &options, at).map_err(|error| LaneError::Mount {
        source_device: "tmpfs".to_owned(),
        kind: "tmpfs".to_owned(),
        options,
        error: Box::new(error),
    })
}

/// The disk that the plan names, held so that nobody else can take it; `None` where the `lanes` lanes are images.
///
/// # Errors
/// [`LaneError::DiskInUse`] if it is not free.
pub fn hold_disk(ledger: &mut Ledger, plan: &Plan, lanes: usize) -> Result<Option<File>, LaneError> {
    let Storage::Disk(path) = &plan.storage else { return Ok(None) };
    let disk = open_disk(path)?;
    let (lane_size, seed) = (plan.lane_size, plan.seed);
    ledger.announce(Made::Disk(OnDisk { path: path.clone(), lane_size, lanes: lanes as u64, seed }))?;
    Ok(Some(disk))
}

/// Opens lane `index`: a part of the held disk, or an image; either is written in full now.
///
/// # Errors
/// If it cannot be written, or the kernel refuses the loop device.
pub fn open_lane(
    ledger: &mut Ledger,
    plan: &Plan,
    folder: &Path,
    disk: Option<&File>,
    index: usize,
) -> Result<Lane, LaneError> {
    if let (Storage::Disk(path), Some(disk)) = (&plan.storage, disk) {
        let extent = Extent { offset: plan.lane_size.0 * index as u64, size: plan.lane_size.0 };
        image::fill(disk, extent, plan.seed, index as u32).map_err(LaneError::io("write", path))?;
        return Lane::open(ledger, &Backing { file: disk, path, extent }, plan.medium, index);
    }
    let path = image_folder(plan, folder).join(format!("lane-{index}.img"));
    let file = image::write(&path, plan.lane_size, plan.seed, index as u32)?;
    Lane::open(ledger, &Backing { file: &file, path: &path, extent: Extent::default() }, plan.medium, index)
}

/// Refuses a disk that is mounted, held by somebody, or bears the signature of anything.
fn open_disk(path: &Path) -> Result<File, LaneError> {
    let in_use = |why: String| LaneError::DiskInUse { path: path.to_owned(), why };
    disk::why_not(path).map_or(Ok(()), |why| Err(in_use(why)))?;
    let exclusive = (OFlags::EXCL | OFlags::DIRECT).bits() as i32;
    let disk = OpenOptions::new().read(true).write(true).custom_flags(exclusive).open(path);
    disk.map_err(|error| in_use(error.to_string()))
}

fn disk_size(disk: &File, path: &Path) -> Result<Bytes, LaneError> {
    use std::io::{Seek, SeekFrom};
    let mut disk = disk;
    disk.seek(SeekFrom::End(0)).map(Bytes).map_err(LaneError::io("measure", path))
}
