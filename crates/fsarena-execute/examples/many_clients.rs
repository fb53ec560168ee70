//! What the coordinator of a run with many clients does for each slice: messages, bytes, time and memory.
//!
//! The clients are simulated: each answers at once, through JSON, with the histogram of a thousand operations.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fsarena_engine::{Engines, Limit, Operation, RunStats};
use fsarena_execute::remote::{Call, Clocks, Machines, Ran, Remote};
use fsarena_execute::{Refusal, Workloads};
use fsarena_model::{Clients, Nanos, Plan, WhenLost, Workload};
use fsarena_sys::{MonotonicClock, clock};
use serde_json::{Value, json};

/// Operations of a client in a slice.
const OPERATIONS: u64 = 1000;

/// Slices that are timed.
const SLICES: u32 = 20;

/// Messages and bytes in both directions.
#[derive(Default)]
struct Traffic {
    messages: Cell<u64>,
    bytes: Cell<u64>,
}

impl Traffic {
    fn count(&self, text: &str) {
        self.messages.set(self.messages.get() + 1);
        self.bytes.set(self.bytes.get() + text.len() as u64);
    }
}

/// A client that answers at once.
struct Simulated {
    traffic: Rc<Traffic>,
    calls: RefCell<VecDeque<Call>>,
    number: u64,
}

impl Simulated {
    fn answer(&self, call: Call) -> Value {
        match call {
            Call::Clocks => json!(Clocks { monotonic: clock::now(), time_of_day: clock::time_of_day() }),
            Call::Open { .. } => json!(false),
            Call::Run { at, .. } => {
                let mut stats = RunStats::new();
                for operation in 0..OPERATIONS {
                    // Latencies of 100 µs to 10 ms.
                    let latency =
                        100_000 + fsarena_model::seed::scatter(operation + self.number * OPERATIONS) % 9_900_000;
                    stats.record(Operation::Create, Nanos(latency));
                }
                (stats.operations, stats.elapsed) = (OPERATIONS, Nanos::millis(500));
                stats.end_part(stats.elapsed);
                json!(Ran { stats, reads_on: false, began: at.unwrap_or_default() })
            }
            _ => Value::Null,
        }
    }
}

impl Remote for Simulated {
    fn send(&self, call: &Call) -> Result<(), Refusal> {
        let text = serde_json::to_string(call).expect("a call is JSON");
        self.traffic.count(&text);
        self.calls.borrow_mut().push_back(serde_json::from_str(&text).expect("a call"));
        Ok(())
    }

    fn receive(&self, _stop: &AtomicBool) -> Result<Value, Refusal> {
        let call = self.calls.borrow_mut().pop_front().expect("a call was sent");
        let text = self.answer(call).to_string();
        self.traffic.count(&text);
        Ok(serde_json::from_str(&text).expect("an answer"))
    }

    fn is_lost(&self) -> bool {
        false
    }
}

fn main() {
    println!(
        "{:>7}  {:>14}  {:>11}  {:>12}  {:>15}",
        "clients", "messages/slice", "bytes/slice", "ms per slice", "peak memory MiB"
    );
    for count in [1, 10, 100, 1000] {
        measure(count);
    }
}

fn measure(count: u64) {
    let traffic = Rc::new(Traffic::default());
    let client = |number| Simulated { traffic: Rc::clone(&traffic), calls: RefCell::default(), number };
    let stop = AtomicBool::new(false);
    let commands = (0..count).map(|number| format!("ssh node{number} fsarena agent")).collect();
    let clients = Clients { commands, numbers: vec![count as u32], when_lost: WhenLost::End, servers: Vec::new() };
    let plan = Plan { clients: Some(clients), ..Plan::of(vec!["dir:/".parse().expect("a contender")]) };
    let remotes = (0..count).map(|number| (client(number), &plan)).collect();
    let mut machines = Machines::new(&plan, remotes, Engines(&[]), Vec::new(), Rc::new(MonotonicClock));
    let workload: Workload = fsarena_catalog::workload("create-fsync").expect("of the catalogue");
    let mut job = machines.open(0, &workload.with_clients(count as u32), 1, &stop).expect("it opens");
    traffic.messages.set(0);
    traffic.bytes.set(0);
    let begin = Instant::now();
    let mut stats = RunStats::new();
    for _ in 0..SLICES {
        stats.clear();
        job.run(&Limit::new(Some(Nanos::millis(500)), &stop), &mut stats).expect("it runs");
    }
    let each = |all: u64| all / u64::from(SLICES);
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3 / f64::from(SLICES);
    println!(
        "{count:>7}  {:>14}  {:>11}  {milliseconds:>12.1}  {:>15}",
        each(traffic.messages.get()),
        each(traffic.bytes.get()),
        peak()
    );
    assert_eq!(stats.latency(Operation::Create).map(|latency| latency.count), Some(OPERATIONS * count));
}

/// The peak resident size of this process, MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}
