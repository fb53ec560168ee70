//! What is to be run: a new run, or more of a stored one.

use fsarena_model::event::Note;
use fsarena_model::{Event, Plan, RunRecord, Severity, Status};
use fsarena_sys::Clock;
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

    /// Begins a new run, whose first events are told to `listener`, or goes on with a stored one, whose events it knows.
    /// The time counts from now on; `at` is now as a date (RFC 3339, UTC). `None` if nothing is left to do, for example
    /// because all pairs are decided.
    ///
    /// # Errors
    /// [`RunError::Budget`] if no round of a stored run fits into the time that is wished; [`RunError::Listener`] if the
    /// listener cannot store an event.
    pub fn begin(
        &self,
        clock: &dyn Clock,
        at: String,
        listener: &mut dyn Listener,
    ) -> Result<Option<Remaining>, RunError> {
        let (record, started) = (self.record(), clock.now());
        let mut tell = |event: &Event| listener.hear(event).map_err(RunError::Listener);
        if self.run.is_none() {
            tell(&Event::Started { plan: Box::new(self.plan.clone()), started: at })?;
            self.events.iter().try_for_each(tell)?;
            return Ok(Some(Remaining { started, ..Remaining::whole(record) }));
        }
        let is_interrupted = record.status == Status::Interrupted;
        let rest = Remaining::of(record, self.wish)?;
        if rest.is_none() && self.wish == Wish::Usual && is_interrupted {
            // It was killed after its last round.
            tell(&Event::Finished(Status::Complete))?;
        }
        Ok(rest.map(|rest| Remaining { started, ..rest.resumed(at) }))
    }

    /// The run so far.
    pub fn record(&self) -> RunRecord {
        let mut record = RunRecord::new(self.run.unwrap_or_default(), self.plan.clone(), String::new());
        self.events.iter().cloned().for_each(|event| record.apply(event));
        record
    }
}
