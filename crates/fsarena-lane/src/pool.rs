//! Pools of OpenZFS (zpool(8)): a lane has one, which is imported for as long as its file system is mounted. A pool is
//! looked for on its lane alone, and no file lists it, so pools of the user are neither listed nor touched.

use std::io;
use std::path::Path;
use std::time::Duration;

use fsarena_model::Bytes;
use fsarena_sys::child::{self, Patience};
use fsarena_sys::loopdev;

use crate::LaneError;
use crate::busy::BusyPatience;
use crate::ledger::Ledger;

/// How often a pool that is still in use is tried again: for ten seconds.
const BUSY: BusyPatience = BusyPatience { attempts: 201, pause: Duration::from_millis(50) };

/// Time limit of an import or export, which replays or writes what is left to write.
const LIMIT: Duration = Duration::from_secs(300);

const PARAMETERS: &str = "/sys/module/zfs/parameters";

/// The name of the pool on the block device.
pub fn name(device: &Path) -> String {
    format!("fsarena-{}", device.file_name().unwrap_or_default().to_string_lossy())
}

/// Imports the pool on the block device, unless it is imported, and returns its name.
///
/// # Errors
/// If there is none that can be imported.
pub fn import(device: &Path) -> Result<String, LaneError> {
    let name = name(device);
    if !is_imported(&name) {
        let place = device.display().to_string();
        // Nobody else has used it since it was exported, or since the power cut.
        zpool(&["import", "-f", "-N", "-o", "cachefile=none", "-d", &place, &name])
            .map_err(LaneError::io("import the pool on", device))?;
    }
    Ok(name)
}

/// Exports the pool on the block device if it is imported: nothing of it is cached any more.
///
/// # Errors
/// If it stays in use.
pub fn export(device: &Path) -> Result<(), LaneError> {
    let name = name(device);
    match is_imported(&name) {
        true => BUSY.wait(|| zpool(&["export", &name]).map(drop)).map_err(LaneError::io("export the pool on", device)),
        false => Ok(()),
    }
}

/// Destroys the pool on the loop device `number` if it is imported and lies there, and the device is bound under a name
/// of the run with this `token`.
pub fn destroy(number: u32, token: &str) -> io::Result<Option<String>> {
    let device = loopdev::device_path(number);
    let name = name(&device);
    let is_ours = loopdev::binding(number)?.is_some_and(|bound| bound.name.starts_with(&format!("fsarena-{token}-")));
    if !is_ours || !is_imported(&name) {
        return Ok(None);
    }
    let place = device.display().to_string();
    let listed = zpool(&["list", "-v", "-H", "-P", "-o", "name", &name])?;
    if !listed.split_whitespace().any(|word| word == place) {
        return Ok(None);
    }
    BUSY.wait(|| zpool(&["destroy", "-f", &name]))?;
    Ok(Some(format!("the pool {name}: destroyed")))
}

/// Limits the cache of all pools (zfs(4)), of which the control group of a process knows nothing. OpenZFS takes no limit
/// below 64 MiB.
///
/// # Errors
/// If the ledger or a parameter cannot be written.
pub fn limit_cache(ledger: &mut Ledger, limit: Bytes) -> Result<(), LaneError> {
    let most = limit.max(Bytes::mib(64));
    for (name, value) in [("zfs_arc_min", Bytes::mib(32)), ("zfs_arc_max", most)] {
        ledger.set_parameter(&Path::new(PARAMETERS).join(name), &value.0.to_string())?;
    }
    Ok(())
}

/// Whether a pool of that name is imported (zpool's kstats, module/zfs/spa_stats.c).
fn is_imported(name: &str) -> bool {
    Path::new("/proc/spl/kstat/zfs").join(name).exists()
}

/// Runs zpool(8), and returns what it printed. What is busy is an error of that kind.
fn zpool(words: &[&str]) -> io::Result<String> {
    let ended = child::run(&[&["zpool"], words].concat(), Patience::unstoppable(LIMIT))?;
    let said = ended.words();
    match ended.status.success() {
        true => Ok(ended.stdout),
        false if said.contains("busy") => Err(io::Error::new(io::ErrorKind::ResourceBusy, said)),
        false => Err(io::Error::other(format!("zpool {}: {said}", words[0]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_named_after_its_device_and_none_is_imported_without_the_module() {
        assert_eq!(name(Path::new("/dev/loop1000")), "fsarena-loop1000");
        assert!(!is_imported("fsarena-loop1048000"));
        assert_eq!(destroy(1_048_000, "t").expect("nothing to do"), None);
    }
}
