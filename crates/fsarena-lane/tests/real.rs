//! Lanes on real loop devices with real file systems. They need root.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use fsarena_lane::{Go, LaneError, LaneSet, Ledger, flush, require};
use fsarena_model::{Bytes, Durability, Guarantee, LanePlan, Medium, Plan, Storage};
use fsarena_sys::{loopdev, mountinfo, namespace};
use fsarena_testing::{Memory, Need, has, holds_lanes};

#[path = "real/measured.rs"]
mod measured;

/// A directory of the test's own.
struct Ground {
    place: Memory,
}

fn ground() -> Option<Ground> {
    if !has(&[Need::Root]) {
        return None;
    }
    // Each test runs in its own thread, and so gets its own namespace.
    namespace::enter_private_mounts().expect("root may have a namespace");
    Some(Ground { place: Memory::of_huge_pages() })
}

impl Ground {
    /// A program that another test is starting has the ledger's lock for a moment: fork(2) copies it, and execve(2)
    /// closes the copy.
    fn ledger(&self) -> Ledger {
        let folder = self.place.path().join("ledger");
        for _ in 0..1000 {
            match Ledger::open(&folder) {
                Err(LaneError::Busy { .. }) => thread::sleep(Duration::from_millis(10)),
                opened => return opened.expect("it can be opened").0,
            }
        }
        panic!("another process has the ledger");
    }

    fn lane_set(&self, contenders: &[&str], size: u64) -> LaneSet {
        let plan = self.plan(contenders, size);
        LaneSet::open(Vec::new(), plan, self.ledger(), &mut |_| Go::On).expect("the lanes can be made")
    }

    /// Its seed is its own: mkfs.btrfs refuses a UUID that a file system of another test has.
    fn plan(&self, contenders: &[&str], size: u64) -> Plan {
        static PLANS: AtomicU64 = AtomicU64::new(0);
        Plan {
            seed: u64::from(std::process::id()) << 16 | PLANS.fetch_add(1, Ordering::Relaxed),
            lanes: LanePlan::new(Storage::Directory(self.place.path().join("storage")), Bytes::mib(size), Medium::Nvme),
            ..Plan::of(contenders.iter().map(|text| text.parse().expect("well spelled")).collect())
        }
    }

    /// The loop devices of this test's lanes.
    fn devices(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir("/sys/block").expect("readable").flatten().map(|entry| entry.path());
        let file = |device: &PathBuf| fs::read_to_string(device.join("loop/backing_file")).unwrap_or_default();
        entries.filter(|device| Path::new(&file(device)).starts_with(self.place.path())).collect()
    }
}

fn device_number(name: &str) -> u32 {
    name.trim_start_matches("loop").parse().expect("a loop device has a number")
}

#[test]
fn every_kind_is_made_mounted_verified_checked_and_taken_away() {
    let Some(ground) = ground() else { return };
    let kinds = ["ext2", "ext3", "ext4", "xfs", "btrfs"];
    let mut lane_set = ground.lane_set(&kinds, 320);
    for (index, kind) in kinds.into_iter().enumerate() {
        let (place, facts) = lane_set.make(index, Some(index), 1).expect("it can be made");
        let mount = mountinfo::mount_of(&place.directory).expect("it is mounted");
        assert_eq!(mount.kind, kind);
        assert!(facts.mount.starts_with(kind) && facts.durability == Durability::Flushed, "{facts:?}");
        assert_eq!(facts.guarantees.contains(&Guarantee::Journal), ["ext3", "ext4", "xfs"].contains(&kind));
        assert!(!facts.features.is_empty() && facts.read_ahead_kib.is_some(), "{facts:?}");
        assert!(place.backing.is_some());
        assert!(place.device.is_some(), "it has a lane");
    }
    for index in 0..kinds.len() {
        let result = lane_set.finish(index).expect("it can be checked").expect("there is something to check");
        assert!(result.clean, "{}", result.output);
    }
    lane_set.close().expect("nothing stays");
    assert_eq!(ground.devices(), Vec::<PathBuf>::new());
    assert!(!ground.place.path().join("storage").exists(), "it was made by the run");
    assert_eq!(fs::read_dir(ground.place.path().join("ledger")).expect("there").count(), 1, "only the lock is left");
}

#[test]
fn lanes_are_direct_without_discard_and_equal() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4", "ext2"], 64);
    let settings = |device: &str| {
        let read = |name: &str| fs::read_to_string(format!("/sys/block/{device}/{name}")).expect("there");
        ["loop/dio", "queue/discard_max_bytes", "queue/rotational", "queue/logical_block_size", "size"].map(read)
    };
    let places: Vec<_> = (0..2).map(|index| lane_set.make(index, Some(index), 1).expect("made").0).collect();
    let all: Vec<_> = places.iter().map(|place| settings(place.device.as_deref().expect("a lane"))).collect();
    assert_eq!(all[0].each_ref().map(|text| text.trim()), ["1", "0", "0", "4096", "131072"]);
    assert_eq!(all[0], all[1]);
    let folder =
        fs::read_dir(ground.place.path().join("storage")).expect("there").flatten().next().expect("one folder");
    let image = fs::metadata(folder.path().join("lane-0.img")).expect("there");
    assert!(std::os::unix::fs::MetadataExt::blocks(&image) * 512 >= Bytes::mib(64).0, "it is not sparse");
    lane_set.close().expect("nothing stays");
}

#[test]
fn the_same_seed_makes_the_same_file_system() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4", "ext4:noatime"], 64);
    let uuid = |facts: &fsarena_model::ContenderFacts| facts.mkfs[facts.mkfs.len() - 4].clone();
    let (_, first) = lane_set.make(0, Some(0), 1).expect("made");
    let (_, second) = lane_set.make(1, Some(1), 1).expect("made");
    assert_ne!(uuid(&first), uuid(&second), "two that are mounted at once differ");
    lane_set.finish(0).expect("checked");
    let (_, again) = lane_set.make(0, Some(0), 1).expect("made again");
    assert_eq!(first.mkfs, again.mkfs);
    assert!(second.mount.contains("noatime") && !first.mount.contains("noatime"));
    lane_set.close().expect("nothing stays");
}

#[test]
fn a_remount_leaves_nothing_in_memory() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["xfs"], 320);
    let (place, _) = lane_set.make(0, Some(0), 1).expect("made");
    let file = place.directory.join("data");
    fs::write(&file, vec![7; 8 << 20]).expect("written");
    let reads = || {
        let text = fs::read_to_string(format!("/sys/block/{}/stat", place.device.as_deref().expect("a lane")));
        text.expect("there").split_whitespace().nth(2).and_then(|field| field.parse::<u64>().ok()).expect("a number")
    };
    lane_set.remount(0).expect("it can").expect("it is on a lane");
    let before = reads();
    assert_eq!(fs::read(&file).expect("there").len(), 8 << 20);
    assert!((reads() - before) * 512 >= 8 << 20, "every byte came from the device");
    lane_set.close().expect("nothing stays");
}

#[test]
fn the_kernels_own_words_are_in_the_error() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4:bogus=1"], 64);
    let error = lane_set.make(0, Some(0), 1).expect_err("no such option").to_string();
    assert!(error.contains("bogus") && error.contains("Unknown parameter"), "{error}");
    lane_set.close().expect("nothing stays");
}

#[test]
fn damage_is_found_by_the_check() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4"], 64);
    let (place, _) = lane_set.make(0, Some(0), 1).expect("made");
    let device = loopdev::device_path(device_number(place.device.as_deref().expect("a lane")));
    let device = OpenOptions::new().write(true).open(device).expect("ours");
    // Overwrites the bitmaps behind the superblock and the group descriptors.
    device.write_all_at(&vec![0xa5; 1 << 20], 64 << 10).and_then(|()| device.sync_all()).expect("written");
    let result = lane_set.finish(0).expect("checked").expect("there is something to check");
    assert!(!result.clean && !result.output.is_empty());
    drop(device);
    lane_set.close().expect("nothing stays");
}

#[test]
fn an_arena_that_is_dropped_takes_everything_with_it_but_nothing_else() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4"], 64);
    lane_set.make(0, Some(0), 1).expect("made");
    assert!(!ground.devices().is_empty());
    let storage = ground.place.path().join("storage");
    fs::write(storage.join("precious"), "not ours").expect("written");
    drop(lane_set);
    assert_eq!(ground.devices(), Vec::<PathBuf>::new());
    let left: Vec<_> = fs::read_dir(storage).expect("there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["precious"]);
}

#[test]
fn a_place_that_another_user_could_change_is_refused() {
    let Some(ground) = ground() else { return };
    let plan = ground.plan(&["ext4"], 64);
    let storage = ground.place.path().join("storage");
    let open = || LaneSet::open(Vec::new(), plan.clone(), ground.ledger(), &mut |_| Go::On).map(drop);
    let allow = |mode| fs::set_permissions(&storage, fs::Permissions::from_mode(mode)).expect("ours");
    fs::create_dir(&storage).expect("made");
    allow(0o777);
    assert!(matches!(open(), Err(LaneError::UnsafePlace { .. })));
    allow(0o1777);
    open().expect("a sticky folder, as /var/tmp, is safe");
    allow(0o755);
    std::os::unix::fs::chown(&storage, Some(65534), None).expect("root may");
    assert!(matches!(open(), Err(LaneError::UnsafePlace { .. })));
    assert_eq!(fs::read_dir(&storage).expect("there").count(), 0);
}

#[test]
fn options_that_name_another_device_are_refused() {
    let Some(ground) = ground() else { return };
    let lane_set = ground.lane_set(&["ext4"], 64);
    let theirs = Path::new("/dev").join(ground.devices()[0].file_name().expect("a name")).display().to_string();
    for (mkfs, mount) in [(theirs.clone(), String::new()), ("-l".to_owned(), format!("logdev={theirs}"))] {
        let mut plan = ground.plan(&["xfs"], 320);
        plan.contenders[0].mkfs = vec![mkfs];
        plan.contenders[0].mount = mount;
        let error = require::contender(&plan.contenders[0]).expect_err("refused").to_string();
        assert!(error.contains(&theirs), "{error}");
    }
    let file = ground.place.path().join("file");
    fs::write(&file, "precious").expect("written");
    let refused = [format!("-Jdevice={}", file.display()), "-Jdevice=LABEL=journal".into(), "device=UUID=1-2".into()];
    for option in refused {
        let mut plan = ground.plan(&["ext4"], 64);
        plan.contenders[0].mkfs = vec![option.clone()];
        require::contender(&plan.contenders[0]).expect_err(&option);
    }
    for option in ["-Luuid", "-O^has_journal", "-Tnews"] {
        let mut plan = ground.plan(&["ext4"], 64);
        plan.contenders[0].mkfs = vec![option.to_owned()];
        require::contender(&plan.contenders[0]).expect("it names no storage");
    }
    lane_set.close().expect("nothing stays");
}

#[test]
fn memory_holds_lanes_as_well() {
    let Some(ground) = ground() else { return };
    let mut plan = ground.plan(&["ext4", "tmpfs"], 64);
    plan.lanes.storage = Storage::Memory;
    let opened = LaneSet::open(Vec::new(), plan, ground.ledger(), &mut |_| Go::On);
    if !holds_lanes() {
        assert!(matches!(opened, Err(LaneError::NotDirect { .. })));
        return;
    }
    let mut lane_set = opened.expect("room");
    let (_, facts) = lane_set.make(0, Some(0), 1).expect("made");
    assert_eq!(facts.durability, Durability::Flushed);
    let (_, facts) = lane_set.make(1, None, 1).expect("made");
    assert_eq!(facts.durability, Durability::Volatile);
    assert!(lane_set.lane_cost(fsarena_lane::Effort::ROUND).expect("measured").is_some());
    let flushes = lane_set.flushes().expect("flushed");
    assert!(flush::unproven(&flushes, Medium::Hdd).is_some(), "memory is no disk: {flushes:?}");
    lane_set.close().expect("nothing stays");
}
