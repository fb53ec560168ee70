//! Runs all threads at the same time, until the time is over or the number of blogs is reached.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fsarena_model::{DurablePoint, Nanos, Step, Workload};
use fsarena_sys::clock;
use rustix::io::Errno;

use super::parameters::Parameters;
use super::site::{Site, told};
use super::visitor::{Kind, Visitor};
use crate::{EngineError, Job, Limit, Operation, RunStats, folder};

/// Name of the folder of the blogs, in the job's directory.
const FOLDER: &str = "scratch";
/// Interval at which the job checks whether the run is over.
const LOOK: Duration = Duration::from_millis(5);
/// Stack size of a thread, bytes. It is small because there are many threads.
const STACK: usize = 256 << 10;

/// A run of BlogBench on a site in a directory.
pub struct Blogging {
    parameters: Parameters,
    directory: PathBuf,
    with_sync: bool,
    seed: u64,
}

impl Blogging {
    /// The run of `workload`.
    pub fn new(workload: &Workload, parameters: Parameters, directory: &Path, seed: u64) -> Self {
        let with_sync = workload.durable == DurablePoint::Syncfs;
        Self { parameters, directory: directory.to_owned(), with_sync, seed }
    }

    /// Starts all threads, waits until the run is over, and adds their latencies to `stats`.
    fn blog(&self, site: &Site, limit: &Limit<'_>, begin: Nanos, stats: &mut RunStats) -> Result<(), EngineError> {
        let threads = self.parameters.threads();
        let writers = AtomicUsize::new(threads.iter().filter(|(kind, _)| *kind == Kind::Writer).count());
        let (end, left) = (begin + Nanos::seconds(self.parameters.seconds), &writers);
        let live = &|who| self.live(who, site, limit, left);
        let lived: io::Result<Vec<Result<RunStats, Errno>>> = thread::scope(|scope| {
            let start = |who| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || live(who));
            let started: io::Result<Vec<_>> = threads.into_iter().map(start).collect();
            let goes_on = || started.is_ok() && left.load(Ordering::Relaxed) > 0 && !site.is_over();
            while goes_on() && clock::now() < end && !limit.stop.load(Ordering::Relaxed) {
                thread::sleep(LOOK);
            }
            site.end();
            Ok(started?.into_iter().map(joined).collect())
        });
        for lived in lived.map_err(EngineError::io("start the threads of a site"))? {
            stats.join(&lived.map_err(EngineError::io("write, change, comment on and read blogs"))?);
        }
        Ok(())
    }

    /// Runs one thread from start to end. `left` counts the writers that are still at work.
    fn live(&self, who: (Kind, u64), site: &Site, limit: &Limit<'_>, left: &AtomicUsize) -> Result<RunStats, Errno> {
        let mut visitor = Visitor::new(site, who, self.seed, limit.slowdown, self.parameters.rest());
        let worked = visitor.work().inspect_err(|_| site.end());
        left.fetch_sub(usize::from(who.0 == Kind::Writer), Ordering::Relaxed);
        worked.map(|()| visitor.stats)
    }
}

/// The result of a thread.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Adds both scores as steps, and all counters. The time of the writes includes the final sync, if there is one. The
/// time of the reads does not.
fn tell(site: &Site, reading: Nanos, writing: Nanos, stats: &mut RunStats) {
    let counts = &site.counts;
    let (written, read) = (told(&counts.written), told(&counts.read));
    let (bytes_written, bytes_read) = (told(&counts.bytes_written), told(&counts.bytes_read));
    for (name, operations, bytes, elapsed) in
        [("writes", written, bytes_written, writing), ("reads", read, bytes_read, reading)]
    {
        let name = name.to_owned();
        stats.steps.push(Step { name, operations, bytes, elapsed, synced: None, written: None });
    }
    for (name, count) in [
        ("blogbench.writes", written),
        ("blogbench.reads", read),
        ("blogbench.rewrites", told(&counts.rewritten)),
        ("blogbench.comments", told(&counts.commented)),
    ] {
        stats.reported.push((name, "points", count as f64));
    }
    stats.operations += written;
    stats.bytes += bytes_written + bytes_read;
    stats.elapsed = stats.elapsed + writing;
}

impl Job for Blogging {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        folder::renew(&self.directory, FOLDER)
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let folder = folder::open(&self.directory.join(FOLDER))?;
        let site = Site::new(folder, self.parameters.most_blogs);
        let (begin, before) = (clock::now(), stats.elapsed);
        self.blog(&site, limit, begin, stats)?;
        let reading = clock::now().saturating_sub(begin);
        let mut writing = reading;
        if self.with_sync {
            let sync = clock::now();
            folder::sync(&site.folder)?;
            let end = clock::now();
            stats.record(Operation::Syncfs, end.saturating_sub(sync));
            writing = end.saturating_sub(begin);
        }
        stats.elapsed = before;
        tell(&site, reading, writing, stats);
        Ok(())
    }
}
