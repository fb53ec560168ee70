//! Reads runs: their events, their records, and the list of runs.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use fsarena_model::{Event, Label, RunRecord, Status};
use fsarena_sys::mark::Mark;
use rusqlite::types::Type;
use rusqlite::{Params, Row};
use serde::Serialize;

use crate::{Result, Store, StoreError};

/// A run in the list of runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// Its number.
    pub run: i64,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// How far it has come.
    pub status: Status,
    /// The suite or profile, if one was run.
    pub suite: Option<String>,
    /// The contenders, in command-line order.
    pub contenders: Vec<Label>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Its tags, in the order in which they were given.
    pub tags: Vec<String>,
    /// Whether a process of this machine is measuring it.
    pub is_running: bool,
}

impl RunRow {
    /// `running`, `complete` or `interrupted`.
    pub fn state(&self) -> &'static str {
        match self.status {
            Status::Complete => "complete",
            Status::Interrupted => "interrupted",
            Status::Running => "running",
        }
    }
}

impl Store {
    /// Loads the record of `run`: that of its events ([`RunRecord::of_events`]).
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], [`StoreError::Unreadable`], or if the store cannot be read.
    pub fn load(&self, run: i64) -> Result<RunRecord> {
        let is_no_run = || self.unreadable(run, 1, "it is not the beginning of a run");
        RunRecord::of_events(run, self.events(run)?).ok_or_else(is_no_run)
    }

    /// The events of `run` in order.
    ///
    /// # Errors
    /// As [`Store::load`].
    pub fn events(&self, run: i64) -> Result<Vec<Event>> {
        let events = self.each_event(run, |line| serde_json::from_str(line))?.into_iter().zip(1..);
        events.map(|(event, number)| event.map_err(|error| self.unreadable(run, number, error))).collect()
    }

    /// The events of `run` in order, each as one line of JSON.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the store cannot be read.
    pub fn lines(&self, run: i64) -> Result<Vec<String>> {
        self.each_event(run, str::to_owned)
    }

    /// The number of the latest run in which something was measured.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last(&self) -> Result<Option<i64>> {
        let query = "SELECT max(run) FROM run WHERE has_measured";
        self.connection.query_row(query, [], |row| row.get(0)).map_err(|error| self.sqlite(error))
    }

    /// All runs in which something was measured, oldest first. A run that was killed or failed before its first trial
    /// is not listed.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRow>> {
        let query = "SELECT run, started, suite, contenders, is_complete, rounds FROM run
                     WHERE has_measured ORDER BY run";
        let (mut runs, mut tags) = (self.rows(query, [], run_row)?, self.tags()?);
        let marks = Mark::all_set();
        for row in &mut runs {
            row.tags = tags.remove(&row.run).unwrap_or_default();
            row.is_running = self.mark(row.run).is_some_and(|name| marks.contains(&name));
            if row.is_running {
                row.status = Status::Running;
            }
        }
        Ok(runs)
    }

    /// Marks a run as one that this process measures, until the mark is dropped. `None` if it cannot be marked.
    pub fn mark_running(&self, run: i64) -> Option<Mark> {
        Mark::set(&self.mark(run)?).ok()
    }

    /// Whether a process of this machine is measuring a run.
    pub fn is_running(&self, run: i64) -> bool {
        self.mark(run).is_some_and(|name| Mark::is_set(&name))
    }

    /// The name of the mark, which is that of the run in this file, whatever the path to it.
    fn mark(&self, run: i64) -> Option<String> {
        let file = fs::metadata(&self.path).ok()?;
        Some(format!("fsarena/running/{}:{}/{run}", file.dev(), file.ino()))
    }

    /// The names of the workloads in these runs, sorted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn workloads(&self) -> Result<Vec<String>> {
        let query = "SELECT DISTINCT json_extract(workload.value, '$.name')
                     FROM run JOIN event USING (run), json_each(event, '$.started.plan.workloads') AS workload
                     WHERE has_measured AND number = 1 ORDER BY 1";
        self.rows(query, [], |row| row.get(0))
    }

    fn rows<T>(
        &self,
        query: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let all = || self.connection.prepare(query)?.query_map(parameters, read)?.collect::<rusqlite::Result<_>>();
        all().map_err(|error| self.sqlite(error))
    }

    /// The tags of each run that has some.
    fn tags(&self) -> Result<BTreeMap<i64, Vec<String>>> {
        let query = "SELECT run, event FROM event WHERE event GLOB '{\"tagged\":*' OR event GLOB '{\"untagged\":*'
                     ORDER BY run, number";
        let read = |row: &Row<'_>| Ok((row.get(0)?, serde_json::from_str(row.get_ref(1)?.as_str()?)));
        let mut tags: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for (run, event) in self.rows(query, [], read)? {
            let own = tags.entry(run).or_default();
            match event {
                Ok(Event::Tagged(tag)) if !own.contains(&tag) => own.push(tag),
                Ok(Event::Untagged(tag)) => own.retain(|other| *other != tag),
                _ => {}
            }
        }
        Ok(tags)
    }

    fn unreadable(&self, run: i64, number: u64, why: impl ToString) -> StoreError {
        StoreError::Unreadable { path: self.path.clone(), run, number, why: why.to_string() }
    }

    /// One query, so that a run that still goes on is read as it was at one moment.
    fn each_event<T>(&self, run: i64, read: impl Fn(&str) -> T) -> Result<Vec<T>> {
        let query = "SELECT event FROM event WHERE run = ? ORDER BY number";
        let events = self.rows(query, [run], |row| Ok(read(row.get_ref(0)?.as_str()?)))?;
        match events.is_empty() {
            true => Err(StoreError::NoSuchRun { run, path: self.path.clone() }),
            false => Ok(events),
        }
    }
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let contenders = serde_json::from_str(row.get_ref(3)?.as_str()?);
    Ok(RunRow {
        run: row.get(0)?,
        started: row.get(1)?,
        suite: row.get(2)?,
        contenders: contenders
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, Type::Text, error.into()))?,
        status: if row.get(4)? { Status::Complete } else { Status::Interrupted },
        rounds: row.get(5)?,
        tags: Vec::new(),
        is_running: false,
    })
}
