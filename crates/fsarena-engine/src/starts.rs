//! Starts programs that do nothing. This measures what the programs of a workload cost before they do anything.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_sys::{child, clock};

use crate::meter::Meter;
use crate::pace::Pace;
use crate::{EngineError, Job, Limit, Operation, RunStats};

/// A job that starts the program `true` `count` times from this process, one after the other. Each start is an
/// operation.
pub fn starts_job(count: u64) -> Box<dyn Job> {
    let program = child::find_program("true").unwrap_or_else(|| Path::new("/bin/true").to_owned());
    Box::new(Starts { program, count })
}

struct Starts {
    program: PathBuf,
    count: u64,
}

impl Job for Starts {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// The started programs may run on another processor, like those of a shell.
    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let mut pace = Pace::Closed;
        let mut meter = Meter::start(clock::now(), limit, &mut pace, stats);
        for _ in 0..self.count {
            let Some(begin) = meter.begin().filter(|_| !meter.is_over()) else { break };
            child::start(&self.program).map_err(EngineError::io("start a program that does nothing"))?;
            meter.done(Operation::Run, begin, 0);
        }
        meter.stop();
        Ok(())
    }
}
