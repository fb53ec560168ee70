//! Counts how often the kernel passes a tracepoint, and samples where processors are, by perf_event_open(2).

mod ring;
mod stream;

use std::ffi::{CString, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

use rustix::ioctl::{IntegerSetter, Opcode, ioctl, opcode};

use crate::tracefs::Tracefs;
pub use stream::{SampleRecord, SampleStream, read_samples};

const PERF_TYPE_TRACEPOINT: u32 = 2;
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 8;
/// The bit `inherit` of the attributes' flags.
const INHERIT: u64 = 1 << 1;
/// `_IOW('$', 6, char *)` of `linux/perf_event.h`.
const PERF_EVENT_IOC_SET_FILTER: Opcode = opcode::write::<*const c_char>(b'$', 6);

/// `struct perf_event_attr` of `linux/perf_event.h`, with the fields of its sixth version (PERF_ATTR_SIZE_VER5).
#[repr(C)]
#[derive(Default, Clone, Copy)]
struct EventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    /// A period, or with the flag `freq` a frequency in hertz.
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}

/// Counts how often a tracepoint is passed, by all tasks or by a process. Dropping it closes it.
#[derive(Debug)]
pub struct TracepointCounter {
    /// One event for each processor, or one for the process: the kernel counts for all tasks of one processor, or for
    /// all processors of one task.
    events: Vec<File>,
}

impl TracepointCounter {
    /// Counts how often the tracepoint `name`, such as `block/block_bio_queue`, is passed with fields that match
    /// `filter` (Documentation/trace/events.rst, "Event filtering").
    ///
    /// While it is open, each pass of the tracepoint takes some hundred nanoseconds longer, even if the filter rejects
    /// it.
    ///
    /// # Errors
    /// `EACCES` or `EPERM` without the privilege, `EINVAL` for an invalid filter, `EMFILE` if there are more processors
    /// than this process may open files; see [`Tracefs`].
    pub fn open(name: &str, filter: &str) -> io::Result<Self> {
        let (id, filter) = (Tracefs::open()?.tracepoint(name)?.id, CString::new(filter)?);
        let opened = online()?.into_iter().map(|processor| {
            let event = open_event(id, CountedPasses::Processor(processor))?;
            set_filter(&event, &filter).map(|()| event)
        });
        opened.collect::<io::Result<Vec<File>>>().map(|events| Self { events })
    }

    /// Counts how often the first thread of `process`, and all threads and processes that it starts from now on, pass
    /// the tracepoint `name`.
    ///
    /// # Errors
    /// `EACCES` or `EPERM` without the privilege, `ESRCH` if there is no such process; see [`Tracefs`].
    pub fn of_process(name: &str, process: u32) -> io::Result<Self> {
        let event = open_event(Tracefs::open()?.tracepoint(name)?.id, CountedPasses::Process(process))?;
        Ok(Self { events: vec![event] })
    }

    /// From now on, counts only what matches `filter`.
    ///
    /// # Errors
    /// `EINVAL` for an invalid filter.
    pub fn count_only(&self, filter: &str) -> io::Result<()> {
        let filter = CString::new(filter)?;
        self.events.iter().try_for_each(|event| set_filter(event, &filter))
    }

    /// The count since it was opened.
    ///
    /// # Errors
    /// If the kernel refuses the read.
    pub fn read(&self) -> io::Result<u64> {
        self.events.iter().map(count).sum()
    }
}

/// The count of an event.
fn count(mut event: &File) -> io::Result<u64> {
    let mut bytes = [0; 8];
    event.read_exact(&mut bytes).map(|()| u64::from_ne_bytes(bytes))
}

fn set_filter(event: &File, filter: &CString) -> io::Result<()> {
    // SAFETY: the request reads a text that ends with a zero byte and lives until the call returns.
    Ok(unsafe { ioctl(event, IntegerSetter::<PERF_EVENT_IOC_SET_FILTER>::new_pointer(filter.as_ptr() as *mut _)) }?)
}

/// Whose passes an event counts.
#[derive(Clone, Copy)]
enum CountedPasses {
    /// Those of all tasks on a processor.
    Processor(i32),
    /// Those of a process, and of what it starts later.
    Process(u32),
}

fn open_event(id: u64, counted: CountedPasses) -> io::Result<File> {
    // Of a processor, all tasks are counted anyway.
    let (kind, flags) = (PERF_TYPE_TRACEPOINT, INHERIT);
    open_with(EventAttributes { kind, config: id, flags, ..EventAttributes::default() }, counted)
}

fn open_with(attributes: EventAttributes, counted: CountedPasses) -> io::Result<File> {
    let size = size_of::<EventAttributes>() as u32;
    let attributes = EventAttributes { size, ..attributes };
    let (task, processor) = match counted {
        CountedPasses::Processor(processor) => (-1, processor),
        CountedPasses::Process(process) => (process as i32, -1),
    };
    let no_group = -1_i32;
    // SAFETY: the call reads `size` bytes of attributes, which live until it returns.
    let event = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, task, processor, no_group, PERF_FLAG_FD_CLOEXEC)
    };
    match i32::try_from(event) {
        // SAFETY: the call has returned a new file descriptor, which no other code knows.
        Ok(event @ 0..) => Ok(unsafe { File::from_raw_fd(event) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The processors that are online.
fn online() -> io::Result<Vec<i32>> {
    Ok(processors(&std::fs::read_to_string("/sys/devices/system/cpu/online")?))
}

/// The numbers in a list such as `0-3,8` (cpuset(7), "List format"); omits malformed parts.
fn processors(list: &str) -> Vec<i32> {
    let of_piece = |piece: &str| {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        Some(first.parse::<i32>().ok()?..=last.parse::<i32>().ok()?)
    };
    list.trim().split(',').filter_map(of_piece).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attributes_have_the_size_of_their_sixth_version() {
        assert_eq!(size_of::<EventAttributes>(), 112);
        assert_eq!(PERF_EVENT_IOC_SET_FILTER & 0xffff, 0x2406);
    }

    #[test]
    fn lists_of_processors_have_ranges_and_numbers() {
        assert_eq!(processors("0-2,8\n"), [0, 1, 2, 8]);
        assert_eq!(processors("5"), [5]);
        assert_eq!(processors("\n"), [0; 0]);
    }

    #[test]
    fn a_tracepoint_that_is_not_there_cannot_be_counted() {
        assert!(TracepointCounter::open("block/no_such", "").is_err());
    }
}
