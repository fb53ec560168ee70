//! The virtual machine in which a run takes place.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::UnitError;
use crate::{Bytes, DebianRelease, Label, Nanos, Storage, joined};

/// A virtual machine in which a run takes place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The kernel's Debian package with its version; with several kernels, that of the first guest.
    pub kernel: String,
    /// For each kernel that contenders name, its package with its version. Each kernel has a guest of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<String, String>,
    /// The release of Debian whose programs it has; `None` in runs that were stored before there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<DebianRelease>,
    /// How instructions are executed.
    pub accelerator: Accelerator,
    /// Its memory.
    pub memory: Bytes,
    /// The version of QEMU.
    pub qemu: String,
    /// The disk with the lanes.
    pub disk: GuestDisk,
    /// Folders of the host that it mounts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Share>,
}

/// A folder of the host that a guest mounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The contender that works on it.
    pub label: Label,
    /// What is mounted, such as `10.0.2.2:/share-1`.
    pub source: String,
    /// The options that the connection needs; those of the contender follow.
    pub options: String,
    /// The server and its version.
    pub server: String,
}

/// The disk with the lanes of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuestDisk {
    /// A virtual disk (virtio-blk), which is a file in this storage of the host.
    Virtual(Storage),
    /// A disk that the guest's kernel simulates (null_blk).
    Simulated(Simulated),
}

/// How QEMU keeps a virtual disk that a contender has for itself (qemu(1), `-drive`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiskMode {
    /// How it uses the page cache of the host, and when it syncs the file; `None`: write-back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheMode>,
    /// The format of the file; `None`: raw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
}

/// QEMU's cache modes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheMode {
    /// Through the page cache; a flush of the guest syncs the file.
    #[default]
    Writeback,
    /// Direct; a flush of the guest syncs the file.
    None,
    /// Through the page cache; each write syncs the file.
    Writethrough,
    /// Direct; each write syncs the file.
    Directsync,
    /// Through the page cache; nothing syncs the file.
    Unsafe,
}

/// Formats of the file that is a virtual disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// The bytes of the disk, in order.
    #[default]
    Raw,
    /// Clusters that are allocated when they are first written.
    Qcow2,
}

impl CacheMode {
    const ALL: [Self; 5] = [Self::Writeback, Self::None, Self::Writethrough, Self::Directsync, Self::Unsafe];

    /// Whether the file is read and written without the page cache.
    pub fn is_direct(self) -> bool {
        matches!(self, Self::None | Self::Directsync)
    }

    /// Whether each write is durable.
    pub fn syncs_each_write(self) -> bool {
        matches!(self, Self::Writethrough | Self::Directsync)
    }
}

/// The one of `all` whose name is typed after the `=` of `part`.
fn typed<T: Copy + fmt::Display>(all: &[T], part: &str, name: &str) -> Result<T, String> {
    let found = all.iter().copied().find(|one| one.to_string() == name);
    found.ok_or_else(|| format!("`{part}` is not one of {}", joined(all, ", ")))
}

/// The parts `NAME=VALUE` of a list, each name once; `wrong` describes a part of another form.
fn settings(text: &str, wrong: impl Fn(&str) -> String) -> Result<Vec<(&str, &str)>, String> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
        if all.iter().any(|(known, _)| *known == name) {
            return Err(format!("`{name}` is given twice: name it once"));
        }
        all.push((name, value));
    }
    Ok(all)
}

/// Reads `cache=none,format=qcow2`.
impl FromStr for DiskMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut mode = Self::default();
        let wrong = |part: &str| format!("`{part}` is not cache=MODE or format=FORMAT");
        for (name, value) in settings(text, wrong)? {
            let part = format!("{name}={value}");
            match name {
                "cache" => mode.cache = Some(typed(&CacheMode::ALL, &part, value)?),
                "format" => mode.format = Some(typed(&[ImageFormat::Raw, ImageFormat::Qcow2], &part, value)?),
                _ => return Err(wrong(&part)),
            }
        }
        Ok(mode)
    }
}

/// Prints what [`DiskMode::from_str`] reads.
impl fmt::Display for DiskMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            [self.cache.map(|mode| format!("cache={mode}")), self.format.map(|format| format!("format={format}"))];
        f.write_str(&joined(words.into_iter().flatten(), ","))
    }
}

/// A disk in the guest's memory that takes as long as a real one (Documentation/block/null_blk.rst).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    /// Time from the start of a request to its end; 0: that of a copy in memory.
    pub latency: Nanos,
    /// Bytes per second; `None`: no limit.
    pub bandwidth: Option<Bytes>,
    /// Size of its volatile cache; 0: it has none.
    pub cache: Bytes,
}

impl Default for Simulated {
    fn default() -> Self {
        Self { latency: Nanos(100_000), bandwidth: None, cache: Bytes::mib(64) }
    }
}

/// Reads `latency=100us,bandwidth=500M,cache=64M`. What is not named is as in the default.
impl FromStr for Simulated {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut disk = Self::default();
        for (name, value) in settings(text, |_| "latency=TIME, bandwidth=SIZE or cache=SIZE".to_owned())? {
            let wrong = |error: UnitError| format!("{name}: {error}");
            // null_blk takes both in units of 1 MiB, and a bandwidth of 0 as no limit.
            let whole = |least: u64| match value.parse().map_err(wrong)? {
                Bytes(size) if size % (1 << 20) == 0 && size >= least => Ok(Bytes(size)),
                _ => Err(format!("{name}: `{value}` is not a whole number of MiB, of at least {}", least >> 20)),
            };
            match name {
                "latency" => disk.latency = value.parse().map_err(wrong)?,
                "bandwidth" => disk.bandwidth = Some(whole(1 << 20)?),
                "cache" => disk.cache = whole(0)?,
                _ => return Err(format!("there is no `{name}`: latency, bandwidth and cache can be set")),
            }
        }
        Ok(disk)
    }
}

/// Prints what [`Simulated::from_str`] reads.
impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "latency={}us", self.latency.0 / 1000)?;
        if let Some(bandwidth) = self.bandwidth {
            write!(f, ",bandwidth={}M", bandwidth.0 >> 20)?;
        }
        write!(f, ",cache={}M", self.cache.0 >> 20)
    }
}

/// How a guest's instructions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accelerator {
    /// By the processor, with the kernel's KVM.
    Kvm,
    /// By QEMU, which translates them (TCG). Times are several times longer than on the processor.
    Emulated,
    /// By QEMU, which lets the guest's clock advance by one nanosecond per instruction.
    Deterministic,
}

impl Guest {
    /// The virtual machines in words. What their figures do not show is [`Accelerator::caveat`].
    pub fn remark(&self) -> String {
        let Self { kernel, qemu, memory, .. } = self;
        let disk = match &self.disk {
            GuestDisk::Virtual(storage) => format!("a virtual disk ({storage})"),
            GuestDisk::Simulated(disk) => format!("a simulated disk ({disk})"),
        };
        let kernels = joined(self.kernels.iter().map(|(name, package)| format!("{name}: {package}")), ", ");
        let programs = self.release.as_ref().map(|release| format!(", programs of Debian {release}"));
        let programs = programs.unwrap_or_default();
        let machine = match kernels.is_empty() {
            true => format!("a virtual machine with {memory} of memory and {disk} (QEMU {qemu}, {kernel}{programs})"),
            false => format!(
                "virtual machines with {memory} of memory and {disk} each, one for each kernel (QEMU {qemu}{programs}; \
                 {kernels})"
            ),
        };
        format!("all contenders run in {machine}")
    }
}

impl Accelerator {
    /// Such a guest, as a place: `an emulated guest`.
    pub fn place(self) -> &'static str {
        match self {
            Self::Kvm => "a guest",
            Self::Emulated => "an emulated guest",
            Self::Deterministic => "a guest that counts instructions",
        }
    }

    /// What figures of such a guest do not show.
    pub fn caveat(self) -> &'static str {
        match self {
            Self::Kvm => "no figure may be compared with one of the host",
            Self::Emulated => {
                "times are several times longer than on a real processor. Ratios of metadata operations without a sync \
                 hold within about 20 %; those of direct I/O, data in the page cache, and work that ends with a sync do \
                 not: what is faster here may be slower there"
            }
            Self::Deterministic => {
                "its clock counts instructions, one nanosecond each, so caches and memory cost nothing there"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disks_mode_is_read_as_it_is_printed() {
        for text in ["cache=none", "format=qcow2", "cache=directsync,format=raw"] {
            assert_eq!(text.parse::<DiskMode>().expect("well spelled").to_string(), text);
        }
        for wrong in ["", "none", "cache=", "cache=fast", "format=vmdk", "size=1", "cache=none,cache=unsafe"] {
            assert!(wrong.parse::<DiskMode>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_simulated_disk_is_read_as_it_is_printed() {
        let disk: Simulated = "latency=20us,bandwidth=500M".parse().expect("well spelled");
        assert_eq!(disk, Simulated { latency: Nanos(20_000), bandwidth: Some(Bytes::mib(500)), cache: Bytes::mib(64) });
        assert_eq!(disk.to_string(), "latency=20us,bandwidth=500M,cache=64M");
        for disk in [disk, Simulated { cache: Bytes(0), ..disk }] {
            assert_eq!(disk.to_string().parse(), Ok(disk));
        }
        for wrong in ["", "latency", "latency=5", "speed=1M", "bandwidth=0", "bandwidth=500K", "cache=1500K"] {
            assert!(wrong.parse::<Simulated>().is_err(), "{wrong}");
        }
    }
}
