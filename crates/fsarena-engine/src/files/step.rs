//! The interface of an operation: its properties, and the settings that it gets.

use std::fs::File;
use std::path::PathBuf;

use fsarena_model::{Bytes, CacheState, DurablePoint};

use super::durability::Syncable;
use super::parameters::Parameters;
use super::shape::Shape;
use super::sizes::Sizes;
use super::walk::{Order, Share, Visit};
use crate::contents::Recipe;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// The objects on which an operation works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// None: it makes files, in a tree that is new in each slice.
    NewFiles,
    /// None: it makes objects other than files, in a tree that is new in each slice.
    NewOthers,
    /// Files, each visited once. They are made again before each slice.
    UsedFiles,
    /// Empty directories, each visited once. They are made again before each slice.
    UsedDirectories,
    /// Files, all of them in this order, again and again.
    Files(Order),
    /// Files with an extended attribute, all of them in random order, again and again.
    FilesWithAttribute,
    /// The directories that hold files, all of them in random order, again and again.
    Directories,
    /// One file per worker, which is empty at first.
    Log,
}

impl Ground {
    /// Whether the tree is made again before each slice.
    pub fn is_renewed(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers | Self::UsedFiles | Self::UsedDirectories)
    }

    /// Whether no objects exist before.
    pub fn is_new(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers)
    }

    /// Whether the objects are files, which have a size.
    pub fn has_files(self) -> bool {
        !matches!(self, Self::NewOthers | Self::UsedDirectories)
    }

    /// The order in which the objects are visited.
    pub fn order(self) -> Order {
        match self {
            Self::Files(order) => order,
            Self::FilesWithAttribute | Self::Directories => Order::Random,
            _ => Order::InOrder,
        }
    }
}

/// One kind of operation, as one worker does it.
pub trait Step: Send + Sized + 'static {
    /// The kind of operation.
    const OPERATION: Operation;
    /// The objects on which it works.
    const GROUND: Ground;
    /// How each operation can be made durable.
    const SYNC: Syncable;

    /// The operation with the settings of a worker.
    fn new(setting: &Setting) -> Self;

    /// Opens files that stay open during a run.
    fn start(&mut self, _root: &File) -> Result<(), EngineError> {
        Ok(())
    }

    /// Does one operation in the tree `root`, and its fsync if that goes to the file. Returns the bytes that it read or
    /// wrote.
    fn operate(&mut self, root: &File, visit: Visit, meter: &mut Meter<'_>) -> Result<u64, EngineError>;

    /// Closes what [`Step::start`] opened.
    fn end(&mut self) {}
}

/// The settings of a job.
pub struct Plan {
    /// The parameters of the workload.
    pub parameters: Parameters,
    /// How operations are made durable.
    pub durable: DurablePoint,
    /// The directory in which trees are made.
    pub directory: PathBuf,
    /// Seed of all random choices.
    pub seed: u64,
    /// The shape of each tree.
    pub shape: Shape,
    /// The cache state of the files when they are read.
    pub cache: CacheState,
    /// Whether each run continues where the last one stopped, instead of on a new tree.
    pub goes_on: bool,
}

impl Plan {
    /// The settings of one worker.
    pub fn setting(&self, worker: u32) -> Setting {
        let sizes = self.sizes();
        let (tree, share) = match self.parameters.shared {
            true => (0, Share::of(self.shape.objects, self.parameters.threads, worker)),
            false => (worker, Share::all(self.shape.objects)),
        };
        let recipe = Recipe::random(self.seed, sizes.largest());
        Setting { shape: self.shape, sizes, recipe, durable: self.durable, root: self.root(tree), worker, share }
    }

    /// The bytes of the files of all trees.
    pub fn bytes(&self) -> Bytes {
        let sizes = self.sizes();
        let tree: u64 = (0..self.shape.objects).map(|number| sizes.of(number) as u64).sum();
        Bytes(tree * u64::from(self.parameters.trees()))
    }

    /// The path of a tree.
    pub fn root(&self, tree: u32) -> PathBuf {
        self.directory.join(tree_name(tree))
    }

    /// The sizes of files.
    pub fn sizes(&self) -> Sizes {
        self.parameters.sizes(self.seed)
    }
}

/// The name of a tree in the job's directory.
pub fn tree_name(tree: u32) -> String {
    format!("tree{tree}")
}

/// The settings of one worker.
pub struct Setting {
    /// The shape of its tree.
    pub shape: Shape,
    /// The sizes of files.
    pub sizes: Sizes,
    /// How the contents of writes are generated.
    pub recipe: Recipe,
    /// How operations are made durable.
    pub durable: DurablePoint,
    /// The path of the tree.
    pub root: PathBuf,
    /// Number of the worker.
    pub worker: u32,
    /// Its share of the objects.
    pub share: Share,
}
