//! Everybody who listens to a run: the store keeps, the progress line shows, the log says.

use fsarena_model::Event;
use fsarena_session::Listener;
use fsarena_store::Store;

use crate::progress::Progress;

/// The listeners of one run.
pub struct Listeners<'a> {
    /// Keeps.
    pub store: &'a mut Store,
    /// The run's number in the store.
    pub run: i64,
    /// Shows.
    pub progress: &'a mut Progress,
}

impl Listener for Listeners<'_> {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        // What is shown is stored: a terminal that is gone loses nothing.
        self.store.apply(self.run, event).map_err(|error| error.to_string())?;
        self.progress.show(event);
        Ok(())
    }
}
