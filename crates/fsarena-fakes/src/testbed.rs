//! A testbed that only writes a journal and advances the clock.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Job, Upkeep};
use fsarena_execute::{Counters, Host, Refusal, Result, TracedWork, Verified, Volumes, Workloads};
use fsarena_lane::CheckResult;
use fsarena_model::{
    BaselineKind, Bytes, Conditions, ContenderFacts, Durability, Environment, ErrorCategory, Label, LaneCost,
    Meanwhile, Nanos, Readings, Spent, TimePart, Trace, Wait, Workload,
};

use crate::backstage::{Backstage, Counted};
use crate::job::FakeJob;

/// A testbed that only writes a journal and advances the clock.
pub struct FakeTestbed {
    backstage: Rc<Backstage>,
    lanes: Vec<Option<usize>>,
    before: Vec<Option<Counted>>,
    totals: Vec<Counted>,
    /// The number of syncs when each contender was last at rest.
    rested: Vec<f64>,
}

impl FakeTestbed {
    /// A testbed at its beginning.
    pub fn new(backstage: Rc<Backstage>) -> Self {
        let count = backstage.labels.len();
        Self {
            backstage,
            lanes: vec![None; count],
            before: vec![None; count],
            totals: vec![Counted::default(); count],
            rested: vec![0.0; count],
        }
    }

    fn act(&self, what: &str, contender: usize, how: &str, takes: Nanos) -> Result<()> {
        let label = &self.backstage.labels[contender];
        self.backstage.act(format!("{what} {label}{how}"), takes).map_err(error)
    }
}

fn error(text: String) -> Refusal {
    Refusal { text, category: ErrorCategory::Trial, hint: None }
}

impl Volumes for FakeTestbed {
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts> {
        self.backstage.round.set(round);
        let how = lane.map_or(" without a lane".to_owned(), |lane| format!(" on lane {lane}"));
        self.act("make", contender, &how, self.backstage.world.upkeep)?;
        self.lanes[contender] = lane;
        let label = &self.backstage.labels[contender];
        let durability = *self.backstage.world.durability.get(contender).unwrap_or(&Durability::Flushed);
        Ok(ContenderFacts {
            mkfs: vec![format!("mkfs.{label}")],
            mount: format!("{label} rw"),
            read_ahead_kib: Some(128),
            ..ContenderFacts::new(Label::from(label.as_str()), durability)
        })
    }

    fn baseline(&mut self, place: BaselineKind, _workload: &Workload) -> Result<Option<usize>> {
        let is_there = self.backstage.world.baseline.is_some_and(|(there, _)| there == place);
        Ok(is_there.then_some(self.backstage.labels.len() - 1))
    }

    fn remount(&mut self, contender: usize) -> Result<bool> {
        self.act("remount", contender, "", Nanos::millis(10))?;
        Ok(!self.backstage.world.stuck.contains(&contender))
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos> {
        self.act("sync", contender, "", Nanos::millis(4))?;
        Ok(Nanos::millis(4))
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>> {
        // There is something to write only after further syncs.
        let done = self.backstage.counters(contender).syncs;
        let takes = if done > std::mem::replace(&mut self.rested[contender], done) { 6 } else { 1 };
        self.act("rest", contender, "", Nanos::millis(takes))?;
        Ok(Some(Nanos::millis(takes)))
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        Some(Bytes(self.backstage.counters(contender).bytes as u64 * 2))
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>> {
        self.act("finish", contender, "", self.backstage.world.upkeep)?;
        let damaged = self.backstage.world.damage.contains(&(contender, self.backstage.round.get()));
        let output = if damaged { "inode 12 is lost" } else { "" };
        Ok(Some(CheckResult { clean: !damaged, output: output.to_owned() }))
    }
}

impl Workloads for FakeTestbed {
    fn directory(&mut self, contender: usize) -> Option<PathBuf> {
        // A directory that every machine sees.
        (contender < self.backstage.labels.len()).then(|| PathBuf::from("/"))
    }

    fn open(&mut self, contender: usize, workload: &Workload, _seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>> {
        self.act("open", contender, &format!(" {}", workload.name), Nanos::millis(30))?;
        let mut job = FakeJob::new(self.backstage.clone(), contender, self.lanes[contender], workload);
        job.upkeep(Upkeep::Prepare, stop)?;
        Ok(Box::new(job))
    }

    fn verify(
        &mut self,
        _contender: usize,
        _workload: &Workload,
        _job: &mut dyn Job,
        _stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        Ok(None)
    }

    fn logical(&mut self, contender: usize, _workload: &Workload) -> Option<Bytes> {
        Some(Bytes(self.backstage.counters(contender).bytes as u64))
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()> {
        self.act("clear", contender, &format!(" {}", workload.name), Nanos::millis(20))
    }
}

impl Counters for FakeTestbed {
    fn start_counters(&mut self, contender: usize) {
        self.act("watch", contender, "", Nanos(0)).expect("no trap is set on watching");
        self.before[contender] = Some(self.backstage.counters(contender));
    }

    fn read_counters(&mut self, contender: usize) -> Readings {
        let before = self.before[contender].expect("watched before it is looked at");
        self.backstage.counters(contender).since(before).readings()
    }

    fn stop_counters(&mut self, contender: usize) {
        self.act("count", contender, "", Nanos(0)).expect("no trap is set on counting");
        let before = self.before[contender].take().expect("watched before it is counted");
        let more = self.backstage.counters(contender).since(before);
        self.totals[contender] = self.totals[contender].plus(more);
    }

    fn totals(&mut self, contender: usize) -> Readings {
        std::mem::take(&mut self.totals[contender]).readings()
    }

    fn start_trace(&mut self, contender: usize, _lasts: Nanos) -> Result<bool> {
        self.act("trace", contender, "", Nanos(0)).map(|()| true)
    }

    /// A tenth of the time is the program's own; the rest waits for a commit, while the device works.
    fn stop_trace(&mut self, _contender: usize, work: &TracedWork) -> Result<Trace> {
        let (operations, elapsed, seconds) = (work.operations, work.elapsed, work.elapsed.as_seconds());
        let waiting = Spent::Waiting(Wait::Commit, Meanwhile::Device);
        let parts = [(Spent::User, 0.1), (waiting, 0.9)];
        let parts = parts.map(|(spent, share)| TimePart { spent, seconds: seconds * share, events: 0.0 }).to_vec();
        Ok(Trace { operations, elapsed, seconds, parts, ..Trace::default() })
    }
}

impl Host for FakeTestbed {
    fn survey(&mut self) -> Result<Environment> {
        self.backstage.act("survey".to_owned(), self.backstage.world.survey).map_err(error)?;
        Ok(self.backstage.world.environment.clone())
    }

    fn lane_cost(&mut self) -> Result<Option<LaneCost>> {
        Ok(None)
    }

    fn conditions(&mut self) -> Conditions {
        let is_throttled = self.backstage.world.throttled.contains(&self.backstage.round.get());
        Conditions { quota_throttled: Some(if is_throttled { 1.0 } else { 0.0 }), ..Conditions::default() }
    }

    fn clients(&self) -> Option<u32> {
        None
    }

    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()> {
        let how = limit.map_or_else(|| "release".to_owned(), |limit| format!("confine to {limit}"));
        self.backstage.act(how, Nanos(0)).map_err(error)
    }
}
