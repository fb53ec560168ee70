//! Child processes: tools such as mkfs, which end with us and whose words are kept.

mod heard;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, set_parent_process_death_signal};

pub use heard::run_heard;

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
    /// Its working directory.
    pub directory: &'a Path,
    /// The folder in which its two streams are kept while it runs; a link there is not followed.
    pub streams: &'a Path,
    /// What its environment has beside ours.
    pub variables: &'a [(&'a str, String)],
    /// As soon as this is set, it is killed with all of its process group.
    pub stop: &'a AtomicBool,
}

/// Like [`run`], for a program that takes long; `None` if it was stopped. When it has ended, so has its process group. Its end
/// is noticed at once (pidfd_open(2), since Linux 5.3), the wish to stop within 5 ms.
///
/// # Errors
/// If it cannot be started, or its streams cannot be kept.
pub fn run_until<S: AsRef<OsStr>>(argv: &[S], setting: Setting<'_>) -> io::Result<Option<Ended>> {
    let (out, err) = (Stream::new(&setting, "stdout")?, Stream::new(&setting, "stderr")?);
    let child = set(argv, &setting).stdout(out.end()?).stderr(err.end()?).spawn()?;
    let until = wait_for_end(&child, setting.stop);
    let Some(status) = reap(child, until)? else { return Ok(None) };
    Ok(Some(Ended { status, stdout: out.text()?, stderr: err.text()? }))
}

/// The command of a program in its setting.
fn set<S: AsRef<OsStr>>(argv: &[S], setting: &Setting<'_>) -> Command {
    let mut command = command(argv);
    command.envs(setting.variables.iter().map(|(name, value)| (name, value))).current_dir(setting.directory);
    command
}

/// Ends what is left of a child's process group, and waits for it: how it ended, or `None` if it was stopped.
fn reap(mut child: Child, until: io::Result<Until>) -> io::Result<Option<ExitStatus>> {
    // Before it is waited for, its number cannot be another's.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait()?;
    Ok((until? == Until::End).then_some(status))
}

/// A file that keeps what a program says. It is opened once, so that nobody can put another in its place.
struct Stream(File);

impl Stream {
    fn new(setting: &Setting<'_>, name: &str) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
        options.open(setting.streams.join(name)).map(Self)
    }

    /// What the program writes to.
    fn end(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    /// All that was said, as far as it is text; for when nobody writes any more.
    fn text(mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.0.rewind()?;
        self.0.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Why a child is not waited for any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// It has ended.
    End,
    /// Somebody wants to stop.
    Stop,
}

fn wait_for_end(child: &Child, stop: &AtomicBool) -> io::Result<Until> {
    const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
    let end = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let mut wanted = [PollFd::new(&end, PollFlags::IN)];
    loop {
        match poll(&mut wanted, Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) if stop.load(Ordering::Relaxed) => return Ok(Until::Stop),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(Until::End),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Starts `program`, which needs no arguments and soon ends, and waits for its end. It is started by posix_spawn(3): what fork(2)
/// would take grows with the memory of this process, and a shell's is small.
///
/// # Errors
/// If it cannot be started; how it ended is not an error here.
pub fn start(program: &Path) -> io::Result<ExitStatus> {
    Command::new(program).status()
}

pub(crate) fn command<S: AsRef<OsStr>>(argv: &[S]) -> Command {
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
        let setting = |stop| Setting { directory: Path::new("/"), streams: folder.path(), variables: &[], stop };
        let ended = run_until(&["sh", "-c", "pwd"], setting(&off));
        assert_eq!(ended.expect("sh starts").expect("it ends").words(), "/");
        let stopped = run_until(&["sh", "-c", "sleep 600; :"], setting(&on));
        assert!(stopped.expect("sh starts").is_none());
    }

    #[test]
    fn a_link_where_a_stream_would_be_is_not_followed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let precious = folder.path().join("precious");
        let off = AtomicBool::new(false);
        for name in ["stdout", "stderr"] {
            std::fs::write(&precious, "kept").expect("written");
            let link = folder.path().join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(&precious, &link).expect("linked");
            let setting = Setting { directory: Path::new("/"), streams: folder.path(), variables: &[], stop: &off };
            run_until(&["sh", "-c", "echo out; echo err >&2"], setting).expect_err("it is a link");
            assert_eq!(std::fs::read_to_string(&precious).expect("there"), "kept");
            std::fs::remove_file(&link).expect("there");
        }
    }

    #[test]
    fn what_a_program_leaves_in_the_background_ends_with_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let variables = [("LONG", "600".to_owned())];
        let off = AtomicBool::new(false);
        let setting = Setting { directory: folder.path(), streams: folder.path(), variables: &variables, stop: &off };
        let ended = run_until(&["sh", "-c", "sleep $LONG & echo $!"], setting).expect("sh starts").expect("it ends");
        let sleeper = ended.stdout.trim().to_owned();
        let is_gone = || {
            let state = std::fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap_or_default();
            // What was killed may wait for its new parent to take notice.
            !state.contains("(sleep)") || state.contains(") Z")
        };
        assert!((0..12_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            is_gone()
        }));
    }

    #[test]
    fn a_program_is_started_and_waited_for() {
        assert!(start(&find_program("true").expect("there")).expect("it starts").success());
        assert!(!start(&find_program("false").expect("there")).expect("it starts").success());
        assert!(start(Path::new("/no/such/program")).is_err());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run(&["/no/such/program"]).is_err());
        assert_eq!(find_program("no-such-program"), None);
        assert!(find_program("sh").is_some());
        assert!(search_path().split(':').all(|folder| folder.starts_with('/')));
    }
}
