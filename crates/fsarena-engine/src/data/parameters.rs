//! What a workload of this engine says, and what of it makes no sense.

mod complaint;

use fsarena_model::{Bytes, DurablePoint, Workload};
use serde::Deserialize;

use crate::load::Load;
use crate::pace::Arrivals;
use crate::size::{size, some_size};
use crate::{EngineError, Layout};

/// What a workload of this engine says. Sizes are bytes, typed as a number or as in `4K`, `512M`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// What is done.
    pub operation: Work,
    /// Of mixed work: how many of a hundred operations are reads.
    #[serde(default = "half")]
    pub read_percent: u32,
    /// In which order places are visited.
    pub pattern: Pattern,
    /// Of random work: which places are likelier.
    #[serde(default)]
    pub distribution: Distribution,
    /// How uneven: the exponent of `zipf` (above 0 \[1.2\]), the share of `pareto` (0 to 1 \[0.2\]).
    pub skew: Option<f64>,
    /// Of sequential work: bytes left out after each block.
    #[serde(default, deserialize_with = "size")]
    pub stride: u64,
    /// Of sequential work on files that are there: whether it begins again at the end, until the time is over.
    #[serde(default)]
    pub repeat: bool,
    /// Files that are there, or new ones. Sequential writes make new ones by default.
    target: Option<Target>,
    /// Bytes of each file.
    #[serde(deserialize_with = "size")]
    pub file_size: u64,
    /// Files of each worker; with new ones: how many a run makes at most, one after the other.
    #[serde(default = "one")]
    pub files: u32,
    /// Whether all workers use the same files.
    #[serde(default)]
    pub shared: bool,
    /// Bytes of each operation.
    #[serde(deserialize_with = "size")]
    pub block_size: u64,
    /// If given, each operation has a size of its own: a multiple of `block-size` up to this.
    #[serde(default, deserialize_with = "some_size")]
    pub block_size_max: Option<u64>,
    /// Workers that are threads.
    #[serde(default = "one")]
    pub threads: u32,
    /// Workers that are processes.
    #[serde(default = "one")]
    pub processes: u32,
    /// By which system calls.
    #[serde(default)]
    pub calls: Calls,
    /// Operations in flight at a time, of each worker.
    #[serde(default = "one")]
    pub depth: u32,
    /// Writes between two syncs; 0: one at the end of each new file, or of each run.
    #[serde(default)]
    pub sync_every: u32,
    /// What new files get before they are written.
    #[serde(default)]
    pub preallocate: Preallocate,
    /// Operations of each worker and run; without it, as many as the time or the files allow.
    pub operations: Option<u64>,
    /// Bytes of each worker and run, likewise.
    #[serde(default, deserialize_with = "some_size")]
    pub bytes: Option<u64>,
    /// Of what is written: how much of each 4 KiB a compressor can take away.
    #[serde(default)]
    pub compressible_percent: u32,
    /// Of what is written: how many of a hundred blocks of 4 KiB are copies of others.
    #[serde(default)]
    pub duplicated_percent: u32,
    /// Whether what is read is compared with what was written, inside the timer.
    #[serde(default)]
    pub verify: bool,
    /// Operations per second that begin, of all workers together, whatever became of the last (open loop).
    pub rate: Option<f64>,
    /// The same as a percentage of what the contender can do, measured before each round's slices.
    pub rate_percent: Option<f64>,
    /// How their beginnings are spread.
    #[serde(default)]
    pub arrivals: Arrivals,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Both, by `read-percent`.
    Mixed,
    /// Giving space back (fallocate(2), FALLOC_FL_PUNCH_HOLE).
    Trim,
}

/// In which order places are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// From beginning to end.
    Sequential,
    /// By the distribution.
    Random,
}

/// Which places are likelier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// None.
    #[default]
    Uniform,
    /// None, and each is visited once before any is visited again.
    Once,
    /// The n-th likeliest has a chance of n to the power of minus `skew`.
    Zipf,
    /// The share `skew` of the places gets 1 − `skew` of the visits.
    Pareto,
}

/// Which files are worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Files that are there, written in full before.
    Existing,
    /// Files that are made inside the timer, and removed outside of it.
    New,
}

/// By which system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
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

/// What a new file gets before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preallocate {
    /// Nothing.
    #[default]
    None,
    /// Its space (fallocate(2)).
    Allocate,
    /// Its length (ftruncate(2)).
    Truncate,
}

impl Parameters {
    /// Those of the workload, if they make sense.
    ///
    /// # Errors
    /// [`EngineError::Parameters`], with the one that does not.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        parameters.complaint(workload).map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    /// The files that are there before, where nothing but the operation distinguishes them from others'.
    pub fn layout(&self) -> Option<Layout> {
        let is_plain = !self.verify && self.compressible_percent == 0 && self.duplicated_percent == 0;
        let is_common = self.target() == Target::Existing && matches!(self.operation, Work::Read | Work::Write);
        let has_pilot = self.rate_percent.is_some();
        let files = format!("{} files of {} bytes", self.existing_files(), self.file_size);
        (is_plain && is_common && !has_pilot).then(|| Layout { files, lasts: self.operation == Work::Read })
    }

    /// Which files are worked on.
    pub fn target(&self) -> Target {
        let writes_in_order = self.operation == Work::Write && self.pattern == Pattern::Sequential;
        self.target.unwrap_or(if writes_in_order { Target::New } else { Target::Existing })
    }

    /// The longest operation, bytes.
    pub fn longest(&self) -> u64 {
        self.block_size_max.unwrap_or(self.block_size)
    }

    /// How much is asked for.
    pub fn load(&self) -> Load {
        Load::of(self.rate, self.rate_percent)
    }

    /// How many work side by side.
    pub fn workers(&self) -> u32 {
        self.threads * self.processes
    }

    /// Files that are laid out before the timer.
    pub fn existing_files(&self) -> u32 {
        match self.target() {
            Target::New => 0,
            Target::Existing if self.shared => self.files,
            Target::Existing => self.files * self.workers(),
        }
    }

    /// The most data that lie on the lane at a time.
    pub fn demand(&self) -> Bytes {
        let new = if self.target() == Target::New { self.workers() } else { 0 };
        Bytes(self.file_size.saturating_mul(u64::from(self.existing_files() + new)))
    }

    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        matches!(self.operation, Work::Write | Work::Mixed)
    }

    /// Whether all that is written is made durable by one call after the last operation.
    pub fn syncs_at_the_end_only(&self, workload: &Workload) -> bool {
        let syncs = matches!(workload.durable, DurablePoint::Fsync | DurablePoint::Fdatasync | DurablePoint::Syncfs);
        syncs && self.sync_every == 0
    }
}

fn one() -> u32 {
    1
}

fn half() -> u32 {
    50
}
