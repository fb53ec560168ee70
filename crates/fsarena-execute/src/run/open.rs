//! The beginning of a session: the machine is read, and compared with that of a stored run.

use fsarena_model::event::Note;
use fsarena_model::{Environment, Event, Severity};

use super::{Session, facts};
use crate::{RunError, environment, precondition, resume_check};

impl Session<'_> {
    /// Reads the machine. `resumed` is the time at which a stored run continues: its events are held back until the
    /// contenders exist.
    pub(super) fn open(&mut self, resumed: Option<String>) -> Result<(), RunError> {
        self.tell(Event::Preparing("reading the machine".to_owned()))?;
        let note = |severity, text| Event::Note(Note { severity, text });
        let is_surveyed = !self.record.environment.fsarena.is_empty();
        let news = match self.testbed.survey() {
            Ok(now) => self.news(now, is_surveyed)?,
            Err(error) if is_surveyed => {
                return Err(RunError::Unlike(format!("the machine could not be read: {error}")));
            }
            Err(error) => vec![note(Severity::Failure, format!("the machine could not be read: {error}"))],
        };
        if resumed.is_none() && self.stopped() {
            return Ok(());
        }
        let Some(at) = resumed else { return news.into_iter().try_for_each(|event| self.tell(event)) };
        let text = format!("continued on {at} after round {}, with {}", self.scope.first - 1, self.scope);
        self.pending = vec![Event::Resumed { at }, note(Severity::Info, text)];
        self.pending.extend(news);
        Ok(())
    }

    /// Events about the present machine; all of them, if the run has no survey.
    ///
    /// # Errors
    /// If it is not the machine of the run.
    fn news(&self, now: Environment, is_surveyed: bool) -> Result<Vec<Event>, RunError> {
        let then = &self.record.environment;
        if let Some(difference) = resume_check::difference(then, &now) {
            return Err(RunError::Unlike(difference));
        }
        let warning = |text| Note { severity: Severity::Warning, text };
        if is_surveyed {
            // The lanes were written again, and their state may differ.
            let state =
                now.lanes.preconditioned.as_ref().map(|done| precondition::note(done, &self.plan.lanes.storage));
            let change = resume_check::change(then, &now).map(warning);
            return Ok(change.into_iter().chain(state).map(Event::Note).collect());
        }
        let notes = facts::notes(self.plan).map(warning).chain(environment::notes(&now, self.plan));
        let new: Vec<Note> = notes.filter(|note| !self.record.notes.contains(note)).collect();
        Ok(std::iter::once(Event::Surveyed(Box::new(now))).chain(new.into_iter().map(Event::Note)).collect())
    }
}
