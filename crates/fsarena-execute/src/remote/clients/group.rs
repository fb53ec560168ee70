//! The clients of a run and the calls to them. What they work on, and which of them, is kept here for their jobs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{Limit, NEVER};
use fsarena_model::clients::WhenLost;
use fsarena_model::{MachineName, Plan};
use fsarena_sys::Clock;
use serde::de::DeserializeOwned;

use super::clocks::{self, ClientClock};
use super::merged::ClientPart;
use super::servers::Servers;
use crate::remote::job::{First, RunCounters};
use crate::remote::{Call, Ran, Remote, answer};
use crate::{Refusal, Result};

/// The clients, which the jobs share with the testbed.
pub(super) struct Group<R> {
    pub clients: Vec<Client<R>>,
    pub servers: Servers,
    when_lost: WhenLost,
    clock: Rc<dyn Clock>,
    /// Set when the run is to end because a client is lost.
    over: Arc<AtomicBool>,
    pub counters: RunCounters,
    /// How many clients work on the current workload.
    pub active: Cell<usize>,
    /// Whether this machine starts the program of the current workload.
    pub spans: Cell<bool>,
}

pub(super) struct Client<R> {
    pub remote: R,
    /// The command that starts its agent.
    pub command: String,
    pub clock: RefCell<ClientClock>,
    pub machine: RefCell<MachineName>,
}

impl<R: Remote> Group<R> {
    /// The clients that `remotes` connect to, in the order of the plan's clients. `over` is set if the run is to end
    /// because a client is lost.
    pub fn new(plan: &Plan, remotes: Vec<R>, servers: Servers, clock: Rc<dyn Clock>, over: Arc<AtomicBool>) -> Self {
        let (commands, when_lost) =
            plan.clients.as_ref().map(|clients| (clients.commands.clone(), clients.when_lost)).unwrap_or_default();
        let client = |(remote, command)| {
            let (clock, machine) = Default::default();
            Client { remote, command, clock, machine }
        };
        let clients: Vec<_> = remotes.into_iter().zip(commands).map(client).collect();
        let active = Cell::new(clients.len());
        let (counters, spans) = Default::default();
        Self { clients, servers, when_lost, clock, over, counters, active, spans }
    }

    /// The clients that are not lost.
    pub fn present(&self) -> Vec<usize> {
        (0..self.clients.len()).filter(|client| !self.clients[*client].remote.is_lost()).collect()
    }

    /// The clients that work on the current workload.
    pub fn working(&self) -> Vec<usize> {
        let mut present = self.present();
        present.truncate(self.active.get());
        present
    }

    pub fn name(&self, client: usize) -> String {
        format!("client {} (`{}`)", client + 1, self.clients[client].command)
    }

    pub fn call<T: DeserializeOwned>(&self, client: usize, call: &Call) -> Result<T> {
        self.each(&[client], |_| call.clone(), &NEVER).map(|mut answers| answers.remove(0))
    }

    /// Makes a call on several clients at the same time, and returns their answers. All have answered when it returns,
    /// and the first error is that of all.
    pub fn each<T: DeserializeOwned>(
        &self,
        clients: &[usize],
        call: impl Fn(usize) -> Call,
        stop: &AtomicBool,
    ) -> Result<Vec<T>> {
        let sent: Vec<_> = clients.iter().map(|client| self.clients[*client].remote.send(&call(*client))).collect();
        let answers = clients.iter().zip(sent).map(|(client, sent)| {
            let value = sent.and_then(|()| self.clients[*client].remote.receive(stop)).and_then(answer);
            value.map_err(|error| self.failure(*client, error))
        });
        // Each answer has to be taken, or it would be taken for that of the next call.
        let answers: Vec<Result<T>> = answers.collect();
        answers.into_iter().collect()
    }

    fn failure(&self, client: usize, error: Refusal) -> Refusal {
        if self.clients[client].remote.is_lost() && self.when_lost == WhenLost::End {
            self.over.store(true, Ordering::Relaxed);
        }
        Refusal { text: format!("{}: {}", self.name(client), error.text), ..error }
    }

    /// Compares the clocks of clients with this machine's.
    pub fn compare_clocks(&self, clients: &[usize], count: usize) -> Result<()> {
        for client in clients.iter().flat_map(|client| std::iter::repeat_n(*client, count)) {
            let asked = self.clock.now();
            let of_day = fsarena_sys::clock::time_of_day();
            let clocks = self.call(client, &Call::Clocks)?;
            self.clients[client].clock.borrow_mut().compare(asked, of_day, self.clock.now(), clocks);
        }
        Ok(())
    }

    /// Runs the jobs of the working clients at the same time.
    pub fn run(&self, contender: usize, limit: &Limit<'_>, is: First) -> Result<Vec<ClientPart>> {
        let is_counted = self.counters.begin_run(contender);
        let clients = self.working();
        let read_before = self.servers.read_so_far()?;
        self.compare_clocks(&clients, 2)?;
        let Limit { time, stop } = *limit;
        let begin = self.clock.now() + clocks::lead(clients.iter().map(|client| self.clients[*client].clock.borrow()));
        let call = |client: usize| {
            let at = (clients.len() > 1).then(|| self.clients[client].clock.borrow().there(begin));
            Call::Run { contender, at, time, is_first: is == First::Yes, is_counted }
        };
        let ran: Vec<Ran> = self.each(&clients, call, stop)?;
        let now = self.clock.now();
        if is_counted {
            self.servers.count(contender, read_before)?;
        }
        let part = |(client, ran): (usize, Ran)| {
            let clock = self.clients[client].clock.borrow();
            ClientPart { began: clock.here(ran.began), error: clock.error_at(now), ran }
        };
        Ok(clients.into_iter().zip(ran).map(part).collect())
    }
}
