//! The real stage: lanes, engines and probes of this machine.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use fsarena_engine::{EngineError, Job};
use fsarena_lane::{Arena, CheckResult, Go, LaneError, Place};
use fsarena_model::{ContenderFacts, Environment, Nanos, Plan, Preconditioned, Reading, Workload};
use fsarena_probe::{Snapshot, Target, Totals};
use fsarena_sys::clock;
use rustix::fs::syncfs;

use crate::{Stage, Trouble, precondition};

/// How long the machine is watched at rest, to know what its kernel threads do anyway.
const AT_REST: Duration = Duration::from_millis(400);

/// This machine, with the lanes of one run.
pub struct Machine {
    plan: Plan,
    arena: Arena,
    places: Vec<Option<Place>>,
    watched: Vec<Watched>,
    kernel_at_rest: f64,
    preconditioned: Option<Preconditioned>,
}

/// A contender's counters.
#[derive(Default)]
struct Watched {
    before: Option<(Snapshot, Nanos)>,
    totals: Totals,
    seconds: f64,
}

impl Machine {
    /// This machine with an arena of the same plan.
    pub fn new(plan: Plan, arena: Arena) -> Self {
        let count = plan.contenders.len();
        let watched = (0..count).map(|_| Watched::default()).collect();
        Self { plan, arena, places: vec![None; count], watched, kernel_at_rest: 0.0, preconditioned: None }
    }

    /// Does to the lanes what the plan wants before anything is measured; `telling` hears of each step, and no further one is done
    /// once it says [`Go::Stop`].
    ///
    /// # Errors
    /// If a lane refuses.
    pub fn precondition(&mut self, telling: &mut dyn FnMut(&str) -> Go) -> Result<(), LaneError> {
        if !self.plan.precondition.is_none() {
            self.preconditioned = precondition::precondition(&self.arena, telling)?;
        }
        Ok(())
    }

    /// Takes away everything that the run has made.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] if something stays.
    pub fn close(self) -> Result<(), LaneError> {
        self.arena.close()
    }

    /// A contender that could not be mounted again has none.
    fn directory(&self, contender: usize) -> Result<PathBuf, Trouble> {
        let place = self.places[contender].as_ref();
        let missing = || io("use it".to_owned())(std::io::Error::other("it is not mounted"));
        place.map(|place| place.directory.clone()).ok_or_else(missing)
    }

    fn target(&self, contender: usize) -> Target {
        let place = self.places[contender].clone();
        place.map_or_else(Target::default, |place| Target { device: place.device, backing: place.backing })
    }
}

/// Seconds per second that all kernel threads use while nothing is asked of them.
fn kernel_at_rest() -> f64 {
    let (before, start) = (Snapshot::take(&Target::default()), clock::now());
    std::thread::sleep(AT_REST);
    let mut totals = Totals::default();
    totals.add(&before, &Snapshot::take(&Target::default()));
    let seconds = clock::now().saturating_sub(start).as_seconds();
    totals.readings().get("cpu.kernel").and_then(|reading| reading.value).unwrap_or(0.0) / seconds
}

fn io(act: String) -> impl FnOnce(std::io::Error) -> Trouble {
    move |source| EngineError::Io { act, source }.into()
}

impl Stage for Machine {
    fn survey(&mut self) -> Result<Environment, Trouble> {
        let mut environment = fsarena_probe::survey(self.arena.beneath().as_deref());
        let kinds: Vec<&str> = self.plan.contenders.iter().map(|contender| contender.kind.as_str()).collect();
        environment.tools = fsarena_lane::tool_versions(&kinds);
        environment.tools.extend(fsarena_engine::program_versions(&self.plan.workloads));
        environment.queue = self.arena.queue_settings();
        environment.storage = self.arena.beneath().map(|_| self.plan.storage.to_string());
        environment.preconditioned = self.preconditioned.clone();
        // First, before anything else has read or written there.
        environment.repeated_reads = self.arena.repeated_reads()?;
        environment.lane_cost = self.arena.lane_cost()?;
        environment.flushes = self.arena.flushes()?;
        self.kernel_at_rest = kernel_at_rest();
        Ok(environment)
    }

    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts, Trouble> {
        let (place, facts) = self.arena.make(contender, lane, round)?;
        self.places[contender] = Some(place);
        Ok(facts)
    }

    fn open(&mut self, contender: usize, workload: &Workload, seed: u64) -> Result<Box<dyn Job>, Trouble> {
        let directory = self.directory(contender)?.join(&workload.name);
        fs::create_dir(&directory).map_err(io(format!("mkdir {}", directory.display())))?;
        let mut job = fsarena_engine::engine_of(workload)?.open(workload, &directory, seed)?;
        job.prepare()?;
        Ok(job)
    }

    fn remount(&mut self, contender: usize) -> Result<bool, Trouble> {
        let before = self.places[contender].take();
        let place = self.arena.remount(contender)?;
        let done = place.is_some();
        self.places[contender] = place.or(before);
        Ok(done)
    }

    fn settle(&mut self, contender: usize) -> Result<Nanos, Trouble> {
        let directory = self.directory(contender)?;
        let folder = File::open(&directory).map_err(io(format!("open {}", directory.display())))?;
        let start = clock::now();
        syncfs(&folder).map_err(|errno| io("syncfs".to_owned())(errno.into()))?;
        Ok(clock::now().saturating_sub(start))
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<(), Trouble> {
        let directory = self.directory(contender)?.join(&workload.name);
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(io(format!("remove {}", directory.display())))?;
        }
        self.settle(contender).map(drop)
    }

    fn watch(&mut self, contender: usize) {
        let before = (Snapshot::take(&self.target(contender)), clock::now());
        self.watched[contender].before = Some(before);
    }

    fn count(&mut self, contender: usize) {
        let (after, now) = (Snapshot::take(&self.target(contender)), clock::now());
        let watched = &mut self.watched[contender];
        if let Some((before, start)) = watched.before.take() {
            watched.totals.add(&before, &after);
            watched.seconds += now.saturating_sub(start).as_seconds();
        }
    }

    fn totals(&mut self, contender: usize) -> BTreeMap<String, Reading> {
        let watched = std::mem::take(&mut self.watched[contender]);
        let mut readings = watched.totals.readings();
        if let Some(kernel) = readings.get_mut("cpu.kernel") {
            kernel.value = kernel.value.map(|busy| (busy - self.kernel_at_rest * watched.seconds).max(0.0));
        }
        readings
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>, Trouble> {
        let result = self.arena.finish(contender)?;
        self.places[contender] = None;
        Ok(result)
    }
}
