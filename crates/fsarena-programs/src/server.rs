//! Servers. Each is started for one run as an unprivileged user in its own process namespace, and ends with the process
//! that started it.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, pid_namespace, watched};
use fsarena_sys::daemon::{Daemon, Wrapping};
use rustix::process::Signal;

use crate::folder;
use crate::tool::{LOG, Tool};

/// Time limit for a server to become ready, and to end.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long to wait for the end of a server whose clients report an error: it may be about to end. Only failures wait
/// for that.
const NOTICE: Duration = Duration::from_secs(3);
/// How long clients may wait for an answer after they are asked to stop. Then the server is killed.
const GRACE: Duration = Duration::from_secs(5);
/// Interval between checks whether a server is ready, or has ended.
const LOOK: Duration = Duration::from_millis(20);
/// Lines of a log that an error shows.
const LINES: usize = 12;

/// A server that runs. When dropped, it is killed with all processes that it has started.
#[derive(Debug)]
pub struct ServerProcess {
    program: &'static str,
    daemon: Daemon,
    log: PathBuf,
}

impl ServerProcess {
    /// Starts a server, which stays in the foreground, and waits until `ready` returns true. `ready` receives a stop
    /// flag, which is set when the run is stopped, when the server has ended, and when its time is over.
    ///
    /// # Errors
    /// If it cannot be started, ends, or is not ready in time: with the last lines of its log.
    pub fn start(
        tool: &Tool<'_>,
        stop: &AtomicBool,
        ready: impl FnMut(&AtomicBool) -> bool,
    ) -> Result<Self, EngineError> {
        let mut server = Self::launch(tool)?;
        if server.becomes_ready(stop, PATIENCE, ready) {
            return Ok(server);
        }
        server.require_alive()?;
        match stop.load(Ordering::Relaxed) {
            true => Err(server.failure("was stopped before it was ready".to_owned())),
            false => Err(server.failure(format!("was not ready after {} s", PATIENCE.as_secs()))),
        }
    }

    fn launch(tool: &Tool<'_>) -> Result<Self, EngineError> {
        let wrapping = if pid_namespace().is_empty() { Wrapping::None } else { Wrapping::Once };
        // Shared memory disappears with its IPC namespace, however the processes end.
        let wrapped =
            pid_namespace().iter().flat_map(|word| if *word == "--pid" { vec!["--pid", "--ipc"] } else { vec![*word] });
        let (argv, log) = (wrapped.map(str::to_owned).chain(tool.words()).collect::<Vec<_>>(), tool.streams.join(LOG));
        let daemon = Daemon::start(&argv, wrapping, tool.directory, &log);
        let daemon = daemon.map_err(EngineError::io(format!("start {}", tool.name)))?;
        Ok(Self { program: tool.name, daemon, log })
    }

    /// Calls `ready` until it returns true. Returns false if the server ends, `stop` is set, or `patience` is over.
    fn becomes_ready(
        &mut self,
        stop: &AtomicBool,
        patience: Duration,
        mut ready: impl FnMut(&AtomicBool) -> bool,
    ) -> bool {
        let (daemon, begin) = (&mut self.daemon, Instant::now());
        let is_over = || {
            stop.load(Ordering::Relaxed)
                || begin.elapsed() > patience
                || !matches!(daemon.wait(Duration::ZERO), Ok(None))
        };
        watched(is_over, |stop| {
            loop {
                if ready(stop) {
                    return true;
                }
                if stop.load(Ordering::Relaxed) {
                    return false;
                }
                thread::sleep(LOOK);
            }
        })
    }

    /// Returns an error if the server has ended.
    ///
    /// # Errors
    /// [`EngineError::Server`] with the last lines of its log.
    pub fn require_alive(&mut self) -> Result<(), EngineError> {
        match self.daemon.wait(Duration::ZERO).map_err(EngineError::io(format!("wait for {}", self.program)))? {
            None => Ok(()),
            Some(status) => Err(self.failure(format!("has ended ({status})"))),
        }
    }

    /// The cause of a client's error: that the server has ended, if it has, otherwise `error`. A client only sees that
    /// it gets no answer.
    pub fn named(&mut self, error: EngineError) -> EngineError {
        // A wrong answer shows that the server answers: there is no need to wait for its end.
        let patience = if matches!(error, EngineError::Wrong(_)) { Duration::ZERO } else { NOTICE };
        match self.daemon.wait(patience) {
            Ok(Some(status)) => self.failure(format!("has ended ({status})")),
            _ => error,
        }
    }

    /// Does the work of the server's clients. `work` receives a stop flag, which is also set when the server ends: some
    /// clients would otherwise continue without end. If clients ignore the flag because they wait for an answer, the
    /// server is killed.
    ///
    /// # Errors
    /// If the server has ended or was killed, or the error of `work`.
    pub fn during<T>(
        &mut self,
        stop: &AtomicBool,
        work: impl FnOnce(&AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (daemon, mut stopped, mut is_killed) = (&mut self.daemon, None, false);
        let look = || {
            let runs = matches!(daemon.wait(Duration::ZERO), Ok(None));
            let is_over = stop.load(Ordering::Relaxed) || !runs;
            stopped = stopped.or_else(|| is_over.then(Instant::now));
            if runs && !is_killed && stopped.is_some_and(|stopped| stopped.elapsed() > GRACE) {
                is_killed = true;
                daemon.signal(Signal::KILL);
            }
            is_over
        };
        let worked = watched(look, work);
        if is_killed {
            let late =
                format!("was killed: its clients had no answer {} s after they were asked to stop", GRACE.as_secs());
            return Err(self.failure(late));
        }
        let worked = worked.map_err(|error| self.named(error))?;
        self.require_alive()?;
        Ok(worked)
    }

    /// Sends `signal` to the server and waits until it ends, or `stop` is set.
    ///
    /// # Errors
    /// If it does not end in time, or `stop` is set (it is then killed), or if its exit status is a failure.
    pub fn stop(mut self, signal: Signal, stop: &AtomicBool) -> Result<(), EngineError> {
        self.require_alive()?;
        self.daemon.signal(signal);
        let begin = Instant::now();
        let ended = loop {
            let ended = self.daemon.wait(LOOK).map_err(EngineError::io(format!("wait for {}", self.program)))?;
            if ended.is_some() || stop.load(Ordering::Relaxed) || begin.elapsed() > PATIENCE {
                break ended;
            }
        };
        match ended {
            None if stop.load(Ordering::Relaxed) => Err(self.failure("was stopped before it had ended".to_owned())),
            None => Err(self.failure(format!("did not end within {} s", PATIENCE.as_secs()))),
            Some(status) if !status.success() => Err(self.failure(format!("ended badly ({status})"))),
            Some(_) => Ok(()),
        }
    }

    fn failure(&self, what: String) -> EngineError {
        let log = folder::read(&self.log).unwrap_or_default();
        // The messages of unshare(1) about the server's end do not help.
        let own: Vec<&str> = log.lines().filter(|line| !line.starts_with("unshare: ")).collect();
        EngineError::Server { program: self.program, what, log: last_lines(&own.join("\n")) }
    }
}

/// The last non-empty lines of a program's output: a loop that fails may print a message for each of its files.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
