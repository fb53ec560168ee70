//! Does an assignment, keeps its events in the store, and shows them.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fsarena_execute::{Assignment, Listener};
use fsarena_model::event::Note;
use fsarena_model::{Event, RunRecord, Severity, Status};
use fsarena_place::{End, Place, note, require_machine};
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
    if is_new && matches!(place, Place::Here) {
        // What this machine lacks is reported before the store is made.
        require_machine(&assignment.plan)?;
    }
    let mut store = Store::open(&places::store_path(global.store.clone())?)?;
    // A stored run also has the event with its plan.
    let (run, known) = (assignment.run, assignment.run.map(|_| assignment.events.len() + 1));
    let progress = Progress::new(global);
    let mut recorder = StoringListener { store: &mut store, run, known, running: None, progress };
    let ended = fsarena_place::run(assignment, place, stop, &mut recorder);
    recorder.progress.end();
    let has_begun = recorder.known.is_none();
    let nothing = || note!("interrupted before anything was measured: nothing is kept");
    let Some(run) = recorder.run else { return ended.map(|_| nothing()).map(|()| None) };
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

/// Stores the events of a run, and shows them.
struct StoringListener<'a> {
    store: &'a mut Store,
    /// The run's number in the store; `None` until it has begun.
    run: Option<i64>,
    /// The mark of the run, from its first event of this process on.
    running: Option<Mark>,
    /// The number of events of a run that is to continue, until its first further event is stored.
    known: Option<usize>,
    progress: Progress,
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
            (None, Event::Started { plan, started }) => self.run = Some(self.store.insert(plan, started, &[])?),
            (None, _) => {}
        }
        if self.running.is_none() && self.known.is_none() {
            self.running = self.run.and_then(|run| self.store.mark_running(run));
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
