//! What an operation tells about itself, and what it is told about the work.

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

/// On what an operation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Nothing: it makes files, in a tree that is new in each slice.
    NewFiles,
    /// Nothing: it makes other things than files, likewise.
    NewOthers,
    /// Files, each of them once; they are made again before each slice.
    UsedFiles,
    /// Empty directories, likewise.
    UsedDirectories,
    /// Files, all of them in this order, then all again.
    Files(Order),
    /// Files with an extended attribute, all of them in random order, then all again.
    FilesWithAttribute,
    /// The directories in which files lie, all of them in random order, then all again.
    Directories,
    /// One file of each worker's own, empty at first.
    Log,
}

impl Ground {
    /// Whether the tree is made anew before each slice.
    pub fn is_renewed(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers | Self::UsedFiles | Self::UsedDirectories)
    }

    /// Whether nothing is there before.
    pub fn is_new(self) -> bool {
        matches!(self, Self::NewFiles | Self::NewOthers)
    }

    /// Whether there are files with a size.
    pub fn has_files(self) -> bool {
        !matches!(self, Self::NewOthers | Self::UsedDirectories)
    }

    /// In which order the objects are visited.
    pub fn order(self) -> Order {
        match self {
            Self::Files(order) => order,
            Self::FilesWithAttribute | Self::Directories => Order::Random,
            _ => Order::InOrder,
        }
    }
}

/// One kind of operation of one worker.
pub trait Step: Send + Sized + 'static {
    /// What it is called.
    const OPERATION: Operation;
    /// On what it is done.
    const GROUND: Ground;
    /// How each can be made durable.
    const SYNC: Syncable;

    /// As the workload wants it.
    fn new(setting: &Setting) -> Self;

    /// Opens what stays open during a run.
    fn start(&mut self, _root: &File) -> Result<(), EngineError> {
        Ok(())
    }

    /// Does one operation in the tree `root`, and its fsync if that goes to the file; says how many bytes it carried.
    fn operate(&mut self, root: &File, visit: Visit, meter: &mut Meter<'_>) -> Result<u64, EngineError>;

    /// Closes what [`Step::start`] opened.
    fn end(&mut self) {}
}

/// All that a job is told.
pub struct Plan {
    /// What the workload says.
    pub parameters: Parameters,
    /// What is made durable.
    pub durable: DurablePoint,
    /// Where trees are made.
    pub directory: PathBuf,
    /// From which every random choice follows.
    pub seed: u64,
    /// Of each tree.
    pub shape: Shape,
    /// Where it is when it is read.
    pub cache: CacheState,
    /// Whether each run goes on where the last one stopped, rather than on a tree of its own.
    pub goes_on: bool,
}

impl Plan {
    /// What one worker is told.
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

/// What one worker is told.
pub struct Setting {
    /// Of the tree it works in.
    pub shape: Shape,
    /// Of the files.
    pub sizes: Sizes,
    /// What is written.
    pub recipe: Recipe,
    /// What is made durable.
    pub durable: DurablePoint,
    /// The path of the tree.
    pub root: PathBuf,
    /// Which of the workers it is.
    pub worker: u32,
    /// Its part of the objects.
    pub share: Share,
}
