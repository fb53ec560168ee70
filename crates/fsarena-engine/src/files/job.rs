//! The job: makes the trees, and runs its workers on them.

use fsarena_model::{Bytes, CacheState};
use std::sync::atomic::AtomicBool;

use super::step::{Plan, Step};
use super::tree;
use super::worker::FilesWorker;
use crate::crew::{Crew, Style};
use crate::{EngineError, Job, Limit, Operation, Tally};

struct FilesJob<S> {
    plan: Plan,
    crew: Crew<FilesWorker<S>>,
    /// Whether the trees were taken over from another job.
    is_adopted: bool,
}

/// A job that follows `plan`.
pub fn open<S: Step>(plan: Plan) -> Box<dyn Job> {
    let workers = (0..plan.parameters.threads).map(|number| FilesWorker::<S>::new(&plan, number));
    let crew = Crew::new(workers, Style::Threads);
    Box::new(FilesJob { crew, plan, is_adopted: false })
}

fn make_trees<S: Step>(plan: &Plan, crew: &mut Crew<FilesWorker<S>>, stop: &AtomicBool) -> Result<(), EngineError> {
    (0..plan.parameters.trees()).try_for_each(|tree| tree::renew(plan, tree, S::GROUND, stop))?;
    crew.workers().for_each(FilesWorker::rewind);
    Ok(())
}

/// Restores what a run uses up: the trees, or the objects that were not visited yet. Slices continue where the last one
/// stopped, as long as enough objects for another slice are left.
fn renew<S: Step>(plan: &Plan, crew: &mut Crew<FilesWorker<S>>, stop: &AtomicBool) -> Result<(), EngineError> {
    if plan.goes_on && crew.all(FilesWorker::has_enough) {
        return Ok(());
    }
    if S::GROUND.is_renewed() {
        return make_trees(plan, crew, stop);
    }
    if plan.parameters.once {
        crew.workers().for_each(FilesWorker::rewind);
    }
    Ok(())
}

impl<S: Step> Job for FilesJob<S> {
    /// Trees that are renewed before each slice are made here for a pilot run only, which may use them up.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let load = self.plan.parameters.load();
        if !S::GROUND.is_renewed() || load.has_pilot() {
            make_trees(&self.plan, &mut self.crew, stop)?;
        }
        let plan = &self.plan;
        let each = load.settle(&mut self.crew, stop, |crew| renew(plan, crew, stop))?;
        if let Some(each) = each {
            self.crew.workers().for_each(|worker| worker.keep_rate(each));
        }
        Ok(())
    }

    fn adopt(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        self.is_adopted = true;
        Ok(())
    }

    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if std::mem::take(&mut self.is_adopted) {
            return Ok(());
        }
        renew(&self.plan, &mut self.crew, stop)
    }

    fn fills(&self) -> Bytes {
        let fills = self.plan.cache == CacheState::Cold && S::OPERATION == Operation::Read;
        if fills { self.plan.bytes() } else { Bytes(0) }
    }

    /// Drops the data of files. No system call drops what the other operations read.
    fn drop_caches(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let trees = if S::OPERATION == Operation::Read { self.plan.parameters.trees() } else { 0 };
        (0..trees).try_for_each(|tree| tree::forget(&self.plan, tree, stop))
    }

    fn is_alone(&self) -> bool {
        self.crew.is_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        self.crew.run(limit, tally)
    }
}
