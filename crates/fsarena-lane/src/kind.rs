//! File-system kinds. A new kind is one file below `kind/` and one line in [`KINDS`].

mod btrfs;
mod dir;
mod ext;
mod further;
mod rsext4;
mod share;
mod tmpfs;
mod xfs;

use std::path::Path;

use fsarena_model::plan::Lanes;
use fsarena_model::{Bytes, Durability, Guarantee, Plan, Storage};

/// All kinds, in the order in which they are listed.
pub static KINDS: &[&dyn Kind] = &[
    &ext::EXT2,
    &ext::EXT3,
    &ext::EXT4,
    &xfs::Xfs,
    &btrfs::Btrfs,
    &further::NILFS2,
    &further::F2FS,
    &further::JFS,
    &further::REISERFS,
    &further::EXFAT,
    &further::UDF,
    &tmpfs::Tmpfs,
    &share::PLAN9,
    &share::VIRTIOFS,
    &share::NFS,
    &share::SMB,
    &share::SSHFS,
    &dir::Directory,
    &rsext4::RSEXT4,
    &rsext4::PREVIEW,
];

/// The kind of that name.
pub fn kind(name: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

/// Whether each contender needs a lane, in the plan's order.
pub fn needs_lane(plan: &Plan) -> Vec<bool> {
    let needs = |name: &str| kind(name).is_some_and(|kind| kind.ground().has_lane());
    plan.contenders.iter().map(|contender| needs(&contender.kind)).collect()
}

/// Number of contenders that need a lane.
pub fn lane_count(plan: &Plan) -> usize {
    needs_lane(plan).into_iter().filter(|needs| *needs).count()
}

/// Number of lanes to make: one for each contender that needs one and a calibration device, or one that all use in
/// turn. On partitions the calibration device exists only if there is a partition for it.
pub fn made_lanes(plan: &Plan) -> usize {
    match (lane_count(plan), plan.lanes, &plan.storage) {
        (0, ..) => 0,
        (_, Lanes::InTurn, _) => 1,
        (count, Lanes::Own, Storage::Partitions(paths)) if paths.len() == count => count,
        (count, Lanes::Own, _) => count + 1,
    }
}

/// A program that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The program's name.
    pub program: &'static str,
    /// The Debian package that has it.
    pub package: &'static str,
    /// The argument that makes it print its version.
    pub version: &'static str,
}

/// What a contender of a kind is stored on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A lane, which gets a fresh mkfs and is mounted.
    Lane,
    /// A lane, which gets a fresh mkfs and is not mounted: a library works on its device.
    Library,
    /// Memory, mounted.
    Memory,
    /// An existing directory.
    Directory,
    /// A folder of the host, mounted in a guest.
    Share,
}

impl Ground {
    /// Whether contenders of this kind need a lane, mounted or not.
    pub fn has_lane(self) -> bool {
        matches!(self, Self::Lane | Self::Library)
    }
}

/// Identifiers for one mkfs, derived from the seed so that they are reproducible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The file system's UUID.
    pub uuid: String,
    /// The seed of directory hashes, as a UUID.
    pub hash_seed: String,
}

/// A kind of file system.
pub trait Kind: Sync {
    /// Name on the command line. It is also the name of the kernel's driver, or of the library.
    fn name(&self) -> &'static str;

    /// The kernel's name for the file system, used to mount it.
    fn mounted_as(&self) -> &'static str {
        self.name()
    }

    /// The program that mounts it, called as `PROGRAM SOURCE POINT -o OPTIONS`; `None`: the kernel does.
    fn mounter(&self) -> Option<&'static str> {
        None
    }

    /// One-line description.
    fn about(&self) -> &'static str;

    /// What its contenders are stored on.
    fn ground(&self) -> Ground {
        Ground::Lane
    }

    /// The programs it needs.
    fn tools(&self) -> &'static [Tool] {
        &[]
    }

    /// The smallest lane on which its mkfs works.
    fn smallest_lane(&self) -> Bytes {
        Bytes(0)
    }

    /// The command that makes it on `device`.
    fn mkfs(&self, _device: &Path, _identity: &Identity, _further: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// The command that checks it on `device` without changing anything; exit code 0 means clean. Empty: there is none.
    fn check(&self, _device: &Path) -> Vec<String> {
        Vec::new()
    }

    /// The command of the daemon that works while it is mounted from `device` at `point`, started by unshare(1); empty:
    /// there is none.
    fn daemon(&self, _device: &Path, _point: &Path) -> Vec<String> {
        Vec::new()
    }

    /// The command that makes it mountable after a crash, where the kernel cannot; exit code 0 or 1 means success (as of
    /// fsck(8)). Empty: mounting it is enough.
    fn recover(&self, _device: &Path) -> Vec<String> {
        Vec::new()
    }

    /// The command that describes the file system on `device` as created.
    fn describe(&self, _device: &Path) -> Vec<String> {
        Vec::new()
    }

    /// Features named in the output of mkfs, followed by that of [`Kind::describe`].
    fn features(&self, _description: &str) -> Vec<String> {
        Vec::new()
    }

    /// What the file system guarantees, according to its features and its mount options as the kernel reports them.
    fn guarantees(&self, _features: &[String], _options: &str) -> Vec<Guarantee> {
        Vec::new()
    }

    /// The mount option that makes direct I/O bypass the page cache, if it does not with the options `mount`, as typed.
    /// `None` if direct I/O already bypasses it, or no option makes it so.
    fn made_direct(&self, _mount: &str) -> Option<&'static str> {
        None
    }

    /// A warning that a reader needs before the figures; `None` for most kinds.
    fn caution(&self) -> Option<&'static str> {
        None
    }

    /// Durability class of an fsync with these mount options.
    fn durability(&self, options: &str) -> Durability {
        let without = ["nobarrier", "barrier=0"];
        match options.split(',').any(|option| without.contains(&option)) {
            true => Durability::Unflushed,
            false => Durability::Flushed,
        }
    }
}

fn strings<const N: usize>(parts: [&str; N]) -> Vec<String> {
    parts.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for wanted in KINDS {
            assert_eq!(KINDS.iter().filter(|kind| kind.name() == wanted.name()).count(), 1);
        }
        assert!(kind("ext4").is_some());
        assert!(kind("ntfs").is_none());
    }

    #[test]
    fn mounting_without_barriers_costs_the_durability_class() {
        let ext4 = kind("ext4").expect("ext4 is a kind");
        assert_eq!(ext4.durability("rw,relatime"), Durability::Flushed);
        assert_eq!(ext4.durability("rw,nobarrier"), Durability::Unflushed);
    }
}
