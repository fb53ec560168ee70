//! Child processes: tools such as mkfs. They end with this process, and their output is kept.

mod heard;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, set_parent_process_death_signal,
};

use crate::fault;

pub use heard::run_heard;

/// Maximum number of bytes that are kept of a stream: more than any supported program writes.
const MOST_KEPT: u64 = 64 << 20;
/// Interval at which the stop flag is checked.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// Output and exit status of a tool.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output; invalid UTF-8 is replaced.
    pub stdout: String,
    /// Its standard error; invalid UTF-8 is replaced.
    pub stderr: String,
}

impl Ended {
    /// Both streams, trimmed, standard error first: the text to show for a failure.
    pub fn words(&self) -> String {
        let parts = [self.stderr.trim(), self.stdout.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

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
pub enum Killed {
    /// Its time limit has passed.
    #[error("`{command}` did not end within {} s and was killed", limit.as_secs_f64())]
    TimeLimit {
        /// The command.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// This process was asked to stop.
    #[error("`{command}` was stopped")]
    Stopped {
        /// The command.
        command: String,
    },
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
    let mut command = started(argv)?;
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut streams = [Pipe::new(child.stdout.take())?, Pipe::new(child.stderr.take())?];
    let limit = limit_of_tests().unwrap_or(patience.limit);
    let deadline = Instant::now().checked_add(limit);
    let until = read_to_end(&child, &mut streams, deadline, patience.stop);
    let (until, status) = reap(child, until)?;
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
}

/// Like [`run`], for a program that takes long; `None` if it was stopped. When it has ended, so has its process group.
/// Its end is noticed at once (pidfd_open(2), since Linux 5.3), the stop flag within 5 ms.
///
/// # Errors
/// If it cannot be started, or its streams cannot be kept.
pub fn run_until<S: AsRef<OsStr>>(argv: &[S], setting: Setting<'_>) -> io::Result<Option<Ended>> {
    let (out, err) = (Stream::new(&setting, "stdout")?, Stream::new(&setting, "stderr")?);
    let child = set(argv, &setting)?.stdout(out.end()?).stderr(err.end()?).spawn()?;
    let until = wait_for_end(&child, setting.stop);
    let (Until::End, status) = reap(child, until)? else { return Ok(None) };
    Ok(Some(Ended { status, stdout: out.text()?, stderr: err.text()? }))
}

/// The command of a program in its setting.
fn set<S: AsRef<OsStr>>(argv: &[S], setting: &Setting<'_>) -> io::Result<Command> {
    let mut command = started(argv)?;
    command.envs(setting.variables.iter().map(|(name, value)| (name, value))).current_dir(setting.directory);
    Ok(command)
}

/// Kills the remaining processes of a child, and waits for it. Returns why the wait ended, and the exit status.
fn reap(mut child: Child, until: io::Result<Until>) -> io::Result<(Until, ExitStatus)> {
    let pid = Pid::from_child(&child);
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
fn children(parent: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect::<Vec<_>>())
        .collect()
}

/// A file that keeps a program's output. It is opened once, so that no other process can replace it.
struct Stream(File);

impl Stream {
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

fn wait_for_end(child: &Child, stop: &AtomicBool) -> io::Result<Until> {
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

/// Starts `program`, which needs no arguments and ends soon, and waits for its end. posix_spawn(3) starts it: the time
/// of fork(2) grows with the memory of this process, and a shell's memory is small.
///
/// # Errors
/// If it cannot be started; a failure of the program itself is no error here.
pub fn start(program: &Path) -> io::Result<ExitStatus> {
    Command::new(program).status()
}

/// The command that starts `argv`, or a program that never ends if a test injects that.
pub(crate) fn started<S: AsRef<OsStr>>(argv: &[S]) -> io::Result<Command> {
    let program = argv.first().map(|program| program.as_ref().to_string_lossy()).unwrap_or_default();
    match fault::start(&format!("program {program}"))? {
        fault::Start::Normal => Ok(command(argv)),
        fault::Start::Hanging => Ok(command(&["sleep", "infinity"])),
    }
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

/// `PATH` with the directories of file-system tools, which an ordinary user's may lack, and without relative
/// directories.
pub fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let usual = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    path.split(':').filter(|folder| folder.starts_with('/')).chain(usual).collect::<Vec<_>>().join(":")
}

/// Path of `program` on [`search_path`], if it exists there.
pub fn find_program(program: &str) -> Option<std::path::PathBuf> {
    search_path().split(':').map(|folder| std::path::Path::new(folder).join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_status_are_kept() {
        let ended = run(&["sh", "-c", "echo out; echo err >&2; exit 3"], Patience::query()).expect("sh starts");
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.words(), "err\nout");
        let much = run(&["head", "-c", "300000", "/dev/zero"], Patience::query()).expect("head starts");
        assert_eq!(much.stdout.len(), 300_000);
    }

    /// Whether a process ends within a minute. A killed process that its new parent has not reaped yet counts as ended.
    fn ends(process: &str) -> bool {
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
    fn who_holds_the_output_of_an_ended_program_open_does_not_delay_it() {
        let ended = run(&["sh", "-c", "sleep 600 & echo out"], Patience::query()).expect("it ends");
        assert_eq!(ended.words(), "out");
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
        assert!(ends(&sleeper));
    }

    #[test]
    fn a_program_is_started_and_waited_for() {
        assert!(start(&find_program("true").expect("there")).expect("it starts").success());
        assert!(!start(&find_program("false").expect("there")).expect("it starts").success());
        assert!(start(Path::new("/no/such/program")).is_err());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run(&["/no/such/program"], Patience::query()).is_err());
        assert_eq!(find_program("no-such-program"), None);
        assert!(find_program("sh").is_some());
        assert!(search_path().split(':').all(|folder| folder.starts_with('/')));
    }
}
