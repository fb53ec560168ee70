//! Runs by calls of a testbed: this command's side and the agent's.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::Result;
use fsarena_execute::remote::{Machines, Served};
use fsarena_execute::{Assignment, Listener, Testbed};
use fsarena_sys::{MonotonicClock, clock};

use crate::End;
use crate::agent::{self, Line};
use crate::connection::{Connection, Message};

/// Does what remains of an assignment on machines that answer calls, until `stop` is set or a machine is lost.
///
/// # Errors
/// Those of [`fsarena_execute::run`].
pub fn run(
    assignment: &Assignment,
    machines: &mut Machines<Connection>,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let Some(rest) = assignment.begin(&MonotonicClock, clock::utc(), listener)? else { return Ok(End::Nothing) };
    let over = machines.over();
    let is_over = || stop.load(Ordering::Relaxed) || over.load(Ordering::Relaxed);
    let work = |stop: &AtomicBool| fsarena_execute::run(rest, machines, &MonotonicClock, stop, listener);
    Ok(fsarena_engine::watched(is_over, work)?.into())
}

/// The call that is being answered, and the last one that is to end early; both by number.
#[derive(Default)]
struct Stops {
    current: AtomicU64,
    stopped: AtomicU64,
    flag: AtomicBool,
}

/// Answers the calls that arrive on stdin with `testbed`, on stdout, until stdin ends.
pub fn serve(testbed: &mut dyn Testbed) -> Result<()> {
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
        agent::write(&Line::Answer(served.answer(call, &stops.flag)))?;
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
