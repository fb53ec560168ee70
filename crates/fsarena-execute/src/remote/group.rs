//! The machines of a run that answer calls. What they work on, and which of them, is kept here for their jobs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::NEVER;
use fsarena_model::clients::WhenLost;
use fsarena_model::{MachineName, Plan};
use fsarena_sys::Clock;
use serde::de::DeserializeOwned;

use super::clocks::ClientClock;
use super::servers::Servers;
use super::{Call, Remote, answer};
use crate::{Refusal, Result};

/// The machines, which the jobs share with the testbed.
pub(super) struct Group<R> {
    pub plan: Plan,
    pub machines: Vec<RemoteMachine<R>>,
    pub servers: Servers,
    pub clock: Rc<dyn Clock>,
    /// Set when the run is to end because a machine is lost.
    pub over: Arc<AtomicBool>,
    pub counters: RunCounters,
    /// How many machines work on the current workload; at most those that have its contender.
    pub active: Cell<usize>,
    /// Whether this machine starts the program of the current workload.
    pub spans: Cell<bool>,
}

pub(super) struct RemoteMachine<R> {
    pub remote: R,
    /// The number that each contender of the run has there; `None` if another machine has it.
    numbers: Vec<Option<usize>>,
    /// Whether each of its contenders needs a lane.
    pub needs_lane: Vec<bool>,
    pub clock: RefCell<ClientClock>,
    pub name: RefCell<MachineName>,
}

impl<R: Remote> RemoteMachine<R> {
    /// A machine with those contenders of the `run` that its own plan has.
    fn new(run: &Plan, remote: R, own: &Plan) -> Self {
        let number = |label| own.contenders.iter().position(|contender| contender.label == label);
        let numbers = run.contenders.iter().map(|contender| number(contender.label.clone())).collect();
        let (clock, name) = Default::default();
        Self { remote, numbers, needs_lane: fsarena_lane::needs_lane(own), clock, name }
    }
}

/// Whose counters are started and stopped in the call of its next run, so that they count nothing of the connection.
#[derive(Default)]
pub(super) struct RunCounters {
    starting: Cell<Option<usize>>,
    stopped: Cell<Option<usize>>,
}

impl RunCounters {
    /// The contender's counters are to be started with its next run, or before any other call.
    pub fn start_with_run(&self, contender: usize) {
        self.starting.set(Some(contender));
    }

    /// Whether the contender's counters are to be started with its run, which begins now, and stopped with it.
    pub fn begin_run(&self, contender: usize) -> bool {
        let is_counted = self.starting.get() == Some(contender);
        if is_counted {
            self.starting.set(None);
            self.stopped.set(Some(contender));
        }
        is_counted
    }

    /// Whether the contender's counters have been stopped with its run.
    pub fn were_stopped_with_run(&self, contender: usize) -> bool {
        self.stopped.take() == Some(contender)
    }
}

impl<R: Remote> Group<R> {
    /// Each machine has those contenders of `plan` that its own plan has; clients have all of them.
    pub fn new(plan: &Plan, machines: Vec<(R, &Plan)>, servers: Servers, clock: Rc<dyn Clock>) -> Self {
        let machines: Vec<_> =
            machines.into_iter().map(|(remote, own)| RemoteMachine::new(plan, remote, own)).collect();
        let active = Cell::new(machines.len());
        let (over, counters, spans) = Default::default();
        Self { plan: plan.clone(), machines, servers, clock, over, counters, active, spans }
    }

    /// The machines that are not lost.
    pub fn present(&self) -> Vec<usize> {
        (0..self.machines.len()).filter(|machine| !self.machines[*machine].remote.is_lost()).collect()
    }

    /// Those of them that have a contender.
    pub fn having(&self, contender: usize) -> Vec<usize> {
        let has = |machine: &usize| self.machines[*machine].numbers[contender].is_some();
        self.present().into_iter().filter(has).collect()
    }

    /// Those of them that work on the current workload.
    pub fn working(&self, contender: usize) -> Vec<usize> {
        let mut having = self.having(contender);
        having.truncate(self.active.get());
        having
    }

    /// The number of a contender of the run on a machine that has it.
    pub fn number(&self, machine: usize, contender: usize) -> usize {
        self.machines[machine].numbers[contender].expect("the machine has the contender")
    }

    /// How messages name a client.
    pub fn name(&self, client: usize) -> String {
        let command = self.plan.clients.as_ref().map_or("", |clients| &clients.commands[client]);
        format!("client {} (`{command}`)", client + 1)
    }

    /// Makes calls on at least one machine at the same time, and returns their answers. All have answered when it
    /// returns, and the first error is that of all.
    pub fn each<T: DeserializeOwned>(
        &self,
        calls: impl IntoIterator<Item = (usize, Call)>,
        stop: &AtomicBool,
    ) -> Result<Vec<T>> {
        if let Some(contender) = self.counters.starting.take() {
            self.on::<()>(&self.working(contender), contender, Call::StartCounters, &NEVER)?;
        }
        let send = |(machine, call): (usize, Call)| (machine, self.machines[machine].remote.send(&call));
        let sent: Vec<_> = calls.into_iter().map(send).collect();
        if sent.is_empty() {
            return Err(Refusal::of_machine("no client is left".to_owned()));
        }
        let answers = sent.into_iter().map(|(machine, sent)| {
            let value = sent.and_then(|()| self.machines[machine].remote.receive(stop)).and_then(answer);
            value.map_err(|error| self.failure(machine, error))
        });
        // Each answer has to be taken, or it would be taken for that of the next call.
        let answers: Vec<Result<T>> = answers.collect();
        answers.into_iter().collect()
    }

    /// Makes a call about a contender on these machines; `call` takes its number there.
    pub fn on<T: DeserializeOwned>(
        &self,
        machines: &[usize],
        contender: usize,
        call: impl Fn(usize) -> Call,
        stop: &AtomicBool,
    ) -> Result<Vec<T>> {
        self.each(machines.iter().map(|machine| (*machine, call(self.number(*machine, contender)))), stop)
    }

    /// Makes a call about a contender on all machines that have it.
    pub fn all<T: DeserializeOwned>(&self, contender: usize, call: impl Fn(usize) -> Call) -> Result<Vec<T>> {
        self.on(&self.having(contender), contender, call, &NEVER)
    }

    /// Makes a call about a contender on the first machine that has it.
    pub fn first<T: DeserializeOwned>(&self, contender: usize, call: impl Fn(usize) -> Call) -> Result<T> {
        let having = self.having(contender);
        self.on(&having[..having.len().min(1)], contender, call, &NEVER).map(|mut answers| answers.remove(0))
    }

    /// Makes a call on all machines.
    pub fn every<T: DeserializeOwned>(&self, call: &Call) -> Result<Vec<T>> {
        self.each(self.present().into_iter().map(|machine| (machine, call.clone())), &NEVER)
    }

    fn failure(&self, machine: usize, error: Refusal) -> Refusal {
        let clients = self.plan.clients.as_ref();
        let ends = clients.is_none_or(|clients| clients.when_lost == WhenLost::End);
        if ends && self.machines[machine].remote.is_lost() {
            self.over.store(true, Ordering::Relaxed);
        }
        let text = clients.map(|_| format!("{}: {}", self.name(machine), error.text));
        Refusal { text: text.unwrap_or(error.text), ..error }
    }

    /// Compares the clocks of clients with this machine's.
    pub fn compare_clocks(&self, clients: &[usize], count: usize) -> Result<()> {
        for client in clients.iter().flat_map(|client| std::iter::repeat_n(*client, count)) {
            let asked = self.clock.now();
            let of_day = fsarena_sys::clock::time_of_day();
            for clocks in self.each([(client, Call::Clocks)], &NEVER)? {
                self.machines[client].clock.borrow_mut().compare(asked, of_day, self.clock.now(), clocks);
            }
        }
        Ok(())
    }
}
