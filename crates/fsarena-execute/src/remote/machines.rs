//! The other side: a testbed whose contenders are on machines that answer calls.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Job, Limit, NEVER, RunStats, Upkeep};
use fsarena_lane::CheckResult;
use fsarena_model::{
    BaselineKind, Bytes, Conditions, ContenderFacts, Environment, LaneCost, Nanos, Plan, Readings, Trace, Workload,
    distinct,
};
use serde::de::DeserializeOwned;

use super::job::{First, RemoteJob, RemoteWork, RunCounters};
use super::{Call, Ran, Remote, answer};
use crate::schedule::lane_rounds;
use crate::{Counters, Host, Result, TracedWork, Verified, Volumes, Workloads};

/// Machines that each have some contenders of a plan, on lanes of their own. Facts about the machine are the first
/// one's. Several machines have no baselines: each would need its own.
pub struct Machines<R> {
    machines: Vec<Rc<CallableMachine<R>>>,
    /// For each contender of the run, its machine and its number there.
    contenders: Vec<(usize, usize)>,
}

struct CallableMachine<R> {
    remote: R,
    /// The run's plan with the contenders of this machine.
    plan: Plan,
    counters: RunCounters,
}

impl<R: Remote> Machines<R> {
    /// The testbed of `plan` on `machines`. Each has the plan's contenders with labels that are in its own plan.
    pub fn new(plan: &Plan, machines: Vec<(R, Plan)>) -> Self {
        let place = |label| {
            let number = |plan: &Plan| plan.contenders.iter().position(|contender| contender.label == label);
            machines.iter().enumerate().find_map(|(machine, (_, plan))| Some((machine, number(plan)?)))
        };
        let contenders = plan.contenders.iter().map(|contender| place(contender.label.clone()));
        let contenders = contenders.collect::<Option<Vec<_>>>().expect("each contender is on a machine");
        let machine = |(remote, plan)| Rc::new(CallableMachine { remote, plan, counters: RunCounters::default() });
        Self { machines: machines.into_iter().map(machine).collect(), contenders }
    }

    /// The machine of a contender, or of a baseline of the only machine, and its number there.
    fn of(&self, number: usize) -> (&Rc<CallableMachine<R>>, usize) {
        let (machine, number) = self.contenders.get(number).copied().unwrap_or((0, number));
        (&self.machines[machine], number)
    }

    fn call<T: DeserializeOwned>(&self, number: usize, call: impl FnOnce(usize) -> Call) -> Result<T> {
        let (machine, number) = self.of(number);
        machine.call(&call(number), &NEVER)
    }
}

impl<R: Remote> CallableMachine<R> {
    fn call<T: DeserializeOwned>(&self, call: &Call, stop: &AtomicBool) -> Result<T> {
        if let Some(contender) = self.counters.take_start() {
            self.remote.call(&Call::StartCounters(contender), &NEVER)?;
        }
        answer(self.remote.call(call, stop)?)
    }
}

impl<R: Remote> Volumes for Machines<R> {
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts> {
        let (machine, number) = self.of(contender);
        let plan = &machine.plan;
        let lane = match plan.lanes.shared.is_own() {
            true => lane_rounds(&fsarena_lane::needs_lane(plan), round, plan.seed)[number],
            false => lane,
        };
        machine.call(&Call::Make { contender: number, lane, round }, &NEVER)
    }

    fn baseline(&mut self, kind: BaselineKind, workload: &Workload) -> Result<Option<usize>> {
        let [only] = self.machines.as_slice() else { return Ok(None) };
        only.call(&Call::Baseline(kind, Box::new(workload.clone())), &NEVER)
    }

    fn remount(&mut self, contender: usize) -> Result<bool> {
        self.call(contender, Call::Remount)
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos> {
        self.call(contender, Call::Sync)
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>> {
        self.call(contender, Call::Quiesce)
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        self.call(contender, Call::Used).ok().flatten()
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>> {
        self.call(contender, Call::Finish)
    }
}

impl<R: Remote + 'static> Workloads for Machines<R> {
    fn directory(&mut self, contender: usize) -> Option<PathBuf> {
        self.call(contender, Call::Directory).ok().flatten()
    }

    fn open(&mut self, contender: usize, workload: &Workload, seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>> {
        let (machine, number) = self.of(contender);
        let call = Call::Open { contender: number, workload: Box::new(workload.clone()), seed };
        let verifies = machine.call(&call, stop)?;
        Ok(Box::new(RemoteJob::new(OtherMachine { machine: Rc::clone(machine), number }, verifies)))
    }

    fn verify(
        &mut self,
        contender: usize,
        workload: &Workload,
        _job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        let (machine, number) = self.of(contender);
        machine.call(&Call::Verify(number, Box::new(workload.clone())), stop)
    }

    fn logical(&mut self, contender: usize, workload: &Workload) -> Option<Bytes> {
        self.call(contender, |number| Call::Logical(number, Box::new(workload.clone()))).ok().flatten()
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()> {
        self.call(contender, |number| Call::Clear(number, Box::new(workload.clone())))
    }
}

impl<R: Remote> Counters for Machines<R> {
    /// The call is made together with the next one, so that the counters of a run have nothing of the connection.
    fn start_counters(&mut self, contender: usize) {
        let (machine, number) = self.of(contender);
        machine.counters.start_with_run(number);
    }

    fn read_counters(&mut self, contender: usize) -> Readings {
        self.call(contender, Call::ReadCounters).unwrap_or_default()
    }

    fn stop_counters(&mut self, contender: usize) {
        let (machine, number) = self.of(contender);
        if !machine.counters.were_stopped_with_run(number) {
            // If the connection is lost, the totals are missing, which is reported.
            let _ = machine.call::<()>(&Call::StopCounters(number), &NEVER);
        }
    }

    fn totals(&mut self, contender: usize) -> Readings {
        self.call(contender, Call::Totals).unwrap_or_default()
    }

    fn start_trace(&mut self, contender: usize, lasts: Nanos) -> Result<bool> {
        self.call(contender, |contender| Call::StartTrace(contender, lasts))
    }

    fn stop_trace(&mut self, contender: usize, work: &TracedWork) -> Result<Trace> {
        self.call(contender, |contender| Call::StopTrace(contender, work.clone()))
    }
}

impl<R: Remote> Host for Machines<R> {
    fn survey(&mut self) -> Result<Environment> {
        let found = self.machines.iter().map(|machine| machine.call(&Call::Survey, &NEVER));
        let mut found: Vec<Environment> = found.collect::<Result<_, _>>()?;
        let kernels = distinct(found.iter().filter_map(|machine| machine.kernel.clone()));
        Ok(Environment { kernel: (!kernels.is_empty()).then(|| kernels.join(" and ")), ..found.swap_remove(0) })
    }

    fn lane_cost(&mut self) -> Result<Option<LaneCost>> {
        self.machines[0].call(&Call::LaneCost, &NEVER)
    }

    fn conditions(&mut self) -> Conditions {
        self.machines[0].call(&Call::Conditions, &NEVER).unwrap_or_default()
    }

    fn clients(&self) -> Option<u32> {
        None
    }

    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()> {
        self.machines.iter().try_for_each(|machine| machine.call(&Call::LimitMemory(limit), &NEVER))
    }
}

/// The work of a contender on another machine.
struct OtherMachine<R> {
    machine: Rc<CallableMachine<R>>,
    number: usize,
}

impl<R: Remote> RemoteWork for OtherMachine<R> {
    fn upkeep(&self, upkeep: Upkeep, stop: &AtomicBool) -> Result<()> {
        self.machine.call(&Call::Upkeep(self.number, upkeep), stop)
    }

    fn run(&mut self, limit: &Limit<'_>, first: First, stats: &mut RunStats) -> Result<bool> {
        let Self { machine, number, .. } = self;
        let is_counted = machine.counters.begin_run(*number);
        let Limit { time, stop } = *limit;
        let is_first = first == First::Yes;
        let call = Call::Run { contender: *number, at: None, time, is_first, is_counted };
        let ran: Ran = machine.call(&call, stop)?;
        *stats = ran.stats;
        Ok(ran.reads_on)
    }

    fn close(&self) {
        let _ = self.machine.call::<()>(&Call::Close(self.number), &NEVER);
    }
}
