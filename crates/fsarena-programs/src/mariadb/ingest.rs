//! A3: days of market data are loaded into an empty table over one connection.

use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, RunStats};
use fsarena_sys::clock;
use mysql::prelude::Queryable;

use super::client::{DatabaseClient, refused};
use super::market::{Sum, TradingDay};
use super::parameters::MariaDbParameters;
use super::{ClientWork, schema};

pub struct Ingest {
    days: Vec<TradingDay>,
    /// The rows in the table; `None` if the table does not have a whole day.
    left: Option<Sum>,
}

impl Ingest {
    pub fn new(parameters: &MariaDbParameters, seed: u64) -> Self {
        Self { days: parameters.trading_days(seed), left: None }
    }
}

impl ClientWork for Ingest {
    fn fill(&mut self, client: &DatabaseClient, _stop: &AtomicBool) -> Result<(), EngineError> {
        client.connect()?.query_drop(schema::shfedepth()).map_err(refused("CREATE TABLE"))
    }

    /// The table is emptied before each day and compared with the expected counts after it; both are untimed.
    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let mut connection = client.connect()?;
        let mut commits = 0;
        for (number, day) in self.days.clone().iter().enumerate() {
            self.left = None;
            connection.query_drop("TRUNCATE TABLE shfedepth").map_err(refused("TRUNCATE TABLE"))?;
            let begin = clock::now();
            let Some(of_day) = schema::load(&mut connection, *day, limit.stop, stats)? else { return Ok(()) };
            let elapsed = clock::now().saturating_sub(begin);
            let counts = day.counts();
            schema::require_all(&mut connection, counts.all)?;
            commits += of_day;
            // A day is one operation; its step has the number of rows.
            stats.count_done(1, counts.bytes);
            stats.elapsed = stats.elapsed + elapsed;
            stats.end_part(stats.elapsed);
            stats.add_step(&format!("day-{}", number + 1), counts.all.rows, counts.bytes, elapsed);
            self.left = Some(counts.all);
        }
        stats.count_commits(commits, 1);
        Ok(())
    }

    /// The last day remains in the table.
    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError> {
        let Some(left) = self.left else { return Ok(()) };
        schema::require_all(&mut client.connect()?, left)
    }
}
