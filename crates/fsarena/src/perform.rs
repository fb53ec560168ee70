//! Does an assignment and keeps its events in the store.

use std::sync::atomic::AtomicBool;

use anyhow::{Error, Result};
use fsarena_execute::Assignment;
use fsarena_model::event::Note;
use fsarena_model::{Event, RunRecord, Severity, Status};
use fsarena_place::{End, Place, note, require_machine};
use fsarena_store::Store;

use crate::cli::Global;
use crate::listen::StoringListener;
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
    let mut store = places::store(global)?;
    // A stored run also has the event with its plan.
    let (run, known) = (assignment.run, assignment.run.map(|_| assignment.events.len() + 1));
    let mut recorder = StoringListener { store: &mut store, run, known, progress: Progress::new(global) };
    let ended = fsarena_place::run(assignment, place, stop, &mut recorder);
    recorder.progress.end();
    let has_begun = recorder.known.is_none();
    let Some(run) = recorder.run else { return ended.map(|_| None) };
    let end = ended.inspect_err(|error| {
        if has_begun {
            note_failure(&mut store, run, error);
        }
        if is_new {
            let _ = store.remove_if_empty(run);
        }
    })?;
    let record = store.load(run)?;
    if is_new && record.status == Status::Interrupted && record.trials.is_empty() {
        store.remove_if_empty(run)?;
        note!("interrupted before anything was measured: nothing is kept");
        return Ok(None);
    }
    Ok(Some((record, end)))
}

fn note_failure(store: &mut Store, run: i64, error: &Error) {
    let text = format!("the run failed: {error}");
    let _ = store.append(run, &Event::Note(Note { severity: Severity::Failure, text }));
}
