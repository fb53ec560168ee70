//! The machine's lock: at most one run of fsarena at a time, of all users together.
//!
//! The lock is a socket in the abstract namespace (unix(7)). It belongs to no user and to no directory, and the kernel
//! frees it when its holder ends for any reason. Each network namespace has its own.

use std::fs;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_model::Nanos;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use rustix::process::{Pid, test_kill_process};

/// The name of the socket.
const NAME: &[u8] = b"fsarena/run";

/// How long a lock may stay after its holder has ended.
const DEAD_HOLDER: Duration = Duration::from_secs(5);

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct MachineLock(Vec<UnixListener>);

/// The process that holds the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process ID.
    pub process: i32,
    /// Its user ID.
    pub user: u32,
    /// Its command line; empty if it cannot be read.
    pub command: String,
    /// Time since it started; `None` if that cannot be read.
    pub running: Option<Nanos>,
}

/// Who held the lock at the last attempt to take it. It is asked by a connection, which stays in the holder's queue
/// until the holder ends: so each holder is asked once, however long others wait for it.
#[derive(Debug, Default)]
pub struct SeenHolder(Option<(UnixStream, Holder)>);

impl MachineLock {
    /// Takes the lock; `None` if another process holds it. Several processes of a run share it: all of them name the
    /// same `session`.
    ///
    /// # Errors
    /// If the kernel has no abstract sockets for this process.
    pub fn take(session: Option<&str>, seen: &mut SeenHolder) -> io::Result<Option<Self>> {
        let lock = Self::take_named(NAME, seen)?;
        let Some(session) = session else { return Ok(lock) };
        let group = format!("fsarena/{session}");
        if let Some(Self(mut lock)) = lock {
            lock.extend(
                Self::take_named(group.as_bytes(), &mut SeenHolder::default())?.into_iter().flat_map(|it| it.0),
            );
            return Ok(Some(Self(lock)));
        }
        let is_of_this_run = connect(group.as_bytes()).is_ok();
        Ok(is_of_this_run.then(|| Self(Vec::new())))
    }

    fn take_named(name: &[u8], seen: &mut SeenHolder) -> io::Result<Option<Self>> {
        let address = SocketAddr::from_abstract_name(name)?;
        let give_up = Instant::now() + DEAD_HOLDER;
        loop {
            match UnixListener::bind_addr(&address) {
                Ok(listener) => return Ok(Some(Self(vec![listener]))),
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Err(error),
                // A process that the holder was just starting has its open files until execve(2).
                Err(_) if seen.is_dead(name) && Instant::now() < give_up => thread::sleep(Duration::from_millis(5)),
                Err(_) => return Ok(None),
            }
        }
    }
}

impl SeenHolder {
    /// The process that held the lock; `None` if it was free, or cannot be asked.
    pub fn holder(&self) -> Option<&Holder> {
        self.0.as_ref().map(|(_, holder)| holder)
    }

    /// Whether the process that took the lock has ended, although the lock is not free.
    fn is_dead(&mut self, name: &[u8]) -> bool {
        if self.0.as_ref().is_none_or(|(stream, _)| is_over(stream)) {
            self.0 = ask(name);
        }
        let process = self.holder().and_then(|holder| Pid::from_raw(holder.process));
        process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
    }
}

/// Whether the other end of a connection is closed, as the kernel does when the lock is free.
fn is_over(stream: &UnixStream) -> bool {
    // The holder never sends anything.
    !matches!((&*stream).read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// A connection that never waits, as to a holder whose queue is full.
fn connect(name: &[u8]) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    Ok(socket.into())
}

fn ask(name: &[u8]) -> Option<(UnixStream, Holder)> {
    let stream = connect(name).ok()?;
    let (process, user) = peer(&stream)?;
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = command.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    Some((stream, Holder { process, user, command: words.join(" "), running: running(process) }))
}

/// Process ID and user ID of the process that made the other end's socket listen (`SO_PEERCRED` in unix(7)).
fn peer(stream: &UnixStream) -> Option<(i32, u32)> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the option writes one `ucred`, for which `found` has room, and its length.
    let outcome = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut found).cast(),
            &raw mut length,
        )
    };
    (outcome == 0 && found.pid != 0).then_some((found.pid, found.uid))
}

/// Time since a process started. Field 22 of `/proc/PID/stat` is its start in ticks since boot (proc_pid_stat(5)).
fn running(process: i32) -> Option<Nanos> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let ticks: u64 = text.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()?;
    let per_second = rustix::param::clock_ticks_per_second();
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split(' ').next()?.parse().ok()?;
    let seconds = uptime - ticks as f64 / per_second as f64;
    (seconds >= 0.0).then_some(Nanos((seconds * 1e9) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(name: &[u8], seen: &mut SeenHolder) -> Option<MachineLock> {
        MachineLock::take_named(name, seen).expect("abstract sockets")
    }

    #[test]
    fn a_lock_is_had_once_and_its_holder_is_known() {
        let name = format!("fsarena/test-{}", std::process::id()).into_bytes();
        let mut seen = SeenHolder::default();
        let lock = take(&name, &mut seen).expect("free");
        assert_eq!(seen.holder(), None);
        assert!(take(&name, &mut seen).is_none());
        let holder = seen.holder().expect("it is held");
        assert_eq!(holder.process, std::process::id() as i32);
        assert_eq!(holder.user, rustix::process::geteuid().as_raw());
        assert!(!holder.command.is_empty() && holder.running.is_some(), "{holder:?}");
        drop(lock);
        // A child that another test has just forked has the lock as well, until it becomes another program.
        let begin = std::time::Instant::now();
        while ask(&name).is_some() && begin.elapsed() < std::time::Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert!(take(&name, &mut seen).is_some());
    }

    /// The queue of a socket has room for a few thousand connections.
    #[test]
    fn a_holder_is_asked_once_however_often_others_try() {
        let name = format!("fsarena/often-{}", std::process::id()).into_bytes();
        let mut seen = SeenHolder::default();
        let lock = take(&name, &mut seen).expect("free");
        for _ in 0..20_000 {
            assert!(take(&name, &mut seen).is_none());
        }
        assert!(ask(&name).is_some(), "its queue has room");
        let queue: Vec<UnixStream> = std::iter::from_fn(|| connect(&name).ok()).take(100_000).collect();
        assert!(take(&name, &mut SeenHolder::default()).is_none(), "a full queue does not block");
        drop((lock, queue));
    }

    /// The shell takes the lock over from a process that has ended, as one does that is about to become another
    /// program.
    #[test]
    fn a_lock_is_waited_for_if_its_holder_has_ended() {
        let name = format!("fsarena/ended-{}", std::process::id()).into_bytes();
        // SAFETY: the child makes system calls only, and ends without running anything of this process.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let lock = MachineLock::take_named(&name, &mut SeenHolder::default());
            // SAFETY: as above; the grandchild has the lock, and outlives its parent.
            unsafe {
                if libc::fork() == 0 {
                    libc::usleep(200_000);
                }
                std::mem::forget(lock);
                libc::_exit(0);
            }
        }
        // SAFETY: it waits for the child that was made above.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
        assert!(ask(&name).is_some_and(|(_, holder)| holder.process == child), "the grandchild has it");
        assert!(take(&name, &mut SeenHolder::default()).is_some());
    }

    #[test]
    fn processes_of_one_run_share_the_lock() {
        let take = |session| MachineLock::take(session, &mut SeenHolder::default()).expect("abstract sockets");
        let Some(lock) = take(Some("test-session")) else { return };
        assert!(take(None).is_none());
        assert!(take(Some("test-session")).is_some());
        assert!(take(Some("another")).is_none());
        drop(lock);
    }
}
