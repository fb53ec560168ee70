//! Contenders: a file system with its mkfs and mount options, and its syntax on the command line.

mod below;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::below::Below;
pub use self::below::BlockLayer;
use crate::guest::DiskMode;
use crate::joined;

/// The name under which a contender appears in every table: the argument as typed, or its part before `=`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Label(pub String);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Label {
    /// Accepts a `label` of letters, digits, `.`, `_` and `-`; `argument` is the argument as typed.
    ///
    /// # Errors
    /// If it has others, or none.
    pub fn checked(argument: &str, label: &str) -> Result<Self, ContenderError> {
        let is_good = !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        let what = || format!("the label `{label}` may only have letters, digits, `.`, `_` and `-`");
        if is_good { Ok(Self::from(label)) } else { Err(ContenderError::new(argument, what())) }
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// A file system with its options, or an existing directory (`kind` is then `dir`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contender {
    /// The unique name within a plan.
    pub label: Label,
    /// The kind's name, such as `ext4`, `btrfs`, `tmpfs` or `dir`.
    pub kind: String,
    /// The kernel of the guest in which it runs: a Debian package, or what names one; `None` for the run's kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The layers below it, the topmost first: the last one lies on the lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<BlockLayer>,
    /// How QEMU keeps its own virtual disk, if it has one: it then runs in a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskMode>,
    /// Mount options as typed, comma-separated; empty for the kind's defaults.
    pub mount: String,
    /// Further arguments of the kind's mkfs.
    pub mkfs: Vec<String>,
    /// The existing directory of a `dir` contender.
    pub path: Option<PathBuf>,
}

/// Why a contender argument was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("contender `{argument}`: {what}")]
pub struct ContenderError {
    argument: String,
    what: String,
}

impl ContenderError {
    fn new(argument: &str, what: impl Into<String>) -> Self {
        Self { argument: argument.to_owned(), what: what.into() }
    }
}

impl Contender {
    /// The kind of an existing directory.
    pub const DIRECTORY: &str = "dir";

    /// Whether it is an existing directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Self::DIRECTORY
    }

    /// The path of a TOML file that `argument` names: what follows the label ends in `.toml`.
    pub fn toml_file(argument: &str) -> Option<PathBuf> {
        let (_, rest) = split_label(argument);
        (rest.ends_with(".toml") && !rest.starts_with("dir:")).then(|| PathBuf::from(rest))
    }

    /// The argument that describes this contender; `None` if only a TOML file can.
    pub fn spelling(&self) -> Option<String> {
        if self.mkfs.iter().any(|word| word.is_empty() || word.contains(char::is_whitespace)) {
            return None;
        }
        let mkfs: String = self.mkfs.iter().map(|word| format!(" {word}")).collect();
        let options = match &self.path {
            Some(path) => format!(":{}", path.display()),
            None if self.mount.is_empty() => String::new(),
            None => format!(":{}", self.mount),
        };
        let layers = (!self.layers.is_empty()).then(|| BlockLayer::stack(&self.layers));
        let disk = self.disk.map(|mode| mode.to_string());
        let below = joined(layers.into_iter().chain(self.kernel.clone()).chain(disk), ",");
        let at = if below.is_empty() { "" } else { "@" };
        let plain = format!("{}{at}{below}{options}{mkfs}", self.kind);
        // An argument that is its own label can be spelled in another way, such as with two spaces.
        let has_own_label = plain != self.label.0 && Label::checked("", &self.label.0).is_ok();
        Some(if has_own_label { format!("{}={plain}", self.label) } else { plain })
    }

    /// The same contender under the label that `argument` gives, if any.
    ///
    /// # Errors
    /// If it is no label.
    pub fn relabelled(mut self, argument: &str) -> Result<Self, ContenderError> {
        if let (Some(label), _) = split_label(argument) {
            self.label = Label::checked(argument, label)?;
        }
        Ok(self)
    }
}

/// Parses `[LABEL=]KIND[@LAYERS,KERNEL,DISK][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]` or `[LABEL=]dir:PATH`. `@` is followed
/// by one or more of these: layers such as `luks,sector=512+lvm`, a kernel, and what the guest's disk is like, such as
/// `cache=none,format=qcow2`.
impl FromStr for Contender {
    type Err = ContenderError;

    fn from_str(argument: &str) -> Result<Self, ContenderError> {
        let (label, rest) = split_label(argument);
        let label = match label {
            Some(label) => Label::checked(argument, label)?,
            None => Label::from(argument),
        };
        let is_directory = rest.split(':').next() == Some(Self::DIRECTORY);
        let (rest, mkfs) = match is_directory {
            true => (rest, ""),
            false => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        let (kind, after) = rest.split_once(':').unwrap_or((rest, ""));
        let (kind, below) = kind.split_once('@').map_or((kind, None), |(kind, below)| (kind, Some(below)));
        let refused = |what: &str| Err(ContenderError::new(argument, what));
        if kind.is_empty() {
            return refused("no file-system kind is named");
        }
        if below.is_some() && kind == Self::DIRECTORY {
            return refused("nothing can be below a directory, as `ext4@luks` or `ext4@linux-6.12` have it");
        }
        let below = below.map_or(Ok(Below::default()), Below::of);
        let Below { layers, kernel, disk } = below.map_err(|what| ContenderError::new(argument, what))?;
        if is_directory && after.is_empty() {
            return refused("`dir:` needs a path, as in `dir:/mnt/share`");
        }
        Ok(Self {
            label,
            kind: kind.to_owned(),
            kernel,
            layers,
            disk,
            mount: if is_directory { String::new() } else { after.to_owned() },
            mkfs: mkfs.split_whitespace().map(str::to_owned).collect(),
            path: is_directory.then(|| PathBuf::from(after)),
        })
    }
}

/// A `=` makes a label only if it comes before the first `:`, `/`, `@` and space.
fn split_label(argument: &str) -> (Option<&str>, &str) {
    let is_end = |letter: char| [':', '/', '@'].contains(&letter) || letter.is_whitespace();
    let end = argument.find(is_end).unwrap_or(argument.len());
    match argument[..end].find('=') {
        Some(at) => (Some(&argument[..at]), &argument[at + 1..]),
        None => (None, argument),
    }
}

/// What a completed fsync guarantees on a contender. Contenders of different classes are never ranked together. The
/// default is the least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// Synced data is on the device, behind a flush of its cache.
    Flushed,
    /// Synced data was written, but no flush was sent (`barrier=0`, `nobarrier`).
    Unflushed,
    /// Synced data was acknowledged before it was written (`sync=disabled` of OpenZFS).
    Unwritten,
    /// Nothing survives a restart of the machine (tmpfs).
    #[default]
    Volatile,
}

/// What a contender guarantees for the data beyond storing it; every verdict is shown with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// Metadata changes are journalled.
    Journal,
    /// Data are written to the journal first, and so twice.
    DataJournal,
    /// Metadata blocks carry checksums.
    MetadataChecksums,
    /// Data blocks carry checksums, verified on reading.
    DataChecksums,
    /// Blocks in use are never overwritten in place.
    CopyOnWrite,
    /// Metadata are stored twice.
    DuplicatedMetadata,
    /// Data are compressed.
    Compression,
    /// Data and metadata are encrypted on the device.
    Encryption,
    /// Data and metadata are stored twice, and read from the other copy where one cannot be read.
    Mirror,
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Journal => "a journal",
            Self::DataJournal => "journalled data",
            Self::MetadataChecksums => "metadata checksums",
            Self::DataChecksums => "data checksums",
            Self::CopyOnWrite => "copy on write",
            Self::DuplicatedMetadata => "duplicated metadata",
            Self::Compression => "compression",
            Self::Encryption => "encryption",
            Self::Mirror => "a mirror",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Contender {
        text.parse().expect("a well-spelled contender")
    }

    #[test]
    fn layers_follow_the_kind_each_with_its_options() {
        let contender =
            parse("ext4@luks,sector=512,cipher=x+lvm,linux-image-6.12.9+deb12-amd64,cache=none:noatime -m 0");
        let layers: Vec<String> = contender.layers.iter().map(BlockLayer::to_string).collect();
        assert_eq!(layers, ["luks,sector=512,cipher=x", "lvm"]);
        assert_eq!(contender.kernel.as_deref(), Some("linux-image-6.12.9+deb12-amd64"));
        assert!(contender.disk.is_some() && contender.mount == "noatime" && contender.mkfs.len() == 2);
        let missing = "after `@`, `,` or `+` a layer or a kernel is missing";
        for (wrong, why) in [
            ("ext4@", missing),
            ("ext4@:noatime", missing),
            ("ext4@luks+", missing),
            ("ext4@luks,", missing),
            ("ext4@+luks", "`+luks`: a layer's name is missing"),
            ("ext4@sector=512", "`sector=512`: a layer's name is missing"),
            ("ext4@luks+a=b", "`luks+a=b`: a layer's name is missing"),
            (
                "ext4@luks,lvm",
                "`lvm` after `luks` is neither an option, as in `luks,NAME=VALUE`, nor a further layer, \
                 as in `luks+lvm`",
            ),
            ("ext4@luks,cipher", "`cipher` after `luks` is neither an option, as in `luks,NAME=VALUE`, nor"),
            ("ext4@linux-6.1,linux-6.12", "it names several kernels"),
        ] {
            let error = wrong.parse::<Contender>().expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("contender `{wrong}`: {why}")), "{error}");
        }
    }

    #[test]
    fn bad_spellings_are_refused() {
        for (wrong, why) in [
            ("a,b=ext4", "the label `a,b` may only have"),
            ("=ext4", "the label `` may only have"),
            ("", "no file-system kind is named"),
            ("@cache=none", "no file-system kind is named"),
            ("dir:", "`dir:` needs a path"),
            ("dir@linux-6.1:/mnt", "nothing can be below a directory"),
            ("ext4@cache=fast", "`cache=fast` is not one of"),
        ] {
            let error = wrong.parse::<Contender>().expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("contender `{wrong}`: {why}")), "{error}");
        }
    }

    #[test]
    fn a_toml_file_is_recognised_and_may_be_relabelled() {
        assert_eq!(Contender::toml_file("a=fast.toml"), Some(PathBuf::from("fast.toml")));
        assert_eq!(Contender::toml_file("./x/fast.toml"), Some(PathBuf::from("./x/fast.toml")));
        assert_eq!(Contender::toml_file("dir:/x.toml"), None);
        let renamed = parse("ext4").relabelled("mine=fast.toml").expect("good label");
        assert_eq!(renamed.label, Label::from("mine"));
    }

    #[test]
    fn the_parts_of_an_argument_are_told_apart() {
        let contender = parse("bare=ext4:noatime  -O ^has_journal");
        assert_eq!((contender.label.0.as_str(), contender.kind.as_str()), ("bare", "ext4"));
        assert_eq!(
            (contender.mount.as_str(), contender.mkfs),
            ("noatime", vec!["-O".to_owned(), "^has_journal".into()])
        );
        let directory = parse("nfs=dir:/mnt/a:b");
        assert_eq!((directory.label, directory.path), (Label::from("nfs"), Some(PathBuf::from("/mnt/a:b"))));
        assert_eq!(parse("dir:/mnt/a@b=c").disk, None);
        assert_eq!(parse("btrfs:compress=zstd").label, Label::from("btrfs:compress=zstd"));
    }

    #[test]
    fn a_spelling_names_the_same_contender() {
        let same = ["ext4", "btrfs:compress=zstd", "noatime=ext4:noatime", "dir:/mnt/a=b", "nfs=dir:/mnt/a:b"];
        let of_guests = [
            "ext4@linux-6.12",
            "new=xfs@./linux-image_6.12.1-1_amd64.deb:noatime -m reflink=0",
            "ext4@cache=none",
            "ext4@luks",
            "stacked=btrfs@luks,sector=512+lvm,linux-6.12,cache=none:compress=zstd -m single",
            "slow=xfs@linux-6.12,cache=directsync,format=qcow2:noatime -m reflink=0",
        ];
        for text in same.into_iter().chain(of_guests).chain([
            "xfs -m reflink=0",
            "bare=ext4:noatime -O ^has_journal",
            "dir:/mnt/a b",
        ]) {
            assert_eq!(parse(text).spelling().as_deref(), Some(text));
        }
        let spelling = parse("ext4@format=raw,cache=none").spelling();
        assert_eq!(spelling.as_deref(), Some("ext4@cache=none,format=raw"));
        assert_eq!(Contender { mkfs: vec!["a b".to_owned()], ..parse("ext4") }.spelling(), None);
    }
}
