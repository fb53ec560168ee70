//! Clients: machines that do the same work on the same shared file systems at the same time, as one testbed.
//!
//! All clients have the plan's contenders, each with directories of its own. A workload is opened on the first clients,
//! as many as it asks for. A slice begins on all of them at an agreed moment of their monotonic clocks, whose offsets
//! are measured before each slice. What they did becomes one slice: their operations in the time in which all of them
//! worked, and one histogram of all latencies. A program that works on several machines by itself is started once
//! ([`spanning`]).

mod clocks;
mod group;
mod merged;
mod servers;
mod spanning;

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engines, Job, Limit, NEVER, RunStats, Upkeep};
use fsarena_lane::CheckResult;
use fsarena_model::{
    BaselineKind, Bytes, ClientFacts, Conditions, ContenderFacts, Environment, LaneCost, MachineName, Nanos, Plan,
    Readings, Trace, Workload,
};
use fsarena_sys::Clock;
use serde::de::DeserializeOwned;

use self::group::Group;
use self::merged::Merged;
pub use self::servers::Server;
use self::servers::Servers;
use super::job::{First, RemoteJob, RemoteWork};
use super::{Call, Remote};
use crate::{Counters, Host, Refusal, Result, TracedWork, Verified, Volumes, Workloads};

/// The clients of a run as one testbed.
pub struct ClientMachines<R> {
    group: Rc<Group<R>>,
    /// The engines of programs that are started here.
    engines: Engines,
}

impl<R: Remote> ClientMachines<R> {
    /// The clients that `remotes` connect to, in the order of the plan's clients, and its servers. `over` is set if the
    /// run is to end because a client is lost. `engines` have the programs that are started here.
    pub fn new(
        plan: &Plan,
        engines: Engines,
        remotes: Vec<R>,
        servers: Vec<Box<dyn Server>>,
        clock: Rc<dyn Clock>,
        over: Arc<AtomicBool>,
    ) -> Self {
        let group = Group::new(plan, remotes, Servers::new(servers), clock, over);
        Self { group: Rc::new(group), engines }
    }

    /// The commands of the clients that are lost.
    pub fn lost(&self) -> Vec<String> {
        let lost = self.group.clients.iter().filter(|client| client.remote.is_lost());
        lost.map(|client| client.command.clone()).collect()
    }

    fn all<T: DeserializeOwned>(&self, call: &Call) -> Result<Vec<T>> {
        self.group.each(&self.group.present(), |_| call.clone(), &NEVER)
    }

    fn first<T: DeserializeOwned>(&self, call: &Call) -> Result<T> {
        let present = self.group.present();
        let first = present.first().ok_or_else(|| Refusal::of_machine("no client is left".to_owned()))?;
        self.group.call(*first, call)
    }

    /// Checks that what the first client made on a contender is seen by all others: otherwise they do not share it.
    fn require_shared(&self, contender: usize, label: &str) -> Result<()> {
        let group = &self.group;
        let present = group.present();
        let Some(made) = self.first::<Option<PathBuf>>(&Call::Directory(contender))? else { return Ok(()) };
        let others = &present[1..];
        let seen: Vec<bool> = group.each(others, |_| Call::Sees(made.clone()), &NEVER)?;
        let blind = others.iter().zip(seen).find(|(_, sees)| !sees).map(|(client, _)| *client);
        blind.map_or(Ok(()), |client| {
            let text = format!(
                "{} does not see what {} made on `{label}` ({}): it is not one file system for both",
                group.name(client),
                group.name(present[0]),
                made.display()
            );
            let hint = "mount the shared file system at the same path on each client";
            Err(Refusal { hint: Some(hint.to_owned()), ..Refusal::of_machine(text) })
        })
    }
}

impl<R: Remote> Volumes for ClientMachines<R> {
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts> {
        let facts: Vec<ContenderFacts> = self.all(&Call::Make { contender, lane, round })?;
        let differs = |other: &&ContenderFacts| other.mount != facts[0].mount;
        let other = facts.iter().zip(self.group.present()).find(|(other, _)| differs(other));
        self.require_shared(contender, &facts[0].label.0)?;
        if let Some((other, client)) = other {
            let (label, first) = (&other.label, &facts[0].mount);
            let name = self.group.name(client);
            let text = format!("`{label}` is mounted as `{}` on {name}, and as `{first}` on the first", other.mount);
            let hint = Some("mount it with the same options on each client".to_owned());
            return Err(Refusal { hint, ..Refusal::of_machine(text) });
        }
        Ok(facts.into_iter().next().expect("there is a client"))
    }

    /// The same work in memory or on a local device is no bound for a file system of other machines.
    fn baseline(&mut self, _kind: BaselineKind, _workload: &Workload) -> Result<Option<usize>> {
        Ok(None)
    }

    fn remount(&mut self, contender: usize) -> Result<bool> {
        let is_done = self.all(&Call::Remount(contender))?.into_iter().all(|done: bool| done);
        if is_done {
            self.group.servers.drop_caches()?;
        }
        Ok(is_done)
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos> {
        Ok(self.all(&Call::Sync(contender))?.into_iter().max().unwrap_or_default())
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>> {
        let times: Vec<Option<Nanos>> = self.all(&Call::Quiesce(contender))?;
        Ok(times.into_iter().collect::<Option<Vec<_>>>().and_then(|times| times.into_iter().max()))
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        self.first(&Call::Used(contender)).ok().flatten()
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>> {
        let found: Vec<Option<CheckResult>> = self.all(&Call::Finish(contender))?;
        Ok(found.into_iter().flatten().min_by_key(|check| check.clean))
    }
}

impl<R: Remote + 'static> Workloads for ClientMachines<R> {
    fn directory(&mut self, contender: usize) -> Option<PathBuf> {
        self.first(&Call::Directory(contender)).ok().flatten()
    }

    fn open(&mut self, contender: usize, workload: &Workload, seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>> {
        let group = &self.group;
        let (wanted, present) =
            (workload.clients().map_or(group.clients.len(), |count| count as usize), group.present());
        if wanted > present.len() {
            let text = format!("{wanted} clients are needed, and {} are left", present.len());
            return Err(Refusal::of_machine(text));
        }
        group.active.set(wanted);
        let engine = self.engines.named(&workload.engine);
        let spanning = engine.and_then(|engine| engine.spanning);
        group.spans.set(spanning.is_some());
        if let Some(spanning) = spanning {
            return self.open_spanning(contender, workload, seed, spanning, stop);
        }
        // Each client has random choices of its own.
        let seeds = |client: usize| seed ^ fsarena_model::seed::scatter(client as u64);
        let call = |client: usize| Call::Open { contender, workload: Box::new(workload.clone()), seed: seeds(client) };
        let verifies: Vec<bool> = group.each(&group.working(), call, stop)?;
        let verifies = verifies.into_iter().all(|verifies| verifies);
        let work = OnClients { group: Rc::clone(group), contender, merged: Merged::of(workload) };
        Ok(Box::new(RemoteJob::new(work, verifies)))
    }

    fn verify(
        &mut self,
        contender: usize,
        workload: &Workload,
        _job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        let call = |_| Call::Verify(contender, Box::new(workload.clone()));
        let found: Vec<Option<Verified>> = self.group.each(&self.group.working(), call, stop)?;
        Ok(found.into_iter().next().flatten())
    }

    fn logical(&mut self, contender: usize, workload: &Workload) -> Option<Bytes> {
        let call = |_| Call::Logical(contender, Box::new(workload.clone()));
        let found: Vec<Option<Bytes>> = self.group.each(&self.group.working(), call, &NEVER).ok()?;
        found.into_iter().map(|bytes| Some(bytes?.0)).sum::<Option<u64>>().map(Bytes)
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()> {
        self.all::<()>(&Call::Clear(contender, Box::new(workload.clone()))).map(drop)
    }
}

impl<R: Remote> Counters for ClientMachines<R> {
    /// The call is made together with the next run.
    fn start_counters(&mut self, contender: usize) {
        self.group.counters.start_with_run(contender);
    }

    fn read_counters(&mut self, _contender: usize) -> Readings {
        Readings::new()
    }

    fn stop_counters(&mut self, contender: usize) {
        if !self.group.counters.were_stopped_with_run(contender) {
            self.group.counters.take_start();
        }
    }

    fn start_trace(&mut self, _contender: usize, _lasts: Nanos) -> Result<bool> {
        Err(Refusal::of_machine("the work of several clients is not traced".to_owned()))
    }

    fn stop_trace(&mut self, contender: usize, _work: &TracedWork) -> Result<Trace> {
        self.start_trace(contender, Nanos(0)).and(Err(Refusal::of_machine("nothing is traced".to_owned())))
    }

    fn totals(&mut self, contender: usize) -> Readings {
        let clients = self.group.working();
        let found = self.group.each(&clients, |_| Call::Totals(contender), &NEVER).unwrap_or_default();
        let machines: Vec<MachineName> =
            clients.iter().map(|client| self.group.clients[*client].machine.borrow().clone()).collect();
        let readings = merged::readings(&machines, found);
        let mut readings = if self.group.spans.get() { spanning::without_own(readings) } else { readings };
        readings.extend(self.group.servers.take_readings(contender));
        readings
    }
}

impl<R: Remote> Host for ClientMachines<R> {
    fn survey(&mut self) -> Result<Environment> {
        let group = &self.group;
        let present = group.present();
        group.compare_clocks(&present, 8)?;
        let found: Vec<Environment> = self.all(&Call::Survey)?;
        let machines: Vec<MachineName> = self.all(&Call::Introduce)?;
        let facts = present.iter().zip(&found).zip(machines).map(|((client, found), machine)| {
            let client = &group.clients[*client];
            client.machine.replace(machine.clone());
            let clock = client.clock.borrow().offset();
            let Environment { kernel, cores, memory, .. } = found.clone();
            ClientFacts { command: client.command.clone(), machine, kernel, cores, memory, clock }
        });
        let clients = facts.collect();
        let first = found.into_iter().next().ok_or_else(|| Refusal::of_machine("no client is left".to_owned()))?;
        // The load at rest is of one machine, and the daemons of a file service are a part of it.
        Ok(Environment { clients, at_rest: None, ..first })
    }

    fn lane_cost(&mut self) -> Result<Option<LaneCost>> {
        Ok(None)
    }

    fn conditions(&mut self) -> Conditions {
        self.first(&Call::Conditions).unwrap_or_default()
    }

    fn clients(&self) -> Option<u32> {
        Some(self.group.present().len() as u32)
    }

    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()> {
        self.all::<()>(&Call::LimitMemory(limit)).map(drop)
    }
}

/// The work of several clients on a contender at the same time.
struct OnClients<R> {
    group: Rc<Group<R>>,
    contender: usize,
    merged: Merged,
}

impl<R: Remote> RemoteWork for OnClients<R> {
    fn upkeep(&self, upkeep: Upkeep, stop: &AtomicBool) -> Result<()> {
        let call = |_| Call::Upkeep(self.contender, upkeep);
        self.group.each::<()>(&self.group.working(), call, stop)?;
        if matches!(upkeep, Upkeep::DropCaches) { self.group.servers.drop_caches() } else { Ok(()) }
    }

    fn run(&mut self, limit: &Limit<'_>, first: First, stats: &mut RunStats) -> Result<bool> {
        let parts = self.group.run(self.contender, limit, first)?;
        let reads_on = parts.iter().all(|part| part.ran.reads_on);
        self.merged.add(parts, first, stats);
        Ok(reads_on)
    }

    fn close(&self) {
        let _ = self.group.each::<()>(&self.group.working(), |_| Call::Close(self.contender), &NEVER);
    }
}
