//! The machine's lock: at most one run of fsarena at a time, of all users together, first come, first served.
//!
//! The lock is a [`Mark`]: it belongs to no user and to no directory, and the kernel frees it when its holder ends for any
//! reason. Marks with a time in their name say since when each process waits, and since when the holder has the lock.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use fsarena_model::Nanos;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use rustix::process::{Pid, test_kill_process};

use crate::clock;
use crate::mark::Mark;

/// The name of its mark.
const NAME: &str = "fsarena/run";
/// Names of the marks of those that wait, before the time.
const WAITS: &str = "waits-since";
/// Names of the holder's second mark, before the time.
const HOLDS: &str = "held-since";

/// How long a lock may stay after its holder has ended, and how long the first that waits may leave it free: one that
/// is stopped (Ctrl-Z) never takes it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct MachineLock(Vec<Mark>);

/// The process that holds the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process ID.
    pub process: i32,
    /// Its user ID.
    pub user: u32,
    /// Its command line; empty if it cannot be read.
    pub command: String,
    /// How long it has had the lock; `None` if it has not, or that cannot be read.
    pub held: Option<Nanos>,
}

/// What a process that waits for the lock keeps between its attempts. Its place among those that wait is that of its
/// first attempt.
#[derive(Debug, Default)]
pub struct Waiting {
    /// The mark of its place, and since when it has it.
    place: Option<(Mark, Nanos)>,
    /// Since when the lock is free, although another process has waited longer.
    free: Option<Instant>,
    /// Who held the lock at the last attempt. It is asked by a connection, which stays in the holder's queue until the
    /// holder ends: so each holder is asked once, however long others wait for it.
    seen: Option<(UnixStream, Holder)>,
}

impl MachineLock {
    /// Takes the lock; `None` if another process holds it, or has waited longer for it. Several processes of a run
    /// share it: all of them name the same `session`.
    ///
    /// # Errors
    /// If the kernel has no abstract sockets for this process.
    pub fn take(session: Option<&str>, waiting: &mut Waiting) -> io::Result<Option<Self>> {
        let lock = Self::take_named(NAME, waiting)?;
        let Some(session) = session else { return Ok(lock) };
        let group = format!("fsarena/{session}");
        if let Some(Self(mut lock)) = lock {
            lock.extend(Self::take_named(&group, &mut Waiting::default())?.into_iter().flat_map(|it| it.0));
            return Ok(Some(Self(lock)));
        }
        let is_of_this_run = connect(&group).is_ok();
        Ok(is_of_this_run.then(|| Self(Vec::new())))
    }

    fn take_named(name: &str, waiting: &mut Waiting) -> io::Result<Option<Self>> {
        if let Some(other) = waiting.before(name)? {
            waiting.look(&other);
            return Ok(None);
        }
        let give_up = Instant::now() + PATIENCE;
        loop {
            match Mark::set(name) {
                Ok(mark) => return Ok(Some(Self(vec![mark, stamp(name, HOLDS)?.0]))),
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Err(error),
                // A process that the holder was just starting has its open files until execve(2).
                Err(_) if waiting.is_dead(name) && Instant::now() < give_up => thread::sleep(Duration::from_millis(5)),
                Err(_) => return Ok(None),
            }
        }
    }
}

impl Waiting {
    /// The process that held the lock, or if it was free, comes first; `None` if there was none, or it cannot be asked.
    pub fn holder(&self) -> Option<&Holder> {
        self.seen.as_ref().map(|(_, holder)| holder)
    }

    /// The mark of whom this process waits for, although the lock may be free: of its holder, or of the process that
    /// has waited longest. `None` if that is this process, or one that does not take the lock.
    fn before(&mut self, name: &str) -> io::Result<Option<String>> {
        let own = match &self.place {
            Some((_, since)) => *since,
            None => self.place.insert(stamp(name, WAITS)?).1,
        };
        let marks = Mark::all_set();
        let first = times(&marks, name, WAITS).min().filter(|first| *first < own);
        let is_free = !marks.contains(name);
        self.free = first.filter(|_| is_free).and_then(|_| self.free.or_else(|| Some(Instant::now())));
        let first = first.filter(|_| self.free.is_none_or(|since| since.elapsed() <= PATIENCE));
        Ok(first.map(|first| if is_free { format!("{name}/{WAITS}/{}", first.0) } else { name.to_owned() }))
    }

    /// Looks who has set this mark, unless the one that was seen before still has its own.
    fn look(&mut self, name: &str) {
        if self.seen.as_ref().is_none_or(|(stream, _)| is_over(stream)) {
            self.seen = ask(name);
        }
    }

    /// Whether the process that took the lock has ended, although the lock is not free.
    fn is_dead(&mut self, name: &str) -> bool {
        self.look(name);
        let process = self.holder().and_then(|holder| Pid::from_raw(holder.process));
        process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
    }
}

/// Sets a mark that says since when: the time now, which no other one of these marks has.
fn stamp(name: &str, what: &str) -> io::Result<(Mark, Nanos)> {
    loop {
        let now = clock::now();
        match Mark::set(&format!("{name}/{what}/{}", now.0)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => (),
            made => return Ok((made?, now)),
        }
    }
}

/// The times of those of these marks that [`stamp`] has set.
fn times(marks: &BTreeSet<String>, name: &str, what: &str) -> impl Iterator<Item = Nanos> {
    let beginning = format!("{name}/{what}/");
    marks.iter().filter_map(move |mark| mark.strip_prefix(&beginning)?.parse().ok()).map(Nanos)
}

/// Whether the other end of a connection is closed, as the kernel does when the lock is free.
fn is_over(stream: &UnixStream) -> bool {
    // The holder never sends anything.
    !matches!((&*stream).read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// A connection that never waits, as to a holder whose queue is full.
fn connect(name: &str) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
    Ok(socket.into())
}

fn ask(name: &str) -> Option<(UnixStream, Holder)> {
    let stream = connect(name).ok()?;
    let (process, user) = peer(&stream)?;
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = command.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    let since = times(&Mark::all_set(), name, HOLDS).max();
    let held = since.map(|since| clock::now().saturating_sub(since));
    Some((stream, Holder { process, user, command: words.join(" "), held }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn take(name: &str, waiting: &mut Waiting) -> Option<MachineLock> {
        MachineLock::take_named(name, waiting).expect("abstract sockets")
    }

    #[test]
    fn a_lock_is_had_once_and_its_holder_is_known() {
        let name = format!("fsarena/test-{}", std::process::id());
        let mut waiting = Waiting::default();
        let lock = take(&name, &mut waiting).expect("free");
        assert_eq!(waiting.holder(), None);
        assert!(take(&name, &mut waiting).is_none());
        let holder = waiting.holder().expect("it is held");
        assert_eq!(holder.process, std::process::id() as i32);
        assert_eq!(holder.user, rustix::process::geteuid().as_raw());
        assert!(!holder.command.is_empty() && holder.held.is_some_and(|held| held < Nanos::seconds(60)), "{holder:?}");
        drop(lock);
        // A child that another test has just forked has the lock as well, until it becomes another program.
        let begin = std::time::Instant::now();
        while ask(&name).is_some() && begin.elapsed() < std::time::Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert!(take(&name, &mut waiting).is_some());
    }

    #[test]
    fn first_come_first_served_but_one_that_is_stopped_holds_up_none() {
        let name = format!("fsarena/order-{}", std::process::id());
        let lock = take(&name, &mut Waiting::default()).expect("free");
        let mut waiting = [(); 3].map(|()| Waiting::default());
        waiting.iter_mut().for_each(|waiting| assert!(take(&name, waiting).is_none()));
        drop(lock);
        let [first, second, third] = &mut waiting;
        assert!(take(&name, third).is_none() && take(&name, second).is_none(), "the first has waited longer");
        let lock = take(&name, first).expect("its turn");
        assert!(take(&name, second).is_none(), "it is held");
        *first = Waiting::default();
        drop(lock);
        assert!(take(&name, third).is_none() && third.holder().is_some(), "the second may still come");
        third.free = Instant::now().checked_sub(2 * PATIENCE);
        assert!(take(&name, third).is_some(), "the second is stopped");
    }

    /// The queue of a socket has room for a few thousand connections.
    #[test]
    fn a_holder_is_asked_once_however_often_others_try() {
        crate::files::allow(10_000);
        let name = format!("fsarena/often-{}", std::process::id());
        let mut waiting = Waiting::default();
        let lock = take(&name, &mut waiting).expect("free");
        for _ in 0..20_000 {
            assert!(take(&name, &mut waiting).is_none());
        }
        assert!(ask(&name).is_some(), "its queue has room");
        let queue: Vec<UnixStream> = std::iter::from_fn(|| connect(&name).ok()).take(100_000).collect();
        assert!(take(&name, &mut Waiting::default()).is_none(), "a full queue does not block");
        drop((lock, queue));
    }

    /// The shell takes the lock over from a process that has ended, as one does that is about to become another
    /// program.
    #[test]
    fn a_lock_is_waited_for_if_its_holder_has_ended() {
        let name = format!("fsarena/ended-{}", std::process::id());
        // SAFETY: the child makes system calls only, and ends without running anything of this process.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let lock = MachineLock::take_named(&name, &mut Waiting::default());
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
        assert!(take(&name, &mut Waiting::default()).is_some());
    }

    #[test]
    fn processes_of_one_run_share_the_lock() {
        let take = |session| MachineLock::take(session, &mut Waiting::default()).expect("abstract sockets");
        let Some(lock) = take(Some("test-session")) else { return };
        assert!(take(None).is_none());
        assert!(take(Some("test-session")).is_some());
        assert!(take(Some("another")).is_none());
        drop(lock);
    }
}
