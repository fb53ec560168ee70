//! What an mkfs is to make, and what it made.

use fsarena_model::Bytes;
use fsarena_model::seed::uuid;

use crate::age::Release;

/// Minimum share of a lane that a file system fills.
const FILLED: f64 = 0.95;

/// Identifiers for one mkfs, derived from the seed so that they are reproducible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The file system's UUID.
    pub uuid: String,
    /// The seed of directory hashes, as a UUID.
    pub hash_seed: String,
}

impl Identity {
    /// That of contender `index` of a plan in a round.
    pub fn of(seed: u64, round: u32, index: usize) -> Self {
        let id = |purpose| uuid(seed, purpose, &[u64::from(round), index as u64]);
        Self { uuid: id("uuid"), hash_seed: id("hash-seed") }
    }
}

/// What an mkfs really made, as far as its output and the description of it say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MkfsResult {
    /// The file system's UUID.
    pub uuid: Option<String>,
    /// The seed of directory hashes.
    pub hash_seed: Option<String>,
    /// Its size.
    pub size: Option<Bytes>,
    /// The size of its blocks.
    pub block: Option<Bytes>,
    /// What a configuration file of mkfs has changed, and the kernel does not report of a mount, in words.
    pub configured: Option<String>,
    /// Its features.
    pub features: Vec<String>,
    /// Properties that were set when it was made and count as mount options.
    pub set: Vec<String>,
}

/// Which kernels mount a kind with blocks that are larger than a page of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LargeBlocks {
    /// None.
    Never,
    /// Those since this release.
    Since(Release),
    /// Those that list the size in this file.
    Listed(&'static str),
}

impl LargeBlocks {
    /// Whether the running kernel mounts blocks of this size.
    pub(super) fn mounts(self, block: Bytes) -> bool {
        let page = Bytes(rustix::param::page_size() as u64);
        block <= page
            || match self {
                Self::Never => false,
                Self::Since(release) => Release::of_kernel().is_some_and(|kernel| kernel >= release),
                Self::Listed(file) => {
                    let sizes = std::fs::read_to_string(file).unwrap_or_default();
                    sizes.split_whitespace().any(|size| size == block.0.to_string())
                }
            }
    }
}

impl MkfsResult {
    /// What of it is not as intended on a lane of `size`, in words; `None` if all is.
    pub fn differs(&self, intended: &Identity, size: Bytes) -> Option<String> {
        let other = |what: &str, made: &Option<String>, wanted: &String| {
            let made = made.as_ref().filter(|made| *made != wanted)?;
            Some(format!("its {what} is {made}, and not {wanted}"))
        };
        // File systems round down to whole blocks, stripes and groups.
        let is_small = |made: &&Bytes| made.0 > size.0 || (made.0 as f64) < size.0 as f64 * FILLED;
        let small = self.size.as_ref().filter(is_small);
        other("UUID", &self.uuid, &intended.uuid)
            .or_else(|| other("hash seed", &self.hash_seed, &intended.hash_seed))
            .or_else(|| small.map(|made| format!("it has {made} of {size}")))
            .or_else(|| self.configured.clone())
    }
}
