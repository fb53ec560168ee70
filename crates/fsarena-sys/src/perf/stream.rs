//! Records events of all processors: perf_event_open(2) with a ring of memory for each processor.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};

use crate::check;

use super::ring::Ring;
use super::{CountedPasses, EventAttributes, PERF_TYPE_TRACEPOINT, count, online, open_with, set_filter};

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_CPU_CLOCK: u64 = 0;
const PERF_COUNT_SW_DUMMY: u64 = 9;

/// Bits of `sample_type`. The fields of a sample come in the order: identifier, process and thread, time, call chain,
/// raw data of the tracepoint.
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_CALLCHAIN: u64 = 1 << 5;
const SAMPLE_RAW: u64 = 1 << 10;
const SAMPLE_IDENTIFIER: u64 = 1 << 16;

/// Bits of the attributes' flags.
const DISABLED: u64 = 1 << 0;
const EXCLUDE_IDLE: u64 = 1 << 7;
const COMM: u64 = 1 << 9;
const FREQUENCY: u64 = 1 << 10;
const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const EXCLUDE_CALLCHAIN_USER: u64 = 1 << 22;
const USE_CLOCKID: u64 = 1 << 25;
const CONTEXT_SWITCH: u64 = 1 << 26;

/// `_IO('$', n)` and `_IOR('$', 7, __u64 *)` of `linux/perf_event.h`.
const IOC_ENABLE: u32 = rustix::ioctl::opcode::none(b'$', 0);
const IOC_DISABLE: u32 = rustix::ioctl::opcode::none(b'$', 1);
const IOC_SET_OUTPUT: u32 = rustix::ioctl::opcode::none(b'$', 5);
const IOC_ID: u32 = rustix::ioctl::opcode::read::<*mut u64>(b'$', 7);

/// Functions of a call chain that are recorded, from the innermost on. Each takes some 50 ns.
const DEEPEST: u16 = 24;

const RECORD_COMM: u32 = 3;
const RECORD_FORK: u32 = 7;
const RECORD_SAMPLE: u32 = 9;
const RECORD_SWITCH_CPU_WIDE: u32 = 15;
/// Of the `misc` field of a record's header: the processor mode, and the value for a user program.
const MODE: u16 = 7;
const MODE_USER: u16 = 2;
/// Of that of a switch: the thread leaves the processor.
const SWITCH_OUT: u16 = 1 << 13;

/// A kind of event that is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// Each pass of a tracepoint.
    Tracepoint {
        /// The file `id` in its folder below tracefs.
        id: u64,
        /// Which passes are recorded (Documentation/trace/events.rst, "Event filtering"); empty: all.
        filter: String,
        /// Whether the kernel's call chain is recorded.
        has_chain: bool,
    },
    /// Where each processor is, this many times per second, with the kernel's call chain. An idle processor is not
    /// recorded.
    Clock(u64),
}

/// An event that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEvent<'a> {
    /// An event of one of the kinds that were asked for.
    Sample {
        /// The position of its kind in the list that [`EventStream::open`] got.
        kind: usize,
        /// Process of the thread that ran.
        process: u32,
        /// The thread that ran.
        thread: u32,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        time: u64,
        /// Whether the processor was in user mode.
        is_user: bool,
        /// Addresses of the kernel's call chain as eight bytes each, the innermost first; it may contain markers, which
        /// are no addresses. Empty: none was recorded.
        chain: &'a [[u8; 8]],
        /// The data of the tracepoint.
        raw: &'a [u8],
    },
    /// A thread was created.
    Fork {
        /// Its process.
        process: u32,
        /// The process that created it.
        parent: u32,
        /// The thread.
        thread: u32,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        time: u64,
    },
    /// A thread came to a processor. Some kernels run no tracepoint for a switch from the idle task.
    SwitchedIn {
        /// The thread; 0 is the idle task.
        thread: u32,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        time: u64,
    },
    /// A thread got a name.
    Named {
        /// The thread.
        thread: u32,
        /// Its name.
        name: &'a str,
    },
}

/// Records events of all processors.
#[derive(Debug)]
pub struct EventStream {
    rings: Vec<Ring>,
    events: Vec<File>,
    /// The identifiers of the kernel for the events of each kind.
    identifiers: Vec<(u64, usize)>,
    kinds: Vec<EventKind>,
}

impl EventStream {
    /// Prepares to record `kinds`, with a ring of `pages` pages of memory, a power of 2, for each processor. Nothing is
    /// recorded yet.
    ///
    /// # Errors
    /// `EACCES` or `EPERM` without the privilege, `EINVAL` for an invalid filter, `EMFILE` if there are more events
    /// than this process may open files.
    pub fn open(kinds: Vec<EventKind>, pages: usize) -> io::Result<Self> {
        let mut stream = Self { rings: Vec::new(), events: Vec::new(), identifiers: Vec::new(), kinds };
        for processor in online()? {
            // The ring belongs to an event that records forks, names and switches only.
            let tasks = EventAttributes {
                kind: PERF_TYPE_SOFTWARE,
                config: PERF_COUNT_SW_DUMMY,
                sample_type: SAMPLE_TID | SAMPLE_TIME,
                flags: DISABLED | TASK | COMM | CONTEXT_SWITCH | SAMPLE_ID_ALL | USE_CLOCKID,
                clockid: libc::CLOCK_MONOTONIC,
                ..EventAttributes::default()
            };
            let owner = open_with(tasks, CountedPasses::Processor(processor))?;
            let output = owner.as_raw_fd();
            stream.rings.push(Ring::map(&owner, pages)?);
            stream.events.push(owner);
            for index in 0..stream.kinds.len() {
                let event = stream.kinds[index].open(processor)?;
                // SAFETY: the request takes a file descriptor, which is open.
                check(unsafe { libc::ioctl(event.as_raw_fd(), IOC_SET_OUTPUT.into(), output) })?;
                let mut identifier = 0_u64;
                // SAFETY: the request writes eight bytes to `identifier`.
                check(unsafe { libc::ioctl(event.as_raw_fd(), IOC_ID.into(), &raw mut identifier) })?;
                stream.identifiers.push((identifier, index));
                stream.events.push(event);
            }
        }
        Ok(stream)
    }

    /// Begins to record.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn start(&self) -> io::Result<()> {
        self.request(IOC_ENABLE)
    }

    /// Records nothing more. What was recorded can still be read.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn stop(&self) -> io::Result<()> {
        self.request(IOC_DISABLE)
    }

    fn request(&self, request: u32) -> io::Result<()> {
        // SAFETY: the request has no argument.
        self.events.iter().try_for_each(|event| check(unsafe { libc::ioctl(event.as_raw_fd(), request.into(), 0) }))
    }

    /// Waits until a ring is half full, or `other` is readable. Returns whether `other` is.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn wait(&self, other: BorrowedFd<'_>) -> io::Result<bool> {
        // The first event of each processor has its ring.
        let owners = self.events.iter().step_by(self.kinds.len() + 1).map(|owner| PollFd::new(owner, PollFlags::IN));
        let mut all: Vec<PollFd<'_>> =
            std::iter::once(PollFd::from_borrowed_fd(other, PollFlags::IN)).chain(owners).collect();
        rustix::io::retry_on_intr(|| poll(&mut all, None))?;
        Ok(!all[0].revents().is_empty())
    }

    /// How often the tracepoint of each kind was passed, whether that was recorded or not; 0 for a clock.
    ///
    /// # Errors
    /// If the kernel refuses the read.
    pub fn passed(&self) -> io::Result<Vec<u64>> {
        let of = |(index, kind): (usize, &EventKind)| match kind {
            EventKind::Clock(_) => Ok(0),
            EventKind::Tracepoint { .. } => {
                self.events.chunks(self.kinds.len() + 1).map(|events| count(&events[1 + index])).sum()
            }
        };
        self.kinds.iter().enumerate().map(of).collect()
    }

    /// Moves the bytes of recorded events from the rings to `bytes`, which has one list for each processor.
    pub fn drain(&mut self, bytes: &mut Vec<Vec<u8>>) {
        bytes.resize_with(self.rings.len(), Vec::new);
        self.rings.iter_mut().zip(bytes).for_each(|(ring, bytes)| ring.drain(bytes));
    }

    /// The events in `bytes`, which [`EventStream::drain`] has filled for one processor. Calls `found` for each.
    pub fn read(&self, bytes: &[u8], mut found: impl FnMut(RecordedEvent<'_>)) {
        let mut rest = Fields(bytes);
        while let Some((kind, misc, size)) = rest.header() {
            let Some(body) = size.checked_sub(8).and_then(|length| rest.take(length)) else { return };
            if let Some(event) = self.event(kind, misc, Fields(body)) {
                found(event);
            }
        }
    }

    fn event<'a>(&self, record: u32, misc: u16, mut fields: Fields<'a>) -> Option<RecordedEvent<'a>> {
        match record {
            RECORD_SAMPLE => {
                let identifier = fields.u64()?;
                let kind = self.identifiers.iter().find(|(known, _)| *known == identifier)?.1;
                let (process, thread, time) = (fields.u32()?, fields.u32()?, fields.u64()?);
                let is_chained = self.kinds[kind].sample_type() & SAMPLE_CALLCHAIN != 0;
                let length = if is_chained { fields.u64()? as usize } else { 0 };
                let (chain, _) = fields.take(length.checked_mul(8)?)?.as_chunks();
                let raw = match self.kinds[kind] {
                    EventKind::Tracepoint { .. } => fields.u32().and_then(|size| fields.take(size as usize))?,
                    EventKind::Clock(_) => &[],
                };
                Some(RecordedEvent::Sample {
                    kind,
                    process,
                    thread,
                    time,
                    is_user: misc & MODE == MODE_USER,
                    chain,
                    raw,
                })
            }
            RECORD_FORK => {
                let (process, parent, thread) = (fields.u32()?, fields.u32()?, fields.u32()?);
                let (_creator, time) = (fields.u32()?, fields.u64()?);
                Some(RecordedEvent::Fork { process, parent, thread, time })
            }
            RECORD_SWITCH_CPU_WIDE if misc & SWITCH_OUT == 0 => {
                let (_, _, _process, thread) = (fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?);
                Some(RecordedEvent::SwitchedIn { thread, time: fields.u64()? })
            }
            RECORD_COMM => {
                let (_process, thread) = (fields.u32()?, fields.u32()?);
                let name = fields.0.split(|byte| *byte == 0).next()?;
                Some(RecordedEvent::Named { thread, name: std::str::from_utf8(name).ok()? })
            }
            _ => None,
        }
    }
}

impl EventKind {
    fn sample_type(&self) -> u64 {
        SAMPLE_IDENTIFIER
            | SAMPLE_TID
            | SAMPLE_TIME
            | match self {
                Self::Tracepoint { has_chain: true, .. } => SAMPLE_CALLCHAIN | SAMPLE_RAW,
                Self::Tracepoint { has_chain: false, .. } => SAMPLE_RAW,
                Self::Clock(_) => SAMPLE_CALLCHAIN,
            }
    }

    fn open(&self, processor: i32) -> io::Result<File> {
        let flags = DISABLED | EXCLUDE_CALLCHAIN_USER | USE_CLOCKID;
        let (kind, config, sample_period, flags) = match self {
            Self::Tracepoint { id, .. } => (PERF_TYPE_TRACEPOINT, *id, 1, flags),
            Self::Clock(hertz) => {
                (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, *hertz, flags | FREQUENCY | EXCLUDE_IDLE)
            }
        };
        let attributes = EventAttributes {
            kind,
            config,
            sample_period,
            sample_type: self.sample_type(),
            flags,
            clockid: libc::CLOCK_MONOTONIC,
            sample_max_stack: DEEPEST,
            ..EventAttributes::default()
        };
        let event = open_with(attributes, CountedPasses::Processor(processor))?;
        match self {
            Self::Tracepoint { filter, .. } if !filter.is_empty() => set_filter(&event, &CString::new(&**filter)?)?,
            _ => {}
        }
        Ok(event)
    }
}

/// Reads the fields of records, in the machine's byte order.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4).and_then(|bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?)))
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8).and_then(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?)))
    }

    /// The type of a record, its `misc`, and its size with the header.
    fn header(&mut self) -> Option<(u32, u16, usize)> {
        let kind = self.u32()?;
        let rest = self.u32()?.to_ne_bytes();
        Some((kind, u16::from_ne_bytes([rest[0], rest[1]]), u16::from_ne_bytes([rest[2], rest[3]]).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs the privilege to record all processors; `make test` has it.
    #[test]
    fn a_busy_thread_is_seen_by_the_clock_and_its_name_by_its_creation() {
        let mut stream = EventStream::open(vec![EventKind::Clock(1000)], 64).expect("privileged");
        stream.start().expect("started");
        let busy = std::thread::Builder::new().name("stream-test".to_owned()).spawn(|| {
            let begin = crate::clock::now();
            while crate::clock::now().0 < begin.0 + 50_000_000 {}
            rustix::thread::gettid().as_raw_nonzero().get() as u32
        });
        let thread = busy.expect("a thread").join().expect("no panic");
        stream.stop().expect("stopped");
        let mut bytes = Vec::new();
        stream.drain(&mut bytes);
        let (mut samples, mut named, mut forked) = (0, false, false);
        for bytes in &bytes {
            stream.read(bytes, |event| match event {
                RecordedEvent::Sample { kind: 0, thread: of, process, .. } if of == thread => {
                    assert_eq!(process, std::process::id());
                    samples += 1;
                }
                RecordedEvent::Named { thread: of, name: "stream-test" } => named = of == thread,
                RecordedEvent::Fork { process, parent, thread: of, .. } if of == thread => forked = process == parent,
                _ => {}
            });
        }
        assert!(samples > 0 && named && forked, "{samples} {named} {forked}");
    }

    /// Needs the privilege to record all processors; `make test` has it.
    #[test]
    fn what_is_passed_is_counted_whether_it_is_recorded_or_not() {
        let tracepoint = crate::tracefs::Tracefs::open().expect("privileged").tracepoint("sched/sched_switch");
        let id = tracepoint.expect("every kernel has it").id;
        let kinds = vec![EventKind::Tracepoint { id, filter: String::new(), has_chain: false }, EventKind::Clock(100)];
        let mut stream = EventStream::open(kinds, 64).expect("privileged");
        stream.start().expect("started");
        (0..5).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
        stream.stop().expect("stopped");
        let own = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let (mut bytes, mut recorded, mut came) = (Vec::new(), 0, 0);
        stream.drain(&mut bytes);
        for bytes in &bytes {
            stream.read(bytes, |event| match event {
                RecordedEvent::Sample { kind: 0, .. } => recorded += 1,
                RecordedEvent::SwitchedIn { thread, time } if thread == own && time > 0 => came += 1,
                _ => {}
            });
        }
        assert!(came >= 5, "this thread slept five times, and came to a processor {came} times");
        let passed = stream.passed().expect("read");
        assert!(recorded > 0 && passed[0] >= recorded && passed[1] == 0, "{recorded} of {passed:?}");
    }
}
