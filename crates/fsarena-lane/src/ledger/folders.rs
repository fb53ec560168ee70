//! Where ledgers are, and what a run makes that is on no lane.

use std::fs;
use std::path::{Path, PathBuf};

use fsarena_model::Bytes;
use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::Ledger;
use crate::LaneError;
use crate::space::{free_space, shared_memory};

/// The ledgers' folder: `/var/lib/fsarena/ledger` for root, else a folder for this machine below the user's state
/// directory, which several machines may share.
///
/// # Errors
/// If an ordinary user has neither `XDG_STATE_HOME` nor `HOME`.
pub fn default_folder() -> Result<PathBuf, LaneError> {
    if rustix::process::geteuid().is_root() {
        return Ok("/var/lib/fsarena/ledger".into());
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    Ok(state.ok_or(LaneError::NoHome)?.join("fsarena/ledger").join(this_machine()))
}

/// machine-id(5), or the host's name.
fn this_machine() -> String {
    let id = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    match id.trim() {
        "" => rustix::system::uname().nodename().to_string_lossy().replace(['/', '.'], "-"),
        id => id.to_owned(),
    }
}

impl Ledger {
    /// Makes a directory for short-lived files of this run that are on no lane: sockets, logs and output of programs.
    /// Its path is short: that of a socket has at most 107 bytes (unix(7)). Other users may traverse it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_scratch(&mut self) -> Result<PathBuf, LaneError> {
        let path = scratch_parent().join(self.name());
        self.make_directory(&path, 0o711).map(|made| made.path().to_owned())
    }

    /// Makes a directory for the inputs of programs, in memory if there is room.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_inputs(&mut self) -> Result<PathBuf, LaneError> {
        let path = inputs_parent().join(format!("{}-inputs", self.name()));
        self.make_directory(&path, 0o711).map(|made| made.path().to_owned())
    }
}

/// For root /run, where no other user can make files; for another user the runtime directory, or /tmp.
fn scratch_parent() -> PathBuf {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.as_os_str().len() <= 40);
    let own = if rustix::process::geteuid().is_root() { Some("/run".into()) } else { own };
    own.filter(|path| may_write(path)).unwrap_or_else(|| "/tmp".into())
}

/// Where the inputs of programs are: a tmpfs, if it has room, so that reading them costs all contenders the same.
/// Programs of these inputs run there, which `noexec` would forbid: Debian mounts /run so, and hardened machines more.
fn inputs_parent() -> PathBuf {
    const ENOUGH: Bytes = Bytes::gib(1);
    let has_room = |path: &&Path| free_space(path).is_ok_and(|free| free >= ENOUGH);
    let memory = shared_memory().filter(has_room).map(Path::to_owned);
    let others = ["/var/tmp", "/var/lib"].map(PathBuf::from).into_iter().chain(std::env::home_dir());
    let mut places = memory.into_iter().chain([scratch_parent()]).chain(others);
    places.find(|path| may_write(path) && may_execute(path)).unwrap_or_else(scratch_parent)
}

fn may_execute(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|found| !found.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

fn may_write(folder: &Path) -> bool {
    access(folder, Access::WRITE_OK).is_ok() && folder.is_dir()
}
