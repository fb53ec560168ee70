//! The listener of a run that is recorded here: the store, and the progress line.

use fsarena_execute::Listener;
use fsarena_model::Event;
use fsarena_store::{Store, StoreError};

use crate::progress::Progress;

/// Stores the events of a run, and shows them.
pub struct StoringListener<'a> {
    /// The store that keeps the events.
    pub store: &'a mut Store,
    /// The run's number in the store; `None` until it has begun.
    pub run: Option<i64>,
    /// The number of events of a run that is to continue, until its first further event is stored.
    pub known: Option<usize>,
    /// The progress line that shows the events.
    pub progress: Progress,
}

impl StoringListener<'_> {
    /// An event is stored before it is shown, so that a lost terminal loses no event.
    fn keep(&mut self, event: &Event) -> Result<(), StoreError> {
        match (self.run, event) {
            (Some(_), event) if event.is_progress() => {}
            (Some(run), event) => match self.known.take() {
                Some(known) => self.store.append_after(run, known, event)?,
                None => self.store.append(run, event)?,
            },
            (None, Event::Started { plan, started }) => self.run = Some(self.store.begin(plan, started)?),
            (None, _) => {}
        }
        Ok(())
    }
}

impl Listener for StoringListener<'_> {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        self.keep(event).map_err(|error| error.to_string())?;
        self.progress.show(event);
        Ok(())
    }
}
