//! Short programs: they have a time limit, and their output is read while they run.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Ended, LOOK, MOST_KEPT, Until, reap, started};

/// The flag that asks this process to stop, once [`heed`] has set it.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static NEVER: AtomicBool = AtomicBool::new(false);

/// Names the flag that a signal sets. Short programs that are started with [`Patience::new`] are killed once it is set.
/// Only the first call has an effect.
pub fn heed(stop: Arc<AtomicBool>) {
    let _ = STOP.set(stop);
}

/// How long a short program may run.
#[derive(Debug, Clone, Copy)]
pub struct Patience<'a> {
    /// The program is killed after this time.
    pub limit: Duration,
    /// The program is killed once this is set.
    pub stop: &'a AtomicBool,
}

impl Patience<'static> {
    /// Time limit for queries that end quickly: versions, signatures on a device, the loading of a module.
    pub const QUERY: Duration = Duration::from_secs(30);

    /// Allows `limit`, and less if this process is asked to stop ([`heed`]).
    pub fn new(limit: Duration) -> Self {
        Self { limit, stop: STOP.get().map_or(&NEVER, |stop| stop) }
    }

    /// Allows the time of a query, [`Patience::QUERY`].
    pub fn query() -> Self {
        Self::new(Self::QUERY)
    }

    /// Allows `limit`, even if this process is asked to stop: for programs that clean up.
    pub fn unstoppable(limit: Duration) -> Self {
        Self { limit, stop: &NEVER }
    }
}

/// Why [`run`] killed a program.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Killed {
    /// Its time limit has passed.
    #[error("`{command}` did not end within {} s and was killed", limit.as_secs_f64())]
    TimeLimit { command: String, limit: Duration },
    /// This process was asked to stop.
    #[error("`{command}` was stopped")]
    Stopped { command: String },
}

/// Runs a short program to its end and keeps its output, at most `MOST_KEPT` bytes of each stream.
///
/// The program prints English, has no standard input, is killed when this process dies, and does not receive Ctrl-C.
/// When this returns, the program and all that it has started have ended.
///
/// In builds with debug assertions the environment variable `FSARENA_TOOL_LIMIT_MS` replaces the limit.
///
/// # Errors
/// If it cannot be started, or if it was killed: then the error contains a [`Killed`].
pub fn run<S: AsRef<OsStr>>(argv: &[S], patience: Patience<'_>) -> io::Result<Ended> {
    run_in(Path::new("."), argv, patience)
}

/// Like [`run`], with `directory` as the working directory.
///
/// # Errors
/// As [`run`].
pub fn run_in<S: AsRef<OsStr>>(directory: &Path, argv: &[S], patience: Patience<'_>) -> io::Result<Ended> {
    let mut command = started(argv)?;
    command.current_dir(directory);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut streams = [Pipe::new(child.stdout.take())?, Pipe::new(child.stderr.take())?];
    let limit = limit_of_tests().unwrap_or(patience.limit);
    let deadline = Instant::now().checked_add(limit);
    let until = read_to_end(&child, &mut streams, deadline, patience.stop);
    let (until, status) = reap(child, until, Duration::ZERO)?;
    // Reads what the program wrote right before its end.
    streams.iter_mut().try_for_each(Pipe::drain)?;
    let [stdout, stderr] = streams.map(Pipe::text);
    let command = || argv.iter().map(|word| word.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
    match until {
        Until::End => Ok(Ended { status, stdout, stderr }),
        Until::TimeLimit => {
            Err(io::Error::new(io::ErrorKind::TimedOut, Killed::TimeLimit { command: command(), limit }))
        }
        Until::Stop => Err(io::Error::other(Killed::Stopped { command: command() })),
    }
}

fn limit_of_tests() -> Option<Duration> {
    #[cfg(debug_assertions)]
    return std::env::var("FSARENA_TOOL_LIMIT_MS").ok()?.parse().ok().map(Duration::from_millis);
    #[cfg(not(debug_assertions))]
    None
}

/// Reads the output of a program until it has ended, the stop flag is set, or its time is over.
fn read_to_end(
    child: &Child,
    streams: &mut [Pipe; 2],
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> io::Result<Until> {
    let end = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || stop.load(Ordering::Relaxed) {
            return Ok(if is_over { Until::TimeLimit } else { Until::Stop });
        }
        let mut wanted = vec![PollFd::new(&end, PollFlags::IN)];
        wanted.extend(streams.iter().filter_map(|stream| Some(PollFd::new(stream.open.as_ref()?, PollFlags::IN))));
        match poll(&mut wanted, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_ended = !wanted[0].revents().is_empty();
        streams.iter_mut().try_for_each(Pipe::drain)?;
        if has_ended {
            return Ok(Until::End);
        }
    }
}

/// The reading end of a program's output.
struct Pipe {
    /// `None` once no process can write to it any more.
    open: Option<File>,
    kept: Vec<u8>,
}

impl Pipe {
    fn new(end: Option<impl Into<OwnedFd>>) -> io::Result<Self> {
        let open = end.map(|end| File::from(end.into()));
        if let Some(file) = &open {
            fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { open, kept: Vec::new() })
    }

    /// Reads what is available. Bytes beyond `MOST_KEPT` are read, so that the program can go on, and discarded.
    fn drain(&mut self) -> io::Result<()> {
        let mut piece = [0; 4096];
        while let Some(file) = &mut self.open {
            match file.read(&mut piece) {
                Ok(0) => self.open = None,
                Ok(length) => {
                    let room = MOST_KEPT as usize - self.kept.len();
                    self.kept.extend_from_slice(&piece[..length.min(room)]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::tests::ends;

    #[test]
    fn words_and_status_are_kept() {
        let ended = run(&["sh", "-c", "echo out; echo err >&2; exit 3"], Patience::query()).expect("sh starts");
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.words(), "err\nout");
        let much = run(&["head", "-c", "300000", "/dev/zero"], Patience::query()).expect("head starts");
        assert_eq!(much.stdout.len(), 300_000);
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let patience = Patience { limit: Duration::from_millis(50), ..Patience::query() };
        let error = run(&["sleep", "600"], patience).expect_err("it does not end");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "`sleep 600` did not end within 0.05 s and was killed");
    }

    #[test]
    fn processes_in_sessions_of_their_own_are_stopped_with_their_parent() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (file, stop) = (folder.path().join("started"), AtomicBool::new(false));
        let script = "setsid sh -c 'echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 600' \"$0\" & wait";
        let argv = ["sh".as_ref(), "-c".as_ref(), script.as_ref(), file.as_os_str()];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !file.exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Ordering::Relaxed);
            });
            run(&argv, Patience { limit: Duration::from_secs(600), stop: &stop }).expect_err("it is stopped");
        });
        assert!(ends(std::fs::read_to_string(&file).expect("it was started").trim()));
    }

    #[test]
    fn a_short_program_heeds_the_wish_to_stop() {
        let on = AtomicBool::new(true);
        let error = run(&["sleep", "600"], Patience { limit: Duration::from_secs(600), stop: &on });
        assert_eq!(error.expect_err("it is stopped").to_string(), "`sleep 600` was stopped");
    }

    #[test]
    fn a_child_that_keeps_the_output_open_does_not_delay_the_end() {
        let ended = run(&["sh", "-c", "sleep 600 & echo out"], Patience::query()).expect("it ends");
        assert_eq!(ended.words(), "out");
    }
}
