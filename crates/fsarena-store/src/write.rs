//! Stores events, one transaction per event.

use fsarena_model::event::{Check, Note, RoundFacts};
use fsarena_model::{Baseline, ContenderFacts, Environment, Event, Outcome, Plan, Slice, Status, Trial};
use fsarena_sys::fault;
use rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY;
use rusqlite::{Transaction, TransactionBehavior, params};

use crate::read::HAS_MEASURED;
use crate::{Access, Result, Store, StoreError, text};

impl Store {
    /// Inserts a run of `plan` that began at `started` (RFC 3339, UTC), and returns its number, which no other run of
    /// this store has had or will have.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self, plan: &Plan, started: &str) -> Result<i64> {
        self.within("store run", |transaction| insert_run(transaction, plan, started))
    }

    /// Stores an event of `run`; it is on the disk when this returns. Events that are not part of the record are not
    /// stored.
    ///
    /// # Errors
    /// If it cannot be written, or the run does not exist.
    pub fn apply(&mut self, run: i64, event: &Event) -> Result<()> {
        let step = match event {
            Event::Surveyed(_) => "store environment",
            Event::Contender(_) => "store contender",
            Event::Trial(_) => "store trial",
            Event::Baseline(_) => "store baseline",
            Event::Checked(_) => "store check",
            Event::RoundFinished(_) => "store round",
            Event::Note(_) => "store note",
            Event::Resumed { .. } | Event::Finished(_) => "store status",
            Event::Started { .. }
            | Event::Preparing(_)
            | Event::RoundStarted { .. }
            | Event::WorkloadStarted { .. }
            | Event::Decided { .. } => return Ok(()),
        };
        self.within(step, |transaction| write(transaction, run, event)).map_err(|error| missing_run(error, run))
    }

    /// Deletes `run` if nothing was measured in it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn remove_if_empty(&mut self, run: i64) -> Result<()> {
        self.within("store nothing", |transaction| {
            let is_empty = format!("SELECT EXISTS (SELECT * FROM run WHERE run = ? AND NOT {HAS_MEASURED})");
            if transaction.query_row(&is_empty, [run], |row| row.get(0))? {
                for table in ["contender", "contender_facts", "reference", "file_system_check", "note", "run"] {
                    transaction.execute(&format!("DELETE FROM {table} WHERE run = ?"), [run])?;
                }
            }
            Ok(())
        })
    }

    fn within<T>(&mut self, step: &str, write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        fault::step(step).map_err(|error| StoreError::inaccessible(&self.path, Access::Write, error))?;
        let outcome =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
                let value = write(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
        outcome.map_err(|error| self.sqlite(error))
    }
}

fn write(transaction: &Transaction<'_>, run: i64, event: &Event) -> rusqlite::Result<()> {
    match event {
        Event::Surveyed(environment) => update_environment(transaction, run, environment),
        Event::Contender(facts) => insert_contender_facts(transaction, run, facts),
        Event::Trial(trial) => insert_trial(transaction, run, trial),
        Event::Baseline(baseline) => insert_baseline(transaction, run, baseline),
        Event::Checked(check) => insert_check(transaction, run, check),
        Event::RoundFinished(facts) => insert_round(transaction, run, facts),
        Event::Note(note) => insert_note(transaction, run, note),
        Event::Resumed { .. } => update_status(transaction, run, Status::Interrupted),
        Event::Finished(status) => update_status(transaction, run, *status),
        _ => Ok(()),
    }
}

/// A row that refers to no run, or an update that changes no row, means that the caller's run number is wrong.
fn missing_run(error: StoreError, run: i64) -> StoreError {
    match error {
        StoreError::Sqlite { path, error } if is_missing(&error) => StoreError::NoSuchRun { run, path },
        other => other,
    }
}

fn is_missing(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(error, rusqlite::Error::StatementChangedRows(0)) || code == Some(SQLITE_CONSTRAINT_FOREIGNKEY)
}

fn insert_run(transaction: &Transaction<'_>, plan: &Plan, started: &str) -> rusqlite::Result<i64> {
    transaction.execute(
        "INSERT INTO run (started, status, suite, plan_hash, plan) VALUES (?, ?, ?, ?, ?)",
        params![started, text::of_status(Status::Interrupted), plan.suite, plan.hash(), text::json(plan)],
    )?;
    let run = transaction.last_insert_rowid();
    for (position, contender) in plan.contenders.iter().enumerate() {
        transaction.execute(
            "INSERT INTO contender (run, position, label, kind) VALUES (?, ?, ?, ?)",
            params![run, position as i64, contender.label.0, contender.kind],
        )?;
    }
    Ok(run)
}

fn update_environment(transaction: &Transaction<'_>, run: i64, environment: &Environment) -> rusqlite::Result<()> {
    one_row(transaction.execute("UPDATE run SET environment = ? WHERE run = ?", params![text::json(environment), run]))
}

fn update_status(transaction: &Transaction<'_>, run: i64, status: Status) -> rusqlite::Result<()> {
    one_row(transaction.execute("UPDATE run SET status = ? WHERE run = ?", params![text::of_status(status), run]))
}

fn insert_contender_facts(transaction: &Transaction<'_>, run: i64, facts: &ContenderFacts) -> rusqlite::Result<()> {
    one_row(transaction.execute(
        "INSERT INTO contender_facts (run, label, facts) VALUES (?, ?, ?)",
        params![run, facts.label.0, text::json(facts)],
    ))
}

fn insert_round(transaction: &Transaction<'_>, run: i64, facts: &RoundFacts) -> rusqlite::Result<()> {
    one_row(transaction.execute(
        "INSERT INTO round (run, round, seconds, foreign_cores, steal_cores, lane_cost, conditions)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![
            run,
            facts.round,
            facts.seconds,
            facts.foreign_cores,
            facts.steal_cores,
            facts.lane_cost.as_ref().map(text::json),
            text::json(&facts.conditions),
        ],
    ))
}

fn insert_baseline(transaction: &Transaction<'_>, run: i64, baseline: &Baseline) -> rusqlite::Result<()> {
    one_row(
        transaction.execute("INSERT INTO reference (run, reference) VALUES (?, ?)", params![run, text::json(baseline)]),
    )
}

fn insert_check(transaction: &Transaction<'_>, run: i64, check: &Check) -> rusqlite::Result<()> {
    one_row(transaction.execute(
        "INSERT INTO file_system_check (run, round, contender, clean, output) VALUES (?, ?, ?, ?, ?)",
        params![run, check.round, check.contender.0, check.clean, check.output],
    ))
}

fn insert_note(transaction: &Transaction<'_>, run: i64, note: &Note) -> rusqlite::Result<()> {
    one_row(transaction.execute(
        "INSERT INTO note (run, severity, text) VALUES (?, ?, ?)",
        params![run, text::of_severity(note.severity), note.text],
    ))
}

fn insert_trial(transaction: &Transaction<'_>, run: i64, trial: &Trial) -> rusqlite::Result<()> {
    let (outcome, reason) = match &trial.outcome {
        Outcome::Finished => ("finished", None),
        Outcome::Failed(reason) => ("failed", Some(reason.clone())),
        Outcome::OutOfTime(limit) => ("out-of-time", Some(limit.0.to_string())),
    };
    transaction.execute(
        "INSERT INTO trial (run, round, workload, contender, lane, outcome, reason, latencies, over_time, probes,
             steps, verified)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            run,
            trial.round,
            trial.workload,
            trial.contender.0,
            trial.lane,
            outcome,
            reason,
            text::json(&trial.latencies),
            text::json(&trial.over_time),
            text::json(&trial.probes),
            (!trial.steps.is_empty()).then(|| text::json(&trial.steps)),
            trial.verified.as_ref().map(text::json),
        ],
    )?;
    insert_slices(transaction, transaction.last_insert_rowid(), &trial.slices)
}

/// SQLite's integers are signed: a larger count is written, and read, with the same bits.
fn insert_slices(transaction: &Transaction<'_>, trial: i64, slices: &[Slice]) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO slice (trial, position, operations, bytes, elapsed_ns, value) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for slice in slices {
        statement.execute(params![
            trial,
            slice.position,
            slice.operations.cast_signed(),
            slice.bytes.cast_signed(),
            slice.elapsed.0.cast_signed(),
            slice.value,
        ])?;
    }
    Ok(())
}

fn one_row(changed: rusqlite::Result<usize>) -> rusqlite::Result<()> {
    match changed? {
        1 => Ok(()),
        other => Err(rusqlite::Error::StatementChangedRows(other)),
    }
}
