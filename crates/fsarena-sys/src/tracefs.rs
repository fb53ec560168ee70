//! The kernel's tracepoints, in tracefs (Documentation/trace/events.rst): their description, and a buffer for what passes
//! them.

mod buffer;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

pub use buffer::{TraceBuffer, TraceReader, TracedEvent, read_events};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

/// Where tracefs is usually mounted.
const MOUNTED: &str = "/sys/kernel/tracing";

/// tracefs, which may be mounted for this value alone.
#[derive(Debug)]
pub struct Tracefs {
    root: PathBuf,
    /// A mount that is in no directory, and ends with this value.
    _detached: Option<OwnedFd>,
}

impl Tracefs {
    /// The tracefs that is mounted, or one that is mounted for this value and seen by nothing else.
    ///
    /// # Errors
    /// `EPERM` without the privilege to mount, `ENODEV` if the kernel has no tracefs.
    pub fn open() -> io::Result<Self> {
        let root = PathBuf::from(MOUNTED);
        if root.join("events").is_dir() {
            return Ok(Self { root, _detached: None });
        }
        let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&context)?;
        let mount = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        Ok(Self { root, _detached: Some(mount) })
    }

    fn buffer(&self, name: &str) -> PathBuf {
        self.root.join("instances").join(name)
    }

    /// The tracepoint of this name, such as `sched/sched_switch`.
    ///
    /// # Errors
    /// `ENOENT` if the kernel does not have it, and `EACCES` if its description is for root only.
    pub fn tracepoint(&self, name: &str) -> io::Result<Tracepoint> {
        let text = std::fs::read_to_string(self.root.join("events").join(name).join("format"))?;
        Tracepoint::parse(&text).ok_or_else(|| io::Error::other(format!("the format of {name} cannot be read")))
    }
}

/// A tracepoint: its number, and where its data have which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracepoint {
    /// Its number for perf_event_open(2).
    pub id: u64,
    fields: Vec<(String, Field)>,
}

/// The bytes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    offset: usize,
    size: usize,
}

impl Tracepoint {
    /// Reads the text of a file `format`.
    fn parse(text: &str) -> Option<Self> {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:")?.trim().parse().ok())?;
        let fields = text.lines().filter_map(|line| {
            let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
            let name = parts.next()?.rsplit(' ').next()?.split('[').next()?.to_owned();
            let offset = parts.next()?.strip_prefix("offset:")?.parse().ok()?;
            let size = parts.next()?.strip_prefix("size:")?.parse().ok()?;
            Some((name, Field { offset, size }))
        });
        Some(Self { id, fields: fields.collect() })
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| *field)
    }
}

impl Field {
    /// The field's bytes in the data of the tracepoint; `None` if the data are too short.
    pub fn bytes(self, raw: &[u8]) -> Option<&[u8]> {
        raw.get(self.offset..self.offset + self.size)
    }

    /// The data from the field on; `None` if they are too short.
    pub fn rest(self, raw: &[u8]) -> Option<&[u8]> {
        raw.get(self.offset..)
    }

    /// The field as a number without sign of at most eight bytes.
    pub fn number(self, raw: &[u8]) -> Option<u64> {
        let mut wide = [0; 8];
        let bytes = self.bytes(raw)?;
        // The lowest byte is the first one: all supported processors are little-endian.
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// The field as a text that ends with a zero byte.
    pub fn text(self, raw: &[u8]) -> Option<&str> {
        std::str::from_utf8(self.bytes(raw)?.split(|byte| *byte == 0).next()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use fsarena_testing::{Need, has};

    use super::*;

    const FORMAT: &str = "name: sched_waking\nID: 375\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

    #[test]
    fn fields_are_found_by_their_names() {
        let tracepoint = Tracepoint::parse(FORMAT).expect("a format");
        assert_eq!(tracepoint.id, 375);
        let (comm, pid) = (tracepoint.field("comm").expect("there"), tracepoint.field("pid").expect("there"));
        let mut raw = [0; 28];
        raw[8..13].copy_from_slice(b"jbd2\0");
        raw[24..26].copy_from_slice(&[1, 2]);
        assert_eq!((comm.text(&raw), pid.number(&raw)), (Some("jbd2"), Some(513)));
        assert_eq!(pid.number(&raw[..26]), None);
        assert_eq!(tracepoint.field("prio"), None);
    }

    #[test]
    fn the_kernel_describes_its_scheduler() {
        if !has(&[Need::Root, Need::Path("/sys/kernel/tracing")]) {
            return;
        }
        let tracefs = Tracefs::open().expect("privileged");
        assert!(tracefs.tracepoint("sched/sched_switch").expect("every kernel has it").field("next_pid").is_some());
        assert!(tracefs.tracepoint("sched/no_such").is_err());
    }
}
