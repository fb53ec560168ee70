//! Whether this machine can make loop devices, and how a run sees them where /dev does not show them, as in a
//! container, whose /dev was filled when it started.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use fsarena_sys::{loopdev, mount, mountinfo};
use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use crate::LaneError;
use crate::require::has_module;

/// Refuses a machine without loop devices, or where their queues cannot be set.
///
/// # Errors
/// [`LaneError::NoLoops`].
pub fn require() -> Result<(), LaneError> {
    let refused = |why: &str, hint| Err(LaneError::NoLoops { why: why.to_owned(), hint });
    if !has_module("loop", "/proc/misc", "loop-control") {
        let why = "the kernel's module `loop` is neither loaded nor found";
        return refused(why, "modprobe loop; for a container, on its host");
    }
    if statvfs("/sys").is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY)) {
        let why = "/sys is read-only, and the queues of lanes are set there";
        return refused(why, "mount -o remount,rw /sys; in a container: --privileged");
    }
    let control = loopdev::control_path();
    match access(&control, Access::READ_OK | Access::WRITE_OK) {
        // A run mounts a devtmpfs of its own.
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(errno) => refused(&format!("{}: {errno}", control.display()), "be root; in a container: --privileged"),
    }
}

/// Mounts a devtmpfs, which has a node for each device of the kernel, in the mount namespace of this process, unless
/// /dev is one. The mount vanishes with the process.
///
/// # Errors
/// If its folder cannot be made.
pub fn show() -> Result<(), LaneError> {
    if mountinfo::mount_of(Path::new("/dev")).is_ok_and(|dev| dev.kind == "devtmpfs") {
        return Ok(());
    }
    let point = Path::new(loopdev::OWN_NODES);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(point);
    made.map_err(LaneError::io("create the folder", point))?;
    // Where it cannot be mounted, /dev may still have the nodes.
    let _ = mount::mount("devtmpfs", "fsarena", "", point);
    Ok(())
}
