//! The loop of this engine: batches of one operation, each followed by a syncfs if the workload asks for it.

use std::fs::File;
use std::path::PathBuf;

use fsarena_model::DurablePoint;
use fsarena_model::seed::generator;

use super::durability::{Each, Parents, Syncable};
use super::step::{Ground, Plan, Setting, Step};
use super::walk::{Share, Walk};
use crate::meter::Meter;
use crate::pace::{Arrivals, Pace};
use crate::workers::{Entry, Worker};
use crate::{EngineError, Limit, Operation, RunStats, folder};

/// One worker on its share of a tree.
pub struct FilesWorker<S> {
    root: PathBuf,
    seed: u64,
    number: u32,
    workers: u32,
    arrivals: Arrivals,
    steps: Steps<S>,
    pace: Pace,
    /// Number of objects that the largest run has used up.
    most_used: u32,
}

/// The work of a worker, without its timing.
struct Steps<S> {
    step: S,
    walk: Walk,
    parents: Parents,
    each: Each,
    /// Operations between two checks of the time, and between two syncfs calls.
    batch: u32,
    durable: DurablePoint,
}

impl<S: Step> FilesWorker<S> {
    /// Worker `number` of those that follow `plan`.
    pub fn new(plan: &Plan, number: u32) -> Self {
        let setting = plan.setting(number);
        let walk = walk::<S>(&setting, plan.seed);
        let steps = Steps {
            walk: if plan.parameters.once { walk.ending() } else { walk },
            parents: Parents::new(&plan.shape),
            each: Each::of(plan.durable),
            batch: plan.parameters.batch,
            durable: plan.durable,
            step: S::new(&setting),
        };
        let (Setting { root, .. }, arrivals) = (setting, plan.parameters.arrivals);
        let workers = plan.parameters.threads;
        Self { root, seed: plan.seed, number, workers, arrivals, steps, pace: Pace::Closed, most_used: 0 }
    }

    /// Starts `rate` operations per second from now on, whether or not earlier ones have ended.
    pub fn keep_rate(&mut self, rate: f64) {
        let random = generator(self.seed, "arrivals", &[u64::from(self.number)]);
        self.pace = Pace::open(rate, (self.number, self.workers), self.arrivals, random);
    }

    /// Starts again from the first object.
    pub fn rewind(&mut self) {
        self.steps.walk.rewind();
    }

    /// Whether the objects left are at least twice those that the largest run used up. `false` before the first run.
    pub fn has_enough(&self) -> bool {
        self.most_used > 0 && self.steps.walk.left() >= self.most_used.saturating_mul(2)
    }
}

/// Each worker reads all directories of a shared tree, in its own order.
fn walk<S: Step>(setting: &Setting, seed: u64) -> Walk {
    let random = generator(seed, "order", &[u64::from(setting.worker)]);
    match S::GROUND {
        ground if ground.is_renewed() => Walk::once(setting.share),
        Ground::Directories => Walk::again(Share::all(setting.shape.used_leaves()), S::GROUND.order(), random),
        ground => Walk::again(setting.share, ground.order(), random),
    }
}

impl<S: Step> Worker for FilesWorker<S> {
    fn work(&mut self, entry: Entry<'_>, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let root = folder::open(&self.root)?;
        self.steps.step.start(&root)?;
        let start = entry.pass()?;
        let meter = Meter::start(start, limit, &mut self.pace, stats);
        let before = self.steps.walk.left();
        let done = self.steps.batches(&root, meter);
        self.most_used = self.most_used.max(before.saturating_sub(self.steps.walk.left()));
        self.steps.step.end();
        self.steps.parents.close();
        done
    }
}

impl<S: Step> Steps<S> {
    fn batches(&mut self, root: &File, mut meter: Meter<'_>) -> Result<(), EngineError> {
        while self.walk.is_left() && !meter.is_over() {
            let done = self.batch(root, &mut meter)?;
            if self.durable == DurablePoint::Syncfs && done > 0 {
                folder::sync(root)?;
                meter.also(Operation::Syncfs);
            }
        }
        meter.stop();
        Ok(())
    }

    /// Does one batch. Returns the number of its operations.
    fn batch(&mut self, root: &File, meter: &mut Meter<'_>) -> Result<u32, EngineError> {
        for done in 0..self.batch {
            if !self.walk.is_left() {
                return Ok(done);
            }
            let Some(begin) = meter.begin() else { return Ok(done) };
            let visit = self.walk.next();
            let bytes = self.step.operate(root, visit, meter)?;
            if S::SYNC == Syncable::Directory && self.each != Each::Nothing {
                self.parents.sync(root, visit.number, self.each, meter)?;
            }
            meter.done(S::OPERATION, begin, bytes);
        }
        Ok(self.batch)
    }
}
