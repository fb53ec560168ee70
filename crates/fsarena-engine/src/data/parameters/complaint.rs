//! Checks of the parameters, with messages.

use fsarena_model::{CacheState, DurablePoint, Workload};

use super::{Calls, DataParameters, Distribution, FilesOfWork, Pattern, Work};

/// Limit of a block, bytes, so that a typing error does not fill the memory.
const LONGEST_BLOCK: u64 = 64 << 20;
const MOST_WORKERS: u32 = 1024;
const DEEPEST: u32 = 4096;
const MOST_FILES: u64 = 1_000_000;
/// Limit of all buffers in flight of a worker, bytes: the kernel registers no more than this at a time.
const MOST_IN_FLIGHT: u64 = 256 << 20;
/// The smallest sector in use.
const SECTOR: u64 = 512;

impl DataParameters {
    /// The first problem; `None` if there is none.
    pub(super) fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        self.amounts(workload).or_else(|| self.load().complaint()).or_else(|| self.contradictions(workload))
    }

    fn amounts(&self, workload: &Workload) -> Option<&'static str> {
        let block = self.block_size;
        let workers = u64::from(self.threads) * u64::from(self.processes);
        Some(match () {
            () if block == 0 || block > LONGEST_BLOCK => "`block-size` is 1 byte to 64 MiB",
            () if workload.cache == CacheState::Direct && !block.is_multiple_of(SECTOR) => {
                "with direct I/O `block-size` is a multiple of 512, the smallest sector there is"
            }
            () if self.file_size == 0 || !self.file_size.is_multiple_of(block) => {
                "`file-size` is a multiple of `block-size`"
            }
            () if self.files == 0 => "`files` is at least 1",
            () if workers == 0 || workers > u64::from(MOST_WORKERS) => "`threads` and `processes` are 1 to 1024",
            () if workers * u64::from(self.files) > MOST_FILES => {
                "`files` of all workers together are at most a million"
            }
            () if self.threads > 1 && self.processes > 1 => "workers are `threads` or `processes`, not both",
            () if self.depth == 0 || self.depth > DEEPEST => "`depth` is 1 to 4096",
            () if u64::from(self.depth).saturating_mul(block) > MOST_IN_FLIGHT => {
                "`depth` times `block-size` is at most 256 MiB"
            }
            () if self.depth > 1 && self.calls != Calls::IoUring => "`depth` goes with `calls = \"io-uring\"`",
            () if self.read_percent > 100 => "`read-percent` is 0 to 100",
            () if self.compressible_percent > 100 => "`compressible-percent` is 0 to 100",
            () => return None,
        })
    }

    fn contradictions(&self, workload: &Workload) -> Option<&'static str> {
        let is_new = self.target() == FilesOfWork::New;
        let is_random = self.pattern == Pattern::Random;
        let by_open = matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync);
        let is_mapped = self.calls == Calls::Mmap;
        let comes_to_an_end = !is_random && !self.repeat;
        Some(match () {
            () if is_new && (self.operation != Work::Write || is_random) => {
                "`target = \"new\"` goes with sequential writes"
            }
            () if is_new && self.shared => "each worker makes its own new files: `shared` is for files that are there",
            () if is_new && self.files > 1 && self.workers() > 1 => {
                "several workers make one new file each: `files` is 1, for one's removal would disturb another's writing"
            }
            () if is_new && self.repeat => "`repeat` goes with files that are there; `files` says how many new ones",
            () if is_new && is_mapped => "what is mapped has to be there: `target = \"existing\"`",
            () if is_random && self.repeat => "`repeat` goes with sequential work",
            () if !is_random && self.distribution != Distribution::Uniform => "`distribution` goes with random work",
            () if self.operation == Work::Trim && self.calls != Calls::Sync => "trim goes with `calls = \"sync\"`",
            () if workload.durable != DurablePoint::None && !self.writes() => {
                "only what is written can be made durable"
            }
            () if self.sync_every > 0 && (by_open || workload.durable == DurablePoint::None) => {
                "`sync-every` goes with `durable` fsync, fdatasync or syncfs"
            }
            () if is_mapped && workload.cache == CacheState::Direct => {
                "what is mapped is in the page cache, not direct"
            }
            () if is_mapped && by_open => "a mapped file is made durable by fsync: O_SYNC is for write(2)",
            () if !comes_to_an_end && workload.timed_ms == 0 && self.operations.is_none() => {
                "`timed-ms` is missing, or `operations`: this work comes to no end by itself"
            }
            () => return None,
        })
    }
}
