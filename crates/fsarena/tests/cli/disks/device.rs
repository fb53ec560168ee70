//! A loop device that a test uses as a disk, and reversible changes to it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

use fsarena_sys::loopdev;

use crate::stage::{Stage, out, run, wait_until};

/// Device numbers that neither losetup nor fsarena chooses.
const NUMBERS: std::ops::Range<u32> = 600..900;

/// A loop device over an image file. It and its partitions are removed when this is dropped.
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

    /// The path of the device file.
    pub fn path(&self) -> String {
        format!("/dev/loop{}", self.number)
    }

    /// The ID of a disk without a serial number.
    pub fn id(&self) -> String {
        format!("{}:{}", fs::metadata(&self.image).expect("there").len(), self.path())
    }

    /// Binds the device to its image.
    pub fn attach(&self, options: &[&str]) {
        let image = self.image.display().to_string();
        tool("losetup", &[options, &["--partscan", &self.path(), &image]].concat());
    }

    /// Unbinds the device from its image.
    pub fn detach(&self) {
        let _ = Command::new("losetup").args(["-d", &self.path()]).output();
        wait_until("the device is free", || loopdev::binding(self.number).expect("readable").is_none());
    }

    /// Writes to the device without the checks of a file system or partition table.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let device = File::options().write(true).open(self.path()).expect("ours");
        device.write_all_at(bytes, offset).and_then(|()| device.sync_all()).expect("written");
    }

    /// The device's size in bytes.
    pub fn size(&self) -> u64 {
        fs::metadata(&self.image).expect("there").len()
    }

    /// Adds partition `number` at MiB `start`, without a partition table that the kernel knows.
    pub fn partition(&self, number: u32, start: u64, mib: u64) -> (String, Undo) {
        let words = [number.into(), start * 2048, mib * 2048].map(|number: u64| number.to_string());
        tool("addpart", &[&self.path(), &words[0], &words[1], &words[2]]);
        (format!("{}p{number}", self.path()), Undo::command(&["delpart", &self.path(), &words[0]]))
    }

    /// The signature that blkid finds at `offset`.
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

/// An action at the end of a test.
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

/// Runs a tool that has to succeed, and returns its output.
pub fn tool(program: &str, arguments: &[&str]) -> String {
    out(&run(Command::new(program).args(arguments), 0))
}

/// The mount point that [`mount`] uses for a device.
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

/// Freezes a file system, so that the kernel's deferred writes do not change the device.
pub fn freeze(stage: &Stage, device: &str) -> Undo {
    let point = point(stage, device).display().to_string();
    tool("fsfreeze", &["--freeze", &point]);
    Undo::command(&["fsfreeze", "--unfreeze", &point])
}

/// A checksum of a device's whole content.
pub fn hash(device: &str) -> String {
    hash_from(device, 0)
}

/// A checksum of a device's content from `byte` on. A CRC takes a fortieth of the time of SHA-256.
pub fn hash_from(device: &str, byte: u64) -> String {
    tool("sync", &[device]);
    let script = format!("tail -c +{} {device} | cksum", byte + 1);
    tool("sh", &["-c", &script]).split_whitespace().next().expect("a sum").to_owned()
}
