//! Effect of a loss of power: ext4 on a loop device is shut down without writing anything more, as with `xfs_io -x -c
//! shutdown` (EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH).

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use fsarena_store::Store;
use fsarena_sys::namespace;
use fsarena_testing::{Memory, Need, has};

use crate::fixture::{STARTED, events, plan};

/// A mounted ext4 on an image; its loop device is freed with the mount.
struct Disk {
    place: Memory,
}

impl Disk {
    fn new() -> Self {
        let place = Memory::folder();
        File::create(place.path().join("image")).unwrap().set_len(64 << 20).unwrap();
        fs::create_dir(place.path().join("mount")).unwrap();
        let disk = Self { place };
        disk.call("mkfs.ext4", &["-q", &disk.image()]);
        disk.mount();
        disk
    }

    fn image(&self) -> String {
        self.place.path().join("image").display().to_string()
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("mount")
    }

    fn mount(&self) {
        self.call("mount", &["-o", "loop", &self.image(), &self.root().display().to_string()]);
    }

    fn lose_power(&self) {
        self.call("xfs_io", &["-x", "-c", "shutdown", &self.root().display().to_string()]);
    }

    fn start_again(&self) {
        self.call("umount", &[&self.root().display().to_string()]);
        self.mount();
    }

    fn call(&self, program: &str, arguments: &[&str]) {
        let output = Command::new(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.root()).output();
    }
}

#[test]
fn stored_runs_survive_a_power_loss() {
    if !has(&[Need::Root]) {
        return;
    }
    // A mount namespace that another test makes meanwhile would keep a mount that all see, and with it the file system
    // that was shut down.
    namespace::enter_private_mounts().unwrap();
    let disk = Disk::new();
    let path = disk.root().join("new/store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let run = store.insert(&plan(), STARTED, &[]).unwrap();
    events().iter().for_each(|event| store.append(run, event).unwrap());
    let expected = store.load(run).unwrap();
    disk.lose_power();
    drop(store);
    disk.start_again();
    assert_eq!(Store::open(&path).unwrap().load(run).unwrap(), expected);
}
