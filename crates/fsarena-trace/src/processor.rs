//! Where the time goes as far as every user may know: how long the work was on a processor, and how long it was ready.

use std::collections::HashMap;
use std::fs;
use std::io;

use fsarena_model::{Layer, Meanwhile, Nanos, Spent, TimePart, Trace, Wait};
use fsarena_sys::clock;
use fsarena_sys::usage::{ProcessorTime, processor_time, processor_time_of_children};

/// By how much the times on processors may exceed that of the slice, as those of one thread do by rounding.
const MOST_AT_ONCE: f64 = 1.05;

/// The times at the start of a slice.
pub struct ProcessorTimes {
    begun: Nanos,
    used: ProcessorTime,
    of_children: ProcessorTime,
    /// Nanoseconds for which each thread was ready without a processor.
    ready: HashMap<String, u64>,
    /// Why nothing more is known.
    why: String,
}

impl ProcessorTimes {
    /// Those of this moment.
    ///
    /// # Errors
    /// As getrusage(2).
    pub fn now(why: String) -> io::Result<Self> {
        let of_children = processor_time_of_children()?;
        Ok(Self { begun: clock::now(), used: processor_time()?, of_children, ready: ready(), why })
    }

    /// The parts of the time since then, as far as it is that of the slice; what is left is a wait for an unknown reason.
    /// Of other processes it is not known how long they were ready.
    ///
    /// # Errors
    /// As getrusage(2), and if so much work was done at the same time that its parts cannot be told.
    pub fn stop(self, operations: u64, elapsed: Nanos) -> io::Result<Trace> {
        let has_children = processor_time_of_children()? != self.of_children;
        let (used, now) = (processor_time()?, if has_children { HashMap::new() } else { ready() });
        let share = (elapsed.0 as f64 / (clock::now().0 - self.begun.0).max(1) as f64).min(1.0);
        let grown = now.iter().map(|(thread, time)| time - self.ready.get(thread).unwrap_or(&0).min(time));
        let known = [used.user - self.used.user, used.system - self.used.system, grown.sum::<u64>() as f64 / 1e9];
        let seconds = elapsed.as_seconds();
        let parts = divided(known.map(|seconds| seconds * share), seconds)
            .map_err(|what| io::Error::other(format!("{}, and {what}", self.why)))?;
        Ok(Trace { operations, elapsed, seconds, parts, limited: Some(self.why), ..Trace::default() })
    }
}

/// The parts of the time `seconds`: as much of it in programs, in the kernel and ready, and what is left; why they cannot
/// be told. Threads that do not work may have been ready, too.
fn divided([user, system, ready]: [f64; 3], seconds: f64) -> Result<Vec<TimePart>, &'static str> {
    let used = user + system;
    if used > MOST_AT_ONCE * seconds {
        return Err("its threads or processes ran at the same time");
    }
    let (scale, left) = (f64::min(1.0, seconds / used), (seconds - used).max(0.0));
    let parts = [
        (Spent::User, user * scale),
        (Spent::Kernel(Layer::All), system * scale),
        (Spent::Ready, ready.min(left)),
        (Spent::Waiting(Wait::Unknown, Meanwhile::Unknown), (left - ready).max(0.0)),
    ];
    let parts = parts.map(|(spent, seconds)| TimePart { spent, seconds, events: 0.0 });
    Ok(parts.into_iter().filter(|part| part.seconds > 0.0).collect())
}

/// For how long each thread of this process was ready (the second number of /proc/PID/schedstat,
/// Documentation/scheduler/sched-stats.rst).
fn ready() -> HashMap<String, u64> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |task: fs::DirEntry| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        Some((task.file_name().to_string_lossy().into_owned(), text.split_whitespace().nth(1)?.parse().ok()?))
    };
    tasks.filter_map(of_task).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_parts_are_those_of_the_slice_and_add_up() {
        let times = ProcessorTimes::now("no privilege".to_owned()).expect("readable");
        let begin = Instant::now();
        std::thread::sleep(Duration::from_millis(40));
        // Other tests may run at the same time.
        let Ok(trace) = times.stop(7, begin.elapsed().into()) else { return };
        let sum: f64 = trace.parts.iter().map(|part| part.seconds).sum();
        assert!((sum - trace.seconds).abs() < 1e-9, "{trace:?}");
        assert_eq!(trace.limited.as_deref(), Some("no privilege"));
    }

    #[test]
    fn work_that_is_done_at_the_same_time_is_not_divided() {
        let shown = |known| divided(known, 1.0).map(|parts| parts.iter().map(|part| part.seconds).collect::<Vec<_>>());
        assert_eq!(shown([0.25, 0.25, 0.0]), Ok(vec![0.25, 0.25, 0.5]));
        assert_eq!(shown([0.25, 0.25, 0.75]), Ok(vec![0.25, 0.25, 0.5]));
        let sum: f64 = shown([0.83, 0.2, 0.1]).expect("rounded").iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert!(shown([0.9, 0.2, 0.0]).is_err());
    }
}
