//! A stage that only writes a journal and advances the clock.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::Job;
use fsarena_execute::{Stage, StageError};
use fsarena_lane::CheckResult;
use fsarena_model::{
    BaselineKind, Bytes, Conditions, ContenderFacts, Durability, Environment, ErrorCategory, Label, Nanos, Reading,
    Workload,
};

use super::backstage::{Backstage, Counters};
use super::job::FakeJob;

/// A stage that only writes a journal and advances the clock.
pub struct FakeStage {
    backstage: Rc<Backstage>,
    lanes: Vec<Option<usize>>,
    before: Vec<Option<Counters>>,
    totals: Vec<Counters>,
    /// The number of syncs when each contender was last at rest.
    rested: Vec<f64>,
}

impl FakeStage {
    pub fn new(backstage: Rc<Backstage>) -> Self {
        let count = backstage.labels.len();
        Self {
            backstage,
            lanes: vec![None; count],
            before: vec![None; count],
            totals: vec![Counters::default(); count],
            rested: vec![0.0; count],
        }
    }

    fn act(&self, what: &str, contender: usize, how: &str, takes: Nanos) -> Result<(), StageError> {
        let label = &self.backstage.labels[contender];
        self.backstage.act(format!("{what} {label}{how}"), takes).map_err(error)
    }
}

fn error(text: String) -> StageError {
    StageError { text, category: ErrorCategory::Trial, hint: None }
}

impl Stage for FakeStage {
    fn survey(&mut self) -> Result<Environment, StageError> {
        self.backstage.act("survey".to_owned(), self.backstage.world.survey).map_err(error)?;
        Ok(self.backstage.world.environment.clone())
    }

    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts, StageError> {
        self.backstage.round.set(round);
        let how = lane.map_or(" without a lane".to_owned(), |lane| format!(" on lane {lane}"));
        self.act("make", contender, &how, self.backstage.world.upkeep)?;
        self.lanes[contender] = lane;
        let label = &self.backstage.labels[contender];
        Ok(ContenderFacts {
            label: Label::from(label.as_str()),
            mkfs: vec![format!("mkfs.{label}")],
            mount: format!("{label} rw"),
            durability: *self.backstage.world.durability.get(contender).unwrap_or(&Durability::Flushed),
            guarantees: Vec::new(),
            features: Vec::new(),
            read_ahead_kib: Some(128),
            says_alignment: None,
            shared_folder: None,
        })
    }

    fn open(
        &mut self,
        contender: usize,
        workload: &Workload,
        _seed: u64,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Job>, StageError> {
        self.act("open", contender, &format!(" {}", workload.name), Nanos::millis(30))?;
        let mut job = FakeJob::new(self.backstage.clone(), contender, self.lanes[contender], workload);
        job.prepare(stop)?;
        Ok(Box::new(job))
    }

    fn remount(&mut self, contender: usize) -> Result<bool, StageError> {
        self.act("remount", contender, "", Nanos::millis(10))?;
        Ok(!self.backstage.world.stuck.contains(&contender))
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos, StageError> {
        self.act("settle", contender, "", Nanos::millis(4))?;
        Ok(Nanos::millis(4))
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<(), StageError> {
        self.act("clear", contender, &format!(" {}", workload.name), Nanos::millis(20))
    }

    fn start_counters(&mut self, contender: usize) {
        self.act("watch", contender, "", Nanos(0)).expect("no trap is set on watching");
        self.before[contender] = Some(self.backstage.counters(contender));
    }

    fn stop_counters(&mut self, contender: usize) {
        self.act("count", contender, "", Nanos(0)).expect("no trap is set on counting");
        let before = self.before[contender].take().expect("watched before it is counted");
        let more = self.backstage.counters(contender).since(before);
        self.totals[contender] = self.totals[contender].plus(more);
    }

    fn totals(&mut self, contender: usize) -> BTreeMap<String, Reading> {
        std::mem::take(&mut self.totals[contender]).readings()
    }

    fn refer(&mut self, place: BaselineKind, _workload: &Workload) -> Result<Option<usize>, StageError> {
        let is_there = self.backstage.world.baseline.is_some_and(|(there, _)| there == place);
        Ok(is_there.then_some(self.backstage.labels.len() - 1))
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>, StageError> {
        // There is something to write only after further syncs.
        let done = self.backstage.counters(contender).syncs;
        let takes = if done > std::mem::replace(&mut self.rested[contender], done) { 6 } else { 1 };
        self.act("rest", contender, "", Nanos::millis(takes))?;
        Ok(Some(Nanos::millis(takes)))
    }

    fn read_counters(&mut self, contender: usize) -> BTreeMap<String, Reading> {
        let before = self.before[contender].expect("watched before it is looked at");
        self.backstage.counters(contender).since(before).readings()
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        Some(Bytes(self.backstage.counters(contender).bytes as u64 * 2))
    }

    fn logical(&mut self, contender: usize, _workload: &Workload) -> Option<Bytes> {
        Some(Bytes(self.backstage.counters(contender).bytes as u64))
    }

    fn conditions(&mut self) -> Conditions {
        let is_throttled = self.backstage.world.throttled.contains(&self.backstage.round.get());
        Conditions { quota_throttled: Some(if is_throttled { 1.0 } else { 0.0 }), ..Conditions::default() }
    }

    fn confine(&mut self, limit: Bytes) -> Result<(), StageError> {
        self.backstage.act(format!("confine to {limit}"), Nanos(0)).map_err(error)
    }

    fn release(&mut self) -> Result<(), StageError> {
        self.backstage.act("release".to_owned(), Nanos(0)).map_err(error)
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>, StageError> {
        self.act("finish", contender, "", self.backstage.world.upkeep)?;
        let damaged = self.backstage.world.damage.contains(&(contender, self.backstage.round.get()));
        let output = if damaged { "inode 12 is lost" } else { "" };
        Ok(Some(CheckResult { clean: !damaged, output: output.to_owned() }))
    }
}
