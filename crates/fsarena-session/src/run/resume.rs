//! A stored run goes on: on the same machine, with the next round, as its plan says.

use std::sync::atomic::AtomicBool;

use fsarena_model::event::Note;
use fsarena_model::{Environment, Event, Nanos, RunRecord, Severity, Status};
use fsarena_sys::Clock;

use super::facts::{free_flushes, handicaps, notes as plan_notes};
use super::{Listener, Session, decisions};
use crate::looks::standing;
use crate::rest::Rest;
use crate::round::Watch;
use crate::{SessionError, Stage, likeness, precondition, surroundings};

/// A stored run that is to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// What is kept of it.
    pub record: RunRecord,
    /// What is left to be done.
    pub rest: Rest,
    /// When that begins, RFC 3339 in UTC.
    pub at: String,
}

/// Runs what is left of a stored run, as [`run`](super::run) does a whole one.
///
/// Nothing is told that would be kept until the machine and all contenders have turned out to be what they were.
///
/// # Errors
/// [`SessionError::Unlike`] if they are not; else as [`run`](super::run).
pub fn resume(
    resumption: Resumption,
    stage: &mut dyn Stage,
    clock: &dyn Clock,
    started: Nanos,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<Status, SessionError> {
    let Resumption { record, rest, at } = resumption;
    let (plan, aim, pending) = (record.plan.clone(), rest.aim, Vec::new());
    let handicaps = handicaps(&plan);
    Watch::during(stop, |watch| {
        let (plan, once, decided) = (&plan, Nanos(0), decisions(&record, &standing(&record)).into_keys().collect());
        let mut session =
            Session { plan, stage, clock, started, watch, listener, handicaps, record, aim, once, decided, pending };
        if session.stopped() {
            return Ok(Status::Interrupted);
        }
        session.reopen(&rest, at)?;
        let status = session.rounds(rest.open)?;
        // A run that is stopped before anything was done is left as it was.
        if session.pending.is_empty() {
            session.tell(Event::Finished(status))?;
        }
        Ok(status)
    })
}

impl Session<'_> {
    /// Reads the machine, and holds back what is to be told once the contenders are there.
    fn reopen(&mut self, rest: &Rest, at: String) -> Result<(), SessionError> {
        self.tell(Event::Preparing("reading the machine".to_owned()))?;
        let survey = self.stage.survey();
        let now =
            survey.map_err(|trouble| SessionError::Unlike(format!("the machine could not be read: {trouble}")))?;
        if let Some(difference) = likeness::difference(&self.record.environment, &now) {
            return Err(SessionError::Unlike(difference));
        }
        let text = format!("continued on {at} after round {}, with {rest}", rest.first() - 1);
        let note = |severity, text| Event::Note(Note { severity, text });
        self.pending = vec![Event::Resumed { at }, note(Severity::Info, text)];
        let news = self.news(now);
        self.pending.extend(news);
        Ok(())
    }

    /// What is to be told of the machine as it is now: all, if it was not read before.
    fn news(&self, now: Environment) -> Vec<Event> {
        let then = &self.record.environment;
        let warning = |text| Note { severity: Severity::Warning, text };
        if !then.fsarena.is_empty() {
            // The lanes were written anew, and may have come out otherwise.
            let state = now.preconditioned.as_ref().map(|done| precondition::note(done, &self.plan.storage));
            let change = likeness::change(then, &now).map(warning);
            return change.into_iter().chain(state).map(Event::Note).collect();
        }
        let notes = plan_notes(self.plan).chain(free_flushes(&now)).map(warning);
        let notes = notes.chain(surroundings::notes(&now, self.plan.medium, &self.plan.storage));
        let new: Vec<Note> = notes.filter(|note| !self.record.notes.contains(note)).collect();
        std::iter::once(Event::Surveyed(Box::new(now))).chain(new.into_iter().map(Event::Note)).collect()
    }
}
