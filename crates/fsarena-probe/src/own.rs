//! Processor time of this run: of this process and of all that it has started, ended or not; context switches of this
//! process alone; storage I/O of this process and of those that it has waited for (proc_pid_io(5)).

use fsarena_model::probe;
use fsarena_sys::usage;

use crate::{Counters, Target, field, processes};

/// The counters of this process with all its threads, and of what it has started.
pub fn read(_target: &Target) -> Counters {
    let ended = usage::processor_time().ok();
    let time = ended.zip(processes::started()).map(|(ended, running)| ended + running);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let voluntary = field(&status, "voluntary_ctxt_switches");
    let forced = field(&status, "nonvoluntary_ctxt_switches");
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    vec![
        (probe::CPU_PROCESS, time.map(|time| time.user + time.system)),
        (probe::CPU_SYSTEM, time.map(|time| time.system)),
        (probe::SWITCHES, voluntary.zip(forced).map(|(voluntary, forced)| voluntary + forced)),
        (probe::PROCESS_READ, field(&io, "read_bytes")),
        (probe::PROCESS_WRITTEN, field(&io, "write_bytes")),
    ]
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Processor time of this run, in seconds.
    fn own_time() -> f64 {
        read(&Target::default())[0].1.expect("readable")
    }

    /// Waits until this file has content, at most for a minute, and returns it.
    fn awaited(path: &std::path::Path) -> String {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            match std::fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        panic!("{} does not come", path.display());
    }

    #[test]
    fn the_time_of_a_grandchild_counts_while_it_runs_and_when_it_has_ended() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (worker, number) = (folder.path().join("worker"), folder.path().join("number"));
        let work = "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done; echo $$ > number; read end";
        std::fs::write(&worker, work).expect("written");
        let before = own_time();
        let mut parent = Command::new("sh");
        parent.args(["-c", "sh worker; true"]).current_dir(folder.path()).stdin(Stdio::piped());
        let mut parent = parent.spawn().expect("a shell");
        let grandchild = awaited(&number);
        let schedstat = format!("/proc/{}/schedstat", grandchild.trim());
        let nanoseconds = std::fs::read_to_string(schedstat).expect("it runs");
        let used = nanoseconds.split(' ').next().expect("a field").parse::<f64>().expect("a number") / 1e9;
        // User and system time are in ticks.
        let least = used - 0.02;
        assert!(least > 0.0, "it has used {used} s");
        assert!(own_time() - before >= least, "it waits: {} s of {used} s", own_time() - before);
        drop(parent.stdin.take());
        assert!(parent.wait().expect("it ends").success());
        assert!(own_time() - before >= least, "it has ended: {} s of {used} s", own_time() - before);
    }
}
