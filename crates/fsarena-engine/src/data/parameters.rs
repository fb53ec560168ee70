//! The parameters of a workload of this engine, and the checks of them.

mod complaint;

use fsarena_model::traits::SharedFiles;
use fsarena_model::{Bytes, CacheState, Traits, Workload};
use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::pace::WorkerLoad;
use crate::parameters::{checked, or, size};

/// The parameters of a workload of this engine. Sizes are bytes, as a number or with a suffix such as `4K`, `512M`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataParameters {
    pub operation: Work,
    /// For mixed work: percentage of the operations that are reads, 0 to 100.
    #[serde(default = "or::<_, 50>")]
    pub read_percent: u32,
    /// The order in which places are visited.
    pub pattern: Pattern,
    /// For random work: the distribution of the places.
    #[serde(default)]
    pub distribution: Distribution,
    /// For sequential work on existing files: whether it starts again at the end, until the time is over.
    #[serde(default)]
    pub repeat: bool,
    /// Existing files or new ones. The default is new files for sequential writes, otherwise existing files.
    target: Option<FilesOfWork>,
    /// Bytes of each file.
    #[serde(deserialize_with = "size")]
    pub file_size: u64,
    /// Files of each worker. For new files: maximum number of files that a run makes, one after the other.
    #[serde(default = "or::<_, 1>")]
    pub files: u32,
    /// Whether all workers use the same files.
    #[serde(default)]
    pub shared: bool,
    /// Bytes of each operation.
    #[serde(deserialize_with = "size")]
    pub block_size: u64,
    /// The system calls that do the work.
    #[serde(default)]
    pub calls: Calls,
    /// Operations of each worker in flight at a time.
    #[serde(default = "or::<_, 1>")]
    pub depth: u32,
    /// Writes between two syncs. 0 means one sync at the end of each new file, or of each run.
    #[serde(default)]
    pub sync_every: u32,
    /// Workers that are threads.
    #[serde(default = "or::<_, 1>")]
    pub threads: u32,
    /// Workers that are processes.
    #[serde(default = "or::<_, 1>")]
    pub processes: u32,
    /// Operations of each worker per run. Default: as many as the time or the files allow.
    pub operations: Option<u64>,
    /// For writes: percentage of each 4 KiB that a compressor can remove.
    #[serde(default)]
    pub compressible_percent: u32,
    /// Operations that all workers together start per second, whether or not earlier ones have ended (open loop).
    /// Without a rate, each starts when the last one has ended (closed loop).
    pub rate: Option<f64>,
    /// The rate as a percentage of the maximum rate of the contender, which is measured before each round's slices.
    pub rate_percent: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    Read,
    Write,
    /// Both, by `read-percent`.
    Mixed,
    /// Deallocating space (fallocate(2), FALLOC_FL_PUNCH_HOLE).
    Trim,
}

/// The order in which places are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    Sequential,
    /// At random, with the distribution.
    Random,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// All places are equally likely.
    #[default]
    Uniform,
    /// All places are equally likely, and each is visited once before any is visited again.
    Once,
    /// The n-th likeliest has a chance of n to the power of −1.2.
    Zipf,
}

/// The files that the work uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilesOfWork {
    /// Existing files, which are written in full before.
    Existing,
    /// Files that are created inside the timer, and removed outside of it.
    New,
}

/// The system calls that do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calls {
    /// pread(2) and pwrite(2), one at a time.
    #[default]
    Sync,
    /// io_uring(7), with registered files and memory.
    IoUring,
    /// Copies from and to mapped files, mmap(2).
    Mmap,
}

impl DataParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.complaint(workload))
    }

    /// What the plan has to know. There is no reference in memory for io_uring: a tmpfs leaves such requests to kernel
    /// threads, because it cannot say that it would not wait (`FMODE_NOWAIT` in the kernel's io_uring/rw.c). That takes
    /// longer than any file system on a disk.
    pub fn traits(&self, workload: &Workload) -> Traits {
        let block = Some(Bytes(self.block_size));
        Traits {
            peak: self.demand(),
            direct_block: block.filter(|_| workload.cache == CacheState::Direct),
            block,
            runs_in_memory: self.calls != Calls::IoUring,
            copies_nothing: self.calls == Calls::Mmap || self.operation == Work::Trim,
            files: self.layout(),
            ..Traits::default()
        }
    }

    /// The layout of the existing files, if other workloads may have the same files: it depends on nothing but their
    /// number and size.
    fn layout(&self) -> Option<SharedFiles> {
        let is_common = self.target() == FilesOfWork::Existing && matches!(self.operation, Work::Read | Work::Write);
        let has_pilot = self.rate_percent.is_some();
        let files = format!("{} files of {} bytes", self.existing_files(), self.file_size);
        (self.compressible_percent == 0 && is_common && !has_pilot)
            .then(|| SharedFiles { description: files, unchanged: self.operation == Work::Read })
    }

    pub fn target(&self) -> FilesOfWork {
        let writes_in_order = self.operation == Work::Write && self.pattern == Pattern::Sequential;
        self.target.unwrap_or(if writes_in_order { FilesOfWork::New } else { FilesOfWork::Existing })
    }

    pub fn load(&self) -> WorkerLoad {
        WorkerLoad { rate: self.rate, percent: self.rate_percent }
    }

    pub fn workers(&self) -> u32 {
        self.threads * self.processes
    }

    /// Number of files that are laid out before the timer starts.
    pub fn existing_files(&self) -> u32 {
        match self.target() {
            FilesOfWork::New => 0,
            FilesOfWork::Existing if self.shared => self.files,
            FilesOfWork::Existing => self.files * self.workers(),
        }
    }

    /// Maximum bytes on the lane at a time.
    pub fn demand(&self) -> Bytes {
        let new = if self.target() == FilesOfWork::New { self.workers() } else { 0 };
        Bytes(self.file_size.saturating_mul(u64::from(self.existing_files() + new)))
    }

    pub fn writes(&self) -> bool {
        matches!(self.operation, Work::Write | Work::Mixed)
    }

    /// Whether the work newly fills the page cache.
    pub fn fills_memory(&self, cache: CacheState) -> bool {
        let is_cold_scan = self.pattern == Pattern::Sequential && cache == CacheState::Cold;
        cache != CacheState::Direct && (self.target() == FilesOfWork::New || is_cold_scan)
    }
}
