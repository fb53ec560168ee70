//! The record of a run: everything that the store keeps, and the only input of a report.

use serde::{Deserialize, Serialize};

use crate::event::{Check, Note, RoundFacts};
use crate::{Baseline, ContenderFacts, Environment, Event, Plan, Trial};

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Everything that was planned is done.
    Complete,
    /// It was stopped or killed, or may still run.
    Interrupted,
    /// A process of this machine measures it: only where that is looked up, never in a record that is read.
    Running,
}

/// Everything that is known about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The store's number.
    pub run: i64,
    /// How far it has come.
    pub status: Status,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// What the run does.
    pub plan: Plan,
    /// The machine, once surveyed.
    pub environment: Environment,
    /// The contenders as they were made and mounted, in the plan's order; only those that were made.
    pub contenders: Vec<ContenderFacts>,
    /// Finished rounds.
    pub rounds: Vec<RoundFacts>,
    /// Trials in the order in which they ended.
    pub trials: Vec<Trial>,
    /// Baselines in the order in which they were measured.
    pub baselines: Vec<Baseline>,
    /// Checks in the order in which they were done.
    pub checks: Vec<Check>,
    /// Notes for the report.
    pub notes: Vec<Note>,
    /// Words by which its user finds it again, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl RunRecord {
    /// Whether both are the same measurements, such as a run that was imported twice.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        !self.trials.is_empty() && self.started == other.started && self.trials == other.trials
    }

    /// The record of a run that has just begun.
    pub fn new(run: i64, plan: Plan, started: String) -> Self {
        Self {
            run,
            status: Status::Interrupted,
            started,
            plan,
            environment: Environment::default(),
            contenders: Vec::new(),
            rounds: Vec::new(),
            trials: Vec::new(),
            baselines: Vec::new(),
            checks: Vec::new(),
            notes: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// The record of the run with this number that sent `events`; `None` if they do not begin with [`Event::Started`].
    pub fn of_events(run: i64, events: impl IntoIterator<Item = Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let Some(Event::Started { plan, started }) = events.next() else { return None };
        let mut record = Self::new(run, *plan, started);
        events.for_each(|event| record.apply(event));
        Some(record)
    }

    /// Adds an event.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Surveyed(environment) => self.environment = *environment,
            Event::Contender(facts) => self.contenders.push(facts),
            Event::Trial(trial) => self.trials.push(*trial),
            Event::Baseline(baseline) => self.baselines.push(*baseline),
            Event::Checked(check) => self.checks.push(check),
            Event::RoundFinished(facts) => {
                // The bound is the best that was ever seen: a disturbed moment cannot lower it.
                let seen = [self.environment.memory_bandwidth, facts.conditions.memory_bandwidth];
                self.environment.memory_bandwidth = seen.into_iter().flatten().reduce(f64::max);
                self.rounds.push(facts);
            }
            Event::Note(note) => self.notes.push(note),
            Event::Tagged(tag) if self.tags.contains(&tag) => {}
            Event::Tagged(tag) => self.tags.push(tag),
            Event::Untagged(tag) => self.tags.retain(|other| *other != tag),
            Event::Resumed { .. } => self.status = Status::Interrupted,
            Event::Finished(status) => self.status = status,
            Event::Started { .. }
            | Event::Preparing(_)
            | Event::RoundStarted { .. }
            | Event::WorkloadStarted { .. }
            | Event::Decided { .. } => {}
        }
    }
}
