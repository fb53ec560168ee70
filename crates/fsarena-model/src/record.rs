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
    /// It was stopped, killed, or still runs.
    Interrupted,
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
}

impl RunRecord {
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
        }
    }

    /// The events from which this record follows, the trials of all rounds first.
    pub fn into_events(self) -> Vec<Event> {
        let begin = [
            Event::Started { plan: Box::new(self.plan), started: self.started },
            Event::Surveyed(Box::new(self.environment)),
        ];
        let all = begin.into_iter().chain(self.contenders.into_iter().map(Event::Contender));
        let all = all.chain(self.trials.into_iter().map(|trial| Event::Trial(Box::new(trial))));
        let all = all.chain(self.baselines.into_iter().map(|baseline| Event::Baseline(Box::new(baseline))));
        let all = all.chain(self.checks.into_iter().map(Event::Checked));
        let all = all.chain(self.rounds.into_iter().map(Event::RoundFinished));
        all.chain(self.notes.into_iter().map(Event::Note)).chain([Event::Finished(self.status)]).collect()
    }

    /// Adds an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Surveyed(environment) => self.environment = (**environment).clone(),
            Event::Contender(facts) => self.contenders.push(facts.clone()),
            Event::Trial(trial) => self.trials.push((**trial).clone()),
            Event::Baseline(baseline) => self.baselines.push((**baseline).clone()),
            Event::Checked(check) => self.checks.push(check.clone()),
            Event::RoundFinished(facts) => self.rounds.push(facts.clone()),
            Event::Note(note) => self.notes.push(note.clone()),
            Event::Resumed { .. } => self.status = Status::Interrupted,
            Event::Finished(status) => self.status = *status,
            Event::Started { .. }
            | Event::Preparing(_)
            | Event::RoundStarted { .. }
            | Event::WorkloadStarted { .. }
            | Event::Decided { .. } => {}
        }
    }
}
