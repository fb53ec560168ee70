//! A control group that limits the memory of this process, including what it brings into the page cache (cgroups(7)).
//!
//! Pages are charged to the group whose process touched them first. To measure a file that does not fit into memory, a
//! process has to enter the group before the first read. Version 1 does not throttle a process that dirties pages, so a
//! limit there shows nothing about writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::Bytes;
use fsarena_sys::cgroup::{Hierarchy, Version};
use fsarena_sys::fault;

use crate::LaneError;
use crate::ledger::{Ledger, Made, name};

/// Smallest limit: the process itself has to fit within it.
pub const SMALLEST_LIMIT: Bytes = Bytes::mib(32);

/// The run's control group, with a limit while this process is in it. Dropping it moves the process out; the ledger
/// removes the group.
#[derive(Debug)]
pub struct MemoryGroup {
    version: Version,
    folder: PathBuf,
    /// The group of this process before.
    home: PathBuf,
}

/// Refuses a limit that this machine or this user cannot enforce.
///
/// # Errors
/// [`LaneError::LimitTooSmall`], [`LaneError::NoMemoryGroup`].
pub fn require(limit: Bytes) -> Result<(), LaneError> {
    if limit < SMALLEST_LIMIT {
        return Err(LaneError::LimitTooSmall { limit, needed: SMALLEST_LIMIT });
    }
    let Hierarchy { top, .. } = hierarchy()?;
    let writable = rustix::fs::access(&top, rustix::fs::Access::WRITE_OK);
    writable.map_err(|errno| lacking(format!("{} cannot be written to ({errno})", top.display())))
}

impl MemoryGroup {
    /// Makes an empty group without a limit.
    ///
    /// It is at the top of the hierarchy, where no other group's limit applies.
    pub fn make(ledger: &mut Ledger) -> Result<Self, LaneError> {
        let hierarchy = hierarchy()?;
        let home = hierarchy.own_group();
        let home = home.ok_or_else(|| lacking("this process is in no group that can be seen".to_owned()))?;
        let Hierarchy { version, top, .. } = hierarchy;
        let folder = top.join(ledger.name());
        ledger.announce(Made::Cgroup { path: folder.clone(), home: home.clone() })?;
        let made = fault::step("create control group").and_then(|()| fs::create_dir(&folder));
        made.map_err(LaneError::io("create the control group", &folder))?;
        Ok(Self { version, folder, home })
    }

    /// Moves this process with all its threads into the group, and limits the group's memory to `limit`.
    ///
    /// Memory that the process already has does not count.
    pub fn enter(&mut self, limit: Bytes) -> Result<(), LaneError> {
        require(limit)?;
        self.move_in(limit)
    }

    fn move_in(&self, limit: Bytes) -> Result<(), LaneError> {
        let file = self.folder.join(self.version.limit_file());
        let refused = |source| LaneError::Limit { path: self.folder.clone(), limit, source };
        fs::write(file, limit.0.to_string()).map_err(refused)?;
        let own = std::process::id().to_string();
        fs::write(processes_of(&self.folder), own).map_err(LaneError::io("enter the control group", &self.folder))
    }

    /// Moves this process, and the processes that it has started since, back to the previous group, and evicts the page
    /// cache that was charged to this group.
    pub fn leave(&mut self) -> Result<(), LaneError> {
        move_out(&self.folder, &self.home).map_err(LaneError::io("leave the control group", &self.folder))?;
        let (file, amount) = match self.version {
            Version::One => ("memory.force_empty", Some("0".to_owned())),
            Version::Two => ("memory.reclaim", fs::read_to_string(self.folder.join("memory.current")).ok()),
        };
        // The rest is the process' own memory, which stays charged to this group after the move.
        let _ = amount.map(|amount| fs::write(self.folder.join(file), amount.trim()));
        Ok(())
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = self.leave();
    }
}

/// Moves all processes out of a run's group and removes it; `None` if it does not exist or is not the run's.
pub fn remove(path: &Path, home: &Path, token: &str) -> io::Result<Option<String>> {
    let is_ours = path.file_name().is_some_and(|found| found.to_str() == Some(&name(token)));
    if !is_ours || !processes_of(path).exists() {
        return Ok(None);
    }
    // The previous group of a dead run may no longer exist.
    let fallback = path.parent().unwrap_or(path);
    move_out(path, home).or_else(|_| move_out(path, fallback))?;
    fault::step("remove control group")?;
    fs::remove_dir(path).map(|()| Some(format!("the control group {}: removed", path.display())))
}

fn processes_of(group: &Path) -> PathBuf {
    group.join("cgroup.procs")
}

/// Moves all processes of `group` to `to`. A process that has ended meanwhile is skipped.
fn move_out(group: &Path, to: &Path) -> io::Result<()> {
    let gone = Some(rustix::io::Errno::SRCH.raw_os_error());
    for process in fs::read_to_string(processes_of(group))?.lines() {
        match fs::write(processes_of(to), process) {
            Err(error) if error.raw_os_error() != gone => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The hierarchy in whose topmost group groups with limits can be made.
fn hierarchy() -> Result<Hierarchy, LaneError> {
    let found = Hierarchy::mounted("memory").map_err(LaneError::io("read", "/proc/thread-self/mountinfo"))?;
    let found = found.ok_or_else(|| lacking("no control groups for memory are mounted".to_owned()))?;
    let handed_down = || fs::read_to_string(found.top.join("cgroup.subtree_control")).unwrap_or_default();
    match found.version == Version::One || handed_down().split_whitespace().any(|name| name == "memory") {
        true => Ok(found),
        false => Err(lacking(format!("{} does not hand memory down to its groups", found.top.display()))),
    }
}

fn lacking(why: String) -> LaneError {
    LaneError::NoMemoryGroup { why }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain files replace the control group: they limit nothing, but keep what is written to them.
    #[test]
    fn each_version_is_recognised_by_its_files() {
        for (version, limit, emptied, amount) in [
            (Version::One, "memory.limit_in_bytes", "memory.force_empty", "0"),
            (Version::Two, "memory.max", "memory.reclaim", "4096"),
        ] {
            let place = tempfile::tempdir().expect("temporary folder");
            let (folder, home) = (place.path().join("group"), place.path().join("home"));
            [&folder, &home].into_iter().for_each(|made| fs::create_dir(made).expect("made"));
            fs::write(folder.join("memory.current"), "4096\n").expect("written");
            let content = |folder: &Path, file: &str| fs::read_to_string(folder.join(file)).expect("known");
            let mut group = MemoryGroup { version, folder: folder.clone(), home: home.clone() };
            group.move_in(Bytes::mib(64)).expect("plain files take it");
            assert_eq!(content(&folder, limit), "67108864");
            assert_eq!(content(&folder, "cgroup.procs"), std::process::id().to_string());
            group.leave().expect("plain files take it");
            assert_eq!(content(&home, "cgroup.procs"), std::process::id().to_string());
            assert_eq!(content(&folder, emptied), amount);
        }
    }

    #[test]
    fn groups_of_others_stay() {
        let place = tempfile::tempdir().expect("temporary folder");
        let theirs = place.path().join("fsarena-1-1");
        fs::create_dir(&theirs).expect("made");
        fs::write(theirs.join("cgroup.procs"), "").expect("written");
        assert_eq!(remove(&theirs, place.path(), "2-2").expect("nothing is done"), None);
        assert_eq!(remove(&place.path().join("fsarena-2-2"), place.path(), "2-2").expect("nothing there"), None);
        assert!(theirs.exists());
    }

    #[test]
    fn a_limit_that_leaves_no_room_for_the_process_is_refused() {
        assert!(matches!(require(Bytes::mib(31)), Err(LaneError::LimitTooSmall { .. })));
    }
}
