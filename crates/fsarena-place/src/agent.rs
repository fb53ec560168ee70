//! A plan that runs somewhere else: an agent takes it from its stdin, runs it, and writes the events to its stdout, as
//! JSON lines. The agent is this binary (`fsarena agent`), started by any command: `ssh HOST fsarena agent`.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_execute::{Assignment, Listener};
use fsarena_lane::{Ledger, default_folder};
use fsarena_model::{ErrorCategory, Event};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::durability::guest::DurabilityOrder;
use crate::{End, Lost, Refusal, code, durability, explain, here, tell_cleared, unless_given_up, words};

/// How often an agent writes that it is alive. The other side may take a longer silence for a crash.
const ALIVE: Duration = Duration::from_secs(10);

/// How often to look whether the run is to stop.
const LOOK: Duration = Duration::from_millis(50);

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
    Failed {
        /// The error.
        text: String,
        /// What the user can do about it.
        hint: Option<String>,
        /// Whose failure it is, as an exit code.
        exit: u8,
    },
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
            Self::Failed { text, hint, exit } => Err(Refusal { text, hint, category: category(exit) }),
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
            write(&Line::Failed { text: words(&error), hint, exit: code(category) })
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

/// A connection to an agent.
pub struct Link<R> {
    /// What started it, for messages.
    pub name: String,
    /// Its stdin. The agent stops when this ends.
    pub input: Box<dyn Write + Send>,
    /// Its stdout.
    pub output: R,
}

/// Lets the agent that `command` starts do `request`, and passes its events to `listener`.
pub fn elsewhere(command: &str, request: &Request, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let mut child = start(command)?;
    let input = Box::new(child.stdin.take().context("the agent's stdin")?);
    let output = BufReader::new(child.stdout.take().context("the agent's stdout")?);
    let link = Link { name: command.to_owned(), input, output };
    let ended = converse(link, Some(request), stop, listener);
    // It ends by itself: its stdin is closed, and it has written its last line or lost its stdout.
    let _ = child.wait();
    ended
}

/// Gives the agent `request`, unless it has it already, and passes its events to `listener`.
pub fn converse<R: BufRead>(
    link: Link<R>,
    request: Option<&Request>,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| give(request, link.input, stop, &is_over));
        let ended = follow(&link.name, link.output, listener);
        is_over.store(true, Ordering::Relaxed);
        ended
    })
}

/// Starts the agent that `command` starts, with pipes for its stdin and stdout.
pub fn start(command: &str) -> Result<Child> {
    let wrong = || Refusal::wrong_use(format!("`{command}` is no command line"), "--on 'ssh HOST fsarena agent'");
    let words = shlex::split(command).filter(|words| !words.is_empty()).ok_or_else(wrong)?;
    let child = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    child.map_err(|error| not_started(command, error))
}

/// The lines of `output` as they come. They are read until its end: what could not write its last lines would fail.
pub fn lines(output: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || output.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    lines
}

/// The refusal of a command that does not start.
pub fn not_started(command: &str, error: impl Display) -> anyhow::Error {
    let hint = "the command has to start an agent, as `ssh HOST fsarena agent` does";
    Refusal::wrong_use(format!("start `{command}`: {error}"), hint).into()
}

/// Writes the request, and another line when the run is to stop; then it closes the agent's stdin.
fn give(request: Option<&Request>, mut input: Box<dyn Write + Send>, stop: &AtomicBool, is_over: &AtomicBool) {
    // If the agent has ended, its stdout says so.
    if let Some(text) = request.and_then(|request| serde_json::to_string(request).ok()) {
        let _ = input.write_all(format!("{text}\n").as_bytes());
    }
    while !stop.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed) {
        thread::sleep(LOOK);
    }
    let _ = input.write_all(b"\n");
}

fn follow(name: &str, output: impl BufRead, listener: &mut dyn Listener) -> Result<End> {
    let mut has_begun = false;
    // A line that cannot be read, because the other side is silent for too long, ends the connection as well.
    for line in output.lines().map_while(Result::ok) {
        let understood: Line = serde_json::from_str(&line).map_err(|_| {
            let text = format!("`{name}` does not answer as an agent: {}", line.trim());
            Refusal::machine(text, "fsarena has to be installed there, and nothing else may write to its stdout")
        })?;
        match understood.unless_failed(&format!("`{name}`"))? {
            Line::Event(event) => {
                has_begun = true;
                listener.hear(&event).map_err(fsarena_execute::RunError::Listener)?;
            }
            Line::Ended(end) => return Ok(end),
            Line::Version(_) | Line::Alive | Line::Answer(_) | Line::Failed { .. } => {}
        }
    }
    Err(Lost { name: name.to_owned(), has_begun }.into())
}

/// Whose failure an agent's exit code says it is.
fn category(exit: u8) -> ErrorCategory {
    match exit {
        2 => ErrorCategory::Use,
        3 => ErrorCategory::Trial,
        _ => ErrorCategory::Machine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Heard(Vec<Event>);

    impl Listener for Heard {
        fn hear(&mut self, event: &Event) -> Result<(), String> {
            self.0.push(event.clone());
            Ok(())
        }
    }

    fn followed(lines: &str) -> (Result<End, String>, usize) {
        let mut heard = Heard::default();
        let ended = follow("agent", lines.as_bytes(), &mut heard).map_err(|error| error.to_string());
        (ended, heard.0.len())
    }

    fn version() -> String {
        format!("{{\"version\":\"{}\"}}\n", env!("CARGO_PKG_VERSION"))
    }

    #[test]
    fn events_are_passed_on_until_the_last_line() {
        let lines = version() + "{\"event\":{\"preparing\":\"a lane\"}}\n{\"ended\":\"complete\"}\n";
        assert_eq!(followed(&lines), (Ok(End::Complete), 1));
        assert_eq!(followed(&(version() + "{\"ended\":\"stopped\"}\n")), (Ok(End::Stopped), 0));
    }

    #[test]
    fn errors_of_the_agent_are_errors_here() {
        let cases = [
            ("{\"version\":\"0.0.1\"}\n".to_owned(), "is fsarena 0.0.1"),
            (version(), "ended without a result"),
            (String::new(), "ended without a result"),
            ("bash: fsarena: command not found\n".to_owned(), "command not found"),
            (version() + "{\"failed\":{\"text\":\"no room\",\"hint\":null,\"exit\":4}}\n", "no room"),
        ];
        for (lines, expected) in cases {
            let error = followed(&lines).0.expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
    }
}
