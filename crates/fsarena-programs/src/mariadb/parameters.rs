//! Parameters of a workload of the engine `mariadb`.

use fsarena_engine::EngineError;
use fsarena_engine::parameters::{checked_up_to, or, require_once};
use fsarena_model::{Bytes, Workload};
use serde::Deserialize;

use super::{EMPTY, MOST_THREADS, usual_pool};
use crate::LARGEST;

use super::market::{CONTRACTS, MINUTES, MOST_ROWS, TradingDay};

/// Space of a row of market data with its index: 206 bytes as measured, and a reserve.
const PER_SNAPSHOT: u64 = 320;
/// Space of a row of results, with a reserve.
const PER_RESULT: u64 = 1800;
/// Rows per statement that loads market data.
pub const BATCH: usize = 1000;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MariaDbParameters {
    /// The part that is timed.
    pub task: MariaDbTask,
    /// Rows per day, or the total number of results.
    pub rows: u64,
    #[serde(default = "or::<_, 1>")]
    pub days: u32,
    /// Number of connections, 1 to 390. Each has its own thread.
    #[serde(default = "or::<_, 1>")]
    pub threads: u32,
    /// Queries per thread; only for `query`.
    pub queries: Option<u32>,
    /// Length of the window of each query in minutes of the market; only for `query`.
    pub window_minutes: Option<u32>,
    /// Size of the server's buffer pool.
    #[serde(default = "usual_pool")]
    pub buffer_pool: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MariaDbTask {
    /// Queries of market data.
    Query,
    /// Inserts of results, each a transaction of its own.
    Results,
    /// The loading of market data, by INSERT statements of [`BATCH`] rows, each a transaction.
    Ingest,
}

impl MariaDbParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        checked_up_to(LARGEST, workload, Self::complaint)
    }

    fn complaint(&self) -> Option<&'static str> {
        let is_query = self.task == MariaDbTask::Query;
        Some(match () {
            () if self.rows == 0 || self.days == 0 || self.threads == 0 || self.threads > MOST_THREADS => {
                "`rows` and `days` are at least 1, `threads` from 1 to 390"
            }
            () if self.queries.is_some() != is_query || self.window_minutes.is_some() != is_query => {
                "`task = \"query\"` has `queries` and `window-minutes`, and no other task has"
            }
            () if self.queries == Some(0)
                || self.window_minutes.is_some_and(|own| !(1..=MINUTES as u32).contains(&own)) =>
            {
                "`queries` is at least 1, `window-minutes` from 1 to 360, the length of a day"
            }
            () if self.task == MariaDbTask::Ingest && self.threads > 1 => "`task = \"ingest\"` has one connection",
            () if self.task != MariaDbTask::Results && !(CONTRACTS as u64..=MOST_ROWS).contains(&self.rows) => {
                "`rows`: a day has 162 (one for each contract) to 6,998,400 (each contract in each half second)"
            }
            () if self.task == MariaDbTask::Results && self.days > 1 => "`days` goes with market data",
            () => return None,
        })
    }

    /// The trading days. Each has other random numbers.
    pub fn trading_days(&self, seed: u64) -> Vec<TradingDay> {
        (0..self.days).map(|number| TradingDay::new(number, seed, self.rows)).collect()
    }

    /// Most space that the workload takes on the lane.
    pub fn demand(&self) -> Bytes {
        let each = if self.task == MariaDbTask::Results { PER_RESULT } else { PER_SNAPSHOT };
        // Days are loaded one after the other. The table is emptied before each.
        let days = if self.task == MariaDbTask::Ingest { 1 } else { u64::from(self.days) };
        Bytes(self.rows.saturating_mul(days).saturating_mul(each).saturating_add(EMPTY))
    }

    /// A description of the clients' work, for reports.
    pub fn clients(&self) -> String {
        let Self { rows, days, threads, .. } = self;
        match self.task {
            MariaDbTask::Query => format!(
                "clients: {threads} connections, {} prepared queries of {} minutes each, all rows fetched, of {days} × {rows} rows",
                self.queries.unwrap_or_default(),
                self.window_minutes.unwrap_or_default(),
            ),
            MariaDbTask::Results => {
                format!("clients: {threads} connections, {rows} prepared INSERTs of one row, autocommit")
            }
            MariaDbTask::Ingest => {
                format!("client: 1 connection, INSERTs of {BATCH} rows, autocommit, {rows} rows, {days} times")
            }
        }
    }
}
