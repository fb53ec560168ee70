//! The engine `blogbench`: a native implementation of BlogBench 1.1. Some threads write, change and comment on the
//! blogs of a site while many threads read them.
//!
//! All threads, sizes, names and choices are those of the original, with three exceptions. Each thread has its own
//! random generator; the threads of the original queue for rand(3). The number of blogs has a limit; the original
//! writes until its time is over, however large the disk is. An error other than a missing file (ENOENT) fails the
//! trial; the original waits for a second and continues.

mod visitor;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Probe, Traits, Workload};
use fsarena_sys::clock;
use serde::Deserialize;

use fsarena_engine::parameters::{checked, or, require_conditions, require_once};
use fsarena_engine::workers::{WorkerStyle, Workers};
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
        require_once(workload)?;
        require_conditions(workload, &[DurablePoint::None, DurablePoint::Syncfs], &[CacheState::Warm])?;
        checked(workload, Self::complaint)
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

    fn complaint(&self) -> Option<&'static str> {
        Some(match () {
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

struct Blogging {
    parameters: BlogbenchParameters,
    directory: PathBuf,
    with_sync: bool,
    seed: u64,
}

/// Adds both scores as steps, and all counters. The time of the writes includes the final sync, if there is one. The
/// time of the reads does not.
fn tell(visitors: &Workers<Visitor<'_>>, reading: Nanos, writing: Nanos, stats: &mut RunStats) {
    let kinds = [VisitorKind::Writer, VisitorKind::Reader, VisitorKind::Rewriter, VisitorKind::Commenter];
    let rounds = kinds.map(|kind| visitors.total(|visitor| if visitor.kind == kind { visitor.rounds } else { 0 }));
    let read = visitors.total(|visitor| if visitor.kind == VisitorKind::Reader { visitor.bytes } else { 0 });
    let written = visitors.total(|visitor| visitor.bytes) - read;
    stats.add_step("writes", rounds[0], written, writing);
    stats.add_step("reads", rounds[1], read, reading);
    let names = ["blogbench.writes", "blogbench.reads", "blogbench.rewrites", "blogbench.comments"];
    let points = |(name, rounds)| (Probe::of_program(name, "points"), rounds as f64);
    stats.reported.extend(names.into_iter().zip(rounds).map(points));
    (stats.operations, stats.bytes, stats.elapsed) = (rounds[0], read + written, writing);
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
        let (begin, threads) = (clock::now(), self.parameters.threads());
        let end = begin + Nanos::seconds(self.parameters.seconds);
        let site = Site::new(folder, self.parameters.most_blogs, self.parameters.writers, end, limit.stop);
        let rest = Duration::from_millis(self.parameters.rest_ms);
        let visitors = threads.into_iter().map(|who| Visitor::new(&site, who, self.seed, rest));
        let mut visitors = Workers::new(visitors, WorkerStyle::Threads);
        let mut own = RunStats::new();
        visitors.run(limit, &mut own)?;
        let (reading, mut writing) = (own.elapsed, own.elapsed);
        if self.with_sync {
            let sync = clock::now();
            folder::sync(&site.folder)?;
            let took = clock::now().saturating_sub(sync);
            own.record(Operation::Syncfs, took);
            writing = reading + took;
        }
        tell(&visitors, reading, writing, &mut own);
        own.end_part(writing);
        stats.follow(&own, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
