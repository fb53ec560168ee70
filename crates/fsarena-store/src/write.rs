//! Stores events, one transaction per event.

use fsarena_model::{Event, Label, Plan, Status};
use fsarena_sys::fault;
use rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY;
use rusqlite::{Transaction, TransactionBehavior, params};
use serde::Serialize;

use crate::{Result, Store, StoreAccess, StoreError};

impl Store {
    /// Inserts a run of `plan` that began at `started` (RFC 3339, UTC), with its events after the first, and returns its
    /// number, which no other run of this store has had or will have.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn insert(&mut self, plan: &Plan, started: &str, events: &[Event]) -> Result<i64> {
        let labels: Vec<&Label> = plan.contenders.iter().map(|contender| &contender.label).collect();
        let first = Event::Started { plan: Box::new(plan.clone()), started: started.to_owned() };
        self.within("store run", |transaction| {
            transaction.execute(
                "INSERT INTO run (started, suite, contenders) VALUES (?, ?, ?)",
                params![started, what_runs(plan), json(&labels)],
            )?;
            let run = transaction.last_insert_rowid();
            std::iter::once(&first).chain(events).try_for_each(|event| append(transaction, run, event))?;
            Ok(run)
        })
    }

    /// Appends an event to `run`; it is on the disk when this returns. Events that only show progress are not stored.
    ///
    /// # Errors
    /// If it cannot be written, or the run does not exist.
    pub fn append(&mut self, run: i64, event: &Event) -> Result<()> {
        self.within("store event", |transaction| append(transaction, run, event))
            .map_err(|error| missing_run(error, run))
    }

    /// Like [`Store::append`], if `run` has `known` events.
    ///
    /// # Errors
    /// [`StoreError::Continued`] if it has others, and those of [`Store::append`].
    pub fn append_after(&mut self, run: i64, known: usize, event: &Event) -> Result<()> {
        let is_stored = self.within("store event", |transaction| {
            let count = "SELECT count(*) FROM event WHERE run = ?";
            let is_next = transaction.query_row(count, [run], |row| row.get::<_, i64>(0))? == known as i64;
            if is_next { append(transaction, run, event).map(|()| true) } else { Ok(false) }
        });
        match is_stored.map_err(|error| missing_run(error, run))? {
            true => Ok(()),
            false => Err(StoreError::Continued { run, path: self.path.clone() }),
        }
    }

    /// Deletes `run` if nothing was measured in it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn remove_if_empty(&mut self, run: i64) -> Result<()> {
        self.within("store nothing", |transaction| {
            transaction.execute("DELETE FROM run WHERE run = ? AND NOT has_measured", [run])?;
            Ok(())
        })
    }

    /// Deletes `run` with all its events.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if it cannot be written.
    pub fn remove(&mut self, run: i64) -> Result<()> {
        let removed =
            self.within("store nothing", |transaction| transaction.execute("DELETE FROM run WHERE run = ?", [run]))?;
        if removed == 0 { Err(StoreError::NoSuchRun { run, path: self.path.clone() }) } else { Ok(()) }
    }

    fn within<T>(&mut self, step: &str, write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        fault::step(step).map_err(|error| StoreError::inaccessible(&self.path, StoreAccess::Write, error))?;
        let outcome =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
                let value = write(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
        outcome.map_err(|error| self.sqlite(error))
    }
}

/// A row that refers to no run means that the caller's run number is wrong.
fn missing_run(error: StoreError, run: i64) -> StoreError {
    match error {
        StoreError::Sqlite { path, error: rusqlite::Error::SqliteFailure(failure, _) }
            if failure.extended_code == SQLITE_CONSTRAINT_FOREIGNKEY =>
        {
            StoreError::NoSuchRun { run, path }
        }
        other => other,
    }
}

/// What the run is of, for the list of runs: its suite, its profile, or its workloads.
fn what_runs(plan: &Plan) -> String {
    let named = plan.suite.name.clone().or_else(|| plan.weighting.profile.clone());
    let workloads = || plan.workloads.iter().map(|workload| workload.name.as_str()).collect::<Vec<_>>().join(" ");
    named.unwrap_or_else(workloads)
}

fn append(transaction: &Transaction<'_>, run: i64, event: &Event) -> rusqlite::Result<()> {
    if event.is_progress() {
        return Ok(());
    }
    transaction
        .prepare_cached(
            "INSERT INTO event (run, number, event)
             SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM event WHERE run = ?1",
        )?
        .execute(params![run, json(event)])?;
    if let Some(change) = change(event) {
        transaction.prepare_cached(&format!("UPDATE run SET {change} WHERE run = ?"))?.execute([run])?;
    }
    Ok(())
}

/// The change in the list of runs that follows from an event.
fn change(event: &Event) -> Option<&'static str> {
    match event {
        Event::Trial(_) => Some("has_measured = TRUE"),
        Event::RoundFinished(_) => Some("has_measured = TRUE, rounds = rounds + 1"),
        Event::Finished(Status::Complete) => Some("is_complete = TRUE"),
        Event::Finished(Status::Interrupted) | Event::Resumed { .. } => Some("is_complete = FALSE"),
        _ => None,
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the model's values have string keys, and JSON takes any number as null")
}
