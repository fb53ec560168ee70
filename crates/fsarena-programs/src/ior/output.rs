//! Reads IOR's output: its table of processes, each timed by its own clock. The lines of results and the summary are
//! only compared with it:
//! - Their times are from the first start to the last end by the clocks of several nodes, so a clock that is off by two
//!   seconds adds two seconds (hpc/ior #431), and a start that is lost adds the time since 1970 (#528).
//! - Latencies are divided by the number of transfers that was asked for, not done (#495, until 4.0), and the summary's
//!   operations per second are those of another time than the line's (#478). They are not read.

use fsarena_model::{Bytes, Nanos};

use crate::mpi;

/// What the processes of a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Bytes that all processes moved.
    bytes: f64,
    /// Seconds of the slowest process, from before it opened its file until after it closed it.
    seconds: f64,
    /// The same, checked.
    pub elapsed: Nanos,
    /// MiB/s in the line of results.
    printed: f64,
}

/// A process: seconds with opening and closing, and bytes.
struct Process {
    seconds: f64,
    bytes: f64,
}

impl Output {
    /// Reads the output of a run in which `processes` did `operation`, IOR's word for it.
    ///
    /// # Errors
    /// In words, if something is missing, or is not what it must be.
    pub fn of(text: &str, operation: &str, processes: u64) -> Result<Self, String> {
        mpi::require_no_warning(text)?;
        let rows = text.lines().filter_map(|line| process(line.trim().strip_prefix(operation)?.strip_prefix(',')?));
        let rows = mpi::complete(rows.collect(), processes)?;
        let seconds = rows.iter().map(|process| process.seconds).fold(0.0, f64::max);
        let bytes = rows.iter().map(|process| process.bytes).sum();
        let results = text.lines().filter_map(|line| line.strip_prefix(operation)?.strip_prefix(' '));
        let printed = results.into_iter().find_map(|line| line.split_whitespace().next()?.parse().ok());
        let printed = printed.ok_or_else(|| format!("it wrote no result of `{operation}`"))?;
        Ok(Self { bytes, seconds, elapsed: Nanos(0), printed })
    }

    /// Checks that the run moved `wanted` bytes, and took no longer than the time `around` it.
    ///
    /// # Errors
    /// In words, if it did not.
    pub fn moved(self, wanted: Bytes, around: Nanos) -> Result<Self, String> {
        let elapsed = mpi::possible(self.seconds, around)?;
        // Its table has eleven digits.
        if (self.bytes / wanted.0 as f64 - 1.0).abs() > 1e-8 {
            return Err(format!("it moved {:.0} bytes of {}", self.bytes, wanted.0));
        }
        Ok(Self { elapsed, ..self })
    }

    /// The MiB/s that it prints, if they are not those of its processes.
    pub fn other_figure(&self) -> Option<f64> {
        let computed = self.bytes / f64::from(1 << 20) / self.seconds;
        Some(self.printed).filter(|printed| mpi::differs(*printed, computed))
    }
}

/// A line of the table after the word: process, seconds with and without opening and closing, bytes per second with and
/// without.
fn process(line: &str) -> Option<(u64, Process)> {
    let fields: Vec<&str> = line.split(',').collect();
    let (seconds, rate): (f64, f64) = (mpi::field(&fields, 1)?, mpi::field(&fields, 3)?);
    (fields.len() == 5).then_some((mpi::field(&fields, 0)?, Process { seconds, bytes: seconds * rate }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Nanos = Nanos::seconds(60);

    #[test]
    fn the_slowest_process_gives_the_time() {
        let output = Output::of(include_str!("write.txt"), "write", 2).expect("two processes");
        let output = output.moved(Bytes(2 * 256 * 47_008), MINUTE).expect("all of it");
        assert_eq!((output.elapsed, output.other_figure()), (Nanos(25_696_993), None));
    }

    /// A clock of one node that is 2 s ahead (#431, #528): IOR prints 15.88 MiB/s of 32 MiB in 14.5 ms.
    #[test]
    fn clocks_that_differ_change_nothing() {
        let output = Output::of(include_str!("clock.txt"), "write", 2).expect("two processes");
        let output = output.moved(Bytes(32 << 20), MINUTE).expect("all of it");
        assert_eq!((output.elapsed, output.other_figure()), (Nanos(14_529_943), Some(15.88)));
    }

    /// A time of day that was set by an hour during the run: no figure follows.
    #[test]
    fn a_time_that_cannot_be_is_refused() {
        let output = Output::of(include_str!("clock-set.txt"), "write", 2).expect("two processes");
        let error = output.moved(Bytes(32 << 20), MINUTE).expect_err("an hour within a minute");
        assert!(error.ends_with("the time of day was set"), "{error}");
    }

    /// 587 of 1,024 transfers of a process, because its time was over (#495): it prints a latency of 1.4 ms, the time
    /// divided by 1,024.
    #[test]
    fn bytes_are_those_that_were_moved() {
        let output = Output::of(include_str!("stonewall.txt"), "write", 2).expect("two processes");
        assert_eq!(output.bytes.round(), 2.0 * 587.0 * f64::from(1 << 20));
        let error = output.clone().moved(Bytes(2 << 30), MINUTE).expect_err("half of it");
        assert_eq!(error, "it moved 1231028224 bytes of 2147483648");
        assert_eq!(output.moved(Bytes((2 * 587) << 20), MINUTE).map(|output| output.elapsed), Ok(Nanos(1_593_750_000)));
    }

    #[test]
    fn programs_of_one_process_each_are_refused() {
        let text = include_str!("write.txt").replace("write,1,", "write,0,");
        assert!(Output::of(&text, "write", 2).expect_err("two of one").contains("2 programs of one process each"));
        assert!(Output::of(include_str!("write.txt"), "read", 2).expect_err("it wrote").contains("4.0 or later"));
    }

    #[test]
    fn wrong_data_are_an_error() {
        let text = format!("WARNING: Incorrect data on read (7 errors found).\n{}", include_str!("write.txt"));
        assert!(Output::of(&text, "write", 2).expect_err("wrong").contains("7 errors found"));
    }
}
