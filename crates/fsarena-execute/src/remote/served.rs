//! A machine's side: calls are answered with its testbed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{Job, Limit, RunStats, Upkeep};
use fsarena_model::{MachineName, Nanos};
use fsarena_sys::Clock;
use fsarena_sys::affinity::Pinned;
use fsarena_sys::memory;
use serde::Serialize;
use serde_json::Value;

use super::{Call, Clocks, Ran};
use crate::{Refusal, Result, Testbed};

/// How often to look whether a run that waits for its start is to end.
const LOOK: Nanos = Nanos::millis(20);

/// A testbed that answers calls, and the jobs that it has opened.
pub struct Served<'a> {
    testbed: &'a mut dyn Testbed,
    clock: &'a dyn Clock,
    name: MachineName,
    jobs: BTreeMap<usize, ServedJob>,
}

/// A job and the statistics of its runs.
struct ServedJob {
    job: Box<dyn Job>,
    stats: RunStats,
}

impl<'a> Served<'a> {
    /// Answers calls with `testbed` and `clock` on the machine with that name.
    pub fn new(testbed: &'a mut dyn Testbed, clock: &'a dyn Clock, name: MachineName) -> Self {
        Self { testbed, clock, name, jobs: BTreeMap::new() }
    }

    /// Does what a call asks for. It ends early once `stop` is set.
    ///
    /// # Errors
    /// Those of the testbed or of the job.
    pub fn answer(&mut self, call: Call, stop: &AtomicBool) -> Result<Value> {
        let testbed = &mut *self.testbed;
        match call {
            Call::Introduce => value(&self.name),
            Call::Clocks => {
                value(Clocks { monotonic: self.clock.now(), time_of_day: fsarena_sys::clock::time_of_day() })
            }
            Call::Directory(contender) => value(testbed.directory(contender)),
            Call::Sees(path) => value(path.exists()),
            Call::Make { contender, lane, round } => value(testbed.make(contender, lane, round)?),
            Call::Remount(contender) => value(testbed.remount(contender)?),
            Call::Sync(contender) => value(testbed.sync(contender)?),
            Call::Quiesce(contender) => value(testbed.quiesce(contender)?),
            Call::Used(contender) => value(testbed.used(contender)),
            Call::Finish(contender) => value(testbed.finish(contender)?),
            Call::Open { contender, workload, seed } => {
                let job = testbed.open(contender, &workload, seed, stop)?;
                let verifies = job.next_run().verifies;
                self.jobs.insert(contender, ServedJob { job, stats: RunStats::new() });
                value(verifies)
            }
            Call::Verify(contender, workload) => {
                let work = work(&mut self.jobs, contender)?;
                value(testbed.verify(contender, &workload, &mut *work.job, stop)?)
            }
            Call::Logical(contender, workload) => value(testbed.logical(contender, &workload)),
            Call::Clear(contender, workload) => value(testbed.clear(contender, &workload)?),
            Call::StartCounters(contender) => {
                testbed.start_counters(contender);
                Ok(Value::Null)
            }
            Call::ReadCounters(contender) => value(testbed.read_counters(contender)),
            Call::StopCounters(contender) => {
                testbed.stop_counters(contender);
                Ok(Value::Null)
            }
            Call::Totals(contender) => value(testbed.totals(contender)),
            Call::StartTrace(contender, lasts) => value(testbed.start_trace(contender, lasts)?),
            Call::StopTrace(contender, traced) => value(testbed.stop_trace(contender, &traced)?),
            Call::Survey => value(testbed.survey()?),
            Call::LaneCost => value(testbed.lane_cost()?),
            Call::Conditions => value(testbed.conditions()),
            Call::LimitMemory(limit) => value(testbed.limit_memory(limit)?),
            Call::Upkeep(contender, upkeep) => {
                let job = &mut work(&mut self.jobs, contender)?.job;
                if upkeep == Upkeep::Begin {
                    memory::back(job.next_run().fills);
                }
                value(job.upkeep(upkeep, stop)?)
            }
            Call::Run { contender, at, time, is_first, is_counted } => {
                let work = work(&mut self.jobs, contender)?;
                if is_first {
                    work.stats.clear();
                }
                let _pinned = work.job.next_run().is_alone.then(Pinned::here);
                if is_counted {
                    testbed.start_counters(contender);
                }
                if let Some(at) = at {
                    wait_until(at, self.clock, stop);
                }
                let began = self.clock.now();
                let done = work.job.run(&Limit { time, stop }, &mut work.stats);
                if is_counted {
                    testbed.stop_counters(contender);
                }
                done?;
                value(Ran { stats: work.stats.clone(), reads_on: work.job.next_run().reads_on, began })
            }
            Call::Close(contender) => {
                self.jobs.remove(&contender);
                Ok(Value::Null)
            }
        }
    }
}

/// Waits until `moment`, or until `stop` is set.
fn wait_until(moment: Nanos, clock: &dyn Clock, stop: &AtomicBool) {
    while clock.now() < moment && !stop.load(Ordering::Relaxed) {
        clock.sleep_until(moment.min(clock.now() + LOOK));
    }
}

fn work(jobs: &mut BTreeMap<usize, ServedJob>, contender: usize) -> Result<&mut ServedJob> {
    jobs.get_mut(&contender).ok_or_else(|| Refusal::of_machine(format!("contender {contender} has no job")))
}

fn value(result: impl Serialize) -> Result<Value> {
    serde_json::to_value(result).map_err(|error| Refusal::of_machine(format!("write an answer: {error}")))
}
