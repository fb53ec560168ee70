//! Reads stored data: whole records, and the list of runs.

use std::collections::HashMap;
use std::error::Error;

use fsarena_model::event::{Check, Note, RoundFacts};
use fsarena_model::{
    Baseline, Conditions, ContenderFacts, Environment, Label, LatencyWindow, Nanos, Outcome, Plan, RunRecord, Slice,
    Status, Trial,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use crate::{Result, Store, StoreError, text};

/// A run in the list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its number.
    pub run: i64,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// How far it has come.
    pub status: Status,
    /// The suite, if one was run.
    pub suite: Option<String>,
    /// The contenders, in command-line order.
    pub contenders: Vec<Label>,
    /// Rounds that were finished.
    pub rounds: u32,
}

/// Condition on a row of `run`: something was measured. A run that was killed or failed before its first trial is not
/// listed.
pub const HAS_MEASURED: &str = "(EXISTS (SELECT * FROM trial WHERE trial.run = run.run)
    OR EXISTS (SELECT * FROM round WHERE round.run = run.run))";

/// An error of SQLite, or a value of the named kind that cannot be parsed.
enum ReadError {
    Sqlite(rusqlite::Error),
    Value(&'static str, Box<dyn Error + Send + Sync>),
}

impl From<rusqlite::Error> for ReadError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

impl Store {
    /// Loads the record of `run`: the same that [`RunRecord::apply`] makes of the same events.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], [`StoreError::Unreadable`], or if the store cannot be read.
    pub fn load(&self, run: i64) -> Result<RunRecord> {
        match self.snapshot(run) {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(StoreError::NoSuchRun { run, path: self.path.clone() }),
            Err(ReadError::Sqlite(error)) => Err(self.sqlite(error)),
            Err(ReadError::Value(what, source)) => {
                Err(StoreError::Unreadable { path: self.path.clone(), run, what, source })
            }
        }
    }

    /// The number of the latest run in which something was measured.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last(&self) -> Result<Option<i64>> {
        let query = format!("SELECT max(run) FROM run WHERE {HAS_MEASURED}");
        self.connection.query_row(&query, [], |row| row.get(0)).map_err(|error| self.sqlite(error))
    }

    /// All runs in which something was measured, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRow>> {
        let list = || {
            let mut labels = labels(&self.connection)?;
            self.connection
                .prepare(&format!(
                    "SELECT run, started, status, suite, (SELECT count(*) FROM round WHERE round.run = run.run)
                     FROM run WHERE {HAS_MEASURED} ORDER BY run"
                ))?
                .query_map([], |row| run_row(row, &mut labels))?
                .collect::<rusqlite::Result<_>>()
        };
        list().map_err(|error| self.sqlite(error))
    }

    /// Reads in one transaction, so that a run that still goes on is read as it was at one window.
    fn snapshot(&self, run: i64) -> std::result::Result<Option<RunRecord>, ReadError> {
        let transaction = self.connection.unchecked_transaction()?;
        let Some(mut record) = head(&transaction, run)? else { return Ok(None) };
        record.contenders = contenders(&transaction, run)?;
        record.rounds = rounds(&transaction, run)?;
        record.baselines = baselines(&transaction, run)?;
        record.trials = trials(&transaction, run)?;
        record.checks = rows(&transaction, run, "SELECT * FROM file_system_check WHERE run = ? ORDER BY id", check)?;
        record.notes = rows(&transaction, run, "SELECT * FROM note WHERE run = ? ORDER BY id", note)?;
        Ok(Some(record))
    }
}

fn labels(connection: &Connection) -> rusqlite::Result<HashMap<i64, Vec<Label>>> {
    let mut labels: HashMap<i64, Vec<Label>> = HashMap::new();
    let mut statement = connection.prepare("SELECT run, label FROM contender ORDER BY run, position")?;
    for pair in statement.query_map([], |row| Ok((row.get(0)?, Label(row.get(1)?))))? {
        let (run, label) = pair?;
        labels.entry(run).or_default().push(label);
    }
    Ok(labels)
}

fn run_row(row: &Row<'_>, labels: &mut HashMap<i64, Vec<Label>>) -> rusqlite::Result<RunRow> {
    let run = row.get(0)?;
    Ok(RunRow {
        run,
        started: row.get(1)?,
        status: text::status(&row.get::<_, String>(2)?),
        suite: row.get(3)?,
        contenders: labels.remove(&run).unwrap_or_default(),
        rounds: row.get(4)?,
    })
}

fn head(connection: &Connection, run: i64) -> std::result::Result<Option<RunRecord>, ReadError> {
    let columns = "SELECT started, status, plan, environment FROM run WHERE run = ?";
    type Head = (String, String, String, Option<String>);
    let take = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let Some((started, status, plan, environment)): Option<Head> =
        connection.query_row(columns, [run], take).optional()?
    else {
        return Ok(None);
    };
    let mut record = RunRecord::new(run, parse::<Plan>("plan", &plan)?, started);
    record.status = text::status(&status);
    if let Some(json) = environment {
        record.environment = parse::<Environment>("environment", &json)?;
    }
    Ok(Some(record))
}

fn contenders(connection: &Connection, run: i64) -> std::result::Result<Vec<ContenderFacts>, ReadError> {
    let query = "SELECT facts FROM contender_facts WHERE run = ? ORDER BY id";
    let json: Vec<String> = rows(connection, run, query, |row| row.get("facts"))?;
    json.iter().map(|json| parse("contender", json)).collect()
}

fn trials(connection: &Connection, run: i64) -> std::result::Result<Vec<Trial>, ReadError> {
    let mut statement = connection.prepare("SELECT * FROM trial WHERE run = ? ORDER BY id")?;
    let mut found = statement.query([run])?;
    let mut trials = Vec::new();
    while let Some(row) = found.next()? {
        trials.push(trial(connection, row)?);
    }
    Ok(trials)
}

fn trial(connection: &Connection, row: &Row<'_>) -> std::result::Result<Trial, ReadError> {
    let outcome: String = row.get("outcome")?;
    let reason: Option<String> = row.get("reason")?;
    Ok(Trial {
        round: row.get("round")?,
        workload: row.get("workload")?,
        contender: Label(row.get("contender")?),
        lane: row.get("lane")?,
        slices: slices(connection, row.get("id")?)?,
        latencies: parse("latencies of a trial", &row.get::<_, String>("latencies")?)?,
        steps: of_some(row, "steps")?.unwrap_or_default(),
        verified: of_some(row, "verified")?,
        over_time: over_time(row)?,
        probes: parse("probes of a trial", &row.get::<_, String>("probes")?)?,
        outcome: match (outcome.as_str(), reason.as_deref().and_then(|limit| limit.parse().ok())) {
            ("finished", _) => Outcome::Finished,
            ("out-of-time", Some(limit)) => Outcome::OutOfTime(Nanos(limit)),
            (other, _) => Outcome::Failed(reason.unwrap_or_else(|| other.to_owned())),
        },
    })
}

/// A value that only some trials have.
fn of_some<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> std::result::Result<Option<T>, ReadError> {
    added(row, column)?.map(|json| parse(column, &json)).transpose()
}

/// The text of a column that older stores lack: a reader does not migrate them; only a writer does.
fn added(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    match row.get(column) {
        Err(rusqlite::Error::InvalidColumnName(_)) => Ok(None),
        text => text,
    }
}

/// Empty for runs from before it was stored.
fn over_time(row: &Row<'_>) -> std::result::Result<Vec<LatencyWindow>, ReadError> {
    added(row, "over_time")?.map_or(Ok(Vec::new()), |json| parse("latencies over time of a trial", &json))
}

/// Reads columns by index: there are millions of slices, and look-ups by name would take most of the time.
fn slices(connection: &Connection, trial: i64) -> rusqlite::Result<Vec<Slice>> {
    let unsigned = |row: &Row<'_>, column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    let query = "SELECT position, operations, bytes, elapsed_ns, value FROM slice WHERE trial = ? ORDER BY id";
    connection
        .prepare_cached(query)?
        .query_map([trial], |row| {
            Ok(Slice {
                position: row.get(0)?,
                operations: unsigned(row, 1)?,
                bytes: unsigned(row, 2)?,
                elapsed: Nanos(unsigned(row, 3)?),
                value: row.get::<_, Option<f64>>(4)?.unwrap_or(f64::NAN),
            })
        })?
        .collect()
}

fn rounds(connection: &Connection, run: i64) -> std::result::Result<Vec<RoundFacts>, ReadError> {
    let mut statement = connection.prepare("SELECT * FROM round WHERE run = ? ORDER BY id")?;
    let mut found = statement.query([run])?;
    let mut rounds = Vec::new();
    while let Some(row) = found.next()? {
        rounds.push(round(row)?);
    }
    Ok(rounds)
}

fn baselines(connection: &Connection, run: i64) -> std::result::Result<Vec<Baseline>, ReadError> {
    let is_kept = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = 'reference')";
    if !connection.query_row(is_kept, [], |row| row.get::<_, bool>(0))? {
        return Ok(Vec::new());
    }
    let query = "SELECT reference FROM reference WHERE run = ? ORDER BY id";
    let json: Vec<String> = rows(connection, run, query, |row| row.get("reference"))?;
    json.iter().map(|json| parse("baseline", json)).collect()
}

/// Runs from before these were stored have neither the lane's cost nor conditions.
fn round(row: &Row<'_>) -> std::result::Result<RoundFacts, ReadError> {
    let (lane_cost, conditions) = (added(row, "lane_cost")?, added(row, "conditions")?);
    Ok(RoundFacts {
        round: row.get("round")?,
        seconds: row.get::<_, Option<f64>>("seconds")?.unwrap_or(f64::NAN),
        foreign_cores: row.get("foreign_cores")?,
        steal_cores: row.get("steal_cores")?,
        lane_cost: lane_cost.map(|json| parse("the lane's cost in a round", &json)).transpose()?,
        conditions: conditions.map_or(Ok(Conditions::default()), |json| parse("conditions of a round", &json))?,
    })
}

fn check(row: &Row<'_>) -> rusqlite::Result<Check> {
    Ok(Check {
        round: row.get("round")?,
        contender: Label(row.get("contender")?),
        clean: row.get("clean")?,
        output: row.get("output")?,
    })
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note { severity: text::severity(&row.get::<_, String>("severity")?), text: row.get("text")? })
}

fn rows<T>(
    connection: &Connection,
    run: i64,
    query: &str,
    take: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(query)?.query_map(params![run], take)?.collect()
}

fn parse<T: DeserializeOwned>(what: &'static str, json: &str) -> std::result::Result<T, ReadError> {
    serde_json::from_str(json).map_err(|source| ReadError::Value(what, source.into()))
}
