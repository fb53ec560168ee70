//! Continues a stored run on the same machine, with the next round, according to its plan.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use fsarena_analyse::standing;
use fsarena_model::event::Note;
use fsarena_model::{Environment, Event, Nanos, RunRecord, Severity, Status};
use fsarena_sys::Clock;

use super::facts::{free_flushes, notes as plan_notes, slowdowns};
use super::{Listener, Session, decisions};
use crate::remaining::Remaining;
use crate::round::Watch;
use crate::{RunError, Testbed, environment, precondition, resume_check};

/// A stored run to continue.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The stored record.
    pub record: RunRecord,
    /// The remaining work.
    pub rest: Remaining,
    /// The time at which the run continues, RFC 3339 in UTC.
    pub at: String,
}

/// Runs the remaining work of a stored run, like [`run`](super::run) for a new run.
///
/// No event that would be stored is sent before the machine and all contenders prove to be unchanged.
///
/// # Errors
/// [`RunError::Unlike`] if they have changed; otherwise as [`run`](super::run).
pub fn resume(
    resumption: Resumption,
    testbed: &mut dyn Testbed,
    clock: &dyn Clock,
    started: Nanos,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<Status, RunError> {
    let Resumption { record, rest, at } = resumption;
    let (plan, aim, pending) = (record.plan.clone(), rest.aim, Vec::new());
    let slowdowns = slowdowns(&plan);
    Watch::during(stop, |watch| {
        let (plan, once, warm) = (&plan, Nanos(0), BTreeSet::new());
        let decided = decisions(&record, &standing(&record)).into_keys().collect();
        let mut session = Session {
            plan,
            testbed,
            clock,
            started,
            watch,
            listener,
            slowdowns,
            record,
            aim,
            once,
            warm,
            decided,
            pending,
        };
        if session.stopped() {
            return Ok(Status::Interrupted);
        }
        session.reopen(&rest, at)?;
        let status = session.rounds(rest.open)?;
        // If the run is stopped before anything is measured, the stored run stays unchanged.
        if session.pending.is_empty() {
            session.tell(Event::Finished(status))?;
        }
        Ok(status)
    })
}

impl Session<'_> {
    /// Reads the machine, and holds events back until the contenders exist.
    fn reopen(&mut self, rest: &Remaining, at: String) -> Result<(), RunError> {
        self.tell(Event::Preparing("reading the machine".to_owned()))?;
        let survey = self.testbed.survey();
        let now = survey.map_err(|error| RunError::Unlike(format!("the machine could not be read: {error}")))?;
        if let Some(difference) = resume_check::difference(&self.record.environment, &now) {
            return Err(RunError::Unlike(difference));
        }
        let text = format!("continued on {at} after round {}, with {rest}", rest.first() - 1);
        let note = |severity, text| Event::Note(Note { severity, text });
        self.pending = vec![Event::Resumed { at }, note(Severity::Info, text)];
        let news = self.news(now);
        self.pending.extend(news);
        Ok(())
    }

    /// Events about the present machine; all of them, if the stored run has no survey.
    fn news(&self, now: Environment) -> Vec<Event> {
        let then = &self.record.environment;
        let warning = |text| Note { severity: Severity::Warning, text };
        if !then.fsarena.is_empty() {
            // The lanes were written again, and their state may differ.
            let state =
                now.lanes.preconditioned.as_ref().map(|done| precondition::note(done, &self.plan.lanes.storage));
            let change = resume_check::change(then, &now).map(warning);
            return change.into_iter().chain(state).map(Event::Note).collect();
        }
        let notes = plan_notes(self.plan).chain(free_flushes(&now)).map(warning);
        let notes = notes.chain(environment::notes(&now, self.plan.lanes.medium, &self.plan.lanes.storage));
        let new: Vec<Note> = notes.filter(|note| !self.record.notes.contains(note)).collect();
        std::iter::once(Event::Surveyed(Box::new(now))).chain(new.into_iter().map(Event::Note)).collect()
    }
}
