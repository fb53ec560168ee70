//! What a workload of the engine `mariadb` says.

use fsarena_engine::EngineError;
use fsarena_market::{Date, Part, TradingDay};
use fsarena_model::{Bytes, Mode, Workload};
use serde::Deserialize;

use super::buffer_pool;

/// The first day of all; those after it follow without weekends.
const FIRST_DAY: (u32, u32, u32) = (2016, 4, 11);
/// What a data directory takes with nothing in it, its log of 96 MiB among it.
const EMPTY: u64 = 200 << 20;
/// What a row of market data takes with its index, as measured (206 bytes), and some.
const PER_SNAPSHOT: u64 = 320;
/// What a row of results takes, likewise.
const PER_RESULT: u64 = 1800;
/// Connections that the server has room for, beside those of its tools.
const MOST_THREADS: u32 = 390;

/// The parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// What is timed.
    pub task: Task,
    /// Rows of a day, or of results in all.
    pub rows: u64,
    /// Trading days.
    #[serde(default = "one")]
    pub days: u32,
    /// Connections, each with a thread of its own.
    #[serde(default = "one")]
    pub threads: u32,
    /// Of `query`: queries of each thread.
    pub queries: Option<u32>,
    /// Of `query`: minutes of the market that each asks for.
    pub window_minutes: Option<u32>,
    /// Of `ingest`: how rows come in.
    pub form: Option<Form>,
    /// Of `ingest` by batches: rows of each statement.
    pub batch: Option<u32>,
    /// What the server keeps in memory of its data.
    #[serde(default = "pool")]
    buffer_pool: Bytes,
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Queries of market data.
    Query,
    /// Inserts of results, each a transaction of its own.
    Results,
    /// The loading of market data.
    Ingest,
}

/// How rows come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// By statements of many rows, each a transaction.
    Batches,
    /// By LOAD DATA LOCAL INFILE, a transaction for each day.
    Load,
}

fn one() -> u32 {
    1
}

fn pool() -> Bytes {
    Bytes::mib(64)
}

impl Parameters {
    /// Those of the workload, if they make sense.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::parameters::<Self>(workload)?;
        let refused = |what: String| EngineError::parameters(&workload.name, what);
        if let Some(what) = parameters.complaint(workload) {
            return Err(refused(what.to_owned()));
        }
        // Whether so many rows can be in a day the market knows.
        let days = if parameters.task == Task::Results { Ok(Vec::new()) } else { parameters.trading_days(0) };
        days.map(|_| parameters).map_err(|error| refused(format!("`rows`: {error}")))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        let shortest = Part::ALL.into_iter().map(Part::minutes).min().unwrap_or(0);
        let is_query = self.task == Task::Query;
        Some(match () {
            () if self.rows == 0 || self.days == 0 || self.threads == 0 || self.threads > MOST_THREADS => {
                "`rows` and `days` are at least 1, `threads` from 1 to 390"
            }
            () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
                "a run cannot be cut: `mode = \"whole\"`, `ends-by-itself = true`, and no `timed-ms`"
            }
            () if self.queries.is_some() != is_query || self.window_minutes.is_some() != is_query => {
                "`task = \"query\"` has `queries` and `window-minutes`, and no other task has"
            }
            () if self.queries == Some(0) || self.window_minutes.is_some_and(|own| own == 0 || own > shortest) => {
                "`queries` is at least 1, `window-minutes` from 1 to 150, the length of the shortest session"
            }
            () if self.form.is_some() != (self.task == Task::Ingest) => {
                "`task = \"ingest\"` has a `form`, and no other task has"
            }
            () if self.batch.is_some() && self.form != Some(Form::Batches) || self.batch == Some(0) => {
                "`batch` is at least 1 and goes with `form = \"batches\"`"
            }
            () if self.task == Task::Ingest && self.threads > 1 => "`task = \"ingest\"` has one connection",
            () if self.task == Task::Results && self.days > 1 => "`days` goes with market data",
            () => return None,
        })
    }

    /// The days, each of other random numbers.
    ///
    /// # Errors
    /// If so many rows cannot be.
    pub fn trading_days(&self, seed: u64) -> Result<Vec<TradingDay>, fsarena_market::MarketError> {
        let (year, month, day) = FIRST_DAY;
        let first = Date::new(year, month, day);
        let dates = std::iter::successors(first, |date| Some(date.next_trading_day())).take(self.days as usize);
        dates.map(|date| TradingDay::new(date, seed, self.rows)).collect()
    }

    /// What the server is told beside what it always is.
    pub fn server_options(&self) -> Vec<String> {
        buffer_pool(self.buffer_pool)
    }

    /// Bytes on the lane at most.
    pub fn demand(&self) -> Bytes {
        let each = if self.task == Task::Results { PER_RESULT } else { PER_SNAPSHOT };
        // Days that are loaded follow each other: what the last one leaves is taken away before.
        let days = if self.task == Task::Ingest { 1 } else { u64::from(self.days) };
        Bytes(self.rows.saturating_mul(days).saturating_mul(each).saturating_add(EMPTY))
    }

    /// What the clients do, in words.
    pub fn clients(&self) -> String {
        let Self { rows, days, threads, .. } = self;
        match (self.task, self.form) {
            (Task::Query, _) => format!(
                "clients: {threads} connections, {} prepared queries of {} minutes each, all rows fetched, of {days} × {rows} rows",
                self.queries.unwrap_or_default(),
                self.window_minutes.unwrap_or_default(),
            ),
            (Task::Results, _) => {
                format!("clients: {threads} connections, {rows} prepared INSERTs of one row, autocommit")
            }
            (Task::Ingest, Some(Form::Load)) => {
                format!("client: 1 connection, LOAD DATA LOCAL INFILE of {rows} rows, {days} times")
            }
            (Task::Ingest, _) => {
                format!("client: 1 connection, INSERTs of {} rows, autocommit, {rows} rows, {days} times", self.batch())
            }
        }
    }

    /// Rows of each statement.
    pub fn batch(&self) -> u32 {
        self.batch.unwrap_or(1000)
    }
}
