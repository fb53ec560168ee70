//! Records the events of a slice, and finds out what they say.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use fsarena_model::{AvoidableTime, Avoided, Nanos, Spent, Trace};
use fsarena_sys::perf::{SampleRecord, SampleStream, read_samples};
use fsarena_sys::tracefs::{TraceBuffer, TraceReader, TracedEvent, read_events};
use fsarena_sys::{block, clock};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::account::{LOOP_DRIVER, Traced};
use crate::division::{Recording, sum};
use crate::fields::{Event, EventFields};
use crate::requests::{DeviceLog, RequestChange, request_kind};
use crate::symbols::{Sleep, Symbols};
use crate::threads::{ThreadChange, ThreadSample, Threads};
use crate::work::WorkThreads;
use crate::{Span, Subject};

/// Least and most samples of each processor per second, each of which takes some microseconds, and how many short work
/// should have.
const SAMPLES: (u64, u64) = (499, 4_999);
const ENOUGH_SAMPLES: u64 = 49;

/// The most samples per second that the kernel allows (Documentation/admin-guide/sysctl/kernel.rst).
const MOST_SAMPLES: &str = "/proc/sys/kernel/perf_event_max_sample_rate";

/// Pages of memory for the samples of each processor.
const PAGES: usize = 128;

/// Most bytes of events. A whole run may take long.
const MOST_BYTES: usize = 512 << 20;

/// What an event with a call chain costs, in events without one.
const CHAIN_COST: f64 = 5.0;

/// The process namespace of the machine, in which the numbers in tracepoints are (PROC_PID_INIT_INO).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

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
    /// The queues of its device, if requests to it are recorded.
    queues: Option<usize>,
    /// Samples of each processor per second.
    hertz: u64,
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

/// What was recorded, as bytes.
#[derive(Default)]
struct Recorded {
    /// Events, by processor.
    events: Vec<Vec<u8>>,
    samples: Vec<u8>,
    /// Events that were lost.
    lost: u64,
}

impl Recorded {
    fn drain(&mut self, events: &mut TraceReader, samples: &mut SampleStream) -> io::Result<()> {
        events.drain(&mut self.events)?;
        samples.drain(&mut self.samples);
        let all = self.samples.len() + self.events.iter().map(Vec::len).sum::<usize>();
        match all > MOST_BYTES {
            true => Err(io::Error::other(format!("{} MiB of events are too many", all >> 20))),
            false => Ok(()),
        }
    }
}

impl Recorder {
    /// Begins to record, with a buffer that nothing else uses.
    ///
    /// # Errors
    /// Without the privilege to record all processors, or if the kernel lacks a tracepoint.
    pub fn start(subject: Subject, buffer: &Arc<TraceBuffer>) -> io::Result<Self> {
        if std::fs::read_link("/proc/self/ns/pid")?.as_os_str() != FIRST_NAMESPACE {
            return Err(io::Error::other(
                "the numbers of processes are not the machine's, as those of events are (docker run --pid=host)",
            ));
        }
        let format = EventFields::read(buffer.tracefs())?;
        // An odd number is not in step with the kernel's ticks.
        let hertz = (ENOUGH_SAMPLES * 1_000_000_000 / subject.lasts.0.max(1)).clamp(SAMPLES.0, SAMPLES.1) | 1;
        // The kernel lowers its limit by itself where samples take long, as in virtual machines.
        let most = std::fs::read_to_string(MOST_SAMPLES).ok().and_then(|text| text.trim().parse().ok());
        let hertz = most.map_or(hertz, |most| hertz.min(most));
        let mut samples = SampleStream::open(hertz, PAGES)?;
        let traced = |event: Event, filter| TracedEvent { name: event.name(), filter, with_chain: None };
        let mut kinds = vec![TracedEvent { with_chain: Some(WITH_CHAIN), ..traced(Event::Switch, String::new()) }];
        kinds.extend([Event::Ran, Event::Woken, Event::Work].map(|event| traced(event, String::new())));
        let device = subject.device.as_deref().and_then(block::kernel_number);
        if let Some(device) = device {
            kinds.extend([Event::Issued, Event::Completed].map(|event| traced(event, format!("dev == {device}"))));
        }
        let is_over = Over(Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?));
        let work = WorkThreads::now();
        let (over, buffer) = (Arc::clone(&is_over.0), Arc::clone(buffer));
        // The recording begins when this thread exists, so that it is none of those that the work creates.
        let (is_started, started) = mpsc::channel();
        let thread = std::thread::Builder::new().name("fsarena-trace".to_owned()).spawn(move || {
            let mut recorded = Recorded::default();
            let mut events = buffer.start(kinds)?;
            let begun = clock::now().0;
            samples.start()?;
            let _ = is_started.send(begun);
            // A thread that woke often would take the processor from those that are traced.
            while !is_readable(over.as_fd(), events.pipes().iter().map(AsFd::as_fd).chain(samples.owners()))? {
                recorded.drain(&mut events, &mut samples)?;
            }
            samples.stop()?;
            events.stop()?;
            recorded.drain(&mut events, &mut samples)?;
            recorded.lost = events.lost()?;
            Ok(recorded)
        })?;
        let Ok(begun) = started.recv() else {
            return Err(joined(thread).err().unwrap_or_else(|| io::Error::other("the recording did not start")));
        };
        let queues = device.and(subject.device.as_deref()).map(block::hardware_queues);
        Ok(Self { subject, queues, hertz, work, format, begun, is_over, thread })
    }

    /// Ends the trace; see [`crate::Tracer::stop`].
    ///
    /// # Errors
    /// If the kernel refuses to stop or hides the addresses of its functions, or if there were too many events.
    pub fn stop(self, operations: u64, elapsed: Nanos, spans: &[Span]) -> io::Result<Trace> {
        let end = clock::now().0;
        drop(self.is_over);
        let recorded = joined(self.thread)?;
        let symbols = Symbols::of(&self.subject.symbols).ok_or_else(|| {
            io::Error::other("the kernel hides the addresses of its functions (kernel.kptr_restrict)")
        })?;
        let mut reading = Reading::new(&self.format, &symbols, self.work);
        let whole = Span { start: self.begun, end };
        for bytes in &recorded.events {
            reading.begun = Some(whole.start);
            read_events(bytes, |time, data| {
                let _ = (time >= whole.start).then(|| reading.event(time, data));
            });
            reading.finish_switch(&[]);
        }
        read_samples(&recorded.samples, |record| reading.sample(record));
        let spans = if spans.is_empty() { std::slice::from_ref(&whole) } else { spans };
        let lost = recorded.lost + reading.lost;
        let knobs = self.subject.symbols.knobs;
        let mut traced = reading.finish(whole, spans, self.queues);
        let flushes = (0..).zip(knobs).filter(|(_, knob)| knob.avoids == Avoided::Flushes);
        traced.sample_seconds = 1.0 / self.hertz as f64;
        traced.flush_knobs = flushes.fold(0, |all, (index, _)| all | 1 << index);
        let (parts, avoided) = traced.parts(spans);
        let avoidable = (0..).zip(knobs).map(|(index, knob)| AvoidableTime {
            with: knob.with.to_owned(),
            without: knob.without.to_owned(),
            seconds: avoided.get(&index).map_or(0.0, |part| part.seconds),
            events: avoided.get(&index).map_or(0.0, |part| part.events),
        });
        let (seconds, requests, avoidable) = (sum(&parts), traced.device.totals, avoidable.collect());
        let recorded = traced.recordings.len() as u64;
        Ok(Trace { operations, elapsed, seconds, parts, requests, avoidable, recorded, lost, limited: None })
    }
}

fn joined(thread: JoinHandle<io::Result<Recorded>>) -> io::Result<Recorded> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Waits until a file is readable. Returns whether `other` is.
fn is_readable<'a>(other: BorrowedFd<'a>, files: impl Iterator<Item = BorrowedFd<'a>>) -> io::Result<bool> {
    let all = std::iter::once(other).chain(files);
    let mut all: Vec<PollFd<'_>> = all.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)).collect();
    rustix::io::retry_on_intr(|| poll(&mut all, None))?;
    Ok(!all[0].revents().is_empty())
}

/// Collects events.
struct Reading<'a> {
    format: &'a EventFields,
    symbols: &'a Symbols,
    before: WorkThreads,
    changes: Vec<(u64, ThreadChange)>,
    requests: Vec<RequestChange>,
    /// The process that created each process, and the threads that were created.
    parents: HashMap<u32, u32>,
    created: HashSet<u32>,
    traced: Traced,
    /// Samples, forks and names that were lost.
    lost: u64,
    /// The begin of the trace, until the first switch of a processor is read.
    begun: Option<u64>,
    /// The last switch of the processor, while its call chain may follow.
    switch: Option<Switch>,
}

#[derive(Clone, Copy)]
struct Switch {
    time: u64,
    from: u32,
    state: u64,
    to: u32,
}

impl<'a> Reading<'a> {
    fn new(format: &'a EventFields, symbols: &'a Symbols, mut before: WorkThreads) -> Self {
        let traced = Traced { processes: std::mem::take(&mut before.threads), ..Traced::default() };
        let (changes, requests, parents, created, lost) = Default::default();
        Self { format, symbols, before, changes, requests, parents, created, traced, lost, begun: None, switch: None }
    }

    fn sample(&mut self, record: SampleRecord<'_>) {
        match record {
            SampleRecord::Sample { process, thread, time, is_user, chain } => {
                self.traced.processes.insert(thread, process);
                let at = if is_user { Spent::User } else { Spent::Kernel(self.symbols.layer(chain)) };
                self.traced.samples.push(ThreadSample { time, thread, at, knobs: self.symbols.knobs(chain) });
                self.changes.push((time, ThreadChange::Runs(thread)));
            }
            SampleRecord::Fork { process, parent, thread, time } => {
                self.traced.processes.insert(thread, process);
                if process != parent {
                    self.parents.insert(process, parent);
                }
                self.created.insert(thread);
                self.changes.push((time, ThreadChange::Created(thread)));
            }
            SampleRecord::Named { thread, name } => drop(self.traced.names.insert(thread, name.to_owned())),
            SampleRecord::Lost(count) => self.lost += count,
        }
    }

    /// Reads an event of a processor. `None` if it is unknown, or its data are shorter than they should be.
    fn event(&mut self, time: u64, data: &[u8]) -> Option<()> {
        let format = self.format;
        let event = format.event(data)?;
        let thread = format.thread.number(data)? as u32;
        if event == Event::Chain {
            let length = format.chain_length.number(data)? as usize;
            let (chain, _) = format.chain.rest(data)?.as_chunks();
            self.finish_switch(&chain[..length.min(chain.len())]);
            return Some(());
        }
        self.finish_switch(&[]);
        let runs = if event == Event::Switch { format.to.number(data)? as u32 } else { thread };
        self.traced.recordings.push(Recording { time, thread: runs, cost: 1.0 });
        match event {
            Event::Switch => {
                let from = format.from.number(data)? as u32;
                for (thread, name) in [(from, format.from_name), (runs, format.to_name)] {
                    // One that the kernel has cut within a character is no text.
                    let Some(name) = name.text(data).map(thread_name) else { continue };
                    self.traced.names.entry(thread).or_insert_with(|| name.to_owned());
                }
                self.switch = Some(Switch { time, from, state: format.from_state.number(data)?, to: runs });
            }
            Event::Ran => {
                let (thread, duration) = (format.ran.0.number(data)? as u32, format.ran.1.number(data)?);
                let since = time.saturating_sub(duration);
                self.begun = self.begun.filter(|begun| since <= *begun);
                self.changes.push((since, ThreadChange::SwitchedIn(thread)));
            }
            Event::Woken => {
                let is_interrupt = format.flags.number(data)? & IN_INTERRUPT != 0 || thread == 0;
                let by = (!is_interrupt).then_some(thread);
                self.changes.push((time, ThreadChange::Woken { thread: format.woken.number(data)? as u32, by }));
            }
            // Works of an interrupt are none of the thread that it interrupts.
            Event::Work if format.flags.number(data)? & IN_INTERRUPT != 0 => {}
            Event::Work => {
                let function = self.symbols.work(format.work_function.number(data)?).unwrap_or("unknown");
                let is_driver = LOOP_FUNCTIONS.contains(&function);
                if is_driver {
                    self.traced.drivers.insert(thread);
                }
                let name = if is_driver { LOOP_DRIVER.to_owned() } else { format!("kworker ({function})") };
                self.traced.works.entry(thread).or_default().push((time, name));
            }
            Event::Issued | Event::Completed => {
                let fields = if event == Event::Issued { &format.issued } else { &format.completed };
                let bytes = fields.sectors.number(data)? * 512;
                let sector = fields.sector.number(data)?;
                let kind = request_kind(fields.letters.text(data)?);
                let issued = (event == Event::Issued).then_some(bytes);
                self.requests.push(RequestChange { time, sector, kind, issued });
            }
            Event::Chain => {}
        }
        Some(())
    }

    /// Notes the last switch of a processor; `chain` is empty where none was recorded.
    fn finish_switch(&mut self, chain: &[[u8; 8]]) {
        let Some(Switch { time, from, state, to }) = self.switch.take() else { return };
        if let Some(recording) = self.traced.recordings.last_mut().filter(|_| !chain.is_empty()) {
            recording.cost = CHAIN_COST;
        }
        // The thread that a processor leaves first has run on it since before the trace.
        self.changes.extend(self.begun.take().map(|begun| (begun, ThreadChange::Runs(from))));
        let sleep = match state & WAITS {
            0 => None,
            _ if state & HAS_ENDED != 0 || state & IDLES != 0 && chain.is_empty() => Some((Sleep::Idle, 0)),
            _ => Some((self.symbols.sleep(chain), self.symbols.knobs(chain))),
        };
        self.changes.push((time, ThreadChange::Switch { from, sleep, to }));
    }

    fn finish(mut self, whole: Span, spans: &[Span], queues: Option<usize>) -> Traced {
        self.changes.sort_by_key(|(time, _)| *time);
        self.requests.sort_by_key(|change| change.time);
        let work = self.traced.processes.keys().copied().filter(|thread| *thread != 0 && self.is_work(*thread));
        self.traced.work = work.collect();
        let mut traced = self.traced;
        traced.samples.sort_by_key(|sample| sample.time);
        traced.works.values_mut().for_each(|works| works.sort_by_key(|(time, _)| *time));
        traced.recordings.sort_by_key(|recording| recording.time);
        traced.threads = Threads::follow(&self.changes, whole.end);
        traced.device = DeviceLog::follow(&self.requests, whole.end, spans, queues);
        traced
    }

    fn is_work(&self, thread: u32) -> bool {
        let Some(process) = self.traced.processes.get(&thread).copied() else { return false };
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
