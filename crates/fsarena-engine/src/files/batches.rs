//! The loop of this engine: batches of one operation, each batch with its syncfs if it has one.

use std::fs::File;
use std::path::{Path, PathBuf};

use fsarena_model::DurablePoint;

use crate::folder;
use crate::meter::Meter;
use crate::pace::Pace;
use crate::{EngineError, Job, Limit, Operation, Tally};

/// How operations are grouped.
#[derive(Debug, Clone, Copy)]
pub struct Batching {
    /// Operations in a batch.
    pub size: u32,
    /// What is made durable.
    pub durable: DurablePoint,
}

/// One kind of operation.
pub trait Step {
    /// What it is called.
    const OPERATION: Operation;

    /// Makes what the whole workload needs.
    fn prepare(&mut self, _directory: &Path) -> Result<(), EngineError> {
        Ok(())
    }

    /// Makes what the next slice uses up.
    fn refill(&mut self, _directory: &Path) -> Result<(), EngineError> {
        Ok(())
    }

    /// Opens what the operations of a run need.
    fn start(&mut self, directory: &Path, durable: DurablePoint) -> Result<File, EngineError>;

    /// Whether there is something left to operate on.
    fn is_left(&self) -> bool {
        true
    }

    /// Does one operation in the folder that [`Step::start`] opened, and its fsync if it has one; says how many
    /// bytes it carried.
    fn operate(&mut self, folder: &File, meter: &mut Meter<'_>) -> Result<u64, EngineError>;

    /// Closes what [`Step::start`] opened.
    fn end(&mut self) {}
}

struct Batches<S> {
    step: S,
    directory: PathBuf,
    batching: Batching,
}

/// A job that does `step` in `directory`.
pub fn job<S: Step + 'static>(step: S, directory: PathBuf, batching: Batching) -> Box<dyn Job> {
    Box::new(Batches { step, directory, batching })
}

impl<S: Step> Job for Batches<S> {
    fn prepare(&mut self) -> Result<(), EngineError> {
        self.step.prepare(&self.directory)
    }

    fn refill(&mut self) -> Result<(), EngineError> {
        self.step.refill(&self.directory)
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let folder = self.step.start(&self.directory, self.batching.durable)?;
        let done = self.batches(&folder, limit, tally);
        self.step.end();
        done
    }
}

impl<S: Step> Batches<S> {
    fn batches(&mut self, folder: &File, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let mut pace = Pace::Closed;
        let mut meter = Meter::start(limit, &mut pace, tally);
        while self.step.is_left() && !meter.is_over() {
            self.batch(folder, &mut meter)?;
            if self.batching.durable == DurablePoint::Syncfs {
                folder::sync(folder)?;
                meter.also(Operation::Syncfs);
            }
        }
        meter.stop();
        Ok(())
    }

    fn batch(&mut self, folder: &File, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        for _ in 0..self.batching.size {
            if !self.step.is_left() {
                break;
            }
            let Some(begin) = meter.begin() else { break };
            let bytes = self.step.operate(folder, meter)?;
            meter.done(S::OPERATION, begin, bytes);
        }
        Ok(())
    }
}
