//! A run on clients: machines that do the same work on the same shared file systems at the same time. The run is made
//! here and calls their agents. Starting them is the business of ssh, Slurm or MPI.

mod named;

use std::process::Child;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fsarena_engine::NEVER;
use fsarena_execute::remote::{Machines, Server};
use fsarena_execute::{Assignment, Listener};
use fsarena_model::Severity;
use fsarena_sys::{MonotonicClock, clock};

use crate::agent::{self, Request};
use crate::connection::Connection;
use crate::file_server::Shell;
use crate::note::Ignored;
use crate::{ENGINES, End, Refusal, calls, deploy, note};

pub use named::{Launcher, NamedClients};

/// How long an agent may be silent. It writes a line every ten seconds.
const PATIENCE: Duration = Duration::from_secs(45);

/// How long agents may take to remove everything and to end.
const ENDING: Duration = Duration::from_secs(60);

/// Starts the agents of all clients, does an assignment with them, and waits until they have removed everything.
pub fn run(assignment: Assignment, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let plan = &assignment.plan;
    let clients = plan.clients.as_ref().context("the plan has clients")?;
    let prepared = Assignment { wait: assignment.wait, ..Assignment::new(plan.clone(), Vec::new()) };
    // A word that only the agents of this run know.
    let session = format!("{}-{}-{}", std::process::id(), clock::time_of_day().0, clock::now().0);
    let request = Request::Testbed { assignment: Box::new(prepared), session: Some(session) };
    let commands = deploy::all_ready(&clients.commands, stop)?;
    // Dropped after the connections, at whose end they end.
    let mut agents = Agents(Vec::new());
    let mut connections = Vec::new();
    // All agents prepare their machines at the same time.
    for command in &commands {
        let (child, input, output) = agent::start(command)?;
        agents.0.push(child);
        let connection = Connection::new("it", input, output, PATIENCE);
        connection.tell(&request);
        connections.push(connection);
    }
    for (index, connection) in connections.iter().enumerate() {
        let prepared = connection.prepared(&NEVER, listener);
        prepared.map_err(|error| refusal(index + 1, &commands[index], error))?;
    }
    let servers = clients.servers.iter().map(|server| Ok(Box::new(Shell::start(server)?) as Box<dyn Server>));
    let servers = servers.collect::<Result<_>>()?;
    let connections = connections.into_iter().map(|connection| (connection, plan)).collect();
    let mut machines = Machines::new(plan, connections, ENGINES, servers, Rc::new(MonotonicClock));
    let ended = calls::run(&assignment, &mut machines, stop, listener);
    let lost = machines.lost();
    drop(machines);
    drop(agents);
    for command in lost.into_iter().map(|client| &clients.commands[client]) {
        let text = format!("the client `{command}` was lost; {}", clear(command));
        note::add(listener, Severity::Failure, text)?;
    }
    ended
}

fn refusal(number: usize, command: &str, error: Refusal) -> Refusal {
    let text = format!("client {number} (`{command}`): {}", error.text);
    let try_it = "try its command alone: it has to print the version of fsarena and wait".to_owned();
    Refusal { text, hint: error.hint.or(Some(try_it)), ..error }
}

/// The agents of a run. When this is dropped, those that do not end by themselves are killed.
struct Agents(Vec<Child>);

impl Drop for Agents {
    /// They end by themselves, since their stdin is closed.
    fn drop(&mut self) {
        let deadline = Instant::now() + ENDING;
        for child in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Removes what a lost client left, by a new agent there; returns the result in words.
fn clear(command: &str) -> String {
    let begin = Instant::now();
    let look = || begin.elapsed() > ENDING;
    let done = fsarena_engine::watched(look, |stop| {
        agent::elsewhere(&deploy::ready(command, stop)?, &Request::Clear, stop, &mut Ignored)
    });
    match done {
        Ok(_) => "what it had made was removed".to_owned(),
        Err(error) => format!("what it had made may still be there, run `fsarena clean` on it ({error})"),
    }
}
