//! Processor time of this process and of its ended children: getrusage(2).

use std::io;

use crate::check;

/// Processor time, in seconds. The kernel knows the sum to the nanosecond, and divides it in the ratio that its ticks
/// have sampled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProcessorTime {
    /// Spent in the programs themselves.
    pub user: f64,
    /// Spent in the kernel for them.
    pub system: f64,
}

impl std::ops::Add for ProcessorTime {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { user: self.user + more.user, system: self.system + more.system }
    }
}

/// Processor time of this process with all its threads, and of its children that have ended and been waited for, with
/// theirs.
///
/// # Errors
/// As getrusage(2).
pub fn processor_time() -> io::Result<ProcessorTime> {
    Ok(of(libc::RUSAGE_SELF)? + processor_time_of_children()?)
}

/// Processor time of the children of this process that have ended and been waited for.
///
/// # Errors
/// As getrusage(2).
pub fn processor_time_of_children() -> io::Result<ProcessorTime> {
    of(libc::RUSAGE_CHILDREN)
}

fn of(who: libc::c_int) -> io::Result<ProcessorTime> {
    // SAFETY: all fields are numbers, which may be 0.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes one `rusage`, for which `usage` has room.
    check(unsafe { libc::getrusage(who, &raw mut usage) })?;
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(ProcessorTime { user: seconds(usage.ru_utime), system: seconds(usage.ru_stime) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_that_have_ended_counts() {
        let before = processor_time().expect("readable");
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", loops]).status();
        assert!(status.expect("a shell").success());
        let after = processor_time().expect("readable");
        assert!(after.user > before.user && after.system >= before.system, "{before:?} {after:?}");
    }
}
