//! Records passes of tracepoints in a buffer of its own, an instance of tracefs (Documentation/trace/ftrace.rst,
//! "Instances").

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Tracefs;

/// Passes of a tracepoint that are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedEvent {
    /// Its name, such as `sched/sched_switch`.
    pub name: &'static str,
    /// Which passes (Documentation/trace/events.rst, "Event filtering"); empty: all.
    pub filter: String,
    /// Of which of them the kernel's call chain is recorded, as an event `ftrace/kernel_stack` that follows; `None`: of
    /// none.
    pub with_chain: Option<&'static str>,
}

/// A buffer for the events of all processors. It stays when this process ends, until [`TraceBuffer::remove`].
#[derive(Debug)]
pub struct TraceBuffer {
    folder: PathBuf,
    tracefs: Tracefs,
}

impl TraceBuffer {
    /// Makes the buffer `name`, with this size for each processor. Nothing is recorded yet.
    ///
    /// # Errors
    /// `EEXIST` if there is one of this name, `ENOMEM` without memory for it.
    pub fn make(tracefs: Tracefs, name: &str, kibibytes: u32) -> io::Result<Self> {
        let folder = tracefs.buffer(name);
        fs::create_dir(&folder)?;
        let buffer = Self { folder, tracefs };
        let prepared = buffer.prepare(kibibytes);
        prepared.inspect_err(|_| drop(fs::remove_dir(&buffer.folder)))?;
        Ok(buffer)
    }

    fn prepare(&self, kibibytes: u32) -> io::Result<()> {
        self.write("tracing_on", "0")?;
        self.write("trace_clock", "mono")?;
        // Names of threads are in the events that are recorded; to keep them as well would make each switch dearer.
        self.write("trace_options", "norecord-cmd")?;
        self.write("buffer_size_kb", &kibibytes.to_string())
    }

    /// Removes the buffer `name`. Returns whether there was one.
    ///
    /// # Errors
    /// `EBUSY` while it is read; see [`Tracefs::open`].
    pub fn remove(name: &str) -> io::Result<bool> {
        match fs::remove_dir(Tracefs::open()?.buffer(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// The tracefs that it is in.
    pub fn tracefs(&self) -> &Tracefs {
        &self.tracefs
    }

    /// Begins to record `events`.
    ///
    /// # Errors
    /// `ENOENT` if the kernel lacks one, `EINVAL` for an invalid filter, or if the kernel refuses it.
    pub fn start(self: &Arc<Self>, events: Vec<TracedEvent>) -> io::Result<TraceReader> {
        let mut reader = TraceReader { buffer: Arc::clone(self), events, pipes: Vec::new() };
        // What an earlier recording left, and its count of lost events.
        self.write("trace", "")?;
        for TracedEvent { name, filter, with_chain } in &reader.events {
            self.write(&format!("events/{name}/filter"), if filter.is_empty() { "0" } else { filter })?;
            if let Some(which) = with_chain {
                self.write(&format!("events/{name}/trigger"), &format!("stacktrace if {which}"))?;
            }
            self.write(&format!("events/{name}/enable"), "1")?;
        }
        for processor in self.processors()? {
            let mut options = OpenOptions::new();
            options.read(true).custom_flags(libc::O_NONBLOCK);
            reader.pipes.push(options.open(processor.join("trace_pipe_raw"))?);
        }
        self.write("tracing_on", "1")?;
        Ok(reader)
    }

    /// A folder for each processor.
    fn processors(&self) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(self.folder.join("per_cpu"))?.map(|entry| Ok(entry?.path())).collect()
    }

    fn write(&self, file: &str, content: &str) -> io::Result<()> {
        fs::write(self.folder.join(file), content)
    }
}

/// Reads what a [`TraceBuffer`] records. Dropping it ends the recording.
#[derive(Debug)]
pub struct TraceReader {
    buffer: Arc<TraceBuffer>,
    events: Vec<TracedEvent>,
    pipes: Vec<File>,
}

impl TraceReader {
    /// A file for each processor, which is readable when its part of the buffer is half full.
    pub fn pipes(&self) -> &[File] {
        &self.pipes
    }

    /// Moves what is recorded to `bytes`, which has one list for each processor.
    ///
    /// # Errors
    /// If the kernel refuses the read.
    pub fn drain(&mut self, bytes: &mut Vec<Vec<u8>>) -> io::Result<()> {
        let mut page = vec![0; rustix::param::page_size()];
        bytes.resize_with(self.pipes.len(), Vec::new);
        for (pipe, bytes) in self.pipes.iter_mut().zip(bytes) {
            loop {
                match pipe.read(&mut page) {
                    Ok(0) => break,
                    Ok(read) => bytes.extend_from_slice(&page[..used(&page[..read])]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Records nothing more. What was recorded can still be read.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn stop(&mut self) -> io::Result<()> {
        self.buffer.write("tracing_on", "0")?;
        for TracedEvent { name, with_chain, .. } in self.events.drain(..) {
            self.buffer.write(&format!("events/{name}/enable"), "0")?;
            if with_chain.is_some() {
                self.buffer.write(&format!("events/{name}/trigger"), "!stacktrace")?;
            }
        }
        Ok(())
    }

    /// How many events were lost because the buffer was full.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn lost(&self) -> io::Result<u64> {
        let of = |folder: PathBuf| fs::read_to_string(folder.join("stats")).map(|text| lost(&text));
        self.buffer.processors()?.into_iter().map(of).sum()
    }
}

impl Drop for TraceReader {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// The sum of the counts of lost events in a file `stats`.
fn lost(stats: &str) -> u64 {
    const LOST: [&str; 3] = ["overrun", "commit overrun", "dropped events"];
    let counts = stats.lines().filter_map(|line| line.split_once(':'));
    counts.filter(|(name, _)| LOST.contains(name)).filter_map(|(_, count)| count.trim().parse::<u64>().ok()).sum()
}

/// Bytes of the header of a page: its time, and how many bytes follow (`events/header_page`).
const HEADER: usize = 16;

/// The type of an event that is none and has a length (`enum ring_buffer_type` of `linux/ring_buffer.h`).
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;

/// Bits of the difference of time in the head of an event.
const DELTA_BITS: u32 = 27;

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// How many bytes of a page are used. The higher bits of its count say that events were lost before it.
fn used(page: &[u8]) -> usize {
    const COUNT: u32 = 0xf_ffff;
    let count = u32_at(page, 8).map_or(0, |count| count & COUNT);
    (HEADER + count as usize).min(page.len())
}

/// Calls `found` with the time and the data of each event in `bytes`, which [`TraceReader::drain`] has filled for one
/// processor. The time is that of `CLOCK_MONOTONIC`, in nanoseconds.
pub fn read_events(mut bytes: &[u8], mut found: impl FnMut(u64, &[u8])) {
    while let Some((page, rest)) = bytes.split_at_checked(used(bytes)).filter(|(page, _)| page.len() >= HEADER) {
        read_page(page, &mut found);
        bytes = rest;
    }
}

/// `None` at the end of the page.
fn read_page(page: &[u8], found: &mut impl FnMut(u64, &[u8])) -> Option<()> {
    let mut time = u64::from_ne_bytes(page.get(..8)?.try_into().ok()?);
    let mut at = HEADER;
    loop {
        let head = u32_at(page, at)?;
        let (kind, delta) = (head & 31, u64::from(head >> 5));
        let long = || u32_at(page, at + 4);
        let data = match kind {
            TIME_EXTEND => {
                time += delta + (u64::from(long()?) << DELTA_BITS);
                at += 8;
                continue;
            }
            TIME_STAMP => {
                time = delta + (u64::from(long()?) << DELTA_BITS);
                at += 8;
                continue;
            }
            PADDING if delta == 0 => return None,
            // The length of a discarded event, or of long data, counts itself.
            PADDING | 0 => at + 8..at + 4 + (long()? as usize).max(4),
            words => at + 4..at + 4 + words as usize * 4,
        };
        time += delta;
        at = data.end;
        if kind != PADDING {
            found(time, page.get(data)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use fsarena_testing::{Need, has};

    use super::*;

    fn head(kind: u32, delta: u32) -> [u8; 4] {
        (kind | delta << 5).to_ne_bytes()
    }

    #[test]
    fn a_page_has_events_of_each_form() {
        let (short, long) = ([1_u8; 8], [2_u8; 12]);
        let data: Vec<u8> = [
            [&head(2, 5)[..], &short].concat(),
            [&head(TIME_EXTEND, 1)[..], &2_u32.to_ne_bytes()].concat(),
            [&head(0, 0)[..], &16_u32.to_ne_bytes(), &long].concat(),
            // One that was discarded.
            [&head(PADDING, 3)[..], &8_u32.to_ne_bytes(), &[0; 4]].concat(),
            [&head(TIME_STAMP, 7)[..], &4_u32.to_ne_bytes()].concat(),
            [&head(2, 0)[..], &short].concat(),
            head(PADDING, 0).to_vec(),
        ]
        .concat();
        // Its count says with a high bit that events were lost before it.
        let count = (data.len() as u64) | 1 << 31;
        let page = [&1_000_u64.to_ne_bytes()[..], &count.to_ne_bytes(), &data].concat();
        assert_eq!(used(&[&page[..], &[0; 100]].concat()), page.len());
        let mut events = Vec::new();
        read_events(&[&page[..], &page].concat(), |time, data| events.push((time, data.to_vec())));
        let extended = 1_006 + (2 << DELTA_BITS);
        let once = [(1_005, short.to_vec()), (extended, long.to_vec()), (7 + (4 << DELTA_BITS), short.to_vec())];
        assert_eq!(events, [once.clone(), once].concat());
        // What is cut has fewer events.
        let mut count = 0;
        read_events(&page[..page.len() - 20], |_, _| count += 1);
        assert_eq!(count, 2);
    }

    #[test]
    fn lost_events_are_counted_by_the_kernel() {
        let stats = "entries: 3\noverrun: 4\ncommit overrun: 1\nbytes: 80\ndropped events: 2\nread events: 9\n";
        assert_eq!(lost(stats), 7);
    }

    #[test]
    fn what_a_thread_does_is_recorded_with_its_call_chain() {
        if !has(&[Need::Root, Need::Path("/sys/kernel/tracing")]) {
            return;
        }
        let name = format!("fsarena-test-{}", std::process::id());
        let tracefs = Tracefs::open().expect("privileged");
        let buffer = Arc::new(TraceBuffer::make(tracefs, &name, 256).expect("made"));
        let id = |name| buffer.tracefs().tracepoint(name).expect("every kernel has it").id as u16;
        let (switch, stack) = (id("sched/sched_switch"), id("ftrace/kernel_stack"));
        let event = |name, with_chain| TracedEvent { name, filter: String::new(), with_chain };
        assert!(buffer.start(vec![event("sched/no_such", None)]).is_err());
        let mut reader = buffer.start(vec![event("sched/sched_switch", Some("prev_state & 255"))]).expect("started");
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        (0..5).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(2)));
        reader.stop().expect("stopped");
        let mut bytes = Vec::new();
        reader.drain(&mut bytes).expect("read");
        let (mut switches, mut chains) = (0, 0);
        for bytes in &bytes {
            let mut last = 0;
            read_events(bytes, |time, data| {
                assert!(time >= last && time <= crate::clock::now().0, "{last} {time}");
                last = time;
                let is_own = data[4..8] == thread.to_ne_bytes();
                switches += u32::from(is_own && data[..2] == switch.to_ne_bytes());
                chains += u32::from(is_own && data[..2] == stack.to_ne_bytes());
            });
        }
        assert!(switches >= 5 && chains >= 5, "this thread slept five times: {switches} {chains}");
        assert_eq!(reader.lost().expect("read"), 0);
        drop(reader);
        assert!(TraceBuffer::remove(&name).expect("removed") && !TraceBuffer::remove(&name).expect("gone"));
    }
}
