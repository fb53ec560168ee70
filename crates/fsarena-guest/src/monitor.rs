//! What virtual disks with settings of their own had to do: QEMU counts the guest's requests, and the host's kernel
//! counts how often QEMU syncs the file.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use fsarena_sys::perf::TracepointCounter;
use serde_json::Value;

use crate::lanes::LaneDisk;
use crate::{GuestError, channel};

/// QEMU syncs files by fdatasync(2).
const TRACEPOINT: &str = "syscalls/sys_enter_fdatasync";

/// How long QEMU may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a virtual disk had to do since its guest has booted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskCounts {
    /// Requests of the guest that write.
    pub writes: u64,
    /// Requests of the guest that flush.
    pub flushes: u64,
    /// How often QEMU has synced the file; `None` if the host's kernel does not tell.
    pub syncs: Option<u64>,
}

/// A connection to QEMU's monitor (QEMU, "QEMU Machine Protocol"), and counters of the host.
#[derive(Debug)]
pub struct Monitor {
    stream: UnixStream,
    disks: Vec<QemuWatch>,
}

#[derive(Debug)]
struct QemuWatch {
    node: String,
    /// Device and inode of its file.
    file: (u64, u64),
    syncs: Option<TracepointCounter>,
}

impl Monitor {
    /// A monitor for these disks, and QEMU's end of the connection.
    pub fn of(disks: &[LaneDisk]) -> Result<(Self, OwnedFd), GuestError> {
        let (host, guest) = channel::pair()?;
        host.set_read_timeout(Some(PATIENCE)).map_err(GuestError::io("set", "a time limit"))?;
        let watched = |disk: &LaneDisk| {
            let found = disk.file.metadata()?;
            Ok(QemuWatch { node: disk.serial.clone(), file: (found.dev(), found.ino()), syncs: None })
        };
        let watched = disks.iter().map(watched).collect::<io::Result<Vec<QemuWatch>>>();
        let disks = watched.map_err(GuestError::io("look up", "a virtual disk"))?;
        Ok((Self { stream: host, disks }, guest))
    }

    /// Counts the syncs of a QEMU that has just been started, if the kernel allows it.
    pub fn count(&mut self, process: u32) {
        for disk in &mut self.disks {
            disk.syncs = TracepointCounter::of_process(TRACEPOINT, process).ok();
        }
    }

    /// Lets each counter count the syncs of its own disk only, now that QEMU has opened them all.
    pub fn tell_apart(&mut self, process: u32) {
        for disk in &mut self.disks {
            let filter = filter(process, disk.file);
            disk.syncs = disk.syncs.take().filter(|counter| counter.count_only(&filter).is_ok());
        }
    }

    /// What each disk had to do; `None` if QEMU does not answer.
    pub fn counts(&self) -> Option<Vec<DiskCounts>> {
        let answer = self.ask("query-blockstats").ok()?;
        let syncs = |disk: &QemuWatch| disk.syncs.as_ref().and_then(|counter| counter.read().ok());
        self.disks.iter().map(|disk| requests(&answer, &disk.node, syncs(disk))).collect()
    }

    /// The answer to a command. QEMU greets first, and waits until its capabilities are confirmed.
    fn ask(&self, command: &str) -> io::Result<Value> {
        for command in ["qmp_capabilities", command] {
            (&self.stream).write_all(format!("{{\"execute\":\"{command}\"}}\n").as_bytes())?;
        }
        let lines = BufReader::new(&self.stream).lines().map(|line| Ok(serde_json::from_str::<Value>(&line?)?));
        let answers = lines.filter_map(|line: io::Result<Value>| match line {
            Ok(line) => line.get("return").cloned().map(Ok),
            Err(error) => Some(Err(error)),
        });
        answers.into_iter().nth(1).ok_or(io::ErrorKind::UnexpectedEof)?
    }
}

/// The counts of a node in the answer to `query-blockstats`.
fn requests(answer: &Value, node: &str, syncs: Option<u64>) -> Option<DiskCounts> {
    let found = answer.as_array()?.iter().find(|entry| entry["node-name"] == node)?;
    let count = |name: &str| found["stats"][name].as_u64();
    Some(DiskCounts { writes: count("wr_operations")?, flushes: count("flush_operations")?, syncs })
}

/// A filter for system calls of `process` on a file, by the numbers of its descriptors there.
fn filter(process: u32, file: (u64, u64)) -> String {
    let folder = format!("/proc/{process}/fd");
    let entries = fs::read_dir(Path::new(&folder)).into_iter().flatten().filter_map(Result::ok);
    let is_it = |path: &Path| fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == file);
    let own = entries.filter(|entry| is_it(&entry.path()));
    let numbers = own.map(|entry| format!("fd == {}", entry.file_name().to_string_lossy()));
    numbers.collect::<Vec<_>>().join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_the_disks_node() {
        let answer = r#"[{"device": "", "node-name": "root", "stats": {"wr_operations": 1, "flush_operations": 2}},
            {"device": "", "node-name": "lanes-0", "stats": {"wr_operations": 30, "flush_operations": 4}}]"#;
        let answer = serde_json::from_str(answer).expect("JSON");
        let expected = DiskCounts { writes: 30, flushes: 4, syncs: Some(5) };
        assert_eq!(requests(&answer, "lanes-0", Some(5)), Some(expected));
        assert_eq!(requests(&answer, "lanes-1", None), None);
    }

    #[test]
    fn a_file_is_known_by_its_descriptors() {
        let file = fs::File::open("/proc/self/exe").expect("it is there");
        let found = file.metadata().expect("it is open");
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        assert_eq!(filter(std::process::id(), (found.dev(), found.ino())), format!("fd == {number}"));
    }
}
