//! The job: makes the trees, and runs its workers on them.

use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, CacheState, Mode};

use super::parameters::FilesPlan;
use super::tree;
use super::worker::{FilesWorker, WorkerStep};
use crate::workers::{WorkerStyle, Workers};
use crate::{EngineError, Job, Limit, NextRun, Operation, RunStats, Upkeep, folder};

struct FilesJob<T, S> {
    plan: FilesPlan,
    workers: Workers<FilesWorker<T, S>>,
    /// Whether the trees were taken over from another job.
    is_adopted: bool,
}

/// A job that follows `plan`. Each of its workers keeps what `own` makes, and does `step` again and again.
pub fn open<T: Send + 'static, S: WorkerStep<T>>(
    plan: FilesPlan,
    own: fn(&FilesPlan, u32) -> T,
    step: S,
) -> Box<dyn Job> {
    let worker = |number| FilesWorker::new(&plan, number, own(&plan, number), step);
    let workers = (0..plan.parameters.threads).map(worker);
    let workers = Workers::new(workers, WorkerStyle::Threads);
    Box::new(FilesJob { workers, plan, is_adopted: false })
}

fn make_trees<T: Send, S: WorkerStep<T>>(
    plan: &FilesPlan,
    workers: &mut Workers<FilesWorker<T, S>>,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    (0..plan.parameters.trees()).try_for_each(|tree| tree::renew(plan, tree, stop))?;
    workers.workers().for_each(|worker| worker.walk.rewind());
    Ok(())
}

/// Restores what a run uses up: the trees, or the objects that were not visited yet. Slices continue where the last one
/// stopped, as long as enough objects for another slice are left.
fn renew<T: Send, S: WorkerStep<T>>(
    plan: &FilesPlan,
    workers: &mut Workers<FilesWorker<T, S>>,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    let goes_on = plan.workload.mode == Mode::Sliced && plan.workload.timed_ms > 0;
    if goes_on && workers.all(FilesWorker::has_enough) {
        return Ok(());
    }
    if plan.kind.ground.is_renewed() {
        return make_trees(plan, workers, stop);
    }
    if plan.parameters.once {
        workers.workers().for_each(|worker| worker.walk.rewind());
    }
    Ok(())
}

impl<T: Send, S: WorkerStep<T>> FilesJob<T, S> {
    /// Trees that are renewed before each slice are made here for a pilot run only, which may use them up.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let load = self.plan.parameters.load();
        if !self.plan.kind.ground.is_renewed() || load.percent.is_some() {
            make_trees(&self.plan, &mut self.workers, stop)?;
        }
        let plan = &self.plan;
        load.keep(&mut self.workers, stop, |workers| renew(plan, workers, stop))
    }

    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if std::mem::take(&mut self.is_adopted) {
            return Ok(());
        }
        renew(&self.plan, &mut self.workers, stop)
    }

    fn fills(&self) -> Bytes {
        let fills = self.plan.workload.cache == CacheState::Cold && self.plan.kind.operation == Operation::Read;
        if fills { self.plan.bytes() } else { Bytes(0) }
    }
}

impl<T: Send, S: WorkerStep<T>> Job for FilesJob<T, S> {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::Adopt => {
                self.is_adopted = true;
                Ok(())
            }
            Upkeep::Reset => self.reset(stop),
            Upkeep::DropCaches => folder::sync_and_drop_caches(&self.plan.directory, stop),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun { fills: self.fills(), is_alone: self.workers.is_alone(), ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.workers.run(limit, stats)
    }
}
