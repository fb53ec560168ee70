//! Servers: started for a run as an unprivileged user, in a process namespace of their own, and gone with whoever started them.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, cage, watched};
use fsarena_sys::daemon::{Daemon, Wrapping};
use rustix::process::Signal;

use crate::folder;
use crate::user::User;

/// How long a server may take to be ready, and to end.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a server whose clients are in trouble may take to be seen to have ended; only failures wait for that.
const BLAME: Duration = Duration::from_secs(3);
/// How long clients that are told to stop may wait for an answer before the server is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(20);
/// Lines of a log that an error shows.
const LINES: usize = 12;

/// What is started.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    /// The program's name, for errors.
    pub program: &'static str,
    /// What is run, from the program's path on; it stays in the foreground.
    pub argv: Vec<String>,
    /// As whom; `None`: as we are.
    pub user: Option<&'a User>,
    /// Where.
    pub directory: &'a Path,
    /// The file that both of its streams are appended to.
    pub log: PathBuf,
}

/// A server that runs. Dropped, it is killed with all that it has started.
#[derive(Debug)]
pub struct Server {
    program: &'static str,
    daemon: Daemon,
    log: PathBuf,
}

impl Server {
    /// Starts it, and waits until `ready` says so, which gets a wish to stop that also comes when it is of no use to ask any longer.
    ///
    /// # Errors
    /// If it cannot be started, ends, or is not ready in time: with the last lines of its log.
    pub fn start(
        start: &Start<'_>,
        stop: &AtomicBool,
        ready: impl FnMut(&AtomicBool) -> bool,
    ) -> Result<Self, EngineError> {
        let mut server = Self::launch(start)?;
        let is_ready = server.becomes_ready(stop, PATIENCE, ready);
        if is_ready {
            return Ok(server);
        }
        server.require_alive()?;
        match stop.load(Ordering::Relaxed) {
            true => Err(server.trouble("was stopped before it was ready".to_owned())),
            false => Err(server.trouble(format!("was not ready after {} s", PATIENCE.as_secs()))),
        }
    }

    fn launch(start: &Start<'_>) -> Result<Self, EngineError> {
        let wrapping = if cage().is_empty() { Wrapping::None } else { Wrapping::Once };
        // Memory that processes share goes with its namespace, however they end.
        let wrapped =
            cage().iter().flat_map(|word| if *word == "--pid" { vec!["--pid", "--ipc"] } else { vec![*word] });
        let user = start.user.map(User::words).unwrap_or_default();
        let argv: Vec<String> = wrapped.map(str::to_owned).chain(user).chain(start.argv.iter().cloned()).collect();
        let daemon = Daemon::start(&argv, wrapping, start.directory, &start.log);
        let daemon = daemon.map_err(EngineError::io(format!("start {}", start.program)))?;
        Ok(Self { program: start.program, daemon, log: start.log.clone() })
    }

    /// Asks until it is ready: true; or until it has ended, somebody wants to stop, or `patience` is over: false.
    fn becomes_ready(
        &mut self,
        stop: &AtomicBool,
        patience: Duration,
        mut ready: impl FnMut(&AtomicBool) -> bool,
    ) -> bool {
        let (daemon, begin) = (&mut self.daemon, Instant::now());
        let is_over =
            || stop.load(Ordering::Relaxed) || begin.elapsed() > patience || !matches!(daemon.ended(), Ok(None));
        watched(is_over, |told| {
            loop {
                if ready(told) {
                    return true;
                }
                if told.load(Ordering::Relaxed) {
                    return false;
                }
                thread::sleep(LOOK);
            }
        })
    }

    /// Refuses a server that has ended.
    ///
    /// # Errors
    /// [`EngineError::Server`] with the last lines of its log.
    pub fn require_alive(&mut self) -> Result<(), EngineError> {
        match self.daemon.ended().map_err(EngineError::io(format!("wait for {}", self.program)))? {
            None => Ok(()),
            Some(status) => Err(self.trouble(format!("has ended ({status})"))),
        }
    }

    /// What went wrong with it: that it has ended, if it has, otherwise `error`. For clients, which only see that nobody answers.
    pub fn blamed(&mut self, error: EngineError) -> EngineError {
        // What we find wrong in its answers is not for want of one.
        let patience = if matches!(error, EngineError::Wrong(_)) { Duration::ZERO } else { BLAME };
        self.blamed_within(patience, error)
    }

    fn blamed_within(&mut self, patience: Duration, error: EngineError) -> EngineError {
        // It may be about to end.
        match self.daemon.wait(patience) {
            Ok(Some(status)) => self.trouble(format!("has ended ({status})")),
            _ => error,
        }
    }

    /// Does the work of its clients, who get a wish to stop that also comes when the server ends: some would go on without one for ever.
    /// Those who do not heed it since they wait for an answer get an end: the server is killed.
    ///
    /// # Errors
    /// That it has ended, or what `work` says.
    pub fn during<T>(
        &mut self,
        stop: &AtomicBool,
        work: impl FnOnce(&AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (daemon, mut told, mut is_killed) = (&mut self.daemon, None, false);
        let look = || {
            let runs = matches!(daemon.ended(), Ok(None));
            let is_over = stop.load(Ordering::Relaxed) || !runs;
            told = told.or_else(|| is_over.then(Instant::now));
            if runs && !is_killed && told.is_some_and(|told| told.elapsed() > GRACE) {
                is_killed = true;
                daemon.signal(Signal::KILL);
            }
            is_over
        };
        let worked = watched(look, work);
        if is_killed {
            let late =
                format!("was killed: its clients had no answer {} s after they were told to stop", GRACE.as_secs());
            return Err(self.trouble(late));
        }
        let worked = worked.map_err(|error| self.blamed(error))?;
        self.require_alive()?;
        Ok(worked)
    }

    /// Tells it to end by `signal`, and waits for that, unless somebody wants to stop.
    ///
    /// # Errors
    /// If it does not end in time (it is killed then), or says that it failed.
    pub fn stop(mut self, signal: Signal, stop: &AtomicBool) -> Result<(), EngineError> {
        self.require_alive()?;
        self.daemon.signal(signal);
        match self.wait_for_end(stop).map_err(EngineError::io(format!("wait for {}", self.program)))? {
            None if stop.load(Ordering::Relaxed) => Err(self.trouble("was stopped before it had ended".to_owned())),
            None => Err(self.trouble(format!("did not end within {} s", PATIENCE.as_secs()))),
            Some(status) if !status.success() => Err(self.trouble(format!("ended badly ({status})"))),
            Some(_) => Ok(()),
        }
    }

    /// How it ended; `None` if it still runs when its time is over, or when somebody wants to stop.
    fn wait_for_end(&mut self, stop: &AtomicBool) -> std::io::Result<Option<ExitStatus>> {
        let begin = Instant::now();
        loop {
            let ended = self.daemon.wait(LOOK)?;
            if ended.is_some() || stop.load(Ordering::Relaxed) || begin.elapsed() > PATIENCE {
                return Ok(ended);
            }
        }
    }

    fn trouble(&self, what: String) -> EngineError {
        let log = folder::read(&self.log).unwrap_or_default();
        // What the namespace's program says of the server's end is of no use to anybody.
        let own: Vec<&str> = log.lines().filter(|line| !line.starts_with("unshare: ")).collect();
        EngineError::Server { program: self.program, what, log: last_lines(&own.join("\n")) }
    }
}

/// The last lines of what a program said.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
