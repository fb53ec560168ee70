//! File-system kinds. A new kind is one file below `kind/` and one line in [`KINDS`].

mod bcachefs;
mod btrfs;
mod dir;
mod ext;
mod further;
mod made;
mod options;
mod risks;
mod rsext4;
mod share;
mod tmpfs;
mod xfs;
mod zfs;

pub(crate) use made::LargeBlocks;
pub use made::{Identity, MkfsResult};
pub(crate) use options::without_effect;
pub(crate) use risks::risks;

use std::path::Path;

use self::options::{OptionRules, mounts};
use crate::pool;
use fsarena_model::plan::Lanes;
use fsarena_model::{Bytes, Contender, Durability, Guarantee, KernelSymbols, Plan, Storage};

/// All kinds, in the order in which they are listed.
pub static KINDS: &[&Kind] = &[
    &ext::EXT2,
    &ext::EXT3,
    &ext::EXT4,
    &xfs::XFS,
    &btrfs::BTRFS,
    &bcachefs::BCACHEFS,
    &zfs::ZFS,
    &further::NILFS2,
    &further::F2FS,
    &further::JFS,
    &further::REISERFS,
    &further::EXFAT,
    &further::UDF,
    &tmpfs::TMPFS,
    &share::PLAN9,
    &share::VIRTIOFS,
    &share::NFS,
    &share::SMB,
    &share::SSHFS,
    &dir::DIRECTORY,
    &rsext4::RSEXT4,
    &rsext4::PREVIEW,
];

/// The kind of that name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The functions in the kernel of the file system on a mount of this type, which may be followed by its options.
pub fn kernel_symbols(mount: &str) -> KernelSymbols {
    let name = mount.split(' ').next().unwrap_or_default();
    let known = KINDS.iter().find(|kind| kind.mounted_as == name);
    known.map_or(KernelSymbols::NONE, |kind| kind.symbols)
}

/// File systems that are no kinds, but that results of others may be of.
pub(crate) const MADE_ELSEWHERE: [&str; 4] = ["apfs", "hfsplus", "ntfs", "vfat"];

/// Other names of file systems that kernels report and that are no kinds.
const REPORTED: [&str; 4] = ["erofs", "nfs", "ntfs3", "overlay"];

/// The file system that a text such as a label or a host's name contains as a word, as kernels call it.
pub fn named_in(text: &str) -> Option<&'static str> {
    let kinds = KINDS.iter().filter(|kind| !matches!(kind.ground, Ground::Directory | Ground::Library));
    let names = kinds.map(|kind| kind.mounted_as).chain(MADE_ELSEWHERE).chain(REPORTED);
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.find_map(|word| names.clone().find(|name| *name == word))
}

/// Whether each contender needs a lane, in the plan's order.
pub fn needs_lane(plan: &Plan) -> Vec<bool> {
    let needs = |name: &str| kind(name).is_some_and(|kind| kind.ground.has_lane());
    plan.contenders.iter().map(|contender| needs(&contender.kind)).collect()
}

/// Number of contenders that need a lane.
pub fn lane_count(plan: &Plan) -> usize {
    needs_lane(plan).into_iter().filter(|needs| *needs).count()
}

/// Number of lanes to make: one for each contender that needs one and a calibration device in the guest of each kernel,
/// or one that all use in turn. On partitions the calibration device exists only if there is a partition for it.
pub fn made_lanes(plan: &Plan) -> usize {
    match (lane_count(plan), plan.lanes.shared, &plan.lanes.storage) {
        (0, ..) => 0,
        (_, Lanes::InTurn, _) => 1,
        (count, Lanes::Own, Storage::Partitions(paths)) if paths.len() == count => count,
        (count, Lanes::Own, _) => count + plan.kernels().len(),
    }
}

/// A program that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The program's name.
    pub program: &'static str,
    /// The Debian package that has it; `PACKAGE/SUITE` if it is in no release, but in this suite.
    pub package: &'static str,
    /// The argument that makes it print its version.
    pub version: &'static str,
}

pub(crate) const fn tool(program: &'static str, package: &'static str, version: &'static str) -> Tool {
    Tool { program, package, version }
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

/// The option of a pool's mkfs for properties of what is mounted, and the one for sectors of a lane's size.
const OF_POOL: &str = "-O";
const SECTORS: [&str; 2] = ["-o", "ashift=12"];

/// The words of a command; empty: there is none.
pub type Words = &'static [&'static str];

/// A kind of file system. Its commands get their last words by [`command`].
#[derive(Debug)]
pub struct Kind {
    /// Name on the command line.
    pub name: &'static str,
    /// The kernel's name for the file system, used to mount it.
    pub mounted_as: &'static str,
    /// The program that mounts it, called as `PROGRAM SOURCE POINT -o OPTIONS`; `None`: the kernel does.
    pub mounter: Option<&'static str>,
    /// One-line description.
    pub about: &'static str,
    /// What its contenders are stored on.
    pub ground: Ground,
    /// The Debian package with the sources of its module, if no kernel of Debian has it: it is built for guests.
    pub module: Option<&'static str>,
    /// Whether it lies in a pool on its device. What follows the colon are then properties that are set with the pool.
    pub is_pool: bool,
    /// The programs it needs.
    pub tools: &'static [Tool],
    /// Whether the version of its programs is that of the kernel with which they were released.
    pub is_numbered_as_kernels: bool,
    /// The smallest lane on which its mkfs works.
    pub smallest_lane: Bytes,
    /// Makes it. `{uuid}` and `{hash_seed}` stand for those of the [`Identity`].
    pub(crate) mkfs: Words,
    /// Describes it as it was made. Here and below, `{pool}` stands for the name of the pool on the device.
    pub(crate) describe: Words,
    /// Checks it without changing anything; exit code 0 means clean.
    pub check: Words,
    /// Makes it mountable after a crash; exit code 0 or 1 means success (as of fsck(8)). Empty: mounting it is enough.
    pub recover: Words,
    /// The daemon that works while it is mounted.
    pub(crate) daemon: Words,
    /// The options of its mkfs; a user may add those that are not refused.
    pub(crate) options: &'static OptionRules,
    /// Mount options that are refused, or only with some options of mkfs.
    pub(crate) mount: &'static [&'static OptionRules],
    /// Features that the kernel mounts only if it is built for them; it then has this file.
    pub(crate) built_in: &'static [(&'static str, &'static str)],
    pub(crate) large_blocks: LargeBlocks,
    /// What was really made, from the output of mkfs, followed by that of [`Kind::describe`].
    pub made: fn(&str) -> MkfsResult,
    /// What the file system guarantees, according to its features and its mount options as the kernel reports them.
    pub guarantees: fn(&[String], &str) -> Vec<Guarantee>,
    /// The mount option that makes direct I/O bypass the page cache, if it does not with these options, as typed.
    /// `None` if direct I/O already bypasses it, or no option makes it so.
    pub made_direct: fn(&str) -> Option<&'static str>,
    /// The size of which direct writes have to be multiples, so that they do not pass through its own cache, from its
    /// features; `None`: that of a sector.
    pub(crate) direct_unit: fn(&[String]) -> Option<Bytes>,
    /// Durability class of an fsync with these mount options.
    pub durability: fn(&str) -> Durability,
    /// The functions of its driver in the kernel, by which traces recognise what its threads do.
    pub symbols: KernelSymbols,
    /// A warning that a reader needs before the figures; `None` for most kinds.
    pub caution: Option<&'static str>,
}

impl Kind {
    /// A file system on a lane, which the kernel mounts by that name; it has no commands yet.
    const fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            mounted_as: name,
            mounter: None,
            about,
            ground: Ground::Lane,
            module: None,
            is_pool: false,
            tools: &[],
            is_numbered_as_kernels: false,
            smallest_lane: Bytes(0),
            mkfs: &[],
            describe: &[],
            check: &[],
            recover: &[],
            daemon: &[],
            options: &[],
            mount: &[],
            built_in: &[],
            large_blocks: LargeBlocks::Never,
            made: |_| MkfsResult::default(),
            guarantees: |_, _| Vec::new(),
            made_direct: |_| None,
            direct_unit: |_| None,
            durability: with_barriers,
            symbols: KernelSymbols::NONE,
            caution: None,
        }
    }

    /// The command that makes `contender` on `device`.
    ///
    /// # Errors
    /// Why words of the contender are refused.
    pub fn mkfs(&self, device: &Path, identity: &Identity, contender: &Contender) -> Result<Vec<String>, String> {
        let Identity { uuid, hash_seed } = identity;
        let words = self.mkfs.iter().map(|word| word.replace("{uuid}", uuid).replace("{hash_seed}", hash_seed));
        let mut words = options::merged(self.options, &words.collect::<Vec<_>>(), &self.further(contender))?;
        if self.is_pool {
            words = options::one_by_one(&words);
            words.push(pool::name(device));
        }
        words.push(device.display().to_string());
        Ok(words)
    }

    /// The words of a contender for its mkfs, those as typed last: ours would become the value that the last one lacks.
    fn further(&self, contender: &Contender) -> Vec<String> {
        let mut words = Vec::new();
        if self.is_pool {
            let is_ashift = |word: &str| word.strip_prefix("-o").unwrap_or(word).starts_with("ashift=");
            if !contender.mkfs.iter().flat_map(|list| list.split(',')).any(is_ashift) {
                words.extend(SECTORS.map(str::to_owned));
            }
            if !contender.mount.is_empty() {
                words.extend([OF_POOL.to_owned(), contender.mount.clone()]);
            }
        }
        words.extend(contender.mkfs.iter().cloned());
        words
    }

    /// The mount options of a contender.
    pub fn mount_options<'a>(&self, contender: &'a Contender) -> &'a str {
        if self.is_pool { "" } else { &contender.mount }
    }

    /// Why mount options of a contender, made by this command, are refused.
    pub(crate) fn refused_mounts(&self, contender: &Contender, mkfs: &[String]) -> Vec<String> {
        mounts::refusals(self.mount, self.mount_options(contender), mkfs)
    }

    /// Why the running kernel does not mount what was made; `None` if nothing is known to prevent it.
    pub fn not_mounted(&self, made: &MkfsResult) -> Option<String> {
        let name = self.mounted_as;
        if let Some(Bytes(block)) = made.block.filter(|block| !self.large_blocks.mounts(*block)) {
            let page = rustix::param::page_size();
            return Some(format!("this kernel mounts no {name} with blocks of {block} bytes: a page has {page}"));
        }
        let is_known = |file: &Path| file.parent().is_some_and(Path::exists);
        let lacking = |(feature, file): &&(&str, &str)| {
            made.features.iter().any(|found| found == feature) && is_known(Path::new(file)) && !Path::new(file).exists()
        };
        let (feature, file) = self.built_in.iter().find(lacking)?;
        Some(format!("this kernel is built without the feature `{feature}` of {name}: there is no {file}"))
    }
}

/// A command of a kind with the device, and for a daemon the mount point, as its last words; empty: there is none.
pub fn command(words: Words, places: &[&Path]) -> Vec<String> {
    let pool = places.first().map(|device| pool::name(device)).unwrap_or_default();
    let places = places.iter().filter(|_| !words.is_empty()).map(|path| path.display().to_string());
    words.iter().map(|word| word.replace("{pool}", &pool)).chain(places).collect()
}

/// Whether one of these is among the comma-separated options.
pub(crate) fn has_option(options: &str, wanted: &[&str]) -> bool {
    options.split(',').any(|option| wanted.contains(&option))
}

/// Those guarantees that a file system has.
fn given<const COUNT: usize>(guarantees: [(Guarantee, bool); COUNT]) -> Vec<Guarantee> {
    guarantees.into_iter().filter_map(|(guarantee, is_given)| is_given.then_some(guarantee)).collect()
}

/// Durability class where an fsync flushes, unless it is mounted without barriers.
fn with_barriers(options: &str) -> Durability {
    match has_option(options, &["nobarrier", "barrier=0"]) {
        true => Durability::Unflushed,
        false => Durability::Flushed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command of a kind's mkfs on a lane, for a contender.
    pub(super) fn command_for(kind: &Kind, contender: &Contender) -> Result<String, String> {
        let identity = Identity { uuid: "u".into(), hash_seed: "h".into() };
        kind.mkfs(Path::new("/dev/loop9"), &identity, contender).map(|words| words.join(" "))
    }

    /// The same, for a contender with these words for mkfs.
    pub(super) fn command_of(kind: &Kind, further: &[&str]) -> Result<String, String> {
        let mkfs = further.iter().map(|word| (*word).to_owned()).collect();
        command_for(kind, &Contender { mkfs, ..kind.name.parse().expect("a kind is a contender") })
    }

    #[test]
    fn names_are_unique() {
        for wanted in KINDS {
            assert_eq!(KINDS.iter().filter(|kind| kind.name == wanted.name).count(), 1);
        }
        assert!(kind("ext4").is_some());
        assert!(kind("ntfs").is_none());
    }

    #[test]
    fn mounting_without_barriers_costs_the_durability_class() {
        let ext4 = kind("ext4").expect("ext4 is a kind");
        assert_eq!((ext4.durability)("rw,relatime"), Durability::Flushed);
        assert_eq!((ext4.durability)("rw,nobarrier"), Durability::Unflushed);
    }

    /// Compilers may inline some, and kernels rename others: then waits become unknown, and this says it.
    #[test]
    fn the_running_kernel_has_the_functions_by_which_traces_know_a_file_system() {
        let (functions, kinds) = ["/proc/kallsyms", "/proc/filesystems"]
            .map(|file| std::fs::read_to_string(file).expect("every kernel has it"))
            .into();
        let is_there = |pattern: &str| {
            let start = pattern.trim_end_matches('*');
            functions
                .lines()
                .any(|line| line.split_ascii_whitespace().nth(2).is_some_and(|name| name.starts_with(start)))
        };
        for kind in KINDS.iter().filter(|kind| kinds.lines().any(|line| line.trim() == kind.mounted_as)) {
            let waits: Vec<&str> = kind.symbols.waits.iter().flat_map(|(patterns, _)| patterns.split(' ')).collect();
            let found = waits.iter().filter(|pattern| is_there(pattern)).count();
            assert!(found * 10 >= waits.len() * 7, "{}: {found} of {}", kind.name, waits.len());
        }
    }
}
