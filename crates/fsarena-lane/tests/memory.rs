//! Memory limits by real control groups. A group always holds a whole process, so these tests have their own binary and
//! run one at a time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fsarena_lane::{Go, LaneError, LaneSet, Ledger, require};
use fsarena_model::{Bytes, ErrorCategory, Explained, LanePlan, Medium, Plan, Storage};
use fsarena_testing::{Need, has};
use rustix::fs::{Advice, fadvise};

static THIS_PROCESS: Mutex<()> = Mutex::new(());

fn plan(folder: &Path) -> Plan {
    Plan {
        lanes: LanePlan::new(Storage::Memory, Bytes::mib(64), Medium::Nvme),
        ..Plan::of(vec![format!("dir:{}", folder.display()).parse().expect("well spelled")])
    }
}

fn ledger(folder: &Path) -> (Ledger, fsarena_lane::Cleared) {
    Ledger::open(&folder.join("ledger")).expect("no other process has it")
}

/// Lanes with its own directory, while no other of these tests runs; `None` if memory cannot be limited.
fn lane_set() -> Option<(MutexGuard<'static, ()>, tempfile::TempDir, LaneSet)> {
    if !has(&[Need::Root, Need::MemoryGroups]) {
        return None;
    }
    let alone = THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
    let mut lane_set =
        LaneSet::open(Vec::new(), plan(folder.path()), ledger(folder.path()).0, &mut |_| Go::On).expect("opened");
    lane_set.confine(Bytes::mib(64)).expect("it can be limited");
    lane_set.release().expect("it can be left");
    Some((alone, folder, lane_set))
}

/// Folder of this process' memory group, if a run made it.
fn own_group() -> Option<PathBuf> {
    let own = std::process::id().to_string();
    let holds = |group: &PathBuf| {
        fs::read_to_string(group.join("cgroup.procs")).is_ok_and(|text| text.lines().any(|line| line == own))
    };
    let tops = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].iter().flat_map(fs::read_dir).flatten().flatten();
    let groups = tops.filter(|entry| entry.file_name().to_string_lossy().starts_with("fsarena-"));
    groups.map(|entry| entry.path()).find(holds)
}

/// Bytes that this process has read from storage.
fn served() -> u64 {
    let text = fs::read_to_string("/proc/self/io").expect("readable");
    let line = text.lines().find_map(|line| line.strip_prefix("read_bytes: ")).expect("there");
    line.parse().expect("a number")
}

/// Bytes read from storage, as a multiple of `size`, when the file of that size is read twice within `limit`.
fn times_served(lane_set: &mut LaneSet, file: &File, size: u64, limit: Bytes) -> f64 {
    fadvise(file, 0, None, Advice::DontNeed).expect("the kernel may drop it");
    lane_set.confine(limit).expect("it can be limited");
    let (before, mut buffer) = (served(), vec![0; 1 << 20]);
    for offset in (0..size).step_by(1 << 20).chain((0..size).step_by(1 << 20)) {
        file.read_exact_at(&mut buffer, offset).expect("read");
    }
    let times = (served() - before) as f64 / size as f64;
    let group = own_group().expect("it is in it");
    lane_set.release().expect("it can be left");
    let left = ["memory.usage_in_bytes", "memory.current"]
        .iter()
        .find_map(|file| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok());
    assert!(left.expect("it says so") < Bytes::mib(24).0, "{left:?}: what was read is no longer in memory");
    times
}

#[test]
fn a_file_that_does_not_fit_is_read_from_storage_again() {
    let Some((_alone, folder, mut lane_set)) = lane_set() else { return };
    let size = Bytes::mib(96).0;
    let mut file = File::create_new(folder.path().join("data")).expect("made");
    for number in 0..size >> 20 {
        file.write_all(&vec![number as u8; 1 << 20]).expect("written");
    }
    file.sync_all().expect("on storage");
    let file = File::open(folder.path().join("data")).expect("there");
    for _ in 0..2 {
        let exceeding = times_served(&mut lane_set, &file, size, Bytes::mib(48));
        assert!((1.8..2.2).contains(&exceeding), "{exceeding}");
        let fitting = times_served(&mut lane_set, &file, size, Bytes::mib(192));
        assert!((0.95..1.1).contains(&fitting), "{fitting}");
    }
    lane_set.close().expect("nothing stays");
}

#[test]
fn a_process_is_in_its_group_while_it_is_confined_and_never_afterwards() {
    let Some((_alone, folder, mut lane_set)) = lane_set() else { return };
    assert_eq!(own_group(), None);
    lane_set.confine(Bytes::mib(64)).expect("it can be limited");
    let group = own_group().expect("it is in it");
    lane_set.confine(Bytes::mib(128)).expect("again, with another limit");
    assert_eq!(own_group(), Some(group.clone()));
    lane_set.release().expect("it can be left");
    assert_eq!(own_group(), None);
    assert!(matches!(lane_set.confine(Bytes::mib(31)), Err(LaneError::LimitTooSmall { .. })));
    lane_set.confine(Bytes::mib(64)).expect("it can be limited");
    drop(lane_set);
    assert!(own_group().is_none() && !group.exists(), "a dropped lane_set leaves its group and removes it");
    assert_eq!(fs::read_dir(folder.path().join("ledger")).expect("there").count(), 1, "only the lock is left");
}

/// A process that must not outlive the test.
struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_next_start_removes_a_dead_runs_group_and_spares_who_is_in_it() {
    let Some((_alone, folder, mut lane_set)) = lane_set() else { return };
    lane_set.confine(Bytes::mib(64)).expect("it can be limited");
    let group = own_group().expect("it is in it");
    let mut sleeper = Sleeper(Command::new("sleep").arg("600").spawn().expect("it starts"));
    // Copies the ledger to imitate a killed run. The living run undoes its own ledger later, and finds nothing.
    let token = group.file_name().expect("named").to_string_lossy().replace("fsarena-", "");
    let written = folder.path().join("ledger").join(format!("{token}.jsonl"));
    let dead = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
    fs::create_dir(dead.path().join("ledger")).expect("made");
    fs::copy(&written, dead.path().join("ledger").join(format!("{token}.jsonl"))).expect("copied");
    let (_next, cleared) = ledger(dead.path());
    assert!(cleared.removed.iter().any(|what| what.contains("control group")), "{cleared:?}");
    assert!(!group.exists() && own_group().is_none());
    assert_eq!(sleeper.0.try_wait().expect("it can be asked"), None, "it lives");
    lane_set.close().expect("nothing stays");
}

#[test]
fn limits_that_cannot_be_kept_are_refused_before_anything_is_made() {
    let error = require::memory_limit(Bytes::mib(16)).expect_err("no process could live there");
    assert_eq!((error.category(), error.hint()), (ErrorCategory::Use, Some("memory-limit = \"32M\"".to_owned())));
}
