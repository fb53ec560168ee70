//! Short programs: they have a time limit, and their output is read while they run.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::streamed::{Pipe, listen};
use super::{Ended, Until, reap, started, variables};

/// What tells programs that no udev runs, as in a guest: lvm(8) and dmsetup(8) make nodes themselves, and zpool(8) does
/// not wait for 3 s. [`run_apart`] passes it on.
pub const WITHOUT_UDEV: [(&str, &str); 2] = [("DM_DISABLE_UDEV", "1"), ("ZFS_VDEV_DEVID_OPT_OUT", "YES")];

/// The flag that asks this process to stop, once [`heed`] has set it.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static NEVER: AtomicBool = AtomicBool::new(false);
/// Whether something was given up because of that flag.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Names the flag that a signal sets. Short programs that are started with [`Patience::new`] are killed once it is set.
/// Only the first call has an effect.
pub fn heed(stop: Arc<AtomicBool>) {
    let _ = STOP.set(stop);
}

/// Whether this process is asked to stop: the caller then gives up what it does.
pub fn gives_up() -> bool {
    let is_asked = STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed));
    GIVEN_UP.fetch_or(is_asked, Ordering::Relaxed);
    is_asked
}

/// Whether a program was killed, or a wait was given up, because this process was asked to stop: an error after that is
/// no failure, but the interruption.
pub fn has_given_up() -> bool {
    GIVEN_UP.load(Ordering::Relaxed)
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
    run_to_end(command, argv, patience)
}

/// Like [`run`], in `/`, where its words name no file of the user, and without the environment of this process: some
/// variables change what a tool makes, such as `MKE2FS_CONFIG` (mke2fs(8)). A program that crashes is called once more:
/// that of bcachefs does so in one of 50 calls (bcachefs-tools 1.13).
///
/// # Errors
/// As [`run`].
pub fn run_apart<S: AsRef<OsStr>>(argv: &[S], patience: Patience<'_>) -> io::Result<Ended> {
    let ended = run_once(argv, patience)?;
    let has_crashed = matches!(ended.status.signal(), Some(libc::SIGSEGV | libc::SIGABRT));
    if has_crashed { run_once(argv, patience) } else { Ok(ended) }
}

fn run_once<S: AsRef<OsStr>>(argv: &[S], patience: Patience<'_>) -> io::Result<Ended> {
    let without_udev = WITHOUT_UDEV.into_iter().filter(|(name, _)| std::env::var_os(name).is_some());
    let mut command = started(argv)?;
    command.current_dir("/").env_clear().envs(variables()).envs(without_udev);
    run_to_end(command, argv, patience)
}

fn run_to_end<S: AsRef<OsStr>>(mut command: Command, argv: &[S], patience: Patience<'_>) -> io::Result<Ended> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut streams = [Pipe::new(child.stdout.take(), None)?, Pipe::new(child.stderr.take(), None)?];
    let limit = limit_of_tests().unwrap_or(patience.limit);
    let deadline = Instant::now().checked_add(limit);
    let until = listen(&child, &mut streams, deadline, patience.stop);
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
    let milliseconds = std::env::var("FSARENA_TOOL_LIMIT_MS").ok().filter(|_| cfg!(debug_assertions));
    milliseconds?.parse().ok().map(Duration::from_millis)
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
    fn a_program_apart_gets_neither_variables_nor_files_of_the_user() {
        let shown = run_apart(&["sh", "-c", "pwd; exec env"], Patience::query()).expect("it starts").stdout;
        assert!(shown.starts_with("/\n") && shown.contains("\nLC_ALL=C\n"), "{shown}");
        assert!(std::env::var("HOME").is_ok() && !shown.contains("HOME="), "{shown}");
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
