//! Servers whose data are on a lane. Each is started for one run as an unprivileged user, and ends with the process that
//! started it.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, Scratch, watched};
use fsarena_sys::child::Ended;
use fsarena_sys::daemon::Daemon;
use rustix::process::Signal;

use crate::folder;
use crate::tool::{LOG, Tool};
use crate::user::User;

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

/// A server's data on a lane, and the server while it runs. When dropped, it is killed with all processes that it has
/// started.
#[derive(Debug)]
pub struct LaneServer {
    program: &'static str,
    /// The server while it runs. Declared before its folder, because fields are dropped in this order.
    daemon: Option<Daemon>,
    /// Folder of the socket and the log. It is outside the lane: a shared folder may not support sockets, and a path on
    /// the lane may be too long for a socket.
    pub run: Scratch,
    /// The user of the server and its tools; `None`: the current user.
    pub user: Option<User>,
    /// The directory of the data, in which the server and its tools run.
    pub data: PathBuf,
    /// The signal at which the server ends.
    end: Signal,
}

impl LaneServer {
    /// The server `program` of the user `user`, whose data are in `data`, and which ends at the signal `end`. It does not
    /// run yet.
    pub fn new(program: &'static str, user: &str, data: PathBuf, end: Signal) -> Result<Self, EngineError> {
        let user = User::of(user)?;
        Ok(Self { program, daemon: None, run: folder::for_server(user.as_ref())?, user, data, end })
    }

    /// Starts it in the foreground, with the command line `argv`, and waits until `ready` returns true. `ready` receives a
    /// stop flag, which is set when the run is stopped, when the server has ended, and when its time is over.
    ///
    /// # Errors
    /// If it cannot be started, ends, or is not ready in time: with the last lines of its log.
    pub fn start(
        &mut self,
        argv: Vec<String>,
        stop: &AtomicBool,
        ready: impl Fn(&Self, &AtomicBool) -> bool,
    ) -> Result<(), EngineError> {
        let mut daemon = self.launch(argv)?;
        let is_ready = becomes_ready(&mut daemon, stop, PATIENCE, |stop| ready(self, stop));
        self.daemon = Some(daemon);
        if is_ready {
            return Ok(());
        }
        let why = self.require_alive().and_then(|()| match stop.load(Ordering::Relaxed) {
            true => Err(self.failure("was stopped before it was ready".to_owned())),
            false => Err(self.failure(format!("was not ready after {} s", PATIENCE.as_secs()))),
        });
        self.daemon = None;
        why
    }

    fn launch(&self, argv: Vec<String>) -> Result<Daemon, EngineError> {
        let daemon = Daemon::start(&self.tool(self.program, argv).words(), &self.data, &self.log());
        daemon.map_err(EngineError::io(format!("start {}", self.program)))
    }

    /// Returns an error if the server has ended.
    fn require_alive(&mut self) -> Result<(), EngineError> {
        let ended = self.daemon.as_mut().map_or(Ok(None), |daemon| daemon.wait(Duration::ZERO));
        let ended = ended.map_err(EngineError::io(format!("wait for {}", self.program)))?;
        ended.map_or(Ok(()), |status| Err(self.ended(status)))
    }

    /// The cause of a client's error: that the server has ended, if it has, otherwise `error`. A client only sees that
    /// it gets no answer.
    pub fn named(&mut self, error: EngineError) -> EngineError {
        // A wrong answer shows that the server answers: there is no need to wait for its end.
        let patience = if matches!(error, EngineError::Wrong(_)) { Duration::ZERO } else { NOTICE };
        match self.daemon.as_mut().map(|daemon| daemon.wait(patience)) {
            Some(Ok(Some(status))) => self.ended(status),
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
        work: impl FnOnce(&Self, &AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let Some(mut daemon) = self.daemon.take() else { return work(self, stop) };
        let (mut stopped, mut is_killed) = (None, false);
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
        let worked = watched(look, |stop| work(self, stop));
        self.daemon = Some(daemon);
        if is_killed {
            let late =
                format!("was killed: its clients had no answer {} s after they were asked to stop", GRACE.as_secs());
            return Err(self.failure(late));
        }
        let worked = worked.map_err(|error| self.named(error))?;
        self.require_alive()?;
        Ok(worked)
    }

    /// Runs a client for as long as the server runs, and returns its output; `None` if it was stopped.
    ///
    /// # Errors
    /// If the client fails. The error is that the server has ended, if it has.
    pub fn load(
        &mut self,
        name: &'static str,
        argv: Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        self.during(stop, |server, stop| server.tool(name, argv).run(stop))
    }

    /// Ends the server. Afterwards everything that it has acknowledged is in its files. Does nothing if none runs.
    ///
    /// # Errors
    /// If it has ended before, if it does not end in time, or `stop` is set (it is then killed), or if its exit status is a
    /// failure.
    pub fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let is_alive = self.require_alive();
        let Some(mut daemon) = self.daemon.take() else { return Ok(()) };
        is_alive?;
        daemon.signal(self.end);
        let begin = Instant::now();
        let ended = loop {
            let ended = daemon.wait(LOOK).map_err(EngineError::io(format!("wait for {}", self.program)))?;
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

    /// The program `name` with the command line `argv`, run as the server's user.
    pub fn tool(&self, name: &'static str, argv: Vec<String>) -> Tool<'_> {
        Tool { name, argv, user: self.user.as_ref(), directory: &self.data, streams: self.run.path() }
    }

    pub fn log(&self) -> PathBuf {
        self.run.path().join(LOG)
    }

    /// Folder of the socket and of files of clients. It belongs to the server's user.
    pub fn clients_folder(&self) -> PathBuf {
        self.run.path().join(folder::OF_SERVER)
    }

    fn ended(&self, status: ExitStatus) -> EngineError {
        self.failure(format!("has ended ({status})"))
    }

    fn failure(&self, what: String) -> EngineError {
        let log = folder::read(&self.log()).unwrap_or_default();
        EngineError::Server { program: self.program, what, log: last_lines(&log) }
    }
}

/// Calls `ready` until it returns true. Returns false if the server ends, `stop` is set, or `patience` is over.
fn becomes_ready(
    daemon: &mut Daemon,
    stop: &AtomicBool,
    patience: Duration,
    ready: impl Fn(&AtomicBool) -> bool,
) -> bool {
    let begin = Instant::now();
    let is_over = || {
        stop.load(Ordering::Relaxed) || begin.elapsed() > patience || !matches!(daemon.wait(Duration::ZERO), Ok(None))
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

/// The last non-empty lines of a program's output: a loop that fails may print a message for each of its files.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
