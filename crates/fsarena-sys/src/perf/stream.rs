//! Samples of where all processors are, and the threads that are created: perf_event_open(2), with a ring of memory for
//! each processor.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::ioctl::{IntegerSetter, NoArg, Opcode, ioctl, opcode};

use super::ring::EventRing;
use super::{CountedPasses, EventAttributes, online, open_with};

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_CPU_CLOCK: u64 = 0;
const PERF_COUNT_SW_DUMMY: u64 = 9;

/// Bits of `sample_type`. The fields of a sample come in the order: process and thread, time, call chain.
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_CALLCHAIN: u64 = 1 << 5;

/// Bits of the attributes' flags.
const DISABLED: u64 = 1 << 0;
const EXCLUDE_IDLE: u64 = 1 << 7;
const COMM: u64 = 1 << 9;
const FREQUENCY: u64 = 1 << 10;
const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const EXCLUDE_CALLCHAIN_USER: u64 = 1 << 22;
const USE_CLOCKID: u64 = 1 << 25;

/// `_IO('$', n)` of `linux/perf_event.h`.
const IOC_ENABLE: Opcode = opcode::none(b'$', 0);
const IOC_DISABLE: Opcode = opcode::none(b'$', 1);
const IOC_SET_OUTPUT: Opcode = opcode::none(b'$', 5);

/// Functions of a call chain that are recorded, from the innermost on. Each takes some 50 ns.
const DEEPEST: u16 = 24;

const RECORD_LOST: u32 = 2;
const RECORD_COMM: u32 = 3;
const RECORD_FORK: u32 = 7;
const RECORD_SAMPLE: u32 = 9;
/// Of the `misc` field of a record's header: the processor mode, and the value for a user program.
const MODE: u16 = 7;
const MODE_USER: u16 = 2;

/// What was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleRecord<'a> {
    /// Where a processor was.
    Sample {
        /// Process of the thread that ran.
        process: u32,
        /// The thread that ran.
        thread: u32,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        time: u64,
        /// Whether the processor was in user mode.
        is_user: bool,
        /// Addresses of the kernel's call chain as eight bytes each, the innermost first; it may contain markers, which
        /// are no addresses.
        chain: &'a [[u8; 8]],
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
    /// A thread got a name.
    Named {
        /// The thread.
        thread: u32,
        /// Its name.
        name: &'a str,
    },
    /// The number of records that had no room.
    Lost(u64),
}

/// Samples of all processors.
#[derive(Debug)]
pub struct SampleStream {
    rings: Vec<EventRing>,
    /// For each processor, the event that records forks and names and has the ring, and the clock.
    events: Vec<[File; 2]>,
}

impl SampleStream {
    /// Prepares to record where each processor is, `hertz` times per second, with the kernel's call chain; an idle
    /// processor is not recorded. Each processor has a ring of `pages` pages of memory, a power of 2. Nothing is
    /// recorded yet.
    ///
    /// # Errors
    /// `EACCES` or `EPERM` without the privilege, `EMFILE` if there are more events than this process may open files.
    pub fn open(hertz: u64, pages: usize) -> io::Result<Self> {
        let mut stream = Self { rings: Vec::new(), events: Vec::new() };
        for processor in online()? {
            let attributes = EventAttributes {
                kind: PERF_TYPE_SOFTWARE,
                clockid: libc::CLOCK_MONOTONIC,
                sample_max_stack: DEEPEST,
                ..EventAttributes::default()
            };
            let tasks = EventAttributes {
                config: PERF_COUNT_SW_DUMMY,
                sample_type: SAMPLE_TID | SAMPLE_TIME,
                flags: DISABLED | TASK | COMM | SAMPLE_ID_ALL | USE_CLOCKID,
                ..attributes
            };
            let clock = EventAttributes {
                config: PERF_COUNT_SW_CPU_CLOCK,
                sample_period: hertz,
                sample_type: SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN,
                flags: DISABLED | EXCLUDE_CALLCHAIN_USER | USE_CLOCKID | FREQUENCY | EXCLUDE_IDLE,
                ..attributes
            };
            let owner = open_with(tasks, CountedPasses::Processor(processor))?;
            stream.rings.push(EventRing::map(&owner, pages)?);
            let clock = open_with(clock, CountedPasses::Processor(processor))?;
            // SAFETY: the request takes a file descriptor, which is open.
            unsafe { ioctl(&clock, IntegerSetter::<IOC_SET_OUTPUT>::new_usize(owner.as_raw_fd() as usize)) }?;
            stream.events.push([owner, clock]);
        }
        Ok(stream)
    }

    /// Begins to record.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn start(&self) -> io::Result<()> {
        self.request::<IOC_ENABLE>()
    }

    /// Records nothing more. What was recorded can still be read.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn stop(&self) -> io::Result<()> {
        self.request::<IOC_DISABLE>()
    }

    fn request<const REQUEST: Opcode>(&self) -> io::Result<()> {
        let mut events = self.events.iter().flatten();
        // SAFETY: the request has no argument.
        events.try_for_each(|event| Ok(unsafe { ioctl(event, NoArg::<REQUEST>::new()) }?))
    }

    /// A file for each processor, which is readable when its ring is half full.
    pub fn owners(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.events.iter().map(|[owner, _]| owner.as_fd())
    }

    /// Moves what is recorded from the rings to the end of `bytes`.
    pub fn drain(&mut self, bytes: &mut Vec<u8>) {
        self.rings.iter_mut().for_each(|ring| ring.drain(bytes));
    }
}

/// Calls `found` for each record in `bytes`, which [`SampleStream::drain`] has filled. Those of a processor are in the
/// order of time.
pub fn read_samples(bytes: &[u8], mut found: impl FnMut(SampleRecord<'_>)) {
    let mut rest = Fields(bytes);
    while let Some((kind, misc, size)) = rest.header() {
        let Some(body) = size.checked_sub(8).and_then(|length| rest.take(length)) else { return };
        if let Some(record) = read_record(kind, misc, Fields(body)) {
            found(record);
        }
    }
}

fn read_record(kind: u32, misc: u16, mut fields: Fields<'_>) -> Option<SampleRecord<'_>> {
    match kind {
        RECORD_SAMPLE => {
            let (process, thread, time) = (fields.u32()?, fields.u32()?, fields.u64()?);
            let length = (fields.u64()? as usize).checked_mul(8)?;
            let (chain, _) = fields.take(length)?.as_chunks();
            Some(SampleRecord::Sample { process, thread, time, is_user: misc & MODE == MODE_USER, chain })
        }
        RECORD_FORK => {
            let (process, parent, thread) = (fields.u32()?, fields.u32()?, fields.u32()?);
            let (_creator, time) = (fields.u32()?, fields.u64()?);
            Some(SampleRecord::Fork { process, parent, thread, time })
        }
        RECORD_COMM => {
            let (_process, thread) = (fields.u32()?, fields.u32()?);
            let name = fields.0.split(|byte| *byte == 0).next()?;
            Some(SampleRecord::Named { thread, name: std::str::from_utf8(name).ok()? })
        }
        RECORD_LOST => {
            let _event = fields.u64()?;
            Some(SampleRecord::Lost(fields.u64()?))
        }
        _ => None,
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
    use fsarena_testing::{Need, has};

    use super::*;

    #[test]
    fn records_that_had_no_room_are_counted() {
        let record: Vec<u8> = [RECORD_LOST, 24 << 16].map(u32::to_ne_bytes).concat();
        let bytes = [record, [7_u64, 3].map(u64::to_ne_bytes).concat()].concat();
        let mut lost = 0;
        read_samples(&bytes, |record| lost += if let SampleRecord::Lost(count) = record { count } else { 0 });
        assert_eq!(lost, 3);
    }

    #[test]
    fn a_busy_thread_is_seen_by_the_clock_and_its_name_by_its_creation() {
        if !has(&[Need::Root, Need::Path("/proc/sys/kernel/perf_event_paranoid")]) {
            return;
        }
        let mut stream = SampleStream::open(1000, 64).expect("privileged");
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
        read_samples(&bytes, |record| match record {
            SampleRecord::Sample { thread: of, process, .. } if of == thread => {
                assert_eq!(process, std::process::id());
                samples += 1;
            }
            SampleRecord::Named { thread: of, name: "stream-test" } => named = of == thread,
            SampleRecord::Fork { process, parent, thread: of, .. } if of == thread => forked = process == parent,
            _ => {}
        });
        assert!(samples > 0 && named && forked, "{samples} {named} {forked}");
    }
}
