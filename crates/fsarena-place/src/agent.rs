//! A plan that runs somewhere else: an agent takes it from its stdin, runs it, and writes the events to its stdout, as
//! JSON lines. The agent is this binary (`fsarena agent`), started by any command: `ssh HOST fsarena agent`.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_execute::{Assignment, Listener};
use fsarena_lane::{Ledger, default_folder};
use fsarena_model::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::connection::Connection;
use crate::durability::guest::DurabilityOrder;
use crate::{End, Refusal, durability, explain, here, tell_cleared, unless_given_up, words};

/// How often an agent writes that it is alive. The other side may take a longer silence for a crash.
const ALIVE: Duration = Duration::from_secs(10);

/// What an agent has to do: the first line of its stdin. The agent stops when its stdin ends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// A run on its machine.
    Run(Box<Assignment>),
    /// The machine is prepared for a run, and then answers calls.
    Testbed {
        /// The run.
        assignment: Box<Assignment>,
        /// A word that all clients of the run have in common, several of which may share the machine.
        session: Option<String>,
    },
    /// Orders of a test of durability, of which this is the first.
    Durability(Box<DurabilityOrder>),
    /// What dead runs left on the machine is removed.
    Clear,
}

/// A line of an agent's stdout, or of an exported run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The first line: the version of fsarena.
    Version(String),
    /// An event of the run.
    Event(Box<Event>),
    /// Nothing has happened, but the agent is alive.
    Alive,
    /// The answer to a call.
    Answer(Result<Value, Refusal>),
    /// The last line of a run that did not fail.
    Ended(End),
    /// The last line of a run that failed.
    Failed(Refusal),
}

impl Line {
    /// The line, unless it says that the agent has failed or is of another version; `name` is what started it.
    pub fn unless_failed(self, name: &str) -> Result<Self, Refusal> {
        match self {
            Self::Version(version) if version != env!("CARGO_PKG_VERSION") => {
                let text = format!("{name} is fsarena {version}, and this is {}", env!("CARGO_PKG_VERSION"));
                let hint = Some("install the same version there".to_owned());
                Err(Refusal { hint, ..Refusal::of_machine(text) })
            }
            Self::Failed(error) => Err(error),
            line => Ok(line),
        }
    }
}

/// Writes a line to stdout, as JSON.
pub fn write(line: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("write to stdout")
}

/// Writes to stdout that the agent is alive, until it is dropped.
pub struct Alive {
    over: Arc<AtomicBool>,
    writer: Option<JoinHandle<()>>,
}

impl Alive {
    /// Writes the first line at once.
    pub fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        let writer = thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) && write(&Line::Alive).is_ok() {
                thread::park_timeout(ALIVE);
            }
        });
        Self { over, writer: Some(writer) }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(writer) = self.writer.take() {
            writer.thread().unpark();
            let _ = writer.join();
        }
    }
}

/// Writes events as lines to stdout.
struct Lines;

impl Listener for Lines {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        write(&Line::Event(Box::new(event.clone()))).map_err(|error| format!("{error:#}"))
    }
}

/// The agent: reads a request, does it, and writes the events. `stop` ends a run.
///
/// # Errors
/// If the other side is gone. What fails otherwise is written to it.
pub fn serve(stop: &Arc<AtomicBool>) -> Result<()> {
    write(&Line::Version(env!("CARGO_PKG_VERSION").to_owned()))?;
    let mut text = String::new();
    std::io::stdin().lock().read_line(&mut text).context("read the request from stdin")?;
    let request = serde_json::from_str(&text).map_err(|error| {
        let hint = "an agent is started by another fsarena: fsarena compare ext4 xfs --on 'ssh HOST fsarena agent'";
        Refusal::wrong_use(format!("no request on stdin: {error}"), hint)
    })?;
    if let Request::Durability(order) = request {
        return durability::guest::serve(*order);
    }
    let _alive = Alive::start();
    match unless_given_up(fulfil(request, stop)) {
        Ok(end) => write(&Line::Ended(end)),
        Err(error) => {
            let (category, hint) = explain(&error);
            write(&Line::Failed(Refusal { text: words(&error), category, hint }))
        }
    }
}

fn fulfil(request: Request, stop: &Arc<AtomicBool>) -> Result<End> {
    match request {
        Request::Run(assignment) => {
            stop_with_stdin(Arc::clone(stop));
            here::run(*assignment, stop, &mut Lines)
        }
        Request::Testbed { assignment, session } => {
            here::answer_calls(&assignment, session.as_deref(), stop, &mut Lines)
        }
        Request::Clear => clear(),
        Request::Durability(_) => bail!("orders are answered one after the other"),
    }
}

/// Removes what dead runs left on this machine, unless other processes still use it.
fn clear() -> Result<End> {
    if fsarena_guest::init::is_client() {
        let hint = "look for folders fsarena-* in the shared directories";
        bail!(Refusal::machine("the ledger of a guest ended with it", hint));
    }
    let (mut ledger, cleared) = Ledger::open_with_others(&default_folder()?)?;
    tell_cleared(&cleared);
    ledger.undo()?;
    Ok(End::Complete)
}

/// The run ends, and removes everything, when the other side writes another line or the connection is lost.
fn stop_with_stdin(stop: Arc<AtomicBool>) {
    thread::spawn(move || {
        let _ = std::io::stdin().lock().read(&mut [0]);
        stop.store(true, Ordering::Relaxed);
    });
}

/// Lets the agent that `command` starts do `request`, and passes its events to `listener`.
pub fn elsewhere(command: &str, request: &Request, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let (mut child, input, output) = start(command)?;
    let connection = Connection::new(format!("`{command}`"), input, output, Duration::MAX);
    connection.tell(request);
    // Any further line stops it.
    let ended = connection.follow(stop, || Some(String::new()), listener);
    drop(connection);
    // It ends by itself: its stdin is closed, and its stdout is read to the end.
    let _ = child.wait();
    ended
}

/// Starts a command, and returns it with its stdin and stdout.
pub fn start(command: &str) -> Result<(Child, ChildStdin, BufReader<ChildStdout>)> {
    let wrong = || Refusal::wrong_use(format!("`{command}` is no command line"), "--on 'ssh HOST fsarena agent'");
    let words = shlex::split(command).filter(|words| !words.is_empty()).ok_or_else(wrong)?;
    let child = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| not_started(command, error))?;
    let (input, output) = child.stdin.take().zip(child.stdout.take()).context("the pipes of a command")?;
    Ok((child, input, BufReader::new(output)))
}

/// The refusal of a command that does not start.
pub fn not_started(command: &str, error: impl Display) -> anyhow::Error {
    let hint = "the command has to start an agent, as `ssh HOST fsarena agent` does";
    Refusal::wrong_use(format!("start `{command}`: {error}"), hint).into()
}
