//! Guests: virtual machines that fsarena boots itself, to run a plan under another kernel.
//!
//! A guest is made of Debian packages (a kernel, and the programs that make and check file systems), which apt fetches
//! into a folder of the user's cache; nothing is installed. QEMU runs it, with KVM where that works. This binary is its
//! init ([`init`]), which starts the agent on a virtio-serial port. No step needs root.

mod boot_mount;
mod cache;
mod channel;
mod cpio;
mod error;
pub mod init;
mod kernel;
mod lanes;
mod module;
mod monitor;
mod packages;
mod qemu;
mod root;
mod shares;
mod tools;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fsarena_model::guest::{Accelerator, Guest, GuestDisk};
use fsarena_model::{Bytes, DebianRelease};

pub use boot_mount::{BadMount, BootMount};
pub use channel::{RawDisk, memory};
pub use error::{EndCause, GuestError};
pub use kernel::{named, require as require_kernel};
pub use lanes::require_memory;
pub use monitor::DiskCounts;
pub use qemu::{Hardware, Running};
pub use shares::{ServedFolders, Shared};
pub use tools::{cached_tools, tools};

use cache::Cache;
use kernel::UnpackedKernel;
use packages::Packages;
use root::Root;

/// The serial number of the disk with the lanes, which is also its ID.
pub const LANES: &str = "fsarena-lanes";

/// The serial number of the disk that the host reads and writes.
pub const RAW: &str = "fsarena-raw";

/// The serial number of the disk with lane `index`, if each lane has its own.
pub fn lane_serial(index: usize) -> String {
    format!("{LANES}-{index}")
}

/// What a user wants of a guest.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The release of Debian whose programs it has, and whose kernel, unless `kernel` is one of another release.
    pub release: DebianRelease,
    /// A Debian package, or a path of one; `None`: the release's current kernel.
    pub kernel: Option<String>,
    /// How instructions are executed; `None`: by KVM if it works, otherwise emulated.
    pub accelerator: Option<Accelerator>,
    /// The guest's memory.
    pub memory: Bytes,
    /// Debian packages with the programs of file systems, which every guest has.
    pub file_systems: Vec<String>,
    /// Debian packages whose programs, or whose modules of the kernel (those for DKMS), the guest needs in addition.
    pub packages: Vec<String>,
}

/// Everything that is needed to boot a guest, as files in the cache.
#[derive(Debug)]
pub struct Prepared {
    release: DebianRelease,
    kernel: UnpackedKernel,
    root: Root,
    /// How the guest's instructions are executed.
    pub accelerator: Accelerator,
    memory: Bytes,
    qemu: String,
}

/// Fetches and builds what is not yet in `cache`. Calls `telling` with a description before each step that takes
/// seconds.
///
/// # Errors
/// If a program or package is missing, or cannot be fetched or unpacked.
pub fn prepare(cache: &Path, wanted: &Wanted, telling: &mut dyn FnMut(&str)) -> Result<Prepared, GuestError> {
    let qemu = qemu::version()?;
    let cache = Cache::locked(cache, telling)?;
    // Before it is cleared up: whether there was room shows now.
    fill(&cache, wanted, qemu).map_err(|error| error.of_cache(cache.folder))
}

fn fill(cache: &Cache<'_>, wanted: &Wanted, qemu: String) -> Result<Prepared, GuestError> {
    let kernel = UnpackedKernel::get(cache, wanted)?;
    let root = root::get(cache, &kernel, wanted)?;
    let (release, accelerator) = (wanted.release.clone(), Accelerator::Emulated);
    let mut prepared = Prepared { release, kernel, root, accelerator, memory: wanted.memory, qemu };
    prepared.accelerator = match wanted.accelerator {
        Some(accelerator) => accelerator,
        None => qemu::usable(&mut prepared, cache)?,
    };
    Ok(prepared)
}

/// The packages of kernels that Debian's mirrors have in all stable releases and in the backports of the newest, from
/// the oldest version to the newest.
///
/// # Errors
/// If apt is missing or fails.
pub fn kernels(cache: &Path, telling: &mut dyn FnMut(&str)) -> Result<Vec<String>, GuestError> {
    let cache = Cache::locked(cache, telling)?;
    let mut known = Vec::new();
    for release in DebianRelease::with_kernels() {
        known.extend(kernel::available(&Packages::at(&cache, &release)?)?);
    }
    Ok(kernel::sorted(known))
}

impl Prepared {
    /// The kernel's package with its version, and QEMU's version.
    pub fn name(&self) -> String {
        format!("{} (QEMU {})", self.kernel.package, self.qemu)
    }

    /// What the plan and the report say about the guest.
    pub fn describe(&self, disk: GuestDisk) -> Guest {
        Guest {
            kernel: self.kernel.package.clone(),
            kernels: BTreeMap::new(),
            release: Some(self.release.clone()),
            accelerator: self.accelerator,
            memory: self.memory,
            qemu: self.qemu.clone(),
            disk,
            shares: Vec::new(),
        }
    }
}

/// Says what runs, in a line.
impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on QEMU {}, {}", self.kernel.package, self.qemu, self.accelerator)
    }
}
