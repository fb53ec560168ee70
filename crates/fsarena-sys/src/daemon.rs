//! Programs that run while the work runs, such as servers: they end with this process, all processes that they start end
//! with them, and their output is kept in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::thread::UnshareFlags;

use crate::child::{Processes, children, contain, started};

/// Interval between two checks whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Time that a killed program has to end before what waits for it is killed as well.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that runs in the background. Dropping it kills it with its process group, and waits for it.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    processes: Processes,
}

impl Daemon {
    /// Starts `argv` in `directory`, in process and IPC namespaces of its own if they are [possible](Processes::possible):
    /// its System V shared memory disappears with them. Appends both of its streams to the file `log`, which is made if it
    /// does not exist.
    ///
    /// # Errors
    /// If it cannot be started, or the log cannot be opened, for example because it is a symbolic link.
    pub fn start<S: AsRef<OsStr>>(argv: &[S], directory: &Path, log: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.create(true).append(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
        let log = options.open(log)?;
        let mut command = started(argv)?;
        command.current_dir(directory).stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log));
        let processes = Processes::possible();
        if processes == Processes::Own {
            contain(&mut command, UnshareFlags::NEWPID | UnshareFlags::NEWIPC);
        }
        Ok(Self { child: command.spawn()?, processes })
    }

    /// The program itself; `None` once it has ended.
    fn process(&self) -> Option<Pid> {
        let child = Pid::from_child(&self.child);
        let first_child = |parent| children(parent).into_iter().next();
        match self.processes {
            Processes::All => Some(child),
            // What waits for the namespace, its first process, the program.
            Processes::Own => first_child(first_child(child)?),
        }
    }

    /// Sends the program a signal, unless it has ended. If the kernel does not tell which process it is, all are killed.
    pub fn signal(&mut self, signal: Signal) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        match self.process() {
            Some(pid) => drop(kill_process(pid, signal)),
            None => self.kill_group(),
        }
    }

    /// To be called before the child was waited for: its process ID cannot be reused until then.
    fn kill_group(&self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
    }

    /// Waits for its end, at most for the time `most`, and returns its exit status; `None` if it still runs.
    ///
    /// # Errors
    /// If the kernel refuses the query.
    pub fn wait(&mut self, most: Duration) -> io::Result<Option<ExitStatus>> {
        let begin = Instant::now();
        loop {
            match self.child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if begin.elapsed() >= most => return Ok(None),
                None => std::thread::sleep(LOOK),
            }
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The wait for the first process of a PID namespace returns when all its processes are gone. If what waits were
        // killed as well, the others might hold files for a while.
        if self.processes == Processes::Own {
            self.signal(Signal::KILL);
            let _ = self.wait(PATIENCE);
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill_group();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// Waits for a condition, at most for a minute.
    fn wait_until(mut is_so: impl FnMut() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < Duration::from_secs(60), "it does not come");
            std::thread::sleep(LOOK);
        }
    }

    #[test]
    fn it_runs_until_it_is_ended_and_its_output_is_kept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let log = folder.path().join("log");
        let argv = ["sh", "-c", "trap 'echo end; exit 0' TERM; echo up; while :; do sleep 0.01; done"];
        let mut daemon = Daemon::start(&argv, Path::new("/"), &log).expect("starts");
        let has_output = |text: &str| fs::read_to_string(&log).expect("there").contains(text);
        wait_until(|| has_output("up"));
        assert!(daemon.wait(Duration::ZERO).expect("known").is_none());
        daemon.signal(Signal::TERM);
        let status = daemon.wait(Duration::from_secs(60)).expect("known");
        assert_eq!((status.and_then(|status| status.code()), has_output("end")), (Some(0), true));
    }

    #[test]
    fn dropped_it_is_gone() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let log = folder.path().join("log");
        let daemon = Daemon::start(&["sleep", "600"], Path::new("/"), &log).expect("starts");
        let process = daemon.process().expect("runs");
        drop(daemon);
        assert!(!Path::new(&format!("/proc/{process}")).exists());
    }

    #[test]
    fn dropped_nothing_of_its_namespace_is_left() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().expect("temporary folder");
        let log = folder.path().join("log");
        // Each leads its own process group, as the processes of databases do.
        let script = "for i in 1 2 3 4 5 6 7 8; do setsid sleep 600 & done; wait";
        let daemon = Daemon::start(&["sh", "-c", script], folder.path(), &log).expect("starts");
        let at_work = || {
            let processes = fs::read_dir("/proc").expect("there").flatten();
            processes
                .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|at| at == folder.path()))
                .count()
        };
        // Those, the shell, and the two that wait for it.
        wait_until(|| at_work() == 11);
        drop(daemon);
        assert_eq!(at_work(), 0);
    }

    #[test]
    fn killed_it_ends_as_any_program_does() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (argv, log) = (["sh", "-c", "sleep 600; exit 7"], folder.path().join("log"));
        let mut daemon = Daemon::start(&argv, Path::new("/"), &log).expect("starts");
        daemon.signal(Signal::KILL);
        let status = daemon.wait(Duration::from_secs(60)).expect("known").expect("ended");
        assert_eq!(status.signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn a_log_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (precious, log) = (folder.path().join("precious"), folder.path().join("log"));
        std::os::unix::fs::symlink(&precious, &log).expect("linked");
        Daemon::start(&["true"], Path::new("/"), &log).expect_err("it is a link");
        assert!(!precious.exists());
    }
}
