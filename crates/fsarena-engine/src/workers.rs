//! Runs workers concurrently: a single worker in the calling thread, several workers in threads or processes that start
//! together.

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_model::Nanos;
use fsarena_sys::clock;
use fsarena_sys::files;
use fsarena_sys::fork::{self, Forked};
use fsarena_sys::gate::{Flags, Gate};

use crate::meter::Meter;
use crate::pace::IntendedStarts;
use crate::{EngineError, Limit, RunStats};

/// One of several workers that do the same work.
pub trait Worker: Send {
    /// Opens its files, starts the timer, and works until its limit.
    ///
    /// # Errors
    /// If the file system returns an error.
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError>;

    /// The most files that it has open at once; usually one and its copy, a directory and a ring.
    fn files(&self) -> u64 {
        4
    }

    /// The state from which [`Worker::resume`] continues. A worker that is a process returns it before it ends.
    fn position(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// Continues from a position that [`Worker::position`] returned.
    fn resume(&mut self, _position: &[u64]) {}
}

/// The timer of a worker's run, before its start.
pub struct Timer<'a> {
    /// The entrance to the timed part.
    pub entry: TimedEntrance<'a>,
    /// When the run ends.
    pub limit: &'a Limit<'a>,
    /// When the operations of the worker start; `None`: each as soon as the last one has ended.
    pub pace: Option<&'a mut IntendedStarts>,
    /// Where its results are counted.
    pub stats: &'a mut RunStats,
}

impl<'a> Timer<'a> {
    /// Waits until all workers are ready, and starts.
    ///
    /// # Errors
    /// As [`TimedEntrance::pass`].
    pub fn start(self) -> Result<Meter<'a>, EngineError> {
        Ok(Meter::start(self.entry.pass()?, self.limit, self.pace, self.stats))
    }
}

/// The entrance to the timed part. If a worker drops it before it passes, the worker has failed and no worker begins.
pub struct TimedEntrance<'a>(Option<&'a Flags>);

impl<'a> TimedEntrance<'a> {
    /// The same entrance. This one is free from now on, for a worker that starts several timers.
    pub fn take(&mut self) -> TimedEntrance<'a> {
        TimedEntrance(self.0.take())
    }

    /// Waits until all workers are ready, and returns the start of the timed part. All workers get the same start,
    /// whichever of them gets a processor first.
    ///
    /// # Errors
    /// If another worker has failed. The error of that worker has the reason.
    pub fn pass(mut self) -> Result<Nanos, EngineError> {
        match self.0.take() {
            None => Ok(clock::now()),
            Some(flags) if flags.pass() => Ok(flags.opened_at()),
            Some(_) => Err(EngineError::Abandoned),
        }
    }
}

impl Drop for TimedEntrance<'_> {
    fn drop(&mut self) {
        if let Some(flags) = self.0 {
            flags.fail();
        }
    }
}

/// How workers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerStyle {
    /// Threads of this process. A single worker runs in the calling thread.
    Threads,
    /// Separate processes.
    Processes,
}

/// Workers that run at the same time.
pub struct Workers<W> {
    workers: Vec<PacedWorker<W>>,
    style: WorkerStyle,
}

/// A worker with its pace, and with statistics that are kept between runs.
struct PacedWorker<W> {
    worker: W,
    pace: Option<IntendedStarts>,
    stats: RunStats,
}

impl<W: Worker> PacedWorker<W> {
    fn work(&mut self, gate: &Gate, limit: &Limit<'_>) -> Result<(), EngineError> {
        self.stats.clear();
        let timer = Timer { entry: TimedEntrance(Some(gate)), limit, pace: self.pace.as_mut(), stats: &mut self.stats };
        self.worker.work(timer)
    }
}

impl<W: Worker> Workers<W> {
    /// At least one worker. All work as fast as they can.
    pub fn new(workers: impl IntoIterator<Item = W>, style: WorkerStyle) -> Self {
        let paced = |worker| PacedWorker { worker, pace: None, stats: RunStats::new() };
        let workers: Vec<_> = workers.into_iter().map(paced).collect();
        files::allow(workers.iter().map(|paced| paced.worker.files()).sum());
        Self { workers, style }
    }

    /// The workers.
    pub fn workers(&mut self) -> impl Iterator<Item = &mut W> {
        self.workers.iter_mut().map(|paced| &mut paced.worker)
    }

    /// Starts `rate` operations per second of each worker from now on, whether or not earlier ones have ended.
    pub(crate) fn keep_rate(&mut self, rate: f64) {
        let count = self.count();
        for (number, paced) in (0..).zip(&mut self.workers) {
            paced.pace = Some(IntendedStarts::new(rate, number, count));
        }
    }

    /// Whether `is_so` holds for all workers.
    pub fn all(&self, is_so: impl Fn(&W) -> bool) -> bool {
        self.workers.iter().all(|paced| is_so(&paced.worker))
    }

    /// The sum of a figure over the workers. The figures of worker processes are not known here.
    pub fn total(&self, of: impl Fn(&W) -> u64) -> u64 {
        self.workers.iter().map(|paced| of(&paced.worker)).sum()
    }

    /// Number of workers, which run at the same time.
    pub fn count(&self) -> u32 {
        self.workers.len() as u32
    }

    /// Whether all work is done by the thread that calls [`Workers::run`].
    pub fn is_alone(&self) -> bool {
        self.workers.len() == 1 && self.style == WorkerStyle::Threads
    }

    /// Runs all workers at the same time, and adds their results to `stats`.
    ///
    /// # Errors
    /// The error of the first worker that failed.
    pub fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        match (self.style, self.workers.as_mut_slice()) {
            (WorkerStyle::Threads, [PacedWorker { worker, pace, .. }]) => {
                return worker.work(Timer { entry: TimedEntrance(None), limit, pace: pace.as_mut(), stats });
            }
            (WorkerStyle::Threads, workers) => in_threads(workers, limit)?,
            (WorkerStyle::Processes, workers) => in_processes(workers, limit)?,
        }
        let before = stats.elapsed;
        stats.elapsed = Nanos(0);
        self.workers.iter().for_each(|paced| stats.join(&paced.stats));
        stats.elapsed = before + stats.elapsed;
        let spans = self.workers.iter().flat_map(|worker| &worker.stats.spans).copied();
        stats.spans.extend(spans.reduce(|(start, end), (other, later)| (start.min(other), end.max(later))));
        Ok(())
    }
}

fn gate() -> Result<Gate, EngineError> {
    Gate::new().map_err(EngineError::io("make a gate for the workers"))
}

fn in_threads<W: Worker>(workers: &mut [PacedWorker<W>], limit: &Limit<'_>) -> Result<(), EngineError> {
    let gate = &gate()?;
    let count = workers.len() as u32;
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = workers.iter_mut().map(|paced| scope.spawn(move || paced.work(gate, limit))).collect();
        gate.open_for(count, || true);
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|worked| worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    first_failure(results)
}

fn in_processes<W: Worker>(workers: &mut [PacedWorker<W>], limit: &Limit<'_>) -> Result<(), EngineError> {
    let gate = gate()?;
    let start = |paced: &mut PacedWorker<W>| {
        fork::fork(|| {
            let worked = paced.work(&gate, &Limit { stop: &gate.stop, ..*limit });
            answer(worked.map(|()| (paced.worker.position(), &paced.stats)))
        })
    };
    let forked: Result<Vec<Forked>, _> = workers.iter_mut().map(start).collect();
    let forked = forked.map_err(EngineError::io("start a worker"))?;
    gate.open_for(forked.len() as u32, || forked.iter().all(Forked::is_alive));
    pass_on_the_stop(limit.stop, &gate, &forked);
    let results = forked.into_iter().zip(workers).map(|(forked, paced)| {
        let bytes = forked.finish().map_err(EngineError::io("work in a process"))?;
        let (position, stats) = understand(&bytes)?;
        paced.worker.resume(&position);
        paced.stats = stats;
        Ok(())
    });
    first_failure(results.collect())
}

/// Copies the stop flag to the gate, which the worker processes check. They cannot see changes of `stop`.
fn pass_on_the_stop(stop: &AtomicBool, gate: &Gate, forked: &[Forked]) {
    const LOOK: std::time::Duration = std::time::Duration::from_millis(5);
    while !forked.iter().all(Forked::has_answered) {
        gate.stop.store(stop.load(Ordering::Relaxed), Ordering::Relaxed);
        std::thread::sleep(LOOK);
    }
}

fn answer(done: Result<(Vec<u64>, &RunStats), EngineError>) -> Vec<u8> {
    let words = done.map_err(|error| match error {
        EngineError::Abandoned => None,
        other => Some(other.to_string()),
    });
    serde_json::to_vec(&words).expect("numbers and words can be written down")
}

fn understand(bytes: &[u8]) -> Result<(Vec<u64>, RunStats), EngineError> {
    let words: Result<(Vec<u64>, RunStats), Option<String>> = serde_json::from_slice(bytes)
        .map_err(|error| EngineError::io("read what a worker found")(std::io::Error::other(error)))?;
    words.map_err(|words| words.map_or(EngineError::Abandoned, EngineError::Worker))
}

/// The reason why the run failed. A worker that gave up because another one failed does not have it.
fn first_failure(results: Vec<Result<(), EngineError>>) -> Result<(), EngineError> {
    let mut abandoned = Ok(());
    for result in results {
        match result {
            Err(EngineError::Abandoned) => abandoned = Err(EngineError::Abandoned),
            other => other?,
        }
    }
    abandoned
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Operation;

    /// Does one operation after a delay, like a worker that gets no processor for a while.
    struct Late(Duration);

    impl Worker for Late {
        fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
            let start = timer.entry.pass()?;
            std::thread::sleep(self.0);
            let mut meter = Meter::start(start, timer.limit, timer.pace, timer.stats);
            let begin = meter.begin().expect("a closed loop");
            meter.done(Operation::Read, begin, 0);
            meter.stop();
            Ok(())
        }
    }

    #[test]
    fn a_late_start_lengthens_the_time_and_no_latency() {
        const LATE: Duration = Duration::from_millis(100);
        for style in [WorkerStyle::Threads, WorkerStyle::Processes] {
            let mut workers = Workers::new([Late(Duration::ZERO), Late(LATE)], style);
            let mut stats = RunStats::new();
            let stop = AtomicBool::new(false);
            workers.run(&Limit::new(None, &stop), &mut stats).expect("it works");
            assert!(stats.elapsed >= Nanos::from(LATE), "{style:?}: {:?}", stats.elapsed);
            let latency = stats.latency(Operation::Read).expect("two").max;
            assert!(latency < stats.elapsed, "{style:?}: {latency:?}");
        }
    }
}
