//! File systems in a pool, whose module is built for the kernel of a guest, and one whose programs are in no release.

use std::path::Path;

use crate::guests::{CACHE, assert_nothing_left, fetch, prepared, release};
use crate::stage::{Stage, out, run};

pub const OPENZFS: [&str; 2] = ["zfs-dkms", "zfsutils-linux"];

/// Its module takes minutes to build: the test runs where a run of fsarena has already built it for this kernel.
#[test]
fn openzfs_is_compared_where_its_module_is_built() {
    if has_openzfs() {
        openzfs();
    }
}

/// Whether a guest can have the module of OpenZFS without a build.
pub fn has_openzfs() -> bool {
    let is_built = prepared() && Path::new(CACHE).join("modules/trixie").join(release()).join("zfs-dkms").exists();
    if !is_built {
        eprintln!("not tested: no module of OpenZFS is in {CACHE}; `fsarena compare zfs` builds it");
    }
    is_built
}

#[test]
#[ignore = "builds the module of OpenZFS, which takes minutes"]
fn the_module_of_openzfs_is_built_for_a_guest() {
    if prepared() {
        openzfs();
    }
}

fn openzfs() {
    fetch(&[&OPENZFS[..], &["bcachefs-tools/experimental", "cryptsetup-bin", "dmsetup"]].concat());
    let stage = Stage::new();
    let unsafe_one = "zfs:sync=disabled,recordsize=16k";
    let bcachefs = "bcachefs:compression=lz4 --data_checksum=xxhash";
    let arguments =
        ["ext4", "zfs", unsafe_one, "zfs@luks", bcachefs, "--guest", "--rounds", "2", "--baselines", "never"];
    run(stage.compare_on("512M", &arguments).args(["--workload", &stage.small()]), 0);
    let report = stage.json();
    let cells = report["cells"].as_array().expect("cells");
    assert!(cells.len() == 5 && cells.iter().all(|cell| cell["median"].as_f64().is_some_and(|rate| rate > 0.0)));
    assert_eq!(report["clean_checks"], 10, "each pool was scrubbed");
    let contender = |index: usize| &report["contenders"][index];
    assert!(contender(1)["guarantees"].to_string().contains("data-checksums"), "{}", contender(1));
    assert!(contender(1)["features"].to_string().contains("ashift=12"), "{}", contender(1));
    let mount = contender(2)["mount"].as_str().expect("a mount");
    assert!(mount.starts_with("zfs rw") && mount.contains("recordsize=16K,sync=disabled"), "{mount}");
    assert_eq!([1, 2, 3].map(|index| &contender(index)["durability"]), ["flushed", "unwritten", "flushed"]);
    assert!(contender(3)["guarantees"].to_string().contains("encryption"), "{}", contender(3));
    for (key, expected) in
        [("guarantees", "compression"), ("features", "data_checksum=xxhash"), ("mount", "bcachefs rw")]
    {
        assert!(contender(4)[key].to_string().contains(expected), "{}", contender(4));
    }
    let flushes = |index: usize| cells[index]["probes"]["device.flushes"]["value"].as_f64().expect("counted");
    assert!(
        flushes(1) >= 1.0 && flushes(2) < 0.5 && flushes(3) >= 1.0,
        "an fsync flushes only if it means something: {cells:?}"
    );
    assert_nothing_left(&stage);
}

#[test]
fn openzfs_keeps_what_is_acknowledged_unless_it_is_to_ignore_syncs() {
    if !has_openzfs() {
        return;
    }
    fetch(&OPENZFS);
    let stage = Stage::new();
    let mut command = stage.fsarena();
    command.args(["durability", "zfs", "ignoring=zfs:sync=disabled", "--states", "6", "--operations", "24"]);
    let page = out(&run(command.args(["--seed", "3", "--lane-size", "320M"]), 3));
    let row = |label: &str| page.lines().find(|line| line.starts_with(&format!("{label} "))).expect("a row");
    assert!(row("zfs").contains("kept all") && row("ignoring").contains("FAILED"), "{page}");
}
