//! Where the time goes as far as every user may know: how long the work was on a processor, and how long it was ready.

use std::collections::HashMap;
use std::fs;
use std::io;

use fsarena_model::{Layer, Meanwhile, Nanos, Spent, TimePart, Trace, Wait};
use fsarena_sys::clock;
use fsarena_sys::usage::{ProcessorTime, processor_time};

/// The times at the start of a slice.
pub struct ProcessorTimes {
    begun: Nanos,
    used: ProcessorTime,
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
        Ok(Self { begun: clock::now(), used: processor_time()?, ready: ready(), why })
    }

    /// The parts of the time since then, as far as it is that of the slice; what is left is a wait for an unknown reason.
    /// Where several threads work, their times are scaled to the time of the slice.
    ///
    /// # Errors
    /// As getrusage(2).
    pub fn stop(self, operations: u64, elapsed: Nanos) -> io::Result<Trace> {
        let (used, now) = (processor_time()?, ready());
        let share = (elapsed.0 as f64 / (clock::now().0 - self.begun.0).max(1) as f64).min(1.0);
        let grown = now.iter().map(|(thread, time)| time - self.ready.get(thread).unwrap_or(&0).min(time));
        let known = [
            (Spent::User, used.user - self.used.user),
            (Spent::Kernel(Layer::Other), used.system - self.used.system),
            (Spent::Ready, grown.sum::<u64>() as f64 / 1e9),
        ];
        let known = known.map(|(spent, seconds)| (spent, seconds * share));
        let sum: f64 = known.iter().map(|(_, seconds)| seconds).sum();
        let seconds = elapsed.as_seconds();
        let scale = if sum > seconds { seconds / sum } else { 1.0 };
        let rest = (Spent::Waiting(Wait::Unknown, Meanwhile::Unknown), (seconds - sum).max(0.0) / scale);
        let parts =
            known.into_iter().chain([rest]).map(|(spent, time)| TimePart { spent, seconds: time * scale, events: 0.0 });
        let parts = parts.filter(|part| part.seconds > 0.0).collect();
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
        while begin.elapsed() < Duration::from_millis(40) {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_millis(40));
        let trace = times.stop(7, begin.elapsed().into()).expect("readable");
        let sum: f64 = trace.parts.iter().map(|part| part.seconds).sum();
        assert!((sum - trace.seconds).abs() < 1e-9, "{trace:?}");
        assert!(trace.parts.iter().any(|part| matches!(part.spent, Spent::User | Spent::Ready)), "{trace:?}");
        assert_eq!(trace.limited.as_deref(), Some("no privilege"));
    }
}
