//! The parameters of a workload of this engine, the checks of them, and the settings of a job that follow from them.

use std::path::PathBuf;

use fsarena_model::traits::SharedFiles;
use fsarena_model::{Bytes, CacheState, DurablePoint, Mode, Workload};
use serde::Deserialize;

use super::names::Shape;
use super::operations::OperationEntry;
use super::sizes::Sizes;
use super::walk::{WalkGround, WalkShare};
use crate::contents::Recipe;
use crate::pace::WorkerLoad;
use crate::parameters::{or, size, some_size};
use crate::{EngineError, Operation};

/// The parameters of a workload of this engine. Sizes are bytes, as a number or with a suffix such as `4K`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FilesParameters {
    pub operation: Operation,
    /// Bytes of each file, or of each append. With `size-max`: bytes of the smallest file, more than 0.
    #[serde(default, deserialize_with = "size")]
    size: u64,
    /// Bytes of the largest file, if sizes differ.
    #[serde(default, deserialize_with = "some_size")]
    size_max: Option<u64>,
    /// Operations between two checks of the time, and between two syncfs calls.
    #[serde(default = "or::<_, 1>")]
    pub batch: u32,
    /// Objects in each tree that exist before. For operations that make objects: maximum number that a slice makes.
    #[serde(default)]
    files: u32,
    /// Objects in each directory of the deepest level, instead of `files`.
    files_per_directory: Option<u32>,
    /// Levels of directories in a tree; files lie in the deepest.
    #[serde(default)]
    depth: u32,
    /// Directories in each directory above the deepest level.
    fan_out: Option<u32>,
    /// For operations that only read: whether a run visits each object once and then ends, instead of starting again.
    #[serde(default)]
    pub once: bool,
    #[serde(default = "or::<_, 1>")]
    pub threads: u32,
    /// Whether all workers share one tree, each with its share of the objects, instead of one tree per worker.
    #[serde(default)]
    pub shared: bool,
    /// Operations that all workers together start per second, whether or not earlier ones have ended (open loop).
    rate: Option<f64>,
    /// The rate as a percentage of the maximum rate of the contender, which is measured before each round's slices.
    rate_percent: Option<f64>,
}

/// Space of a directory or of a small file, bytes: even the smallest file takes a block and an inode.
const COST: u64 = 8192;
const BLOCK: u64 = 4096;
const LARGEST: u64 = 1 << 20;
const MOST_THREADS: u32 = 1024;
/// Maximum number of objects that one worker makes per millisecond. If the workload does not give a number of objects,
/// a slice ends when it has made this many. Creating a file takes longer than 4 µs. Work in memory may be faster; then
/// the slice ends before its time.
const MADE_PER_MS: u64 = 250;
/// A whole run gets as many objects at a time as fast storage makes in this time, milliseconds. Then it is reset and
/// continues.
const PIECE_MS: u64 = 120;
/// Maximum number of appends, and of appended bytes, of one worker per millisecond: a write takes a microsecond, and
/// memory takes 8 GiB/s.
const APPENDS_PER_MS: u64 = 1000;
const APPENDED_PER_MS: u64 = 8 << 20;

impl FilesParameters {
    /// Refuses parameters that contradict each other, the workload or the operation.
    pub fn check(&self, workload: &Workload, kind: &OperationEntry) -> Result<(), EngineError> {
        let refuse = |what: &str| Err(EngineError::parameters(&workload.name, what));
        if !kind.sync.allows(workload.durable) {
            return refuse(&format!("`durable`: {} cannot be made durable in this way", kind.operation.name()));
        }
        let complaint = self
            .tree()
            .or_else(|| self.work(workload, kind))
            .or_else(|| self.load().complaint())
            .or_else(|| self.file_sizes(workload, kind.ground))
            .or_else(|| self.counts(workload, kind.ground));
        complaint.map_or(Ok(()), refuse)
    }

    pub fn trees(&self) -> u32 {
        if self.shared { 1 } else { self.threads }
    }

    pub fn load(&self) -> WorkerLoad {
        WorkerLoad { rate: self.rate, percent: self.rate_percent }
    }

    pub fn shape(&self, workload: &Workload, ground: WalkGround) -> Shape {
        let mut shape = Shape { depth: self.depth, fan_out: self.fan_out.unwrap_or(1), objects: self.files };
        let threads = if self.shared { self.threads } else { 1 };
        if let Some(each) = self.files_per_directory {
            shape.objects = each.saturating_mul(shape.leaves());
        } else if ground == WalkGround::Log {
            shape.objects = threads;
        } else if self.files == 0 {
            let time = match workload.mode {
                Mode::Sliced => workload.warm_up_ms + workload.timed_ms,
                Mode::Whole => workload.timed_ms.min(PIECE_MS),
            };
            let most = u64::from(threads) * MADE_PER_MS * time;
            shape.objects = most.min(u64::from(Shape::MOST_OBJECTS)) as u32;
        }
        shape
    }

    /// The layout of the existing trees, if other workloads may have the same trees.
    pub fn layout(&self, workload: &Workload, kind: &OperationEntry) -> Option<SharedFiles> {
        let is_common = matches!(kind.ground, WalkGround::Files(_) | WalkGround::UsedFiles | WalkGround::Directories);
        let is_plain = self.size_max.is_none() && self.rate_percent.is_none();
        let Shape { depth, fan_out, objects } = self.shape(workload, kind.ground);
        let (trees, size, cache) = (self.trees(), self.size, workload.cache);
        let files = format!("{trees} trees of {objects} files of {size} bytes, {fan_out}^{depth}, {cache:?}");
        (is_common && is_plain).then(|| SharedFiles { description: files, unchanged: kind.only_reads() })
    }

    /// Maximum bytes on the lane at a time.
    pub fn demand(&self, workload: &Workload, ground: WalkGround) -> Bytes {
        let shape = self.shape(workload, ground);
        let each = (self.largest().next_multiple_of(BLOCK) + BLOCK).max(COST);
        let directories = u64::from(shape.directories()) * COST;
        let trees = u64::from(shape.objects) * each + directories;
        let logs = if ground == WalkGround::Log { self.appended(workload) } else { 0 };
        Bytes(trees.saturating_mul(u64::from(self.trees())).saturating_add(logs))
    }

    /// Number of files or other objects that are there at the same time in any case, however slow the work is.
    pub fn least_files(&self, workload: &Workload, ground: WalkGround) -> u64 {
        let objects = self.shape(workload, ground).objects;
        let each = if ground.is_new() { objects.min(self.batch) } else { objects };
        u64::from(each) * u64::from(self.trees())
    }

    /// Maximum bytes of all logs, which grow over all slices and over a pilot run.
    fn appended(&self, workload: &Workload) -> u64 {
        const PILOT_MS: u64 = 400;
        let slices = if workload.mode == Mode::Whole { 1 } else { u64::from(workload.slices) };
        let pilot = if self.rate_percent.is_some() { PILOT_MS } else { 0 };
        let time = (workload.warm_up_ms + workload.timed_ms).saturating_mul(slices) + pilot;
        let each = (APPENDS_PER_MS * self.size).min(APPENDED_PER_MS);
        each.saturating_mul(time).saturating_mul(u64::from(self.threads))
    }

    fn largest(&self) -> u64 {
        self.size_max.unwrap_or(self.size)
    }

    fn tree(&self) -> Option<&'static str> {
        let fan_out = self.fan_out.unwrap_or(1);
        Some(match () {
            () if self.depth > Shape::DEEPEST => "`depth` is 0 to 8",
            () if self.fan_out.is_some() && self.depth == 0 => "`fan-out` goes with `depth`",
            () if self.fan_out.is_none() && self.depth > 0 => "`fan-out` is missing: `depth` needs it",
            () if fan_out == 0 || fan_out > Shape::WIDEST => "`fan-out` is 1 to 1000",
            () if Shape::count_leaves(self.depth, fan_out).is_none() => {
                "`fan-out` to the power of `depth` is at most a million directories"
            }
            () => return None,
        })
    }

    fn work(&self, workload: &Workload, kind: &OperationEntry) -> Option<&'static str> {
        Some(match () {
            () if self.batch == 0 => "`batch` is at least 1",
            () if self.threads == 0 || self.threads > MOST_THREADS => "`threads` is 1 to 1024",
            () if workload.cache == CacheState::Direct => {
                "this engine works with `cache = \"warm\"`, or `\"cold\"` where it only reads"
            }
            () if workload.cache == CacheState::Cold && !kind.only_reads() => {
                "`cache = \"cold\"` goes with operations that only read"
            }
            () if workload.cache == CacheState::Cold && self.rate_percent.is_some() => {
                "what a cold tree can do is not known before it is read: `rate`, not `rate-percent`"
            }
            () if self.once && !kind.only_reads() => "`once` goes with operations that only read",
            () => return None,
        })
    }

    fn file_sizes(&self, workload: &Workload, ground: WalkGround) -> Option<&'static str> {
        let by_open = matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync);
        let is_sized = matches!(self.operation, Operation::Read | Operation::Write | Operation::Append);
        Some(match () {
            () if self.largest() > LARGEST => "`size` and `size-max` are at most 1 MiB",
            () if self.largest() < self.size => "`size-max` is not below `size`",
            () if !ground.has_files() && self.largest() > 0 => "`size` is for files",
            () if ground == WalkGround::Log && self.size_max.is_some() => "appends have one `size`: without `size-max`",
            () if (is_sized || self.size_max.is_some()) && self.size == 0 => "`size` is missing",
            // O_SYNC and O_DSYNC apply to write(2). Opening a new file makes nothing durable.
            () if by_open && self.size == 0 => {
                "`size` is missing: with `durable` o-sync and o-dsync only a write is made durable"
            }
            () => return None,
        })
    }

    fn counts(&self, workload: &Workload, ground: WalkGround) -> Option<&'static str> {
        let is_given = self.files > 0 || self.files_per_directory.is_some();
        let ends = (ground.is_renewed() && is_given) || self.once;
        let objects = self.shape(workload, ground).objects;
        Some(match () {
            () if self.files > 0 && self.files_per_directory.is_some() => "`files` or `files-per-directory`, not both",
            () if self.files_per_directory == Some(0) => "`files-per-directory` is at least 1",
            () if ground == WalkGround::Log && (is_given || self.depth > 0) => {
                "append has one log for each thread: without `files` and `depth`"
            }
            () if ground != WalkGround::Log && !ground.is_new() && !is_given => "`files` is missing",
            () if ground.is_new() && !is_given && self.depth > 0 => {
                "`files-per-directory` is missing, or `files`: they say how a tree is filled"
            }
            () if workload.timed_ms == 0 && !ends => "`timed-ms` is missing: this work comes to no end by itself",
            () if objects > Shape::MOST_OBJECTS => "`files` are at most 99,999,999 in a tree",
            () if self.shared && objects < self.threads => {
                "`files` are at least as many as `threads`, where they share a tree"
            }
            () => return None,
        })
    }
}

pub struct FilesPlan {
    pub kind: &'static OperationEntry,
    pub workload: Workload,
    pub parameters: FilesParameters,
    pub directory: PathBuf,
    pub seed: u64,
    pub shape: Shape,
}

impl FilesPlan {
    /// The share of the objects of its tree that belongs to a worker.
    pub fn share(&self, worker: u32) -> WalkShare {
        match self.parameters.shared {
            true => WalkShare::of(self.shape.objects, self.parameters.threads, worker),
            false => WalkShare::all(self.shape.objects),
        }
    }

    pub fn tree_of(&self, worker: u32) -> PathBuf {
        self.root(if self.parameters.shared { 0 } else { worker })
    }

    pub fn root(&self, tree: u32) -> PathBuf {
        self.directory.join(tree_name(tree))
    }

    /// The bytes of the files of all trees.
    pub fn bytes(&self) -> Bytes {
        let sizes = self.sizes();
        let tree: u64 = (0..self.shape.objects).map(|number| sizes.of(number) as u64).sum();
        Bytes(tree * u64::from(self.parameters.trees()))
    }

    pub fn sizes(&self) -> Sizes {
        Sizes::new(self.parameters.size, self.parameters.largest(), self.seed)
    }

    /// How the contents of writes are generated.
    pub fn recipe(&self) -> Recipe {
        Recipe::random(self.seed, self.sizes().largest())
    }
}

/// The name of a tree in the job's directory.
pub fn tree_name(tree: u32) -> String {
    format!("tree{tree}")
}
