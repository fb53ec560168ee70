//! The clock. Schedulers take one as an argument, so that a test can pass another.

use fsarena_model::Nanos;
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::Timespec;

/// Measures the time since some fixed moment.
pub trait Clock {
    /// The current time; never less than an earlier result.
    fn now(&self) -> Nanos;

    /// Waits until it shows `moment`; a signal may end it early.
    fn sleep_until(&self, moment: Nanos);
}

/// `CLOCK_MONOTONIC`.
#[derive(Debug, Clone, Copy, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    fn now(&self) -> Nanos {
        now()
    }

    fn sleep_until(&self, moment: Nanos) {
        sleep_until(moment);
    }
}

/// `CLOCK_MONOTONIC` without a dynamic call, for inner loops: about 20 ns through the vDSO.
///
/// Calls glibc, also because rustix does not survive valgrind, which hides the vDSO from it.
#[inline]
pub fn now() -> Nanos {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes; the call cannot fail for this clock (clock_gettime(2)).
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Duration of a measurement of the machine: `time`, or a tenth of it in builds with debug assertions, of which no
/// figure is used and in which tests make hundreds of runs.
pub const fn look(time: Nanos) -> Nanos {
    Nanos(if cfg!(debug_assertions) { time.0 / 10 } else { time.0 })
}

/// Sleeps until `CLOCK_MONOTONIC` shows `moment`; a signal ends it early.
pub fn sleep_until(moment: Nanos) {
    let nanoseconds = i64::try_from(moment.0).unwrap_or(i64::MAX);
    let request = Timespec { tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000 };
    let _ = clock_nanosleep_absolute(rustix::thread::ClockId::Monotonic, &request);
}

/// The time since 1970, UTC, which may be set while this process runs: only for comparing machines.
pub fn time_of_day() -> Nanos {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().into()
}

/// The time of day, UTC: `2026-11-22T16:24:34Z`.
pub fn utc() -> String {
    // Not time(2), which may be behind other clocks by a tick.
    let now = time_of_day().as_seconds() as libc::time_t;
    // SAFETY: all fields of `tm` are numbers and a pointer, which may be 0; both pointers are valid (gmtime(3)).
    let tm = unsafe {
        let mut tm: libc::tm = std::mem::zeroed();
        libc::gmtime_r(&now, &mut tm);
        tm
    };
    let (year, month) = (tm.tm_year + 1900, tm.tm_mon + 1);
    format!("{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z", tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn the_time_of_day_is_that_of_date() {
        let date = || {
            let output = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().expect("date runs");
            String::from_utf8(output.stdout).expect("ASCII").trim().to_owned()
        };
        let (before, now, after) = (date(), super::utc(), date());
        assert!(before <= now && now <= after, "{before} {now} {after}");
    }
}
