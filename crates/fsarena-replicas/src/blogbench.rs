//! The engine `blogbench`: a native implementation of BlogBench 1.1. Some threads write, change and comment on the
//! blogs of a site while many threads read them.
//!
//! All threads, sizes, names and choices are those of the original, with three exceptions. Each thread has its own
//! random generator; the threads of the original queue for rand(3). The number of blogs has a limit; the original
//! writes until its time is over, however large the disk is. An error other than a missing file (ENOENT) fails the
//! trial; the original waits for a second and continues.

mod visitor;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{io, thread};

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Probe, Traits, Workload};
use fsarena_sys::clock;
use rustix::io::Errno;
use serde::Deserialize;

use fsarena_engine::parameters::{checked, or, runs_once};
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Operation, RunStats, Upkeep, folder};
use visitor::{Site, Visitor, VisitorKind};

pub const ENGINE: Engine = Engine::new("blogbench", traits, open);

/// The space of all blogs in whole blocks, with as many articles, pictures and comments as possible: 6.6 MB per
/// blog in the mean. A single blog takes up to 11 MB if all its files have their maximum size. The sum of many
/// blogs is near its mean: its standard deviation is 0.2 MB times the square root of their number. Five standard
/// deviations are added.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    const MEAN: u64 = 6_600_000;
    const SPREAD: u64 = 1_000_000;
    let BlogbenchParameters { most_blogs: blogs, seconds, .. } = BlogbenchParameters::of(workload)?;
    let beyond = blogs.isqrt().saturating_add(1).saturating_mul(SPREAD);
    let peak = Bytes(blogs.saturating_mul(MEAN).saturating_add(beyond));
    Ok(Traits { peak, extra_time: Nanos::seconds(seconds), ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let with_sync = workload.durable == DurablePoint::Syncfs;
    let (parameters, directory) = (BlogbenchParameters::of(workload)?, directory.to_owned());
    Ok(Box::new(Blogging { parameters, directory, with_sync, seed }))
}

/// The parameters. The defaults are those of BlogBench.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct BlogbenchParameters {
    /// Duration of a run, seconds. The run ends earlier if `most-blogs` is reached.
    #[serde(default = "or::<_, 300>")]
    seconds: u64,
    /// Maximum number of blogs. The run ends when it is reached.
    most_blogs: u64,
    #[serde(default = "or::<_, 3>")]
    writers: u32,
    /// Threads that rewrite pictures and articles.
    #[serde(default = "or::<_, 1>")]
    rewriters: u32,
    #[serde(default = "or::<_, 5>")]
    commenters: u32,
    #[serde(default = "or::<_, 100>")]
    readers: u32,
    /// How long a thread waits if it finds no blog yet, milliseconds.
    #[serde(default = "or::<_, 1000>")]
    rest_ms: u64,
}

impl BlogbenchParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.complaint(workload))
    }

    /// All threads: the kind of each, and its number among the threads of its kind.
    fn threads(&self) -> Vec<(VisitorKind, u64)> {
        let kinds = [
            (VisitorKind::Writer, self.writers),
            (VisitorKind::Rewriter, self.rewriters),
            (VisitorKind::Commenter, self.commenters),
            (VisitorKind::Reader, self.readers),
        ];
        kinds.into_iter().flat_map(|(kind, count)| (0..u64::from(count)).map(move |number| (kind, number))).collect()
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if !runs_once(workload) => {
                "its time is `seconds`: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
            }
            () if !matches!(workload.durable, DurablePoint::None | DurablePoint::Syncfs) => {
                "`durable` is `none` or `syncfs`: once, at the end"
            }
            () if workload.cache != CacheState::Warm => "`cache` is `warm`: what is read was written just before",
            () if self.rest_ms == 0 => "`rest-ms` is at least 1",
            () if self.seconds == 0 => "`seconds` is at least 1",
            () if self.most_blogs == 0 => "`most-blogs` is at least 1",
            () if self.writers == 0 => "`writers` is at least 1: without blogs there is nothing to do",
            () if self.threads().len() > 1024 => "there are at most 1024 threads",
            () => return None,
        })
    }
}

/// Name of the folder of the blogs, in the job's directory.
const FOLDER: &str = "scratch";
/// Interval at which the job checks whether the run is over.
const LOOK: Duration = Duration::from_millis(5);
/// Stack size of a thread, bytes. It is small because there are many threads.
const STACK: usize = 256 << 10;

struct Blogging {
    parameters: BlogbenchParameters,
    directory: PathBuf,
    with_sync: bool,
    seed: u64,
}

impl Blogging {
    /// Starts all threads, and waits until the run is over. Returns what each has done.
    fn blog(&self, site: &Site, limit: &Limit<'_>, begin: Nanos) -> Result<Vec<Lived>, EngineError> {
        let threads = self.parameters.threads();
        let writers = AtomicUsize::new(threads.iter().filter(|(kind, _)| *kind == VisitorKind::Writer).count());
        let (end, left) = (begin + Nanos::seconds(self.parameters.seconds), &writers);
        let live = &|who| self.live(who, site, left);
        let lived: io::Result<Result<Vec<Lived>, Errno>> = thread::scope(|scope| {
            let start = |who| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || live(who));
            let started: io::Result<Vec<_>> = threads.into_iter().map(start).collect();
            let goes_on = || started.is_ok() && left.load(Ordering::Relaxed) > 0 && !site.is_over();
            while goes_on() && clock::now() < end && !limit.stop.load(Ordering::Relaxed) {
                thread::sleep(LOOK);
            }
            site.end();
            let joined = started?.into_iter().map(|thread| thread.join());
            Ok(joined.map(|lived| lived.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect())
        });
        let lived = lived.map_err(EngineError::io("start the threads of a site"))?;
        lived.map_err(EngineError::io("write, change, comment on and read blogs"))
    }

    /// Runs one thread from start to end. `left` counts the writers that are still at work.
    fn live(&self, who: (VisitorKind, u64), site: &Site, left: &AtomicUsize) -> Result<Lived, Errno> {
        let rest = Duration::from_millis(self.parameters.rest_ms);
        let mut visitor = Visitor::new(site, who, self.seed, rest);
        let worked = visitor.work().inspect_err(|_| site.end());
        left.fetch_sub(usize::from(who.0 == VisitorKind::Writer), Ordering::Relaxed);
        worked.map(|()| (who.0, visitor.stats))
    }
}

/// The kind of a thread, and its rounds, bytes and latencies.
type Lived = (VisitorKind, RunStats);

/// Adds both scores as steps, and all counters. The time of the writes includes the final sync, if there is one. The
/// time of the reads does not.
fn tell(lived: &[Lived], reading: Nanos, writing: Nanos, stats: &mut RunStats) {
    let (operations, elapsed) = (stats.operations, stats.elapsed);
    lived.iter().for_each(|(_, own)| stats.join(own));
    let of_kind = |kind| {
        let own = lived.iter().filter(|(of, _)| *of == kind);
        own.fold((0, 0), |(rounds, bytes), (_, own)| (rounds + own.operations, bytes + own.bytes))
    };
    let kinds = [VisitorKind::Writer, VisitorKind::Rewriter, VisitorKind::Commenter, VisitorKind::Reader];
    let [written, rewritten, commented, read] = kinds.map(of_kind);
    stats.add_step("writes", written.0, written.1 + rewritten.1 + commented.1, writing);
    stats.add_step("reads", read.0, read.1, reading);
    for (name, (rounds, _)) in [
        ("blogbench.writes", written),
        ("blogbench.reads", read),
        ("blogbench.rewrites", rewritten),
        ("blogbench.comments", commented),
    ] {
        stats.reported.push((Probe::of_program(name, "points"), rounds as f64));
    }
    (stats.operations, stats.elapsed) = (operations + written.0, elapsed + writing);
}

impl Job for Blogging {
    fn upkeep(&mut self, upkeep: Upkeep, _stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Reset => folder::renew(&self.directory, FOLDER),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let folder = folder::open(&self.directory.join(FOLDER))?;
        let site = Site::new(folder, self.parameters.most_blogs);
        let begin = clock::now();
        let lived = self.blog(&site, limit, begin)?;
        let reading = clock::now().saturating_sub(begin);
        let mut writing = reading;
        if self.with_sync {
            let sync = clock::now();
            folder::sync(&site.folder)?;
            let end = clock::now();
            stats.record(Operation::Syncfs, end.saturating_sub(sync));
            writing = end.saturating_sub(begin);
        }
        tell(&lived, reading, writing, stats);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
