//! Pools of OpenZFS (zpool(8)): a lane, or the topmost layer above it, has one, which is imported for as long as its
//! file system is mounted. A pool is looked for on that device alone, and no file lists it, so pools of the user are
//! neither listed nor touched.

use std::io;
use std::path::Path;
use std::time::Duration;

use fsarena_model::Bytes;
use fsarena_sys::child::{self, Patience};

use crate::LaneError;
use crate::busy::BusyPatience;
use crate::ledger::Ledger;

/// How long a pool may stay in use.
const BUSY: BusyPatience = BusyPatience::seconds(10);

/// Time limit of an import or export, which replays or writes what is left to write.
const LIMIT: Duration = Duration::from_secs(300);

const PARAMETERS: &str = "/sys/module/zfs/parameters";

pub fn name(device: &Path) -> String {
    format!("fsarena-{}", device.file_name().unwrap_or_default().to_string_lossy())
}

/// Imports the pool on the block device, unless it is imported, and returns its name.
pub fn import(device: &Path) -> Result<String, LaneError> {
    let name = name(device);
    if !REAL.has(&name) {
        let place = device.display().to_string();
        // No other machine has used it since it was exported, or since the power cut.
        REAL.run(&["import", "-f", "-N", "-o", "cachefile=none", "-d", &place, &name])
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
    match REAL.has(&name) {
        true => {
            BUSY.wait(|| REAL.run(&["export", &name]).map(drop)).map_err(LaneError::io("export the pool on", device))
        }
        false => Ok(()),
    }
}

/// Destroys the pool on the block device if one of its name is imported and lies there. Returns its name.
pub fn destroy(device: &Path) -> io::Result<Option<String>> {
    destroy_by(&REAL, device)
}

fn destroy_by(module: &Module<'_>, device: &Path) -> io::Result<Option<String>> {
    let (name, place) = (name(device), device.display().to_string());
    if !module.has(&name) {
        return Ok(None);
    }
    let listed = module.run(&["list", "-v", "-H", "-P", "-o", "name", &name])?;
    if !listed.split_whitespace().any(|word| word == place) {
        return Ok(None);
    }
    BUSY.wait(|| module.run(&["destroy", "-f", &name]))?;
    Ok(Some(name))
}

/// Limits the cache of all pools (zfs(4)), which the control group of a process does not count. OpenZFS takes no limit
/// below 64 MiB.
pub fn limit_cache(ledger: &mut Ledger, limit: Bytes) -> Result<(), LaneError> {
    let most = limit.max(Bytes::mib(64));
    for (name, value) in [("zfs_arc_min", Bytes::mib(32)), ("zfs_arc_max", most)] {
        ledger.set_parameter(&Path::new(PARAMETERS).join(name), &value.0.to_string())?;
    }
    Ok(())
}

/// The module, and the program that controls it.
struct Module<'a> {
    /// The folder with a folder for each imported pool (module/zfs/spa_stats.c of OpenZFS).
    imported: &'a str,
    program: &'a str,
}

const REAL: Module<'_> = Module { imported: "/proc/spl/kstat/zfs", program: "zpool" };

impl Module<'_> {
    /// Whether a pool of that name is imported.
    fn has(&self, name: &str) -> bool {
        Path::new(self.imported).join(name).exists()
    }

    /// Runs zpool(8), and returns what it printed. What is busy is an error of that kind.
    fn run(&self, words: &[&str]) -> io::Result<String> {
        let ended = child::run(&[&[self.program], words].concat(), Patience::unstoppable(LIMIT))?;
        let said = ended.words();
        match ended.status.success() {
            true => Ok(ended.stdout),
            false if said.contains("busy") => Err(io::Error::new(io::ErrorKind::ResourceBusy, said)),
            false => Err(io::Error::other(format!("zpool {}: {said}", words[0]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// It knows one pool, which lies on this device.
    const FAKE: &str = "#!/bin/sh
cd \"${0%/*}\" && echo \"$*\" >>asked
case $1 in
list) printf '%s\\t-\\n\\t%s\\t-\\n' fsarena-loop1000 /dev/loop1000 ;;
destroy) test -e busy && rm busy && echo 'pool is busy' && exit 1; rmdir imported/$3 ;;
esac
";

    #[test]
    fn a_pool_is_destroyed_if_it_lies_on_the_device_and_no_other_is() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("zpool"), FAKE).expect("written");
        fs::set_permissions(path("zpool"), fs::Permissions::from_mode(0o755)).expect("executable");
        for pool in ["fsarena-loop1000", "fsarena-loop1001"] {
            fs::create_dir_all(folder.path().join("imported").join(pool)).expect("made");
        }
        fs::write(path("busy"), "").expect("written");
        let (imported, program) = (path("imported"), path("zpool"));
        let module = Module { imported: &imported, program: &program };
        let destroyed = |device: &str| destroy_by(&module, Path::new(device)).expect("it answers");
        assert_eq!(destroyed("/dev/loop1001"), None, "it lies on another device");
        assert_eq!(destroyed("/dev/loop1002"), None, "none of that name is imported");
        assert_eq!(destroyed("/dev/loop1000"), Some("fsarena-loop1000".to_owned()), "it was busy for a moment");
        assert_eq!(destroyed("/dev/loop1000"), None);
        let asked = fs::read_to_string(path("asked")).expect("it was asked");
        let list = |pool| format!("list -v -H -P -o name {pool}\n");
        let destroy = "destroy -f fsarena-loop1000\n";
        assert_eq!(asked, list("fsarena-loop1001") + &list("fsarena-loop1000") + destroy + destroy);
    }

    #[test]
    fn a_pool_is_named_after_its_device_and_none_is_imported_without_the_module() {
        assert_eq!(name(Path::new("/dev/mapper/fsarena_t_0_0")), "fsarena-fsarena_t_0_0");
        assert_eq!(destroy(Path::new("/dev/loop1048000")).expect("nothing to do"), None);
    }
}
