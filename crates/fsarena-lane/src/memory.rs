//! Memory as storage for references: a tmpfs that the run mounts or, in a run without lanes, a folder in `/dev/shm`.

use std::path::{Path, PathBuf};

use fsarena_model::Plan;
use fsarena_sys::mountinfo;

use crate::LaneError;
use crate::ledger::{Ledger, Made};

/// The world-writable tmpfs of every Linux system (shm_overview(7)).
const SHARED: &str = "/dev/shm";

/// Large pages for large files, small ones for small files (Documentation/filesystems/tmpfs.rst).
const LARGE_PAGES: &str = "huge=within_size";

/// Makes the place; `None` if `/dev/shm` is needed and is not a tmpfs. `folder` is the run's folder, or empty if it has
/// none.
pub fn make(ledger: &mut Ledger, plan: &Plan, folder: &Path) -> Result<Option<PathBuf>, LaneError> {
    match folder.as_os_str().is_empty() {
        true => shared(ledger),
        false => mounted(ledger, plan, folder).map(Some),
    }
}

/// Mounts a tmpfs as large as a lane, so that what fits on a lane fits here.
fn mounted(ledger: &mut Ledger, plan: &Plan, folder: &Path) -> Result<PathBuf, LaneError> {
    let at = folder.join("memory");
    if !at.exists() {
        ledger.make_directory(&at, 0o755)?;
    }
    ledger.announce(Made::Mount { path: at.clone() })?;
    let options = format!("size={}", plan.lanes.size.0);
    let mount = |options: &str| fsarena_sys::mount::mount("tmpfs", "fsarena", options, &at);
    // With small pages, as on a kernel without large ones, tmpfs is slower with large files than file systems on a
    // disk.
    let mounted = mount(&format!("{options},{LARGE_PAGES}")).or_else(|_| mount(&options));
    mounted.map_err(|error| LaneError::Mount {
        source_device: "tmpfs".to_owned(),
        kind: "tmpfs".to_owned(),
        options,
        error: Box::new(error),
    })?;
    Ok(at)
}

fn shared(ledger: &mut Ledger) -> Result<Option<PathBuf>, LaneError> {
    let is_memory = mountinfo::mount_of(Path::new(SHARED)).is_ok_and(|mount| mount.kind == "tmpfs");
    if !is_memory {
        return Ok(None);
    }
    let folder = Path::new(SHARED).join(ledger.name());
    ledger.make_directory(&folder, 0o700)?;
    Ok(Some(folder))
}
