//! Child processes: tools such as mkfs. They end with this process, and their output is kept.

mod contained;
mod ended;
mod short;
mod streamed;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, OFlags, access};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, set_parent_process_death_signal,
};
use rustix::thread::UnshareFlags;

use crate::fault;
use crate::fork::{Forked, fork};

pub(crate) use contained::contain;
pub use ended::Ended;
pub use short::{Killed, Patience, WITHOUT_UDEV, gives_up, has_given_up, heed, run, run_apart, run_in};
pub use streamed::OutputListener;
use streamed::{Pipe, listen};

/// The folder of [`prefer`].
static PREFERRED: RwLock<Option<PathBuf>> = RwLock::new(None);

/// Maximum number of bytes that are kept of a stream: more than any supported program writes.
const MOST_KEPT: u64 = 64 << 20;

/// Where a program works, and what stops it.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Its working directory.
    pub directory: &'a Path,
    /// The folder of the files with its output while it runs; a symbolic link there is not followed.
    pub streams: &'a Path,
    /// Environment variables in addition to those of this process.
    pub variables: &'a [(&'a str, String)],
    /// Once this is set, the program is killed with all of its process group.
    pub stop: &'a AtomicBool,
    /// How long it may take before that to end by itself, after SIGTERM; zero: it gets no SIGTERM.
    pub grace: Duration,
    /// With which processes it runs.
    pub processes: Processes,
}

/// The processes among which a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processes {
    /// Those of this machine.
    All,
    /// Those that it starts, in a PID namespace of their own: when it ends, the kernel ends them all, even those that
    /// left its process group. Without the privilege for a namespace, as [`Processes::All`]. Measured: it takes 1 ms.
    Own,
}

impl Processes {
    /// [`Processes::Own`] if this process has the privilege for a namespace; tried once.
    pub fn possible() -> Self {
        static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
        let tried = || fork(|| vec![u8::from(contained::leave(UnshareFlags::NEWPID).is_ok())]).and_then(Forked::finish);
        match IS_POSSIBLE.get_or_init(|| tried().is_ok_and(|answer| answer == [1])) {
            true => Self::Own,
            false => Self::All,
        }
    }
}

impl<'a> Setting<'a> {
    /// Without variables, grace or a namespace.
    pub fn new(directory: &'a Path, streams: &'a Path, stop: &'a AtomicBool) -> Self {
        Self { directory, streams, variables: &[], stop, grace: Duration::ZERO, processes: Processes::All }
    }
}

/// Like [`run`], for a program that takes long; `None` if it was stopped. When it has ended, so has its process group.
/// Its end is noticed at once, the stop flag within 5 ms.
///
/// `heard` gets each piece of the program's standard output as soon as it arrives. The program must then not buffer its
/// output, or be started without buffering (stdbuf(1)).
///
/// # Errors
/// If it cannot be started, or its streams cannot be kept.
pub fn run_until<S: AsRef<OsStr>>(
    argv: &[S],
    setting: Setting<'_>,
    heard: Option<OutputListener<'_>>,
) -> io::Result<Option<Ended>> {
    let (out, err) = (OutputFile::new(&setting, "stdout")?, OutputFile::new(&setting, "stderr")?);
    let mut command = started(argv)?;
    command.envs(setting.variables.iter().map(|(name, value)| (name, value))).current_dir(setting.directory);
    if setting.processes == Processes::Own {
        contain(&mut command, UnshareFlags::NEWPID);
    }
    let stdout = if heard.is_some() { Stdio::piped() } else { out.end()? };
    let mut child = command.stdout(stdout).stderr(err.end()?).spawn()?;
    let mut pipes = match child.stdout.take() {
        Some(end) => vec![Pipe::new(Some(end), heard)?],
        None => Vec::new(),
    };
    let until = listen(&child, &mut pipes, None, setting.stop);
    let (Until::End, status) = reap(child, until, setting.grace)? else { return Ok(None) };
    let stdout = pipes.pop().map_or_else(|| out.text(), |pipe| Ok(pipe.text()))?;
    Ok(Some(Ended { status, stdout, stderr: err.text()? }))
}

/// Kills the remaining processes of a child, which may end by themselves within `grace`, and waits for it. Returns why
/// the wait ended, and the exit status.
fn reap(mut child: Child, until: io::Result<Until>, grace: Duration) -> io::Result<(Until, ExitStatus)> {
    let pid = Pid::from_child(&child);
    if matches!(until, Ok(Until::Stop)) {
        gives_up();
        if !grace.is_zero() {
            ask_to_end(&child, grace)?;
        }
    }
    // fio's processes have their own groups: they can be found only while their parent exists.
    if !matches!(until, Ok(Until::End)) {
        kill_descendants(pid);
    }
    // Before the wait the process ID cannot be reused.
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait()?;
    Ok((until?, status))
}

/// Kills the children of `parent`, their children and so on. Each is stopped first, so that it cannot start others.
fn kill_descendants(parent: Pid) {
    let _ = kill_process(parent, Signal::STOP);
    for child in children(parent) {
        kill_descendants(child);
        let _ = kill_process(child, Signal::KILL);
    }
}

/// The children of all threads of a process (proc_pid_tid_children(5)); empty if the kernel does not list them.
pub(crate) fn children(parent: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect::<Vec<_>>())
        .collect()
}

/// A file that keeps a program's output. It is opened once, so that no other process can replace it.
struct OutputFile(File);

impl OutputFile {
    fn new(setting: &Setting<'_>, name: &str) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
        options.open(setting.streams.join(name)).map(Self)
    }

    /// The file to which the program writes.
    fn end(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    /// At most `MOST_KEPT` bytes of the output; invalid UTF-8 is replaced. To be called when no process writes any
    /// more.
    fn text(mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.0.rewind()?;
        self.0.take(MOST_KEPT).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Why the wait for a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// It has ended.
    End,
    /// The stop flag is set.
    Stop,
    /// Its time limit has passed.
    TimeLimit,
}

/// Sends SIGTERM, and waits for the end of the child for as long as `grace`.
fn ask_to_end(child: &Child, grace: Duration) -> io::Result<()> {
    let pid = Pid::from_child(child);
    let end = pidfd_open(pid, PidfdFlags::empty())?;
    let _ = kill_process(pid, Signal::TERM);
    let limit = Timespec { tv_sec: grace.as_secs() as i64, tv_nsec: i64::from(grace.subsec_nanos()) };
    let _ = poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(&limit));
    Ok(())
}

/// Starts `program`, which needs no arguments and ends soon, and waits for its end. posix_spawn(3) starts it: the time
/// of fork(2) grows with the memory of this process, and a shell's memory is small.
///
/// # Errors
/// If it cannot be started; a failure of the program itself is no error here.
pub fn start(program: &Path) -> io::Result<ExitStatus> {
    Command::new(program).status()
}

/// The command that starts `argv`, or a program that never ends if a test injects that. The program prints English,
/// finds programs on [`search_path`], has no standard input and a process group of its own, and ends with the thread
/// that starts it.
///
/// # Errors
/// An injected one.
pub fn started<S: AsRef<OsStr>>(argv: &[S]) -> io::Result<Command> {
    let program = argv.first().map(|program| program.as_ref().to_string_lossy()).unwrap_or_default();
    let is_hanging = fault::start(&format!("program {program}"))?;
    Ok(if is_hanging { command(&["sleep", "infinity"]) } else { command(argv) })
}

fn command<S: AsRef<OsStr>>(argv: &[S]) -> Command {
    let (program, arguments) = argv.split_first().expect("a command has a program");
    let mut command = Command::new(program);
    command.args(arguments).envs(variables()).stdin(Stdio::null()).process_group(0);
    end_with_parent(&mut command);
    command
}

/// The environment variables that each program gets.
fn variables() -> [(&'static str, String); 2] {
    [("LC_ALL", "C".to_owned()), ("PATH", search_path())]
}

/// Lets the kernel kill `command`'s process when the thread that starts it ends.
pub fn end_with_parent(command: &mut Command) {
    let die = || set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from);
    // SAFETY: between fork and exec the closure makes one system call and touches no lock and no allocator.
    unsafe { command.pre_exec(die) };
}

/// Lets programs be looked for in `folder` first; `None`: in no further one.
pub fn prefer(folder: Option<PathBuf>) {
    *PREFERRED.write().unwrap_or_else(PoisonError::into_inner) = folder;
}

/// `PATH` after the folder of [`prefer`], with the directories of file-system tools, which an ordinary user's may lack,
/// and without relative directories.
pub fn search_path() -> String {
    let preferred = PREFERRED.read().unwrap_or_else(PoisonError::into_inner).clone();
    let path = std::env::var("PATH").unwrap_or_default();
    let usual = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let folders = path.split(':').filter(|folder| folder.starts_with('/')).chain(usual).map(str::to_owned);
    let preferred = preferred.map(|folder| folder.display().to_string());
    preferred.into_iter().chain(folders).collect::<Vec<_>>().join(":")
}

/// Path of `program` on [`search_path`], if it exists there and can be run.
pub fn find_program(program: &str) -> Option<PathBuf> {
    let can_run = |path: &PathBuf| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    search_path().split(':').map(|folder| Path::new(folder).join(program)).find(can_run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Whether a process ends within a minute. A killed process that its new parent has not reaped yet counts as ended.
    pub(super) fn ends(process: &str) -> bool {
        let has_ended = || {
            let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            state.is_empty() || state.contains(") Z")
        };
        (0..12_000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            has_ended()
        })
    }

    #[test]
    fn a_program_may_clear_up_before_it_is_killed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let on = AtomicBool::new(true);
        let script = "trap 'touch cleared; exit' TERM; touch ready; sleep 600 & wait";
        let grace = Duration::from_secs(60);
        let setting = Setting { grace, ..Setting::new(folder.path(), folder.path(), &on) };
        // Without `ready` the signal came before the trap was set.
        let is_cleared = || {
            let stopped = run_until(&["sh", "-c", script], setting, None).expect("sh starts");
            assert!(stopped.is_none());
            folder.path().join("ready").exists().then(|| folder.path().join("cleared").exists())
        };
        assert!((0..100).find_map(|_| is_cleared()).expect("it had begun"));
    }

    #[test]
    fn a_program_is_stopped_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (on, off) = (AtomicBool::new(true), AtomicBool::new(false));
        for processes in [Processes::All, Processes::Own] {
            let setting = |stop| Setting { processes, ..Setting::new(Path::new("/"), folder.path(), stop) };
            let ended = run_until(&["sh", "-c", "pwd"], setting(&off), None);
            assert_eq!(ended.expect("sh starts").expect("it ends").words(), "/");
            let stopped = run_until(&["sh", "-c", "sleep 600; :"], setting(&on), None);
            assert!(stopped.expect("sh starts").is_none());
            run_until(&["/no/such/program"], setting(&off), None).expect_err("it cannot start");
        }
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
            let setting = Setting::new(Path::new("/"), folder.path(), &off);
            run_until(&["sh", "-c", "echo out; echo err >&2"], setting, None).expect_err("it is a link");
            assert_eq!(std::fs::read_to_string(&precious).expect("there"), "kept");
            std::fs::remove_file(&link).expect("there");
        }
    }

    #[test]
    fn background_processes_of_a_program_end_with_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let variables = [("LONG", "600".to_owned())];
        let off = AtomicBool::new(false);
        let setting = Setting { variables: &variables, ..Setting::new(folder.path(), folder.path(), &off) };
        let ended =
            run_until(&["sh", "-c", "sleep $LONG & echo $!"], setting, None).expect("sh starts").expect("it ends");
        let sleeper = ended.stdout.trim().to_owned();
        assert!(ends(&sleeper));
    }

    #[test]
    fn a_program_is_started_and_waited_for() {
        assert!(start(&find_program("true").expect("there")).expect("it starts").success());
        assert!(!start(&find_program("false").expect("there")).expect("it starts").success());
        assert!(start(Path::new("/no/such/program")).is_err());
    }

    #[test]
    fn a_preferred_folder_has_other_programs_of_the_same_name() {
        let folder = tempfile::tempdir().expect("temporary folder");
        // No other test starts it.
        let program = folder.path().join("tsort");
        std::fs::write(&program, "#!/bin/sh\necho ${0##*/} of this folder").expect("written");
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, all).expect("ours");
        let usual = find_program("tsort");
        assert!(usual.is_some() && usual.as_ref() != Some(&program));
        prefer(Some(folder.path().to_owned()));
        let (found, ended) = (find_program("tsort"), run(&["tsort"], Patience::query()));
        prefer(None);
        assert_eq!((found, ended.expect("it starts").words().as_str()), (Some(program), "tsort of this folder"));
        assert_eq!(find_program("tsort"), usual);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run(&["/no/such/program"], Patience::query()).is_err());
        assert_eq!(find_program("no-such-program"), None);
        assert!(find_program("sh").is_some());
        assert!(search_path().split(':').all(|folder| folder.starts_with('/')));
    }
}
