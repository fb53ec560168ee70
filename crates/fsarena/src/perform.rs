//! Does an assignment, keeps its events in the store, and shows them.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fsarena_execute::{Assignment, Listener};
use fsarena_lane::require;
use fsarena_model::event::Note;
use fsarena_model::{Event, RunRecord, Severity, Status};
use fsarena_place::{End, Place, Refusals, note};
use fsarena_store::{Store, StoreError};
use fsarena_sys::mark::Mark;

use crate::cli::Global;
use crate::places;
use crate::progress::Progress;

/// Does an assignment at a place. Returns the record and how it ended; `None` if a new run was stopped before anything
/// was measured.
pub fn perform(
    global: &Global,
    assignment: Assignment,
    place: &Place,
    stop: &AtomicBool,
) -> Result<Option<(RunRecord, End)>> {
    let is_new = assignment.run.is_none();
    let path = usable_store(global, &assignment, place)?;
    // The store of a new run is made when it begins: until then this machine may still refuse it.
    let store = if is_new { None } else { Some(Store::open(&path)?) };
    // A stored run also has the event with its plan.
    let (run, known) = (assignment.run, assignment.run.map(|_| assignment.events.len() + 1));
    let progress = Progress::new(global);
    let mut recorder = StoringListener { path, store, failed: None, run, known, running: None, progress };
    let ended = fsarena_place::run(assignment, place, stop, &mut recorder);
    recorder.progress.end();
    let has_begun = recorder.known.is_none();
    let nothing = || note!("interrupted before anything was measured: nothing is kept");
    let Some((run, mut store)) = recorder.run.zip(recorder.store.take()) else {
        // Why no store could be made says more than that the run could not go on.
        let ended = recorder.failed.map_or(ended, |error| Err(error.into()));
        return ended.map(|_| nothing()).map(|()| None);
    };
    let end = ended.map_err(|error| {
        if has_begun {
            let note = Note { severity: Severity::Failure, text: format!("the run failed: {error}") };
            let _ = store.append(run, &Event::Note(note));
        }
        match is_new && store.remove_if_empty(run).is_ok() && store.load(run).is_ok() {
            true => error.context(format!("run {run} failed, and what it measured is kept (fsarena report {run})")),
            false => error,
        }
    })?;
    let record = store.load(run)?;
    if is_new && record.status == Status::Interrupted && record.trials.is_empty() {
        store.remove_if_empty(run)?;
        nothing();
        return Ok(None);
    }
    Ok(Some((record, end)))
}

/// The path of the store, if a run could use it. Another reason against the run that is known at once is refused, too.
fn usable_store(global: &Global, assignment: &Assignment, place: &Place) -> Result<PathBuf> {
    let mut refusals = Refusals::default();
    let path = refusals.take(places::store_path(global.store.clone()));
    refusals.take(path.as_deref().map_or(Ok(()), Store::require));
    if assignment.run.is_none() && matches!(place, Place::Here) {
        refusals.take(require::rights(&assignment.plan));
    }
    refusals.end().map(|()| path.unwrap_or_default())
}

/// Stores the events of a run, and shows them.
struct StoringListener {
    path: PathBuf,
    /// `None` until a new run begins.
    store: Option<Store>,
    /// Why an event could not be stored.
    failed: Option<StoreError>,
    /// The run's number in the store; `None` until it has begun.
    run: Option<i64>,
    /// The mark of the run, from its first event of this process on.
    running: Option<Mark>,
    /// The number of events of a run that is to continue, until its first further event is stored.
    known: Option<usize>,
    progress: Progress,
}

impl StoringListener {
    /// An event is stored before it is shown, so that a lost terminal loses no event.
    fn keep(&mut self, event: &Event) -> Result<(), StoreError> {
        if let (None, Event::Started { plan, started }) = (self.run, event) {
            let store = self.store.insert(Store::open(&self.path)?);
            self.run = Some(store.insert(plan, started, &[])?);
        } else if let (Some(run), Some(store), false) = (self.run, &mut self.store, event.is_progress()) {
            match self.known.take() {
                Some(known) => store.append_after(run, known, event)?,
                None => store.append(run, event)?,
            }
        }
        if let (Some(run), Some(store), None, None) = (self.run, &self.store, &self.running, self.known) {
            self.running = store.mark_running(run);
        }
        Ok(())
    }
}

impl Listener for StoringListener {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        if let Err(error) = self.keep(event) {
            let words = error.to_string();
            self.failed = Some(error);
            return Err(words);
        }
        self.progress.show(event);
        Ok(())
    }
}
