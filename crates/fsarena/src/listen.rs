//! The listeners of a run: the store, the progress line and the log.

use fsarena_execute::Listener;
use fsarena_model::Event;
use fsarena_store::Store;

use crate::progress::Progress;

/// The listeners of one run.
pub struct Listeners<'a> {
    /// The store that keeps the events.
    pub store: &'a mut Store,
    /// The run's number in the store.
    pub run: i64,
    /// The progress line that shows the events.
    pub progress: &'a mut Progress,
}

impl Listener for Listeners<'_> {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        // An event is stored before it is shown, so that a lost terminal loses no event.
        self.store.apply(self.run, event).map_err(|error| error.to_string())?;
        self.progress.show(event);
        Ok(())
    }
}
