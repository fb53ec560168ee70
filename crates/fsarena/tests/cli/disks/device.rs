//! A loop device of the test's own as a disk, and what is done to it and has to be undone.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

use fsarena_sys::loopdev;

use crate::stage::{Stage, out, run, wait_until};

/// Numbers of devices that neither losetup nor fsarena takes by itself.
const NUMBERS: std::ops::Range<u32> = 600..900;

/// A loop device over a file of its own. It and its partitions go when this is dropped.
pub struct Disk {
    number: u32,
    pub image: PathBuf,
}

impl Disk {
    /// A disk of zeros.
    pub fn new(stage: &Stage, name: &str, size: u64) -> Self {
        let image = stage.in_memory(name);
        File::create(&image).and_then(|file| file.set_len(size)).expect("an image");
        let number = NUMBERS.into_iter().find(|number| loopdev::add(*number).is_ok()).expect("a free number");
        let disk = Self { number, image };
        disk.attach(&[]);
        disk
    }

    /// Its device file.
    pub fn path(&self) -> String {
        format!("/dev/loop{}", self.number)
    }

    /// The ID that a disk without a serial number has.
    pub fn id(&self) -> String {
        format!("{}:{}", fs::metadata(&self.image).expect("there").len(), self.path())
    }

    /// Binds the device to its image.
    pub fn attach(&self, options: &[&str]) {
        let image = self.image.display().to_string();
        tool("losetup", &[options, &["--partscan", &self.path(), &image]].concat());
    }

    /// Unbinds it.
    pub fn detach(&self) {
        let _ = Command::new("losetup").args(["-d", &self.path()]).output();
        wait_until("the device is free", || loopdev::binding(self.number).expect("readable").is_none());
    }

    /// Writes into it, past everything that would object.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let device = File::options().write(true).open(self.path()).expect("ours");
        device.write_all_at(bytes, offset).and_then(|()| device.sync_all()).expect("written");
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        fs::metadata(&self.image).expect("there").len()
    }

    /// Adds partition `number` from MiB `start` on; the kernel need not know the table's format.
    pub fn partition(&self, number: u32, start: u64, mib: u64) -> (String, Undo) {
        let words = [number.into(), start * 2048, mib * 2048].map(|number: u64| number.to_string());
        tool("addpart", &[&self.path(), &words[0], &words[1], &words[2]]);
        (format!("{}p{number}", self.path()), Undo::command(&["delpart", &self.path(), &words[0]]))
    }

    /// What blkid finds at `offset`.
    pub fn signature(&self, offset: u64) -> String {
        let found = Command::new("blkid").args(["-p", "-O", &offset.to_string(), &self.path()]).output();
        out(&found.expect("blkid starts"))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.detach();
        let _ = loopdev::remove(self.number);
    }
}

/// Something to do when a test ends.
pub enum Undo {
    Command(Vec<String>),
    Kill(Child),
    Close(#[expect(dead_code, reason = "it is held")] File),
    Keep(#[expect(dead_code, reason = "it is held")] Disk),
}

impl Undo {
    pub fn command(words: &[&str]) -> Self {
        Self::Command(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        match self {
            Self::Command(words) => drop(Command::new(&words[0]).args(&words[1..]).output()),
            Self::Kill(child) => drop(child.kill().and_then(|()| child.wait())),
            Self::Close(_) | Self::Keep(_) => {}
        }
    }
}

/// Runs a tool that has to succeed, and returns what it says.
pub fn tool(program: &str, arguments: &[&str]) -> String {
    out(&run(Command::new(program).args(arguments), 0))
}

/// Where [`mount`] mounts a device.
pub fn point(stage: &Stage, device: &str) -> PathBuf {
    stage.path(&format!("mnt{}", device.replace('/', "-")))
}

/// Mounts `device` on a folder of the stage.
pub fn mount(stage: &Stage, device: &str, options: &[&str]) -> Undo {
    let point = point(stage, device).display().to_string();
    fs::create_dir_all(&point).expect("made");
    tool("mount", &[options, &[device, &point]].concat());
    Undo::command(&["umount", &point])
}

/// Stops what the kernel would still write to a file system later, which would change the device.
pub fn freeze(stage: &Stage, device: &str) -> Undo {
    let point = point(stage, device).display().to_string();
    tool("fsfreeze", &["--freeze", &point]);
    Undo::command(&["fsfreeze", "--unfreeze", &point])
}

/// The SHA-256 of everything on a device.
pub fn hash(device: &str) -> String {
    hash_from(device, 0)
}

/// The SHA-256 of what is on a device from a byte on.
pub fn hash_from(device: &str, byte: u64) -> String {
    tool("sync", &[]);
    let script = format!("tail -c +{} {device} | sha256sum", byte + 1);
    tool("sh", &["-c", &script]).split_whitespace().next().expect("a sum").to_owned()
}
