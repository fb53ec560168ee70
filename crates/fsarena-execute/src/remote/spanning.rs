//! A program that works on all clients as one, such as by MPI. This machine starts it in a directory that the first
//! client makes. The clients read their counters, drop their caches, and remove the directory.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, NEVER, NextRun, RunStats, Spanning, Upkeep};
use fsarena_model::{Probe, Readings, Workload, probe};

use super::group::Group;
use super::job::worker;
use super::{Call, Machines, Remote};
use crate::{Refusal, Result};

impl<R: Remote + 'static> Machines<R> {
    /// Opens a job of a program that works on all active clients.
    pub(super) fn open_spanning(
        &self,
        contender: usize,
        workload: &Workload,
        seed: u64,
        spanning: Spanning,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Job>> {
        let group = &self.group;
        let clients = group.working(contender);
        // The launcher's words name the first clients of the plan.
        if let Some(lost) = (0..clients.len()).find(|client| !clients.contains(client)) {
            let text = format!("the program would be started on {}, which is lost", group.name(lost));
            return Err(Refusal::of_machine(text));
        }
        let held = (spanning.held)(workload);
        let open = |contender| Call::Open { contender, workload: Box::new(held.clone()), seed };
        group.on::<bool>(&clients, contender, open, stop)?;
        let gone = || Refusal::of_machine("the contender has no directory".to_owned());
        let directory = group.first::<Option<PathBuf>>(contender, Call::Directory)?.ok_or_else(gone)?;
        let engine = self.engines.of(workload)?;
        let job = engine.open(workload, &directory.join(&workload.name), seed)?;
        let mut opened = OneProgram { group: Rc::clone(group), contender, clients, job };
        opened.job.upkeep(Upkeep::Prepare, stop)?;
        Ok(Box::new(opened))
    }
}

/// Readings that the agents took of themselves and their children, to which the program does not belong.
const OWN: [Probe; 4] = [probe::CPU_PROCESS, probe::CPU_SYSTEM, probe::PROCESS_READ, probe::PROCESS_WRITTEN];

/// The readings without those that do not see the program.
pub fn without_own(mut readings: Readings) -> Readings {
    for (_, reading) in readings.iter_mut().filter(|(id, _)| OWN.iter().any(|probe| **id == probe.id)) {
        reading.value = None;
    }
    readings
}

/// The job of a program that this machine starts on several clients. Closed on them when it is dropped.
struct OneProgram<R: Remote> {
    group: Rc<Group<R>>,
    contender: usize,
    clients: Vec<usize>,
    job: Box<dyn Job>,
}

impl<R: Remote> OneProgram<R> {
    fn all(&self, call: impl Fn(usize) -> Call, stop: &AtomicBool) -> Result<(), EngineError> {
        self.group.on::<()>(&self.clients, self.contender, call, stop).map(drop).map_err(worker)
    }
}

impl<R: Remote> Job for OneProgram<R> {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Reset => self.job.upkeep(Upkeep::Reset, stop),
            Upkeep::DropCaches => {
                self.all(|contender| Call::Upkeep(contender, upkeep), stop)?;
                self.group.servers.drop_caches().map_err(worker)
            }
            _ => Ok(()),
        }
    }

    /// The calling thread does none of the work.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let is_counted = self.group.counters.begin_run(self.contender);
        if is_counted {
            self.all(Call::StartCounters, &NEVER)?;
        }
        let read_before = self.group.servers.read_so_far().map_err(worker)?;
        let done = self.job.run(limit, stats);
        // A client that is lost explains why the program failed.
        if is_counted {
            self.all(Call::StopCounters, &NEVER)?;
            self.group.servers.count(self.contender, read_before).map_err(worker)?;
        }
        done
    }
}

impl<R: Remote> Drop for OneProgram<R> {
    fn drop(&mut self) {
        let _ = self.all(Call::Close, &NEVER);
    }
}
