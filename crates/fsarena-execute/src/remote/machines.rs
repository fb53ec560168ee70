//! The other side: a testbed whose contenders are on machines that answer calls.
//!
//! Guests of several kernels have some contenders each, on lanes of their own. Clients have all contenders, each with
//! directories of its own: a workload is opened on the first clients, as many as it asks for. A slice begins on all of
//! them at an agreed moment of their monotonic clocks, whose offsets are measured before each slice. What they did
//! becomes one slice: their operations in the time in which all of them worked, and one histogram of all latencies. A
//! program that works on several clients by itself is started once ([`spanning`]).

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engines, Job, NEVER};
use fsarena_lane::CheckResult;
use fsarena_model::{
    BaselineKind, Bytes, ClientFacts, Conditions, ContenderFacts, Environment, LaneCost, MachineName, Nanos, Plan,
    Readings, Trace, Workload, distinct,
};
use fsarena_sys::Clock;

use super::group::Group;
use super::job::RemoteJob;
use super::merged::{self, Merged};
use super::servers::{Server, Servers};
use super::{Call, Remote, spanning};
use crate::schedule::lane_rounds;
use crate::{Counters, Host, Refusal, Result, TracedWork, Verified, Volumes, Workloads};

/// The machines of a run as one testbed. Facts about the machine are those of the first contender's.
pub struct Machines<R> {
    pub(super) group: Rc<Group<R>>,
    /// The engines of programs that are started here.
    pub(super) engines: Engines,
}

impl<R: Remote> Machines<R> {
    /// The testbed of `plan`. Each of `machines` has the plan's contenders with labels that are in its own plan; clients
    /// are in the order of the plan's clients. `engines` have the programs that are started here for all clients, and
    /// `servers` are the plan's.
    pub fn new(
        plan: &Plan,
        machines: Vec<(R, &Plan)>,
        engines: Engines,
        servers: Vec<Box<dyn Server>>,
        clock: Rc<dyn Clock>,
    ) -> Self {
        Self { group: Rc::new(Group::new(plan, machines, Servers::new(servers), clock)), engines }
    }

    /// Set when the run is to end because a machine is lost.
    pub fn over(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.group.over)
    }

    /// The machines that are lost, by number.
    pub fn lost(&self) -> Vec<usize> {
        let machines = self.group.machines.iter().enumerate();
        machines.filter(|(_, machine)| machine.remote.is_lost()).map(|(number, _)| number).collect()
    }

    /// The readings of all machines that work on a contender.
    fn readings(&self, contender: usize, call: fn(usize) -> Call) -> Readings {
        let machines = self.group.working(contender);
        // If a connection is lost, they are missing, which is reported.
        let found = self.group.on(&machines, contender, call, &NEVER).unwrap_or_default();
        let name = |machine: &usize| self.group.machines[*machine].name.borrow().clone();
        merged::readings(&machines.iter().map(name).collect::<Vec<_>>(), found)
    }

    /// Checks that what the first client made on a contender is seen by all others: otherwise they do not share it.
    fn require_shared(&self, contender: usize, label: &str) -> Result<()> {
        let group = &self.group;
        let having = group.having(contender);
        let Some(made) = group.first::<Option<PathBuf>>(contender, Call::Directory)? else { return Ok(()) };
        let seen: Vec<bool> = group.each(having.iter().map(|client| (*client, Call::Sees(made.clone()))), &NEVER)?;
        let blind = having.iter().zip(seen).find(|(_, sees)| !sees).map(|(client, _)| *client);
        blind.map_or(Ok(()), |client| {
            let text = format!(
                "{} does not see what {} made on `{label}` ({}): it is not one file system for both",
                group.name(client),
                group.name(having[0]),
                made.display()
            );
            Err(not_shared(text, "mount the shared file system at the same path on each client"))
        })
    }
}

/// The error of clients that do not have the same file system.
fn not_shared(text: String, hint: &str) -> Refusal {
    Refusal { hint: Some(hint.to_owned()), ..Refusal::of_machine(text) }
}

impl<R: Remote> Volumes for Machines<R> {
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts> {
        let group = &self.group;
        let (having, has_own) = (group.having(contender), group.plan.lanes.shared.is_own());
        let call = |machine: &usize| {
            let number = group.number(*machine, contender);
            let own = || lane_rounds(&group.machines[*machine].needs_lane, round, group.plan.seed)[number];
            (*machine, Call::Make { contender: number, lane: if has_own { own() } else { lane }, round })
        };
        let mut facts: Vec<ContenderFacts> = group.each(having.iter().map(call), &NEVER)?;
        let first = facts.remove(0);
        if !facts.is_empty() {
            self.require_shared(contender, &first.label.0)?;
        }
        match facts.iter().zip(&having[1..]).find(|(other, _)| other.mount != first.mount) {
            None => Ok(first),
            Some((ContenderFacts { label, mount, .. }, client)) => {
                let (name, first) = (group.name(*client), first.mount);
                let text = format!("`{label}` is mounted as `{mount}` on {name}, and as `{first}` on the first");
                Err(not_shared(text, "mount it with the same options on each client"))
            }
        }
    }

    /// The same work in memory or on a local device is no bound for a file system of other machines, and each of several
    /// guests would need its own.
    fn baseline(&mut self, _kind: BaselineKind, _workload: &Workload) -> Result<Option<usize>> {
        Ok(None)
    }

    fn remount(&mut self, contender: usize) -> Result<bool> {
        let is_done = self.group.all(contender, Call::Remount)?.into_iter().all(|done: bool| done);
        if is_done {
            self.group.servers.drop_caches()?;
        }
        Ok(is_done)
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos> {
        Ok(self.group.all(contender, Call::Sync)?.into_iter().max().unwrap_or_default())
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>> {
        let times: Vec<Option<Nanos>> = self.group.all(contender, Call::Quiesce)?;
        Ok(times.into_iter().collect::<Option<Vec<_>>>().and_then(|times| times.into_iter().max()))
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        self.group.first(contender, Call::Used).ok().flatten()
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>> {
        let found: Vec<Option<CheckResult>> = self.group.all(contender, Call::Finish)?;
        Ok(found.into_iter().flatten().min_by_key(|check| check.clean))
    }
}

impl<R: Remote + 'static> Workloads for Machines<R> {
    fn directory(&mut self, contender: usize) -> Option<PathBuf> {
        self.group.first(contender, Call::Directory).ok().flatten()
    }

    fn open(&mut self, contender: usize, workload: &Workload, seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>> {
        let (group, having) = (&self.group, self.group.having(contender).len());
        let wanted = workload.clients().map_or(having, |count| count as usize);
        if wanted > having {
            return Err(Refusal::of_machine(format!("{wanted} clients are needed, and {having} are left")));
        }
        group.active.set(wanted);
        let has_clients = group.plan.clients.is_some();
        let spanning = self.engines.named(&workload.engine).and_then(|engine| engine.spanning);
        let spanning = spanning.filter(|_| has_clients);
        group.spans.set(spanning.is_some());
        if let Some(spanning) = spanning {
            return self.open_spanning(contender, workload, seed, spanning, stop);
        }
        let working = group.working(contender);
        // Each client has random choices of its own.
        let open = |(place, machine): (u64, &usize)| {
            let seed = seed ^ fsarena_model::seed::scatter(place);
            let contender = group.number(*machine, contender);
            (*machine, Call::Open { contender, workload: Box::new(workload.clone()), seed })
        };
        let verifies: Vec<bool> = group.each((0..).zip(&working).map(open), stop)?;
        let verifies = verifies.into_iter().all(|verifies| verifies);
        let merged = has_clients.then(|| Merged::of(workload));
        Ok(Box::new(RemoteJob { group: Rc::clone(group), contender, merged, verifies, reads_on: false }))
    }

    fn verify(
        &mut self,
        contender: usize,
        workload: &Workload,
        _job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        let call = |contender| Call::Verify(contender, Box::new(workload.clone()));
        let found: Vec<Option<Verified>> = self.group.on(&self.group.working(contender), contender, call, stop)?;
        Ok(found.into_iter().next().flatten())
    }

    fn logical(&mut self, contender: usize, workload: &Workload) -> Option<Bytes> {
        let call = |contender| Call::Logical(contender, Box::new(workload.clone()));
        let found: Vec<Option<Bytes>> = self.group.on(&self.group.working(contender), contender, call, &NEVER).ok()?;
        found.into_iter().map(|bytes| Some(bytes?.0)).sum::<Option<u64>>().map(Bytes)
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()> {
        let call = |contender| Call::Clear(contender, Box::new(workload.clone()));
        self.group.all::<()>(contender, call).map(drop)
    }
}

impl<R: Remote> Counters for Machines<R> {
    /// The call is made together with the next one, so that the counters of a run have nothing of the connection.
    fn start_counters(&mut self, contender: usize) {
        self.group.counters.start_with_run(contender);
    }

    fn read_counters(&mut self, contender: usize) -> Readings {
        self.readings(contender, Call::ReadCounters)
    }

    fn stop_counters(&mut self, contender: usize) {
        if !self.group.counters.were_stopped_with_run(contender) {
            // If a connection is lost, the totals are missing, which is reported.
            let _ = self.group.on::<()>(&self.group.working(contender), contender, Call::StopCounters, &NEVER);
        }
    }

    fn totals(&mut self, contender: usize) -> Readings {
        let readings = self.readings(contender, Call::Totals);
        let mut readings = if self.group.spans.get() { spanning::without_own(readings) } else { readings };
        readings.extend(self.group.servers.take_readings(contender));
        readings
    }

    fn start_trace(&mut self, contender: usize, lasts: Nanos) -> Result<bool> {
        if self.group.plan.clients.is_some() {
            return Err(Refusal::of_machine("the work of several clients is not traced".to_owned()));
        }
        self.group.first(contender, |contender| Call::StartTrace(contender, lasts))
    }

    fn stop_trace(&mut self, contender: usize, work: &TracedWork) -> Result<Trace> {
        self.group.first(contender, |contender| Call::StopTrace(contender, work.clone()))
    }
}

impl<R: Remote> Host for Machines<R> {
    fn survey(&mut self) -> Result<Environment> {
        let group = &self.group;
        let present = group.present();
        let Some(named) = &group.plan.clients else {
            let mut found: Vec<Environment> = group.every(&Call::Survey)?;
            let kernels = distinct(found.iter().filter_map(|machine| machine.kernel.clone()));
            return Ok(Environment {
                kernel: (!kernels.is_empty()).then(|| kernels.join(" and ")),
                ..found.swap_remove(0)
            });
        };
        group.compare_clocks(&present, 8)?;
        let mut found: Vec<Environment> = group.every(&Call::Survey)?;
        let machines: Vec<MachineName> = group.every(&Call::Introduce)?;
        let facts = present.iter().zip(&found).zip(machines).map(|((client, found), machine)| {
            let (command, client) = (named.commands[*client].clone(), &group.machines[*client]);
            client.name.replace(machine.clone());
            let clock = client.clock.borrow().offset();
            let Environment { kernel, cores, memory, .. } = found.clone();
            ClientFacts { command, machine, kernel, cores, memory, clock }
        });
        let clients = facts.collect();
        // The load at rest is of one machine, and the daemons of a file service are a part of it.
        Ok(Environment { clients, at_rest: None, ..found.swap_remove(0) })
    }

    fn lane_cost(&mut self) -> Result<Option<LaneCost>> {
        self.group.first(0, |_| Call::LaneCost)
    }

    fn conditions(&mut self) -> Conditions {
        self.group.first(0, |_| Call::Conditions).unwrap_or_default()
    }

    fn clients(&self) -> Option<u32> {
        self.group.plan.clients.as_ref().map(|_| self.group.present().len() as u32)
    }

    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()> {
        self.group.every::<()>(&Call::LimitMemory(limit)).map(drop)
    }
}
