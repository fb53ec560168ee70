//! Parts of a plan: what is left out, when to stop, where the lanes lie and how they are shared, and which other load on
//! the machine is too much.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::UnitError;
use crate::{Bytes, Label, Nanos, Share, joined};

/// A workload that cannot be run on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// Its name.
    pub workload: String,
    /// Debian packages that contain the missing programs, or the addresses of their sources, sorted.
    pub packages: Vec<String>,
}

/// Prints its line in the list of workloads.
impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is left out, since programs are not installed: {}",
            self.workload,
            how_to_install(&self.packages)
        )
    }
}

/// What has to be done for these Debian packages, or addresses of sources.
pub fn how_to_install<S: AsRef<str>>(packages: &[S]) -> String {
    let names = packages.iter().map(AsRef::as_ref);
    let (sources, packages): (Vec<&str>, Vec<&str>) = names.partition(|name| name.starts_with("https://"));
    let install = (!packages.is_empty()).then(|| format!("apt-get install {}", packages.join(" ")));
    let build = (!sources.is_empty()).then(|| format!("build {}", sources.join(" and ")));
    joined(install.into_iter().chain(build), ", and ")
}

/// How contenders share the available space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lanes {
    /// Each has its own lane, all are mounted at the same time, and the lanes are rotated.
    #[default]
    Own,
    /// There is room for one lane only: each contender in turn is made on it, does all workloads of the round, and is
    /// removed.
    InTurn,
}

impl Lanes {
    /// Whether each contender has its own lane.
    pub fn is_own(&self) -> bool {
        *self == Self::Own
    }
}

/// A contender that skips a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The contender's label.
    pub label: Label,
    /// The workload's name.
    pub workload: String,
}

/// A contender that is slowed down on purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slowdown {
    /// The contender's label.
    pub label: Label,
    /// By which share each of its operations takes longer.
    pub share: Share,
}

/// Parses `LABEL=5%`.
impl FromStr for Slowdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (label, share) = text.rsplit_once('=').ok_or("a label, `=` and a percentage, such as b=5%")?;
        let share: Share = share.parse().map_err(|error: UnitError| error.to_string())?;
        match share.0 > 0.0 {
            true => Ok(Self { label: Label::from(label), share }),
            false => Err("a slowdown has to be above 0 %".to_owned()),
        }
    }
}

/// When a run stops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounds {
    /// After this number of rounds.
    Exactly(u32),
    /// When all pairs are decided, or when no further round fits into this time, set-up included.
    Within(Nanos),
}

impl Rounds {
    /// How long a run of this number of contenders may take by default: one minute per contender, at least three.
    pub fn usual_budget(contenders: usize) -> Nanos {
        Nanos::seconds(60 * (contenders as u64).max(3))
    }
}

/// Where the lanes' images go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// In this directory.
    Directory(PathBuf),
    /// On a tmpfs that the run mounts.
    Memory,
    /// On parts of this block device.
    Disk(PathBuf),
    /// One on each of these block devices.
    Partitions(Vec<PathBuf>),
}

impl Storage {
    /// The block devices that the lanes use; empty if the lanes are images.
    pub fn disks(&self) -> &[PathBuf] {
        match self {
            Self::Directory(_) | Self::Memory => &[],
            Self::Disk(path) => std::slice::from_ref(path),
            Self::Partitions(paths) => paths,
        }
    }
}

/// Parses `dir:PATH`, `memory`, or a path, which is a disk if it lies under `/dev`; several disks are separated by
/// commas.
impl From<&str> for Storage {
    fn from(text: &str) -> Self {
        match text.strip_prefix("dir:") {
            Some(path) => Self::Directory(path.into()),
            None if text == "memory" => Self::Memory,
            None if text.starts_with("/dev/") && !text.starts_with("/dev/shm") => disks(text),
            None => Self::Directory(text.into()),
        }
    }
}

/// A comma separates two devices only if `/dev/` follows it; otherwise it is part of a name.
fn disks(text: &str) -> Storage {
    match text.replace(",/dev/", "\0/dev/").split('\0').map(PathBuf::from).collect::<Vec<_>>() {
        paths if paths.len() > 1 => Storage::Partitions(paths),
        _ => Storage::Disk(text.into()),
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "images in {}", path.display()),
            Self::Memory => write!(f, "images in memory"),
            Self::Disk(path) => write!(f, "parts of {}", path.display()),
            Self::Partitions(paths) => write!(f, "one on each of {}", listed(paths)),
        }
    }
}

/// The paths separated by commas, as they are typed.
pub fn listed(paths: &[PathBuf]) -> String {
    joined(paths.iter().map(|path| path.display()), ",")
}

/// The medium that the lanes' queue settings imitate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Medium {
    /// An NVMe drive: not rotational.
    #[default]
    Nvme,
    /// A SATA or SAS solid-state drive: not rotational.
    Ssd,
    /// A hard disk: rotational. File systems that check this choose their layout accordingly.
    Hdd,
}

/// The amounts of other load from which on the rounds of a workload are excluded. The unit is a workload within a
/// round: its timed slices, of all contenders together, so that it is excluded for all of them or for none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseBounds {
    /// Limit for the cores that programs other than the run keep busy, on average over those slices.
    pub foreign_cores: f64,
    /// Limit for the cores' worth of time that the hypervisor takes, on average over those slices.
    pub steal_cores: f64,
    /// 0: nothing is ever excluded. In older plans: the maximum number of rounds to exclude.
    pub most: u32,
    /// Limit for the bytes per second that other programs read from the storage below the lanes, or write to it.
    /// `None`, in older plans: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_per_second: Option<Bytes>,
    /// Limit for the share of a round, 0 to 1, for which a processor quota throttled this run. With it, any throttling
    /// of a processor because of its temperature disturbs, too. `None`, in older plans: no limit for either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
    /// Limit for the bytes that are swapped in a round. `None`, in older plans: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped: Option<Bytes>,
}

/// The limits of new plans. On a quiet machine of two cores, 530 rounds of a workload showed up to 0.24 foreign cores
/// (99 in 100 of them below 0.14) and 0.03 stolen ones, mostly because of the counters' ticks of 10 ms; with a busy
/// loop they showed 0.86 to 1.2.
impl Default for NoiseBounds {
    fn default() -> Self {
        Self {
            foreign_cores: 0.3,
            steal_cores: 0.15,
            most: 1,
            disk_per_second: Some(Bytes::mib(16)),
            throttled: Some(0.01),
            swapped: Some(Bytes::mib(16)),
        }
    }
}

impl NoiseBounds {
    /// Excludes nothing: the meaning of plans from before these limits existed.
    pub fn ignored() -> Self {
        Self { most: 0, throttled: None, swapped: None, ..Self::default() }
    }

    /// Whether nothing is ever excluded.
    pub fn is_ignored(&self) -> bool {
        self.most == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_installed_and_sources_are_built() {
        let address = "https://example.org/tool";
        assert_eq!(how_to_install(&["one", "two"]), "apt-get install one two");
        assert_eq!(how_to_install(&[address, "one"]), "apt-get install one, and build https://example.org/tool");
        assert_eq!(how_to_install(&[address]), "build https://example.org/tool");
    }
}
