//! Calls of a testbed over a connection to an agent: this command's side and the agent's.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use fsarena_engine::NEVER;
use fsarena_execute::remote::{Call, Remote, Served};
use fsarena_execute::{Assignment, Listener, Refusal, Testbed};
use fsarena_sys::{MonotonicClock, clock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::End;
use crate::agent::{self, Line, Request};

/// How often to look whether a call is to end early.
const LOOK: Duration = Duration::from_millis(20);

/// A line of the agent's stdin after the request. Calls are numbered from 1.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    /// A call to answer.
    Call(u64, Call),
    /// The call with this number is to end early.
    Stop(u64),
}

/// A connection to an agent that answers calls. The agent ends when this is dropped.
pub struct Connection {
    input: RefCell<Box<dyn Write>>,
    lines: Receiver<String>,
    /// The number of the last call.
    calls: Cell<u64>,
    /// How long the agent may be silent.
    patience: Duration,
    /// Set when the connection is lost, so that the run ends.
    lost: Arc<AtomicBool>,
}

impl Connection {
    /// Gives the agent `request`, which makes it prepare its machine. Sets `lost` when the connection is lost, or the
    /// agent is silent for longer than `patience`.
    ///
    /// # Errors
    /// If the agent does not take the request.
    pub fn open(
        input: Box<dyn Write>,
        output: impl BufRead + Send + 'static,
        request: &Request,
        lost: Arc<AtomicBool>,
        patience: Duration,
    ) -> Result<Self, Refusal> {
        let (input, lines) = (RefCell::new(input), agent::lines(output));
        let connection = Self { input, lines, calls: Cell::new(0), patience, lost };
        connection.write(request)?;
        connection.send(&Call::Ready)?;
        Ok(connection)
    }

    /// Waits until the agent's machine is prepared, and passes its events to `listener`. Comes before the first call.
    ///
    /// # Errors
    /// If the agent cannot prepare its machine.
    pub fn prepared(&self, listener: &mut dyn Listener) -> Result<(), Refusal> {
        self.answer(&NEVER, Some(listener)).map(drop)
    }

    fn write(&self, message: &impl Serialize) -> Result<(), Refusal> {
        let text = serde_json::to_string(message).map_err(|error| Refusal::of_machine(error.to_string()))?;
        let written = self.input.borrow_mut().write_all(format!("{text}\n").as_bytes());
        written.map_err(|error| self.lose(&error.to_string()))
    }

    /// The error of a lost connection.
    fn lose(&self, why: &str) -> Refusal {
        self.lost.store(true, Ordering::Relaxed);
        Refusal::of_machine(format!("the connection to the agent is lost: {why}"))
    }

    /// Waits for the answer to the last call.
    fn answer(&self, stop: &AtomicBool, mut listener: Option<&mut dyn Listener>) -> Result<Value, Refusal> {
        let (mut is_stopped, mut heard_at) = (false, Instant::now());
        loop {
            let line = self.lines.recv_timeout(LOOK);
            if !matches!(line, Err(RecvTimeoutError::Timeout)) {
                heard_at = Instant::now();
            } else if heard_at.elapsed() > self.patience {
                return Err(self.lose(&format!("it was silent for {:.0} s", self.patience.as_secs_f64())));
            }
            let understood = line.map(|line| serde_json::from_str::<Line>(&line).map_err(|_| self.lose(&line)));
            match understood {
                Ok(line) => match line?.unless_failed("it")? {
                    Line::Answer(answer) => return answer,
                    Line::Event(event) => {
                        let heard = listener.as_mut().map_or(Ok(()), |listener| listener.hear(&event));
                        heard.map_err(Refusal::of_machine)?;
                    }
                    Line::Ended(_) => return Err(self.lose("it has ended")),
                    Line::Version(_) | Line::Alive | Line::Failed { .. } => {}
                },
                Err(RecvTimeoutError::Disconnected) => return Err(self.lose("it has ended")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !is_stopped && stop.load(Ordering::Relaxed) {
                is_stopped = true;
                self.write(&Message::Stop(self.calls.get()))?;
            }
        }
    }
}

impl Remote for Connection {
    fn send(&self, call: &Call) -> Result<(), Refusal> {
        let number = self.calls.get() + 1;
        self.calls.set(number);
        self.write(&Message::Call(number, call.clone()))
    }

    fn receive(&self, stop: &AtomicBool) -> Result<Value, Refusal> {
        self.answer(stop, None)
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Does what remains of an assignment on machines that answer calls, until `is_over`.
///
/// # Errors
/// Those of [`fsarena_execute::run`].
pub fn run(
    assignment: &Assignment,
    machines: &mut dyn Testbed,
    is_over: impl Fn() -> bool + Send,
    listener: &mut dyn Listener,
) -> Result<End> {
    let Some(rest) = assignment.begin(&MonotonicClock, clock::utc(), listener)? else { return Ok(End::Nothing) };
    let look = |stop: &AtomicBool| fsarena_execute::run(rest, machines, &MonotonicClock, stop, listener);
    Ok(fsarena_engine::watched(is_over, look)?.into())
}

/// The call that is being answered, and the last one that is to end early; both by number.
#[derive(Default)]
struct Stops {
    current: AtomicU64,
    stopped: AtomicU64,
    flag: AtomicBool,
}

/// Answers the calls that arrive on stdin with `testbed` until stdin ends. Gives each answer to `write`.
pub fn serve(testbed: &mut dyn Testbed, mut write: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let (stops, (sender, calls)) = (Arc::new(Stops::default()), mpsc::channel());
    let reader = Arc::clone(&stops);
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str(&line) else { break };
            match message {
                Message::Call(number, call) => drop(sender.send((number, call))),
                Message::Stop(number) => reader.stop(number),
            }
        }
        // The connection is lost: all calls end.
        reader.stop(u64::MAX);
    });
    let mut served = Served::new(testbed, &MonotonicClock, fsarena_probe::machine_name());
    for (number, call) in calls {
        stops.begin(number);
        write(Line::Answer(served.answer(call, &stops.flag)))?;
    }
    Ok(())
}

impl Stops {
    fn begin(&self, number: u64) {
        self.current.store(number, Ordering::SeqCst);
        self.flag.store(self.stopped.load(Ordering::SeqCst) >= number, Ordering::SeqCst);
    }

    fn stop(&self, number: u64) {
        self.stopped.store(number, Ordering::SeqCst);
        if number >= self.current.load(Ordering::SeqCst) {
            self.flag.store(true, Ordering::SeqCst);
        }
    }
}
