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
        let known = [
            (Spent::User, used.user - self.used.user),
            (Spent::Kernel(Layer::All), used.system - self.used.system),
            (Spent::Ready, grown.sum::<u64>() as f64 / 1e9),
        ];
        let seconds = elapsed.as_seconds();
        let parts = divided(known.map(|(spent, seconds)| (spent, seconds * share)), seconds)
            .map_err(|what| io::Error::other(format!("{}, and {what}", self.why)))?;
        let (requests, avoidable) = (Vec::new(), Vec::new());
        Ok(Trace {
            operations,
            elapsed,
            seconds,
            parts,
            requests,
            avoidable,
            recorded: 0,
            lost: 0,
            limited: Some(self.why),
        })
    }
}

/// The parts of the time `seconds`, with what is left; why they cannot be told.
fn divided(known: [(Spent, f64); 3], seconds: f64) -> Result<Vec<TimePart>, &'static str> {
    let sum: f64 = known.iter().map(|(_, seconds)| seconds).sum();
    if sum > MOST_AT_ONCE * seconds {
        return Err("its threads or processes ran at the same time");
    }
    let scale = if sum > seconds { seconds / sum } else { 1.0 };
    let rest = (Spent::Waiting(Wait::Unknown, Meanwhile::Unknown), (seconds - sum).max(0.0));
    let part = |(spent, time): (Spent, f64)| TimePart { spent, seconds: time * scale, events: 0.0 };
    Ok(known.into_iter().chain([rest]).map(part).filter(|part| part.seconds > 0.0).collect())
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
        let known = |user, ready| [(Spent::User, user), (Spent::Kernel(Layer::All), 0.1), (Spent::Ready, ready)];
        let shown = |known| divided(known, 1.0).map(|parts| parts.iter().map(|part| part.seconds).collect::<Vec<_>>());
        assert_eq!(shown(known(0.25, 0.0)), Ok(vec![0.25, 0.1, 0.65]));
        let sum: f64 = shown(known(0.83, 0.1)).expect("rounded").iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert!(shown(known(0.9, 0.1)).is_err());
    }
}
