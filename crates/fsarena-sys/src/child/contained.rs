//! Programs in a PID namespace (pid_namespaces(7)), with which all their processes end.
//!
//! The program is not the first process of its namespace, which ignores the signals that it sends itself. That one, and
//! the process that waits for it outside, are copies of this process without its files.

use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::retry_on_intr;
use rustix::process::{
    DumpableBehavior, Pid, Resource, Signal, WaitOptions, getrlimit, set_dumpable_behavior,
    set_parent_process_death_signal, waitpid,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::mapping::Mapping;

/// Lets `command`'s process wait for the program in `new` namespaces, one of them for processes, and end as the program
/// does. Without the privilege for a namespace, it becomes the program.
pub(crate) fn contain(command: &mut Command, new: UnshareFlags) {
    // SAFETY: between fork and exec `enter` makes system calls only, and touches no lock and no allocator.
    unsafe { command.pre_exec(move || enter(new)) };
}

/// Leaves namespaces for new ones; that for processes is for child processes.
pub(super) fn leave(new: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: namespaces for child processes and for IPC do not change what any file descriptor or memory means.
    unsafe { unshare_unsafe(new) }
}

/// Returns in the process that becomes the program.
fn enter(new: UnshareFlags) -> io::Result<()> {
    if leave(new).is_err() {
        return Ok(());
    }
    // How the program has ended; before that, as if it had been killed.
    let status = shared(libc::SIGKILL)?;
    if let Some(first) = fork()? {
        close_files();
        let _ = retry_on_intr(|| waitpid(Some(first), WaitOptions::empty()));
        end_as(status.load(Ordering::Relaxed));
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let Some(program) = fork()? else { return Ok(()) };
    close_files();
    loop {
        // Processes that have lost their parent are children of this one.
        match retry_on_intr(|| waitpid(None, WaitOptions::empty())) {
            Ok(Some((ended, how))) if ended == program => {
                status.store(how.as_raw(), Ordering::Relaxed);
                exit(0);
            }
            Ok(_) => {}
            Err(_) => exit(1),
        }
    }
}

/// A number that child processes share.
fn shared(number: i32) -> io::Result<&'static AtomicI32> {
    let mapping = ManuallyDrop::new(Mapping::anonymous(size_of::<AtomicI32>())?);
    // SAFETY: the mapping is never unmapped. It is large enough, and aligned.
    let shared = unsafe { mapping.start.cast::<AtomicI32>().as_ref() };
    shared.store(number, Ordering::Relaxed);
    Ok(shared)
}

/// The child process; `None` in the child.
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has a single thread, whose state the child has as it is.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        process => Ok(Pid::from_raw(process)),
    }
}

/// Closes all files: others wait for the end of pipes, and unmount file systems.
fn close_files() {
    // SAFETY: neither the caller nor what it calls uses a file any more.
    unsafe {
        // Since Linux 5.9.
        if libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) != 0 {
            (0..getrlimit(Resource::Nofile).current.unwrap_or(1 << 20) as i32).for_each(|file| _ = libc::close(file));
        }
    }
}

/// Ends with the exit code, or by the signal, of a status of wait(2).
fn end_as(status: i32) -> ! {
    if libc::WIFSIGNALED(status) {
        // The program has written its own core file.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        // SAFETY: the signal gets its default action, and this process has nothing else to do.
        unsafe {
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::kill(libc::getpid(), libc::WTERMSIG(status));
        }
    }
    exit(libc::WEXITSTATUS(status))
}

fn exit(code: i32) -> ! {
    // SAFETY: `_exit` may be called at any time and does not return.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::sync::atomic::AtomicBool;

    use super::super::tests::ends;
    use super::super::{Ended, Processes, Setting, run_until};

    fn contained(script: &str) -> Ended {
        let (folder, off) = (tempfile::tempdir().expect("temporary folder"), AtomicBool::new(false));
        let setting = Setting::new(folder.path(), folder.path(), &off);
        let ended = run_until(&["sh", "-c", script], Setting { processes: Processes::Own, ..setting }, None);
        ended.expect("sh starts").expect("it ends")
    }

    #[test]
    fn a_program_ends_as_it_would_among_all_processes() {
        for (script, status) in [
            ("exit 0", 0),
            ("exit 137", 137 << 8),
            ("kill -KILL $$; echo on", libc::SIGKILL),
            ("kill -TERM $$; echo on", libc::SIGTERM),
            ("kill -USR1 $$; echo on", libc::SIGUSR1),
            ("kill -SEGV $$; echo on", libc::SIGSEGV),
            ("kill -ABRT $$; echo on", libc::SIGABRT),
            ("trap 'exit 3' TERM; kill -TERM $$; echo on", 3 << 8),
            ("(sleep 0.01 &); sleep 0.1; exit 4", 4 << 8),
        ] {
            let ended = contained(&format!("ulimit -c 0; {script}"));
            assert_eq!((ended.status, ended.stdout), (ExitStatus::from_raw(status), String::new()), "{script}");
        }
    }

    #[test]
    fn processes_in_sessions_of_their_own_end_with_the_program() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let sleeper = "read number rest < /proc/self/stat; echo $number; echo up > up; exec sleep 600";
        let ended = contained(&format!("setsid sh -c '{sleeper}' & until test -s up; do sleep 0.01; done"));
        assert!(ends(ended.words().trim()));
    }
}
