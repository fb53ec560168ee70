//! Child processes: tools such as mkfs, which end with us and whose words are kept.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, set_parent_process_death_signal};

/// What a tool said and how it ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output, as far as it is text.
    pub stdout: String,
    /// Its standard error, as far as it is text.
    pub stderr: String,
}

impl Ended {
    /// Both streams, trimmed, the error stream first: what a person would want to see of a failure.
    pub fn words(&self) -> String {
        let parts = [self.stderr.trim(), self.stdout.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// Runs a program to its end and keeps what it said.
///
/// It speaks English, reads nothing, is killed when we die, and does not see our Ctrl-C.
///
/// # Errors
/// If it cannot be started; how it ended is not an error here.
pub fn run<S: AsRef<OsStr>>(argv: &[S]) -> io::Result<Ended> {
    let output = command(argv).output()?;
    Ok(Ended {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Where a program works, and when it has to end.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Its working directory, in which its two streams are kept while it runs.
    pub folder: &'a Path,
    /// As soon as this is set, it is killed with all that it has started.
    pub stop: &'a AtomicBool,
}

/// Like [`run`], for a program that takes long; `None` if it was stopped.
///
/// # Errors
/// If it cannot be started, or its streams cannot be kept.
pub fn run_until<S: AsRef<OsStr>>(argv: &[S], setting: Setting<'_>) -> io::Result<Option<Ended>> {
    const LOOK: Duration = Duration::from_millis(5);
    let (out, err) = (setting.folder.join("stdout"), setting.folder.join("stderr"));
    let mut command = command(argv);
    command.current_dir(setting.folder).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let mut child = command.spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if setting.stop.load(Ordering::Relaxed) {
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    };
    let text = |path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Some(Ended { status, stdout: text(out)?, stderr: text(err)? }))
}

fn command<S: AsRef<OsStr>>(argv: &[S]) -> Command {
    let (program, arguments) = argv.split_first().expect("a command has a program");
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").env("PATH", search_path()).stdin(Stdio::null()).process_group(0);
    end_with_parent(&mut command);
    command
}

/// Lets the kernel kill `command`'s process when the thread that starts it ends.
pub fn end_with_parent(command: &mut Command) {
    let die = || set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from);
    // SAFETY: between fork and exec the closure makes one system call and touches no lock and no allocator.
    unsafe { command.pre_exec(die) };
}

/// `PATH` with the directories in which file-system tools live, which an ordinary user's may lack; nothing relative.
pub fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let usual = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    path.split(':').filter(|folder| folder.starts_with('/')).chain(usual).collect::<Vec<_>>().join(":")
}

/// Where `program` lies on [`search_path`], if it does.
pub fn find_program(program: &str) -> Option<std::path::PathBuf> {
    search_path().split(':').map(|folder| std::path::Path::new(folder).join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_status_are_kept() {
        let ended = run(&["sh", "-c", "echo out; echo err >&2; exit 3"]).expect("sh starts");
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.words(), "err\nout");
    }

    #[test]
    fn a_program_is_stopped_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (on, off) = (AtomicBool::new(true), AtomicBool::new(false));
        let ended = run_until(&["sh", "-c", "pwd"], Setting { folder: folder.path(), stop: &off });
        assert_eq!(ended.expect("sh starts").expect("it ends").words(), folder.path().display().to_string());
        let stopped = run_until(&["sh", "-c", "sleep 600; :"], Setting { folder: folder.path(), stop: &on });
        assert!(stopped.expect("sh starts").is_none());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run(&["/no/such/program"]).is_err());
        assert_eq!(find_program("no-such-program"), None);
        assert!(find_program("sh").is_some());
        assert!(search_path().split(':').all(|folder| folder.starts_with('/')));
    }
}
