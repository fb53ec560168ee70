//! A job that other machines do.

use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, NEVER, NextRun, RunStats, Upkeep};
use fsarena_model::{Nanos, Verification};

use super::group::Group;
use super::merged::{ClientPart, Merged};
use super::{Call, Ran, Remote, clocks};
use crate::{Refusal, Result};

/// A job that other machines do at the same time. Closed there when it is dropped.
pub(super) struct RemoteJob<R: Remote> {
    pub group: Rc<Group<R>>,
    pub contender: usize,
    /// What clients have done; `None` if one machine does the work.
    pub merged: Option<Merged>,
    /// What opening it answered.
    pub verifies: bool,
    pub reads_on: bool,
}

/// An error of another machine, as that of a job.
pub(super) fn worker(error: Refusal) -> EngineError {
    EngineError::Worker(error.text)
}

impl<R: Remote> RemoteJob<R> {
    fn call(&self, call: impl Fn(usize) -> Call, stop: &AtomicBool) -> Result<()> {
        self.group.on::<()>(&self.group.working(self.contender), self.contender, call, stop).map(drop)
    }

    /// Runs the jobs of the working machines at the same time.
    fn run_each(&self, limit: &Limit<'_>, is_first: bool) -> Result<Vec<ClientPart>> {
        let (group, contender) = (&self.group, self.contender);
        let is_counted = group.counters.begin_run(contender);
        let machines = group.working(contender);
        let read_before = group.servers.read_so_far()?;
        if self.merged.is_some() {
            group.compare_clocks(&machines, 2)?;
        }
        let Limit { time, stop } = *limit;
        let clock = |machine: usize| group.machines[machine].clock.borrow();
        let begin = group.clock.now() + clocks::lead(machines.iter().map(|machine| clock(*machine)));
        let call = |machine: &usize| {
            let at = (machines.len() > 1).then(|| clock(*machine).there(begin));
            let contender = group.number(*machine, contender);
            (*machine, Call::Run { contender, at, time, is_first, is_counted })
        };
        let ran: Vec<Ran> = group.each(machines.iter().map(call), stop)?;
        let now = group.clock.now();
        if is_counted {
            group.servers.count(contender, read_before)?;
        }
        let part = |(machine, ran): (usize, Ran)| {
            let clock = clock(machine);
            ClientPart { began: clock.here(ran.began), error: clock.error_at(now), ran }
        };
        Ok(machines.into_iter().zip(ran).map(part).collect())
    }
}

impl<R: Remote> Job for RemoteJob<R> {
    /// [`Call::Open`] has prepared it, or adopted its files.
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        if matches!(upkeep, Upkeep::Prepare | Upkeep::Adopt) {
            return Ok(());
        }
        self.call(|contender| Call::Upkeep(contender, upkeep), stop).map_err(worker)?;
        if upkeep == Upkeep::DropCaches { self.group.servers.drop_caches().map_err(worker) } else { Ok(()) }
    }

    /// The calling thread does none of the work.
    fn next_run(&self) -> NextRun {
        let Self { reads_on, verifies, .. } = *self;
        NextRun { is_alone: false, reads_on, verifies, ..NextRun::default() }
    }

    /// [`Call::Verify`] does it.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let is_first = stats.elapsed == Nanos(0) && stats.operations == 0;
        let mut parts = self.run_each(limit, is_first).map_err(worker)?;
        self.reads_on = parts.iter().all(|part| part.ran.reads_on);
        match &mut self.merged {
            Some(merged) => merged.add(parts, is_first, stats),
            None => *stats = parts.swap_remove(0).ran.stats,
        }
        Ok(())
    }
}

impl<R: Remote> Drop for RemoteJob<R> {
    /// If a connection is lost, the work is gone as well.
    fn drop(&mut self) {
        let _ = self.call(Call::Close, &NEVER);
    }
}
