//! The loop of this engine: batches of one operation, each followed by a syncfs if the workload asks for it.

use std::ffi::CString;
use std::fs::File;
use std::path::PathBuf;

use fsarena_model::DurablePoint;
use fsarena_model::seed::generator;
use rustix::fs::{Mode, OFlags, openat};

use super::durability::{Parents, Syncable};
use super::names::Paths;
use super::parameters::FilesPlan;
use super::tree::FILE;
use super::walk::{ObjectVisit, Walk, WalkGround, WalkShare};
use crate::meter::Meter;
use crate::workers::{Timer, Worker};
use crate::{EngineError, Operation, folder};

/// Does one operation with what the worker keeps for it, and its fsync if that goes to the file. Returns the bytes that
/// it read or wrote. It gets the root of the tree; an append gets the open log.
pub trait WorkerStep<T>:
    Fn(&mut T, &File, ObjectVisit, &mut Meter<'_>) -> Result<u64, EngineError> + Copy + Send + 'static
{
}

impl<T, F> WorkerStep<T> for F where
    F: Fn(&mut T, &File, ObjectVisit, &mut Meter<'_>) -> Result<u64, EngineError> + Copy + Send + 'static
{
}

pub struct FilesWorker<T, S> {
    root: PathBuf,
    /// The path of its log, for appends.
    log: Option<CString>,
    operation: Operation,
    own: T,
    step: S,
    pub walk: Walk,
    parents: Parents,
    /// Whether each operation is followed by a sync of the directory of its object.
    syncs_parents: bool,
    /// Operations between two checks of the time, and between two syncfs calls.
    batch: u32,
    durable: DurablePoint,
    /// Number of objects that the largest run has used up.
    most_used: u32,
}

impl<T: Send, S: WorkerStep<T>> FilesWorker<T, S> {
    /// Worker `number` of those that follow `plan`.
    pub fn new(plan: &FilesPlan, number: u32, own: T, step: S) -> Self {
        let syncs_each = matches!(plan.workload.durable, DurablePoint::Fsync | DurablePoint::Fdatasync);
        let has_log = plan.kind.ground == WalkGround::Log;
        Self {
            root: plan.tree_of(number),
            log: has_log.then(|| Paths::new(&plan.shape, FILE).of(plan.share(number).first).to_owned()),
            operation: plan.kind.operation,
            own,
            step,
            walk: walk(plan, number),
            parents: Parents::new(&plan.shape),
            syncs_parents: syncs_each && plan.kind.sync == Syncable::Directory,
            batch: plan.parameters.batch,
            durable: plan.workload.durable,
            most_used: 0,
        }
    }

    /// Opens the log for appends, which is at hand while the worker runs.
    fn open_log(&self, root: &File) -> Result<Option<File>, EngineError> {
        let Some(path) = &self.log else { return Ok(None) };
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC | folder::sync_flags(self.durable);
        let log = openat(root, path, flags, Mode::empty()).map_err(EngineError::io("open the log"))?;
        Ok(Some(log.into()))
    }

    /// Whether the objects left are at least twice those that the largest run used up. `false` before the first run.
    pub fn has_enough(&self) -> bool {
        self.most_used > 0 && self.walk.left() >= self.most_used.saturating_mul(2)
    }

    /// Does batches of operations, which get `file`.
    fn batches(&mut self, root: &File, file: &File, mut meter: Meter<'_>) -> Result<(), EngineError> {
        while self.walk.is_left() && !meter.is_over() {
            let done = self.batch(root, file, &mut meter)?;
            if self.durable == DurablePoint::Syncfs && done > 0 {
                folder::sync(root)?;
                meter.also(Operation::Syncfs);
            }
        }
        meter.stop();
        Ok(())
    }

    /// Does one batch. Returns the number of its operations.
    fn batch(&mut self, root: &File, file: &File, meter: &mut Meter<'_>) -> Result<u32, EngineError> {
        for done in 0..self.batch {
            if !self.walk.is_left() {
                return Ok(done);
            }
            let Some(begin) = meter.begin() else { return Ok(done) };
            let visit = self.walk.next();
            let bytes = (self.step)(&mut self.own, file, visit, meter)?;
            if self.syncs_parents {
                self.parents.sync(root, visit.number, self.durable, meter)?;
            }
            meter.done(self.operation, begin, bytes);
        }
        Ok(self.batch)
    }
}

/// Each worker reads all directories of a shared tree, in its own order.
fn walk(plan: &FilesPlan, worker: u32) -> Walk {
    let ground = plan.kind.ground;
    let is_shared = ground != WalkGround::Directories;
    let share = if is_shared { plan.share(worker) } else { WalkShare::all(plan.shape.used_leaves()) };
    let mut walk = Walk::new(share, ground.order(), generator(plan.seed, "order", &[u64::from(worker)]));
    walk.repeats = !ground.is_renewed() && !plan.parameters.once;
    walk
}

impl<T: Send, S: WorkerStep<T>> Worker for FilesWorker<T, S> {
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let root = folder::open(&self.root)?;
        let log = self.open_log(&root)?;
        let meter = timer.start()?;
        let before = self.walk.left();
        let done = self.batches(&root, log.as_ref().unwrap_or(&root), meter);
        self.most_used = self.most_used.max(before.saturating_sub(self.walk.left()));
        self.parents.close();
        done
    }
}
