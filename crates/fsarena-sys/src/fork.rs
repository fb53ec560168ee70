//! Workers that are processes: copies of this one that do one thing, send back their result, and end.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_parent_process_death_signal, waitid, waitpid,
};

/// A copy of this process at work.
pub struct Forked {
    process: Option<Pid>,
    answer: File,
}

/// Starts a copy of this process that calls `work`, sends its result, and ends at once, without running any destructor.
/// It is killed when the calling thread ends.
///
/// Of this process' threads only the calling one exists in the copy: `work` must not wait for a lock that another
/// thread may hold. (glibc makes its allocator usable; see fork(3).)
///
/// # Errors
/// If the kernel cannot make another process or pipe.
pub fn fork(work: impl FnOnce() -> Vec<u8>) -> io::Result<Forked> {
    let (answer, question) = pipe_with(PipeFlags::CLOEXEC)?;
    let parent = getpid();
    // SAFETY: the child runs only `work`, under the condition stated above, and never returns from `in_child`.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => in_child(parent, question, work),
        process => Ok(Forked { process: Pid::from_raw(process), answer: File::from(answer) }),
    }
}

fn in_child(parent: Pid, answer: OwnedFd, work: impl FnOnce() -> Vec<u8>) -> ! {
    let died = set_parent_process_death_signal(Some(Signal::KILL)).is_err() || getppid() != Some(parent);
    let done = if died { None } else { catch_unwind(AssertUnwindSafe(work)).ok() };
    let sent = done.is_some_and(|bytes| File::from(answer).write_all(&bytes).is_ok());
    // SAFETY: `_exit` may be called at any time and does not return.
    unsafe { libc::_exit(if sent { 0 } else { 101 }) }
}

impl Forked {
    /// Whether it has not ended yet. It can still be waited for afterwards.
    pub fn is_alive(&self) -> bool {
        let leaves_it = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.process.is_some_and(|process| matches!(waitid(WaitId::Pid(process), leaves_it), Ok(None)))
    }

    /// Whether it has begun to send its answer, or has ended without one.
    pub fn has_answered(&self) -> bool {
        let mut wanted = [PollFd::new(&self.answer, PollFlags::IN)];
        poll(&mut wanted, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// Waits for its end and returns what it sent.
    ///
    /// # Errors
    /// If it was killed, for example by SIGBUS, with which the kernel reports that a mapped page is unavailable; or if
    /// it panicked.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.answer.read_to_end(&mut bytes);
        let status = self.wait();
        read?;
        match status {
            Some(status) if status.exit_status() == Some(0) => Ok(bytes),
            Some(status) => Err(io::Error::other(words(status))),
            None => Err(io::Error::other("the worker could not be waited for")),
        }
    }

    fn wait(&mut self) -> Option<WaitStatus> {
        let process = self.process.take()?;
        let waited = rustix::io::retry_on_intr(|| waitpid(Some(process), WaitOptions::empty()));
        waited.ok().flatten().map(|(_, status)| status)
    }
}

fn words(status: WaitStatus) -> String {
    match status.terminating_signal() {
        Some(libc::SIGBUS) => {
            "the worker was ended by SIGBUS: a mapped page could not be read, or had no space".to_owned()
        }
        Some(signal) => format!("the worker was ended by signal {signal}"),
        None => "the worker ended too early".to_owned(),
    }
}

impl Drop for Forked {
    fn drop(&mut self) {
        if let Some(process) = self.process {
            let _ = kill_process(process, Signal::KILL);
            let _ = self.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use crate::mapping::Mapping;

    #[test]
    fn a_copy_sends_back_what_it_found() {
        let secret = 42_u8;
        let forked = fork(|| vec![secret; 100_000]).expect("a process");
        assert_eq!(forked.finish().expect("it ends well"), vec![42; 100_000]);
    }

    #[test]
    fn a_copy_that_is_killed_or_panics_is_an_error() {
        let empty = tempfile::tempfile().expect("temporary file");
        let beyond_the_end = Mapping::new(&empty, 4096, Access::ReadOnly).expect("mapped");
        let killed = fork(|| {
            let mut byte = [0];
            beyond_the_end.read(0, &mut byte);
            byte.to_vec()
        });
        let error = killed.expect("a process").finish().expect_err("killed").to_string();
        assert!(error.contains("SIGBUS"), "{error}");
        let panicking = fork(|| std::panic::resume_unwind(Box::new(0))).expect("a process");
        assert!(panicking.finish().is_err());
    }

    #[test]
    fn whether_it_lives_can_be_asked() {
        let forked = fork(|| {
            std::thread::sleep(std::time::Duration::from_secs(100));
            Vec::new()
        });
        let forked = forked.expect("a process");
        assert!(forked.is_alive());
        kill_process(forked.process.expect("a process"), Signal::KILL).expect("it is ours");
        while forked.is_alive() {
            std::thread::yield_now();
        }
    }
}
