//! Programs that are started, do something, and end: clients, and tools that make or measure something.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fsarena_engine::EngineError;
use fsarena_sys::child::{self, Ended, Processes, Setting};

use crate::server::last_lines;
use crate::user::User;

/// How long a program may take to remove what it shares with others.
const GRACE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub struct Tool<'a> {
    pub name: &'static str,
    /// Command line, with the program's path first.
    pub argv: Vec<String>,
    /// User that it runs as; `None`: the current user.
    pub user: Option<&'a User>,
    pub directory: &'a Path,
    /// Folder in which its stdout and stderr are kept while it runs. Those of a server are appended to [`LOG`] there.
    pub streams: &'a Path,
}

/// The file with the output of a server.
pub const LOG: &str = "log";

impl Tool<'_> {
    /// Runs the program to its end and returns its output; `None` if it was stopped.
    ///
    /// # Errors
    /// If it cannot be started, or ends with an error.
    pub fn run(&self, stop: &AtomicBool) -> Result<Option<Ended>, EngineError> {
        let setting = Setting { processes: Processes::Own, ..Setting::new(self.directory, self.streams, stop) };
        self.judged(child::run_until(&self.words(), setting, None))
    }

    /// The command line with which it is started as its user.
    pub fn words(&self) -> Vec<String> {
        self.user.map(User::words).unwrap_or_default().into_iter().chain(self.argv.iter().cloned()).collect()
    }

    /// Like [`Tool::run`], with variables in the environment, as this user and without a process namespace: for
    /// programs that name what they share with others by their process ID, and remove it when they are asked to end.
    pub fn run_among_others(
        &self,
        variables: &[(&str, String)],
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let setting = Setting { variables, grace: GRACE, ..Setting::new(self.directory, self.streams, stop) };
        self.judged(child::run_until(&self.argv, setting, None))
    }

    /// Turns a failed exit status into an error with the program's last lines.
    fn judged(&self, ended: io::Result<Option<Ended>>) -> Result<Option<Ended>, EngineError> {
        match ended.map_err(EngineError::io(format!("start {}", self.name)))? {
            Some(ended) if !ended.status.success() => {
                // stderr comes last: initdb's progress on stdout would otherwise hide why it failed.
                let output = [ended.stdout.as_str(), ended.stderr.as_str()].join("\n");
                Err(EngineError::program(self.name)(format!("{} ({})", reason(&output), ended.status)))
            }
            ended => Ok(ended),
        }
    }

    /// Like [`Tool::run`], but it is an error if it was stopped.
    pub fn finish_unless(&self, stop: &AtomicBool) -> Result<Ended, EngineError> {
        self.run(stop)?.ok_or_else(|| EngineError::program(self.name)("it was stopped".to_owned()))
    }
}

/// Why a program failed: its lines that begin with `ERROR` or `FATAL`, or else its last lines. What started it (mpirun) may write
/// many lines after its own.
fn reason(output: &str) -> String {
    let mut errors: Vec<&str> =
        output.lines().filter(|line| line.starts_with("ERROR") || line.starts_with("FATAL")).collect();
    // Each process may write the same.
    errors.dedup();
    if errors.is_empty() { last_lines(output) } else { last_lines(&errors.join("\n")) }
}

/// The number after `name` at the beginning of a line of a program's output, without its unit.
///
/// # Errors
/// The words that there is none.
pub fn figure(text: &str, name: &str) -> Result<f64, String> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(name)).unwrap_or_default().trim_start();
    let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(rest.len());
    let figure = rest[..end].parse().ok().filter(|figure: &f64| figure.is_finite());
    figure.ok_or_else(|| format!("its output has no `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_error_counts_not_what_mpirun_adds() {
        let reason_of_mdtest = reason(include_str!("tool/mpi-abort.txt"));
        let wrong: Vec<&str> = reason_of_mdtest.lines().filter(|line| !line.starts_with("ERROR: open64(")).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(reason_of_mdtest.lines().count(), 2, "one of each process");
        assert_eq!(reason("ERROR: full\nERROR: full\nMPI_ABORT was invoked\n"), "ERROR: full");
        let failed =
            "sysbench 1.0.20\nFATAL: Cannot open file 'test_file.0' errno = 2\nWARNING: Did you run 'prepare'?";
        assert_eq!(reason(failed), "FATAL: Cannot open file 'test_file.0' errno = 2");
        assert_eq!(reason("no such file\nTry --help\n"), "no such file\nTry --help");
    }
}
