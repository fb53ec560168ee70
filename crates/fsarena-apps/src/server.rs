//! Servers: started for a run as an unprivileged user, in a process namespace of their own, and gone with whoever started them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, cage};
use fsarena_sys::daemon::{Daemon, Wrapping};
use rustix::process::Signal;

use crate::user::User;

/// How long a server may take to be ready, and to end.
const PATIENCE: Duration = Duration::from_secs(120);
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
    /// Starts it, and waits until `ready` says so.
    ///
    /// # Errors
    /// If it cannot be started, ends, or is not ready in time: with the last lines of its log.
    pub fn start(start: &Start<'_>, stop: &AtomicBool, mut ready: impl FnMut() -> bool) -> Result<Self, EngineError> {
        let wrapping = if cage().is_empty() { Wrapping::None } else { Wrapping::Once };
        // Memory that processes share goes with its namespace, however they end.
        let wrapped =
            cage().iter().flat_map(|word| if *word == "--pid" { vec!["--pid", "--ipc"] } else { vec![*word] });
        let user = start.user.map(User::words).unwrap_or_default();
        let argv: Vec<String> = wrapped.map(str::to_owned).chain(user).chain(start.argv.iter().cloned()).collect();
        let daemon = Daemon::start(&argv, wrapping, start.directory, &start.log);
        let daemon = daemon.map_err(EngineError::io(format!("start {}", start.program)))?;
        let mut server = Self { program: start.program, daemon, log: start.log.clone() };
        let begin = Instant::now();
        while !ready() {
            server.require_alive()?;
            if stop.load(Ordering::Relaxed) {
                return Err(server.trouble("was stopped before it was ready".to_owned()));
            }
            if begin.elapsed() > PATIENCE {
                return Err(server.trouble(format!("was not ready after {} s", PATIENCE.as_secs())));
            }
            thread::sleep(LOOK);
        }
        Ok(server)
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
        // It may be about to end.
        match self.daemon.wait(Duration::from_millis(200)) {
            Ok(Some(status)) => self.trouble(format!("has ended ({status})")),
            _ => error,
        }
    }

    /// Does the work of its clients, who get a wish to stop that also comes when the server ends: some would go on without one for ever.
    ///
    /// # Errors
    /// That it has ended, or what `work` says.
    pub fn during<T>(
        &mut self,
        stop: &AtomicBool,
        work: impl FnOnce(&AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (told, done) = (AtomicBool::new(false), AtomicBool::new(false));
        let daemon = &mut self.daemon;
        let worked = thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    if stop.load(Ordering::Relaxed) || !matches!(daemon.ended(), Ok(None)) {
                        told.store(true, Ordering::Relaxed);
                    }
                    thread::park_timeout(LOOK);
                }
            });
            let worked = work(&told);
            done.store(true, Ordering::Release);
            watch.thread().unpark();
            worked
        });
        let worked = worked.map_err(|error| self.blamed(error))?;
        self.require_alive()?;
        Ok(worked)
    }

    /// Tells it to end by `signal`, and waits for that.
    ///
    /// # Errors
    /// If it does not end in time (it is killed then), or says that it failed.
    pub fn stop(mut self, signal: Signal) -> Result<(), EngineError> {
        self.require_alive()?;
        self.daemon.signal(signal);
        let ended = self.daemon.wait(PATIENCE).map_err(EngineError::io(format!("wait for {}", self.program)))?;
        match ended {
            None => Err(self.trouble(format!("did not end within {} s", PATIENCE.as_secs()))),
            Some(status) if !status.success() => Err(self.trouble(format!("ended badly ({status})"))),
            Some(_) => Ok(()),
        }
    }

    fn trouble(&self, what: String) -> EngineError {
        let log = fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_engine::NEVER;

    fn shell<'a>(script: &str, folder: &'a Path) -> Start<'a> {
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        Start { program: "the server", argv, user: None, directory: folder, log: folder.join("log") }
    }

    #[test]
    fn one_that_ends_says_why_in_the_words_of_its_log() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let failed =
            Server::start(&shell("echo no port left; exit 3", folder.path()), &NEVER, || false).expect_err("it ends");
        let text = failed.to_string();
        assert!(text.contains("exit status: 3") && text.contains("no port left"), "{text}");
    }

    #[test]
    fn nobody_waits_for_one_that_is_not_wanted_any_more() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let started = Server::start(&shell("sleep 600", folder.path()), &AtomicBool::new(true), || false);
        assert!(started.expect_err("stopped").to_string().contains("stopped"));
    }

    #[test]
    fn one_that_is_ready_ends_when_it_is_told_and_not_badly() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let script = |code| format!("trap 'exit {code}' TERM; touch up; while :; do sleep 0.01; done");
        for (code, is_well) in [(0, true), (4, false)] {
            let up = folder.path().join("up");
            let server = Server::start(&shell(&script(code), folder.path()), &NEVER, || up.exists()).expect("ready");
            assert_eq!(server.stop(Signal::TERM).is_ok(), is_well);
            fs::remove_file(up).expect("there");
        }
    }

    #[test]
    fn clients_are_told_to_stop_when_it_ends_or_somebody_wants_it() {
        let until_told = |told: &AtomicBool| {
            while !told.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(7)
        };
        let folder = tempfile::tempdir().expect("temporary folder");
        let up = folder.path().join("up");
        let script = "touch up; sleep 0.1; echo no more memory; exit 9";
        let mut server = Server::start(&shell(script, folder.path()), &NEVER, || up.exists()).expect("ready");
        let ended = server.during(&AtomicBool::new(false), until_told).expect_err("it has ended").to_string();
        assert!(ended.contains("no more memory") && ended.contains("exit status: 9"), "{ended}");
        let mut server = Server::start(&shell("sleep 600", folder.path()), &NEVER, || true).expect("ready");
        assert!(matches!(server.during(&AtomicBool::new(true), until_told), Ok(7)));
    }

    #[test]
    fn a_client_that_is_not_answered_is_told_of_a_dead_server() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let up = folder.path().join("up");
        let script = "echo out of memory; touch up; sleep 0.05; exit 9";
        let mut server = Server::start(&shell(script, folder.path()), &NEVER, || up.exists()).expect("ready");
        let error = server.blamed(EngineError::Wrong("nobody answers".to_owned())).to_string();
        assert!(error.contains("out of memory"), "{error}");
    }
}
