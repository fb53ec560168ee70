//! Workers that work side by side: in this thread if there is one, else in threads or processes that start together.

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_model::Nanos;
use fsarena_sys::clock;
use fsarena_sys::fork::{self, Forked};
use fsarena_sys::gate::{Flags, Gate};

use crate::tally::Parts;
use crate::{EngineError, Limit, Tally};

/// One of several that do the same.
pub trait Worker: Send {
    /// Opens what it needs, passes the gate, and works until `limit`.
    ///
    /// # Errors
    /// If the file system refuses.
    fn work(&mut self, entry: Entry<'_>, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError>;

    /// Where it has got to, for one that works in a process of its own and is not there afterwards.
    fn position(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// Goes on from there.
    fn resume(&mut self, _position: &[u64]) {}
}

/// The way into the timed part. Whoever drops it before has failed, and then nobody begins.
pub struct Entry<'a>(Option<&'a Flags>);

impl Entry<'_> {
    /// Waits until all are ready, and says since when the time counts: the same moment for all, whoever of them gets a
    /// processor first.
    ///
    /// # Errors
    /// If another one has failed; that one says why.
    pub fn pass(mut self) -> Result<Nanos, EngineError> {
        match self.0.take() {
            None => Ok(clock::now()),
            Some(flags) if flags.pass() => Ok(flags.opened_at()),
            Some(_) => Err(EngineError::Abandoned),
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if let Some(flags) = self.0 {
            flags.fail();
        }
    }
}

/// What workers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Threads of this process; one works in the calling thread.
    Threads,
    /// Processes of their own.
    Processes,
}

/// Workers, each with a tally that is kept between runs.
pub struct Crew<W> {
    workers: Vec<(W, Tally)>,
    style: Style,
}

impl<W: Worker> Crew<W> {
    /// At least one worker.
    pub fn new(workers: impl IntoIterator<Item = W>, style: Style) -> Self {
        Self { workers: workers.into_iter().map(|worker| (worker, Tally::new())).collect(), style }
    }

    /// The workers.
    pub fn workers(&mut self) -> impl Iterator<Item = &mut W> {
        self.workers.iter_mut().map(|(worker, _)| worker)
    }

    /// Whether this is so of each worker.
    pub fn all(&self, is_so: impl Fn(&W) -> bool) -> bool {
        self.workers.iter().all(|(worker, _)| is_so(worker))
    }

    /// The sum of a figure over the workers; of processes it is not known here.
    pub fn total(&self, of: impl Fn(&W) -> u64) -> u64 {
        self.workers.iter().map(|(worker, _)| of(worker)).sum()
    }

    /// How many work at the same time.
    pub fn count(&self) -> u32 {
        self.workers.len() as u32
    }

    /// Whether all work is done by the thread that calls [`Crew::run`].
    pub fn is_alone(&self) -> bool {
        self.workers.len() == 1 && self.style == Style::Threads
    }

    /// Lets all work at the same time, and counts into `tally` what they did.
    ///
    /// # Errors
    /// The first worker's that failed.
    pub fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        match (self.style, self.workers.as_mut_slice()) {
            (Style::Threads, [(worker, _)]) => return worker.work(Entry(None), limit, tally),
            (Style::Threads, workers) => in_threads(workers, limit)?,
            (Style::Processes, workers) => in_processes(workers, limit)?,
        }
        let before = tally.elapsed;
        tally.elapsed = Nanos(0);
        self.workers.iter().for_each(|(_, done)| tally.join(done));
        tally.elapsed = before + tally.elapsed;
        Ok(())
    }
}

fn gate() -> Result<Gate, EngineError> {
    Gate::new().map_err(EngineError::io("make a gate for the workers"))
}

fn in_threads<W: Worker>(workers: &mut [(W, Tally)], limit: &Limit<'_>) -> Result<(), EngineError> {
    let gate = gate()?;
    let count = workers.len() as u32;
    let start = |(worker, tally): &mut (W, Tally)| {
        tally.clear();
        worker.work(Entry(Some(&gate)), limit, tally)
    };
    let start = &start;
    let results: Vec<Result<(), EngineError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = workers.iter_mut().map(|pair| scope.spawn(move || start(pair))).collect();
        gate.open_for(count, || true);
        let end = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(end).collect()
    });
    first_failure(results)
}

fn in_processes<W: Worker>(workers: &mut [(W, Tally)], limit: &Limit<'_>) -> Result<(), EngineError> {
    let gate = gate()?;
    let count = workers.len() as u32;
    let start = |(worker, tally): &mut (W, Tally)| {
        let there = Limit { stop: &gate.stop, ..*limit };
        fork::fork(|| {
            tally.clear();
            let done = worker.work(Entry(Some(&gate)), &there, tally);
            answer(done.map(|()| (worker.position(), tally.parts())))
        })
    };
    let forked: Result<Vec<Forked>, _> = workers.iter_mut().map(start).collect();
    let forked = forked.map_err(EngineError::io("start a worker"))?;
    gate.open_for(count, || forked.iter().all(Forked::is_alive));
    pass_on_the_stop(limit.stop, &gate, &forked);
    let results = forked.into_iter().zip(workers).map(|(forked, (worker, tally))| {
        let bytes = forked.finish().map_err(EngineError::io("work in a process"))?;
        let (position, parts) = understand(&bytes)?;
        worker.resume(&position);
        *tally = Tally::of_parts(parts);
        Ok(())
    });
    first_failure(results.collect())
}

/// The workers' own flags are copies; they look at the gate's.
fn pass_on_the_stop(stop: &AtomicBool, gate: &Gate, forked: &[Forked]) {
    const LOOK: std::time::Duration = std::time::Duration::from_millis(5);
    while !forked.iter().all(Forked::has_answered) {
        gate.stop.store(stop.load(Ordering::Relaxed), Ordering::Relaxed);
        std::thread::sleep(LOOK);
    }
}

type Answer = (Vec<u64>, Parts);

fn answer(done: Result<Answer, EngineError>) -> Vec<u8> {
    let words = done.map_err(|error| match error {
        EngineError::Abandoned => None,
        other => Some(other.to_string()),
    });
    serde_json::to_vec(&words).expect("numbers and words can be written down")
}

fn understand(bytes: &[u8]) -> Result<Answer, EngineError> {
    let words: Result<Answer, Option<String>> = serde_json::from_slice(bytes)
        .map_err(|error| EngineError::io("read what a worker found")(std::io::Error::other(error)))?;
    words.map_err(|words| words.map_or(EngineError::Abandoned, EngineError::Worker))
}

/// Why the run failed: one that gave up because another had failed does not know.
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
    use crate::meter::Meter;
    use crate::pace::Pace;

    /// One operation, by a worker that gets no processor for a while.
    struct Late(Duration);

    impl Worker for Late {
        fn work(&mut self, entry: Entry<'_>, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
            let start = entry.pass()?;
            std::thread::sleep(self.0);
            let mut pace = Pace::Closed;
            let mut meter = Meter::start(start, limit, &mut pace, tally);
            let begin = meter.begin().expect("a closed loop");
            meter.done(Operation::Read, begin, 0);
            meter.stop();
            Ok(())
        }
    }

    #[test]
    fn who_begins_late_lengthens_the_time_and_no_latency() {
        const LATE: Duration = Duration::from_millis(100);
        for style in [Style::Threads, Style::Processes] {
            let mut crew = Crew::new([Late(Duration::ZERO), Late(LATE)], style);
            let mut tally = Tally::new();
            let stop = AtomicBool::new(false);
            crew.run(&Limit::new(None, &stop), &mut tally).expect("it works");
            assert!(tally.elapsed >= Nanos::from(LATE), "{style:?}: {:?}", tally.elapsed);
            let latency = tally.latency(Operation::Read).expect("two").max;
            assert!(latency < tally.elapsed, "{style:?}: {latency:?}");
        }
    }
}
