//! Records the events of a slice, and finds out what they say.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use fsarena_model::{AvoidableTime, Avoided, Nanos, Spent, Trace};
use fsarena_sys::perf::{EventKind, EventStream, RecordedEvent};
use fsarena_sys::tracefs::{Tracefs, Tracepoint};
use fsarena_sys::{block, clock};
use rustix::event::{EventfdFlags, eventfd};

use crate::account::{LOOP_DRIVER, Traced};
use crate::division::{Recording, sum};
use crate::fields::EventFields;
use crate::requests::{DeviceLog, RequestChange, request_kind};
use crate::symbols::{Sleep, Symbols};
use crate::threads::{Change, Sample, Threads};
use crate::work::WorkThreads;
use crate::{Span, Subject};

/// Least and most samples of each processor per second, each of which takes some microseconds, and how many short work
/// should have.
const SAMPLES: (u64, u64) = (499, 4_999);
const ENOUGH_SAMPLES: u64 = 49;

/// Pages of memory for the events of each processor. What is small stays in the processor's cache.
const PAGES: usize = 256;

/// Most bytes of events. A whole run may take long.
const MOST_BYTES: usize = 512 << 20;

/// What an event with a call chain costs, in events without one: some 24 functions of 50 ns each.
const CHAIN_COST: f64 = 3.0;

/// What the two records of a switch cost that are no tracepoint's, in events.
const SWITCH_COST: f64 = 0.9;

/// The process namespace of the machine, in which the numbers in tracepoints are (PROC_PID_INIT_INO).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// The positions of the kinds of events in the stream.
const BLOCKED: usize = 0;
const SWITCHED: usize = 1;
const WOKEN: usize = 2;
const WORK: usize = 3;
const CLOCK: usize = 4;
const ISSUED: usize = 5;
const COMPLETED: usize = 6;
const KINDS: usize = 7;

/// Bits of the field `common_flags`: in a hardware or software interrupt, or an NMI (`include/linux/trace_events.h`).
const IN_INTERRUPT: u64 = 0x08 | 0x10 | 0x40;

/// Switches from a thread that waits. Of kernel threads, which switch often, only the time is of interest.
const WITH_CHAIN: &str = "prev_state & 255 && !(prev_comm ~ \"kworker*\") && !(prev_comm ~ \"jbd2*\") && \
    !(prev_comm ~ \"ksoftirqd*\") && !(prev_comm ~ \"rcu*\")";

/// Bits of `prev_state`: the thread waits; it has ended (EXIT_DEAD, EXIT_ZOMBIE, TASK_PARKED). Others: it was preempted.
const WAITS: u64 = 0xff;
const HAS_ENDED: u64 = 0x70;

/// A kernel thread without work (TASK_REPORT_IDLE).
const IDLES: u64 = 0x80;

/// The functions of the loop driver's workers.
const LOOP_FUNCTIONS: &[&str] = &["loop_workfn", "loop_rootcg_workfn"];

/// A trace of events that is being recorded; see [`crate::Tracer`].
pub struct Recorder {
    subject: Subject,
    /// Samples of each processor per second.
    samples: u64,
    work: WorkThreads,
    format: EventFields,
    begun: u64,
    is_over: Over,
    thread: JoinHandle<io::Result<Recorded>>,
}

/// Readable at the end (eventfd(2)). Dropping it ends the recording.
struct Over(Arc<OwnedFd>);

impl Drop for Over {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// With the bytes that were recorded for each processor.
type Recorded = (EventStream, Vec<Vec<u8>>);

impl Recorder {
    /// Begins to record.
    ///
    /// # Errors
    /// Without the privilege to record all processors, or if the kernel lacks a tracepoint.
    pub fn start(subject: Subject) -> io::Result<Self> {
        if std::fs::read_link("/proc/self/ns/pid")?.as_os_str() != FIRST_NAMESPACE {
            return Err(io::Error::other(
                "the numbers of processes are not the machine's, as those of events are (docker run --pid=host)",
            ));
        }
        let tracefs = Tracefs::open()?;
        let switch = tracefs.tracepoint("sched/sched_switch")?;
        let waking = tracefs.tracepoint("sched/sched_waking")?;
        let work = tracefs.tracepoint("workqueue/workqueue_execute_start")?;
        let issue = tracefs.tracepoint("block/block_rq_issue")?;
        let complete = tracefs.tracepoint("block/block_rq_complete")?;
        // An odd number is not in step with the kernel's ticks.
        let samples = (ENOUGH_SAMPLES * 1_000_000_000 / subject.lasts.0.max(1)).clamp(SAMPLES.0, SAMPLES.1) | 1;
        let event = |tracepoint: &Tracepoint, filter: String, has_chain: bool| EventKind::Tracepoint {
            id: tracepoint.id,
            filter,
            has_chain,
        };
        let mut kinds = vec![
            event(&switch, WITH_CHAIN.to_owned(), true),
            event(&switch, format!("!({WITH_CHAIN})"), false),
            event(&waking, String::new(), false),
            event(&work, String::new(), false),
            EventKind::Clock(samples),
        ];
        if let Some(device) = subject.device.as_deref().and_then(block::kernel_number) {
            kinds.extend([&issue, &complete].map(|tracepoint| event(tracepoint, format!("dev == {device}"), false)));
        }
        let format = EventFields::of(&switch, &waking, &work, &issue, &complete).ok_or_else(unknown_format)?;
        let mut stream = EventStream::open(kinds, PAGES)?;
        let is_over = Over(Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?));
        let work = WorkThreads::now();
        let over = Arc::clone(&is_over.0);
        // The recording begins when this thread exists, so that it is none of those that the work creates.
        let (is_started, started) = mpsc::channel();
        let thread = std::thread::Builder::new().name("fsarena-trace".to_owned()).spawn(move || {
            let mut bytes = Vec::new();
            let begun = clock::now().0;
            stream.start()?;
            let _ = is_started.send(begun);
            // A thread that woke often would take the processor from those that are traced.
            while !stream.wait(over.as_fd())? {
                stream.drain(&mut bytes);
                let all: usize = bytes.iter().map(Vec::len).sum();
                if all > MOST_BYTES {
                    return Err(io::Error::other(format!("{} MiB of events are too many", all >> 20)));
                }
            }
            stream.stop()?;
            stream.drain(&mut bytes);
            Ok((stream, bytes))
        })?;
        let Ok(begun) = started.recv() else {
            return Err(recorded(thread).err().unwrap_or_else(|| io::Error::other("the recording did not start")));
        };
        Ok(Self { subject, samples, work, format, begun, is_over, thread })
    }

    /// Ends the trace; see [`crate::Tracer::stop`].
    ///
    /// # Errors
    /// If the kernel refuses to stop or hides the addresses of its functions, or if there were too many events.
    pub fn stop(self, operations: u64, elapsed: Nanos, spans: &[Span]) -> io::Result<Trace> {
        let end = clock::now().0;
        drop(self.is_over);
        let (stream, bytes) = recorded(self.thread)?;
        let symbols = Symbols::of(&self.subject.symbols).ok_or_else(|| {
            io::Error::other("the kernel hides the addresses of its functions (kernel.kptr_restrict)")
        })?;
        let mut reading = Reading::new(&self.format, &symbols, self.work);
        let whole = Span { start: self.begun, end };
        for bytes in &bytes {
            reading.begin(whole.start);
            stream.read(bytes, |event| reading.take(event));
        }
        let spans = if spans.is_empty() { std::slice::from_ref(&whole) } else { spans };
        let recorded = reading.recorded;
        let knobs = self.subject.symbols.knobs;
        let mut traced = reading.finish(whole, spans);
        let missing = |(kind, passed): (usize, u64)| {
            let missing = passed.saturating_sub(recorded[kind]);
            match kind {
                // Other wake-ups change nothing: the thread ran, or came to an idle processor at once.
                WOKEN => missing.min(traced.threads.woken_unseen),
                // Only the duration of the request is lost.
                COMPLETED => missing.saturating_sub(traced.device.without_end),
                _ => missing,
            }
        };
        let lost = stream.passed()?.into_iter().enumerate().map(missing).sum();
        let recorded = recorded.iter().sum();
        let flushes = (0..).zip(knobs).filter(|(_, knob)| knob.avoids == Avoided::Flushes);
        traced.sample_seconds = 1.0 / self.samples as f64;
        traced.flush_knobs = flushes.fold(0, |all, (index, _)| all | 1 << index);
        let (parts, avoided) = traced.parts(spans);
        let avoidable = (0..).zip(knobs).map(|(index, knob)| AvoidableTime {
            with: knob.with.to_owned(),
            without: knob.without.to_owned(),
            seconds: avoided.get(&index).map_or(0.0, |part| part.seconds),
            events: avoided.get(&index).map_or(0.0, |part| part.events),
        });
        let (seconds, requests, avoidable) = (sum(&parts), traced.device.totals, avoidable.collect());
        Ok(Trace { operations, elapsed, seconds, parts, requests, avoidable, recorded, lost, limited: None })
    }
}

fn recorded(thread: JoinHandle<io::Result<Recorded>>) -> io::Result<Recorded> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn unknown_format() -> io::Error {
    io::Error::other("the kernel's tracepoints lack a field")
}

/// Collects events.
struct Reading<'a> {
    format: &'a EventFields,
    symbols: &'a Symbols,
    before: WorkThreads,
    changes: Vec<(u64, Change)>,
    requests: Vec<RequestChange>,
    samples: Vec<Sample>,
    recordings: Vec<Recording>,
    /// The process of each thread that was seen on a processor.
    processes: HashMap<u32, u32>,
    /// The process that created each process, and the threads that were created.
    parents: HashMap<u32, u32>,
    created: HashSet<u32>,
    names: HashMap<u32, String>,
    works: HashMap<u32, Vec<(u64, String)>>,
    drivers: HashSet<u32>,
    /// Passes of tracepoints, by kind.
    recorded: [u64; KINDS],
    /// The begin of the trace, until the first switch of a processor is read.
    begun: Option<u64>,
}

impl<'a> Reading<'a> {
    fn new(format: &'a EventFields, symbols: &'a Symbols, before: WorkThreads) -> Self {
        Self {
            format,
            symbols,
            before,
            changes: Vec::new(),
            requests: Vec::new(),
            samples: Vec::new(),
            recordings: Vec::new(),
            processes: HashMap::new(),
            parents: HashMap::new(),
            created: HashSet::new(),
            names: HashMap::new(),
            works: HashMap::new(),
            drivers: HashSet::new(),
            recorded: [0; KINDS],
            begun: None,
        }
    }

    /// Begins with the events of a processor.
    fn begin(&mut self, begun: u64) {
        self.begun = Some(begun);
    }

    fn take(&mut self, event: RecordedEvent<'_>) {
        match event {
            RecordedEvent::Sample { kind, process, thread, time, is_user, chain, raw } => {
                self.processes.insert(thread, process);
                match kind {
                    CLOCK => {
                        let at = if is_user { Spent::User } else { Spent::Kernel(self.symbols.layer(chain)) };
                        let knobs = self.symbols.knobs(chain);
                        self.samples.push(Sample { time, thread, at, knobs });
                        self.changes.push((time, Change::Runs(thread)));
                    }
                    _ => drop(self.tracepoint(kind, (time, thread), chain, raw)),
                }
            }
            RecordedEvent::Fork { process, parent, thread, time } => {
                self.processes.insert(thread, process);
                if process != parent {
                    self.parents.insert(process, parent);
                }
                self.created.insert(thread);
                self.changes.push((time, Change::Created(thread)));
            }
            RecordedEvent::SwitchedIn { thread, time } => {
                self.begun = None;
                self.recordings.push(Recording { time, thread, cost: SWITCH_COST });
                self.changes.push((time, Change::SwitchedIn(thread)));
            }
            RecordedEvent::Named { thread, name } => drop(self.names.insert(thread, name.to_owned())),
        }
    }

    /// `None` if the data are shorter than they should be.
    fn tracepoint(&mut self, kind: usize, (time, thread): (u64, u32), chain: &[[u8; 8]], raw: &[u8]) -> Option<()> {
        let format = self.format;
        let is_switch = matches!(kind, BLOCKED | SWITCHED);
        let runs = if is_switch { format.to.number(raw)? as u32 } else { thread };
        self.recorded[kind] += 1;
        let cost = if kind == BLOCKED { CHAIN_COST } else { 1.0 };
        self.recordings.push(Recording { time, thread: runs, cost });
        match kind {
            BLOCKED | SWITCHED => {
                let (from, to) = (format.from.number(raw)? as u32, format.to.number(raw)? as u32);
                for (thread, name) in [(from, format.from_name), (to, format.to_name)] {
                    let name = thread_name(name.text(raw)?);
                    self.names.entry(thread).or_insert_with(|| name.to_owned());
                }
                // The thread that a processor leaves first has run on it since before the trace.
                self.changes.extend(self.begun.take().map(|begun| (begun, Change::Runs(from))));
                let state = format.from_state.number(raw)?;
                let sleep = match state & WAITS {
                    0 => None,
                    _ if state & HAS_ENDED != 0 || state & IDLES != 0 && chain.is_empty() => Some((Sleep::Idle, 0)),
                    _ => Some((self.symbols.sleep(chain), self.symbols.knobs(chain))),
                };
                self.changes.push((time, Change::Switch { from, sleep, to }));
            }
            WOKEN => {
                let is_interrupt = format.flags.number(raw)? & IN_INTERRUPT != 0 || thread == 0;
                let by = (!is_interrupt).then_some(thread);
                self.changes.push((time, Change::Woken { thread: format.woken.number(raw)? as u32, by }));
            }
            WORK => {
                let function = self.symbols.work(format.work_function.number(raw)?).unwrap_or("unknown");
                let is_driver = LOOP_FUNCTIONS.contains(&function);
                if is_driver {
                    self.drivers.insert(thread);
                }
                let name = if is_driver { LOOP_DRIVER.to_owned() } else { format!("kworker ({function})") };
                self.works.entry(thread).or_default().push((time, name));
            }
            ISSUED | COMPLETED => {
                let fields = if kind == ISSUED { &format.issued } else { &format.completed };
                let bytes = fields.sectors.number(raw)? * 512;
                let sector = fields.sector.number(raw)?;
                let letters = request_kind(fields.letters.text(raw)?);
                let issued = (kind == ISSUED).then_some(bytes);
                self.requests.push(RequestChange { time, sector, kind: letters, issued });
            }
            _ => {}
        }
        Some(())
    }

    fn finish(mut self, whole: Span, spans: &[Span]) -> Traced {
        self.changes.sort_by_key(|(time, _)| *time);
        self.requests.sort_by_key(|change| change.time);
        self.samples.sort_by_key(|sample| sample.time);
        self.works.values_mut().for_each(|works| works.sort_by_key(|(time, _)| *time));
        self.recordings.sort_by_key(|recording| recording.time);
        let work: HashSet<u32> =
            self.processes.keys().copied().filter(|thread| *thread != 0 && self.is_work(*thread)).collect();
        Traced {
            threads: Threads::follow(&self.changes, whole.end),
            work,
            processes: self.processes,
            drivers: self.drivers,
            names: self.names,
            works: self.works,
            samples: self.samples,
            device: DeviceLog::follow(&self.requests, whole.end, spans),
            recordings: self.recordings,
            flush_knobs: 0,
            sample_seconds: 0.0,
        }
    }

    fn is_work(&self, thread: u32) -> bool {
        let Some(process) = self.processes.get(&thread).copied() else { return false };
        if process == self.before.own_process {
            return thread == self.before.own_thread || self.created.contains(&thread);
        }
        let mut ancestor = Some(process);
        while let Some(process) = ancestor {
            if process == self.before.own_process || self.before.processes.contains(&process) {
                return true;
            }
            ancestor = self.parents.get(&process).copied().filter(|parent| *parent != process);
        }
        false
    }
}

/// `jbd2/loop0-8` is `jbd2`: the name of a kernel thread without its device.
fn thread_name(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}
