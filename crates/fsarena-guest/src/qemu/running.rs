//! A guest that runs.

use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fsarena_model::guest::Accelerator;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, recv};
use rustix::process::Signal;

use super::console::{Console, KernelStop, locked};
use crate::monitor::{DiskCounts, Monitor};
use crate::{EndCause, GuestError};

/// How often to look whether a boot is still wanted.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// A guest that runs. Dropping it ends QEMU.
#[derive(Debug)]
pub struct Running {
    pub(super) qemu: Child,
    pub(super) stream: Arc<UnixStream>,
    pub(super) console: Arc<Mutex<Console>>,
    /// Reads what the guest and QEMU print.
    pub(super) reader: Option<JoinHandle<()>>,
    pub(super) silence: Duration,
    pub(super) monitor: Option<Monitor>,
    pub(super) accelerator: Accelerator,
    /// Whether the user has named arguments of QEMU.
    pub(super) has_arguments: bool,
    /// Why the kernel crashed when it was booted first, if it did.
    pub(super) crash_before: Option<String>,
}

impl Running {
    /// The connection to the agent. A read fails if the guest is silent for minutes.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Waits for the agent's first byte, and returns whether it came before `stop` was set. It is not taken from the
    /// stream. What the kernel prints from then on is about the run.
    pub(super) fn answers(&mut self, stop: &AtomicBool) -> bool {
        let begin = Instant::now();
        let has_come = loop {
            let mut wanted = [PollFd::new(&self.stream, PollFlags::IN)];
            if poll(&mut wanted, Some(&LOOK)).is_ok_and(|ready| ready > 0) {
                break recv(&self.stream, &mut [0; 1], RecvFlags::PEEK).is_ok_and(|(_, count)| count == 1);
            }
            if stop.load(Ordering::Relaxed) || begin.elapsed() > self.silence {
                break false;
            }
        };
        if has_come {
            locked(&self.console).booted();
            if let Some(monitor) = &mut self.monitor {
                monitor.tell_apart(self.qemu.id());
            }
        }
        has_come
    }

    /// What each lane's own disk had to do so far; `None` if there are no such disks, or QEMU does not answer.
    pub fn disk_counts(&self) -> Option<Vec<DiskCounts>> {
        self.monitor.as_ref()?.counts()
    }

    /// What the guest's kernel has reported since the agent answered: errors of devices and file systems, oopses; and
    /// that it was booted again.
    pub fn findings(&self) -> Vec<String> {
        let before = self.crash_before.iter();
        let again = before.map(|why| format!("it crashed while it booted ({why}), and was booted again"));
        again.chain(locked(&self.console).findings()).collect()
    }

    /// Ends QEMU, and returns why the guest's kernel crashed, if it did: it panicked, or the machine was reset without
    /// having been switched off by [`init`](crate::init).
    pub(super) fn crash(&mut self) -> Option<String> {
        let has_ended_well = self.ended().is_some_and(|status| status.success());
        self.end();
        let console = locked(&self.console);
        match &console.stopped {
            Some(KernelStop::Panicked(why)) => Some(why.clone()),
            None if has_ended_well && !console.is_off() => Some("the machine was reset".to_owned()),
            _ => None,
        }
    }

    /// Ends QEMU, and explains why the guest stopped.
    pub fn explained(&mut self, what: &str) -> GuestError {
        let status = self.ended();
        // What it printed last is read by now.
        self.end();
        let console = locked(&self.console);
        let how = match status {
            Some(status) if !status.success() => Some(format!("QEMU ended with {status}")),
            _ => console.stopped.as_ref().map(ToString::to_string),
        };
        let silent = || format!("it has been silent for {} s", self.silence.as_secs());
        let how = how.or_else(|| status.is_none().then(silent));
        let what = how.map_or_else(|| what.to_owned(), |how| format!("{what}: {how}"));
        GuestError::Ended { what, console: console.last_words(), cause: self.cause(status, &console) }
    }

    fn cause(&self, status: Option<ExitStatus>, console: &Console) -> EndCause {
        let has_failed = status.is_some_and(|status| !status.success()) && !console.has_booted();
        match self.accelerator {
            // What it exits with if it refuses an argument.
            _ if has_failed && self.has_arguments && status.and_then(|status| status.code()) == Some(1) => {
                EndCause::Arguments
            }
            _ if status.and_then(|status| status.signal()) == Some(Signal::KILL.as_raw()) => EndCause::Killed,
            Accelerator::Kvm if has_failed => EndCause::Kvm,
            _ => EndCause::Guest,
        }
    }

    /// How QEMU ended, if it has, or does within a second.
    fn ended(&mut self) -> Option<ExitStatus> {
        (0..100).find_map(|_| {
            let status = self.qemu.try_wait().ok()?;
            if status.is_none() {
                thread::sleep(Duration::from_millis(10));
            }
            status
        })
    }

    fn end(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
        let _ = self.reader.take().map(JoinHandle::join);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
