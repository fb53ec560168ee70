//! A run on clients: machines that do the same work on the same shared file systems at the same time. The run is made
//! here and calls their agents. Starting them is the business of ssh, Slurm or MPI.

mod named;

use std::io::BufReader;
use std::process::Child;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fsarena_execute::remote::{ClientMachines, Server};
use fsarena_execute::{Assignment, Listener};
use fsarena_model::{Event, Severity};
use fsarena_sys::{MonotonicClock, clock};

use crate::agent::{self, Request};
use crate::calls::{self, Connection};
use crate::file_server::Shell;
use crate::{ENGINES, End, Refusal, deploy, note};

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
    let mut agents = Agents(commands.iter().map(|command| Agent::start(command)).collect::<Result<_>>()?);
    let connections = agents.connect(&request, listener)?;
    let over = Arc::new(AtomicBool::new(false));
    let servers = clients.servers.iter().map(|server| Ok(Box::new(Shell::start(server)?) as Box<dyn Server>));
    let servers = servers.collect::<Result<_>>()?;
    let mut machines =
        ClientMachines::new(plan, ENGINES, connections, servers, Rc::new(MonotonicClock), Arc::clone(&over));
    let look = || stop.load(Ordering::Relaxed) || over.load(Ordering::Relaxed);
    let ended = calls::run(&assignment, &mut machines, look, listener);
    let lost = machines.lost();
    drop(machines);
    drop(agents);
    for command in &lost {
        let text = format!("the client `{command}` was lost; {}", clear(command));
        note::add(listener, Severity::Failure, text)?;
    }
    ended
}

struct Agent {
    command: String,
    child: Child,
}

/// The agents of a run. When this is dropped, those that do not end by themselves are killed.
struct Agents(Vec<Agent>);

impl Agent {
    fn start(command: &str) -> Result<Self> {
        Ok(Self { command: command.to_owned(), child: agent::start(command)? })
    }

    fn connect(&mut self, request: &Request) -> Result<Connection, Refusal> {
        let no_pipe = || Refusal::of_machine("its stdin and stdout are not connected".to_owned());
        let (input, output) = self.child.stdin.take().zip(self.child.stdout.take()).ok_or_else(no_pipe)?;
        let lost = Arc::new(AtomicBool::new(false));
        Connection::open(Box::new(input), BufReader::new(output), request, lost, PATIENCE)
    }

    fn refusal(&self, number: usize, error: Refusal) -> Refusal {
        let text = format!("client {number} (`{}`): {}", self.command, error.text);
        let try_it = "try its command alone: it has to print the version of fsarena and wait".to_owned();
        Refusal { text, hint: error.hint.or(Some(try_it)), ..error }
    }
}

impl Agents {
    /// All agents prepare their machines at the same time.
    fn connect(&mut self, request: &Request, listener: &mut dyn Listener) -> Result<Vec<Connection>> {
        let connections: Vec<_> = self.0.iter_mut().map(|agent| agent.connect(request)).collect();
        let numbered = connections.into_iter().zip(&self.0).enumerate();
        let prepared = numbered.map(|(index, (connection, agent))| {
            let prepared = connection.and_then(|connection| connection.prepared(listener).map(|()| connection));
            Ok(prepared.map_err(|error| agent.refusal(index + 1, error))?)
        });
        prepared.collect()
    }
}

impl Drop for Agents {
    /// They end by themselves, since their stdin is closed.
    fn drop(&mut self) {
        let deadline = Instant::now() + ENDING;
        for Agent { child, .. } in &mut self.0 {
            // A stdin that no connection has taken.
            drop(child.stdin.take());
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
    struct Silent;
    impl Listener for Silent {
        fn hear(&mut self, _event: &Event) -> Result<(), String> {
            Ok(())
        }
    }
    let begin = Instant::now();
    let look = || begin.elapsed() > ENDING;
    let done = fsarena_engine::watched(look, |stop| {
        agent::elsewhere(&deploy::ready(command, stop)?, &Request::Clear, stop, &mut Silent)
    });
    match done {
        Ok(_) => "what it had made was removed".to_owned(),
        Err(error) => format!("what it had made may still be there, run `fsarena clean` on it ({error})"),
    }
}
