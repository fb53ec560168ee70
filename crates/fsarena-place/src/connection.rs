//! A connection to an agent: its stdin and stdout, as lines of JSON.

use std::cell::Cell;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use fsarena_execute::remote::{Call, Remote};
use fsarena_execute::{Listener, RunError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::Line;
use crate::note::Ignored;
use crate::{End, Lost, Refusal};

/// How often to look whether a reply is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// A line of an agent's stdin after the request. Calls are numbered from 1.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// A call to answer.
    Call(u64, Call),
    /// The call with this number is to end early.
    Stop(u64),
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum NoReply {
    #[error("it has ended")]
    Ended,
    #[error("it was silent for {:.0} s", .0.as_secs_f64())]
    Silent(Duration),
    /// A line that no agent writes.
    #[error("{0}")]
    Foreign(String),
    #[error("{0}")]
    Failed(Refusal),
    /// The listener could not store an event.
    #[error("{0}")]
    Listener(String),
    /// It is not wanted any more.
    #[error("stopped")]
    Stopped,
}

/// A connection to an agent, which stops when this is dropped.
pub struct Connection {
    /// What started the agent, for messages.
    name: String,
    /// Lines for its stdin. If it does not take them because it has ended, its stdout says so.
    to: Sender<String>,
    from: Receiver<String>,
    /// How long it may be silent.
    patience: Duration,
    heard_at: Cell<Instant>,
    /// Whether it has sent an event.
    has_begun: Cell<bool>,
    /// The number of the last call.
    calls: Cell<u64>,
    is_lost: Cell<bool>,
}

impl Connection {
    /// The connection to the stdin and stdout of an agent.
    pub fn new(
        name: impl Into<String>,
        mut input: impl Write + Send + 'static,
        output: impl BufRead + Send + 'static,
        patience: Duration,
    ) -> Self {
        let (to, messages) = mpsc::channel::<String>();
        // Written by a thread, since an agent takes nothing before it has started.
        thread::spawn(move || messages.iter().try_for_each(|text| input.write_all(text.as_bytes())));
        let (has_begun, calls, is_lost) = Default::default();
        let heard_at = Cell::new(Instant::now());
        Self { name: name.into(), to, from: lines(output), patience, heard_at, has_begun, calls, is_lost }
    }

    /// Sends a line.
    pub fn tell(&self, message: &impl Serialize) {
        self.write(serde_json::to_string(message).expect("messages have string keys"));
    }

    fn write(&self, line: String) {
        self.heard_at.set(Instant::now());
        let _ = self.to.send(line + "\n");
    }

    /// Whether it has sent an event.
    pub fn has_begun(&self) -> bool {
        self.has_begun.get()
    }

    /// Waits for an answer or for the end of a run, and passes events to `listener`. Once `stop` is set, the agent gets
    /// the line `on_stop`; if there is none, the wait ends.
    pub fn reply(
        &self,
        stop: &AtomicBool,
        on_stop: impl Fn() -> Option<String>,
        listener: &mut dyn Listener,
    ) -> Result<Line, NoReply> {
        let mut is_stopped = false;
        loop {
            let line = self.from.recv_timeout(LOOK);
            if !is_stopped && stop.load(Ordering::Relaxed) {
                is_stopped = true;
                self.write(on_stop().ok_or(NoReply::Stopped)?);
            }
            let text = match line {
                Ok(text) => text,
                Err(RecvTimeoutError::Timeout) if self.heard_at.get().elapsed() <= self.patience => continue,
                Err(RecvTimeoutError::Timeout) => return Err(NoReply::Silent(self.patience)),
                Err(RecvTimeoutError::Disconnected) => return Err(NoReply::Ended),
            };
            self.heard_at.set(Instant::now());
            let line: Line = serde_json::from_str(&text).map_err(|_| NoReply::Foreign(text))?;
            match line.unless_failed(&self.name).map_err(NoReply::Failed)? {
                Line::Event(event) => {
                    self.has_begun.set(true);
                    listener.hear(&event).map_err(NoReply::Listener)?;
                }
                reply @ (Line::Answer(_) | Line::Ended(_)) => return Ok(reply),
                Line::Version(_) | Line::Alive | Line::Failed(_) => {}
            }
        }
    }

    /// Passes the events of a run to `listener` until it has ended, or `stop` is set as in [`Connection::reply`].
    pub fn follow(
        &self,
        stop: &AtomicBool,
        on_stop: impl Fn() -> Option<String>,
        listener: &mut dyn Listener,
    ) -> Result<End> {
        match self.reply(stop, on_stop, listener) {
            Ok(Line::Ended(end)) => Ok(end),
            Err(NoReply::Stopped) => Ok(End::Stopped),
            Err(NoReply::Failed(error)) => Err(error.into()),
            Err(NoReply::Listener(words)) => Err(RunError::Listener(words).into()),
            Err(NoReply::Foreign(line)) => {
                let text = format!("{} does not answer as an agent: {}", self.name, line.trim());
                let hint = "fsarena has to be installed there, and nothing else may write to its stdout";
                Err(Refusal::machine(text, hint).into())
            }
            Ok(_) | Err(NoReply::Ended | NoReply::Silent(_)) => {
                Err(Lost { name: self.name.clone(), has_begun: self.has_begun() }.into())
            }
        }
    }

    /// Waits until the agent's machine is prepared to answer calls, or `stop` is set, and passes its events to
    /// `listener`.
    ///
    /// # Errors
    /// If the agent cannot prepare its machine.
    pub fn prepared(&self, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<(), Refusal> {
        self.send(&Call::Introduce)?;
        self.answer(stop, || None, listener).map(drop)
    }

    fn answer(
        &self,
        stop: &AtomicBool,
        on_stop: impl Fn() -> Option<String>,
        listener: &mut dyn Listener,
    ) -> Result<Value, Refusal> {
        let why = match self.reply(stop, on_stop, listener) {
            Ok(Line::Answer(answer)) => return answer,
            Err(NoReply::Failed(error)) => return Err(error),
            Err(NoReply::Listener(words)) => return Err(Refusal::of_machine(words)),
            Ok(_) => NoReply::Ended,
            Err(why) => why,
        };
        self.is_lost.set(true);
        Err(Refusal::of_machine(format!("the connection to the agent is lost: {why}")))
    }
}

impl Remote for Connection {
    fn send(&self, call: &Call) -> Result<(), Refusal> {
        self.calls.set(self.calls.get() + 1);
        self.tell(&Message::Call(self.calls.get(), call.clone()));
        Ok(())
    }

    fn receive(&self, stop: &AtomicBool) -> Result<Value, Refusal> {
        let end_early = || serde_json::to_string(&Message::Stop(self.calls.get())).ok();
        self.answer(stop, end_early, &mut Ignored)
    }

    fn is_lost(&self) -> bool {
        self.is_lost.get()
    }
}

/// The lines of `output` as they come. They are read until its end: what could not write its last lines would fail.
pub fn lines(output: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || output.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    lines
}

#[cfg(test)]
mod tests {
    use fsarena_engine::NEVER;
    use fsarena_model::Event;

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
        let output = std::io::Cursor::new(lines.to_owned().into_bytes());
        let connection = Connection::new("agent", std::io::sink(), output, Duration::MAX);
        let ended = connection.follow(&NEVER, || None, &mut heard).map_err(|error| error.to_string());
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
            (version() + "{\"failed\":{\"text\":\"no room\",\"category\":\"machine\",\"hint\":null}}\n", "no room"),
        ];
        for (lines, expected) in cases {
            let error = followed(&lines).0.expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
    }
}
