//! What is to be run: a new run, or more of a stored one.

use fsarena_model::event::Note;
use fsarena_model::{Event, Plan, RunRecord, Severity};
use serde::{Deserialize, Serialize};

use crate::{Listener, Remaining, RunError, Wish};

/// A run, how far it is to go, and what is allowed for it. A new run is a stored run of which nothing is stored yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// The run's number in the store; `None` if it is new.
    pub run: Option<i64>,
    /// What it does.
    pub plan: Plan,
    /// Its events after the first, which has the plan.
    pub events: Vec<Event>,
    /// How far it is to go.
    pub wish: Wish,
    /// Whether to wait while another run uses the machine.
    pub wait: bool,
    /// The IDs of disks whose content may be overwritten; a stored plan does not contain this consent.
    pub erase: Vec<String>,
}

impl Assignment {
    /// A new run, which waits for other runs and overwrites no disk.
    pub fn new(plan: Plan, notes: Vec<String>) -> Self {
        let mut new = Self { run: None, plan, events: Vec::new(), wish: Wish::Usual, wait: true, erase: Vec::new() };
        notes.into_iter().for_each(|text| new.note(text));
        new
    }

    /// Adds a note to a new run.
    pub fn note(&mut self, text: String) {
        self.events.push(Event::Note(Note { severity: Severity::Info, text }));
    }

    /// The same run with the plan that `change` makes of its own.
    pub fn with_plan(self, change: impl FnOnce(Plan) -> Plan) -> Self {
        Self { plan: change(self.plan), ..self }
    }

    /// Tells a listener the first events of a new run, which begins at `at` (RFC 3339, UTC). Those of a stored run are
    /// known.
    ///
    /// # Errors
    /// If the listener cannot store them.
    pub fn begin(&self, at: String, listener: &mut dyn Listener) -> Result<(), RunError> {
        if self.run.is_some() {
            return Ok(());
        }
        let first = Event::Started { plan: Box::new(self.plan.clone()), started: at };
        [&first].into_iter().chain(&self.events).try_for_each(|event| listener.hear(event)).map_err(RunError::Listener)
    }

    /// The run so far.
    pub fn record(&self) -> RunRecord {
        let mut record = RunRecord::new(self.run.unwrap_or_default(), self.plan.clone(), String::new());
        self.events.iter().cloned().for_each(|event| record.apply(event));
        record
    }

    /// What is left to do at `at` (RFC 3339, UTC); `None` if that is nothing, for example because all pairs are decided.
    ///
    /// # Errors
    /// [`RunError::Budget`] if no round of a stored run fits into the time that is wished.
    pub fn remaining(&self, at: &str) -> Result<Option<Remaining>, RunError> {
        match self.run {
            None => Ok(Some(Remaining::whole(self.record()))),
            Some(_) => Ok(Remaining::of(self.record(), self.wish)?.map(|rest| rest.resumed(at))),
        }
    }
}
