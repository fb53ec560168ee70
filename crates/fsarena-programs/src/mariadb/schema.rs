//! The tables of the trading firm, as far as its report names them, and how market data is loaded.

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{EngineError, Operation, RunStats};
use fsarena_sys::clock;
use mysql::Conn;
use mysql::prelude::Queryable;

use super::client::refused;
use super::market::{COLUMNS, Sum, TradingDay};
use super::parameters::BATCH;

/// The tables that workers write results to.
pub const RESULTS: [&str; 2] = [
    "CREATE TABLE task_result (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, task_id INT NOT NULL, \
     strategy_id INT NOT NULL, instrument VARCHAR(31) CHARACTER SET ascii NOT NULL, trading_day DATE NOT NULL, pnl DOUBLE, \
     fee DOUBLE, position INT, trades INT, status TINYINT NOT NULL, created DATETIME(3) NOT NULL, payload VARCHAR(2000), \
     UNIQUE KEY task (task_id, instrument, trading_day), KEY day_strategy (trading_day, strategy_id)) ENGINE=InnoDB",
    "CREATE TABLE turing_log (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, task_id INT NOT NULL, \
     ts DATETIME(3) NOT NULL, level VARCHAR(8) NOT NULL, msg TEXT) ENGINE=InnoDB",
];

/// The table of market data.
pub fn shfedepth() -> String {
    let columns: Vec<String> = COLUMNS.split(',').map(|name| format!("{name} {}", kind(name))).collect();
    format!(
        "CREATE TABLE shfedepth (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, {}, \
         KEY idx_inst_time (InstrumentID, TradingDay, UpdateTime, UpdateMillisec)) ENGINE=InnoDB",
        columns.join(", ")
    )
}

fn kind(column: &str) -> &'static str {
    match column {
        "TradingDay" | "ActionDay" => "DATE NOT NULL",
        "InstrumentID" | "ExchangeID" | "ExchangeInstID" => "VARCHAR(31) CHARACTER SET ascii NOT NULL",
        "UpdateTime" => "TIME NOT NULL",
        "UpdateMillisec" => "SMALLINT NOT NULL",
        name if name.contains("Volume") => "INT NOT NULL",
        _ => "DOUBLE",
    }
}

/// Loads a day, by INSERTs of [`BATCH`] rows, each a transaction, which are counted in `stats`. Returns their number;
/// `None` if `stop` was set.
pub fn load(
    connection: &mut Conn,
    day: TradingDay,
    stop: &AtomicBool,
    stats: &mut RunStats,
) -> Result<Option<u64>, EngineError> {
    let (mut rows, mut commits) = (day.rows().peekable(), 0);
    while rows.peek().is_some() {
        let values: Vec<String> = rows.by_ref().take(BATCH).map(|row| format!("({})", row.values)).collect();
        let statement = format!("INSERT INTO shfedepth ({COLUMNS}) VALUES {}", values.join(","));
        let begin = clock::now();
        connection.query_drop(statement).map_err(refused("INSERT"))?;
        stats.record(Operation::Insert, clock::now().saturating_sub(begin));
        commits += 1;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(Some(commits))
}

/// Compares the rows in the table with the expected ones.
pub fn require_all(connection: &mut Conn, expected: Sum) -> Result<(), EngineError> {
    let sums = "SELECT COUNT(*), CAST(COALESCE(SUM(Volume), 0) AS UNSIGNED) FROM shfedepth";
    let found: Option<(u64, u64)> = connection.query_first(sums).map_err(refused("count the rows"))?;
    let (rows, volume) = found.unwrap_or_default();
    expected.require(Sum { rows, volume }, "shfedepth")
}
