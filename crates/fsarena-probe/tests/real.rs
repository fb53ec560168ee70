//! Counters of real lanes. They need root.

use std::fs::File;
use std::io::Write;

use fsarena_lane::{Go, LaneSet, Ledger, Place};
use fsarena_model::{Bytes, LanePlan, Medium, Plan, Probe, Readings, Storage, probe};
use fsarena_probe::{Flushes, Snapshot, Target, Totals};
use fsarena_sys::mountinfo::{self, Mount};
use fsarena_sys::namespace;
use fsarena_testing::{Need, has};

const CONTENDERS: [&str; 4] = ["ext4", "careless=ext4:barrier=0", "xfs", "btrfs"];

fn lane_set(folder: &std::path::Path) -> LaneSet {
    let plan = Plan {
        lanes: LanePlan::new(Storage::Directory(folder.join("storage")), Bytes::mib(320), Medium::Nvme),
        ..Plan::of(CONTENDERS.iter().map(|text| text.parse().expect("well spelled")).collect())
    };
    let ledger = Ledger::open(&folder.join("ledger")).expect("no other process has it").0;
    LaneSet::open(Vec::new(), plan, ledger, &mut |_| Go::On).expect("the lanes can be made")
}

/// Growth of the counters while 200 new files are each made durable: enough for the time of flushes, which has a
/// resolution of 1 ms.
fn synced(place: &Place, flushes: Flushes) -> Readings {
    let target = Target {
        beneath: None,
        device: place.device.clone(),
        backing: place.backing.clone(),
        flushes,
        ..Target::default()
    };
    let before = Snapshot::take(&target);
    for number in 0..200 {
        let mut file = File::create_new(place.directory.join(format!("{flushes:?}-{number}"))).expect("a new file");
        file.write_all(&[7; 4096]).and_then(|()| file.sync_all()).expect("durable");
    }
    let mut totals = Totals::default();
    totals.add(&before, &Snapshot::take(&target));
    totals.readings()
}

#[test]
fn flushes_are_counted_where_they_are_sent_and_asked_for() {
    if !has(&[Need::Root, Need::Path("/sys/kernel/tracing")]) {
        return;
    }
    namespace::enter_private_mounts().expect("root may have a namespace");
    // On a disk, whose flushes take time.
    let folder = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
    let mut lane_set = lane_set(folder.path());
    for (index, name) in CONTENDERS.into_iter().enumerate() {
        let (place, _) = lane_set.make(index, Some(index), 1).expect("made");
        // Its source may have any name, such as that of a logical volume.
        let mount = mountinfo::mount_of(&place.directory).expect("mounted");
        let mount = Mount { source: "/dev/mapper/any".to_owned(), ..mount };
        assert_eq!(mount.has_journal(), mount.kind == "ext4", "{name}");
        let readings = synced(&place, Flushes::Counted);
        let value = |probe: Probe| readings[&probe.key()].value.unwrap_or_else(|| panic!("{name}: {}", probe.id));
        let (preflushes, fua) = (value(probe::DEVICE_PREFLUSHES), value(probe::DEVICE_FUA));
        match name.contains("barrier=0") {
            true => assert_eq!((preflushes, fua, value(probe::DEVICE_FLUSHES)), (0.0, 0.0, 0.0), "{name}"),
            false => {
                assert!(preflushes >= 200.0 && fua >= 200.0, "{name}: {preflushes}, {fua}");
                assert!(value(probe::DEVICE_FLUSHING) > 0.0, "{name}: a flush takes time");
            }
        }
        let uncounted = synced(&place, Flushes::Left);
        assert_eq!(uncounted[&probe::DEVICE_PREFLUSHES.key()].value, None);
        assert_eq!(
            uncounted[&probe::DEVICE_FLUSHES.key()].value.map(|count| count > 0.0),
            Some(!name.contains("barrier=0"))
        );
    }
    lane_set.close().expect("nothing stays");
}
