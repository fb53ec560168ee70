//! The tables of the trading firm, as far as its report names them, and how market data is loaded.

use fsarena_engine::{EngineError, go_on, watched};
use mysql::prelude::Queryable;
use mysql::{Conn, LocalInfileHandler};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::client::refused;
use super::market::{COLUMNS, MarketRow, Sum, TradingDay};

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

/// The statement that loads a day. An empty field becomes NULL, not 0.
fn load_statement() -> String {
    let is_empty = |name: &&str| kind(name) == "DOUBLE";
    let column = |name: &str| if is_empty(&name) { format!("@{name}") } else { name.to_owned() };
    let columns: Vec<String> = COLUMNS.split(',').map(column).collect();
    let known = COLUMNS.split(',').filter(is_empty).map(|name| format!("{name} = NULLIF(@{name}, '')"));
    format!(
        "LOAD DATA LOCAL INFILE 'day.csv' INTO TABLE shfedepth FIELDS TERMINATED BY ',' LINES TERMINATED BY '\\n' \
         IGNORE 1 LINES ({}) SET {}",
        columns.join(", "),
        known.collect::<Vec<_>>().join(", ")
    )
}

/// Loads a day with LOAD DATA LOCAL INFILE. The rows are generated while the server reads them: there is no file. Ends
/// with an error soon after `stop` is set.
pub fn load(connection: &mut Conn, day: TradingDay, stop: &AtomicBool) -> Result<(), EngineError> {
    // A flag of its own, which follows `stop`, because the handler may not borrow.
    let own = Arc::new(AtomicBool::new(false));
    let follow = || {
        own.store(stop.load(Ordering::Relaxed), Ordering::Relaxed);
        false
    };
    watched(follow, |_| {
        let own = Arc::clone(&own);
        connection.set_local_infile_handler(Some(LocalInfileHandler::new(move |_, out| write(day, out, &own))));
        let loaded = connection.query_drop(load_statement()).map_err(refused("LOAD DATA LOCAL INFILE"));
        connection.set_local_infile_handler(None);
        loaded
    })
}

/// Writes a day as CSV, with a line of names above it.
fn write(day: TradingDay, out: &mut impl io::Write, stop: &AtomicBool) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    day.rows().try_for_each(|row| go_on(stop).and_then(|()| writeln!(out, "{}", row.line)))
}

/// An INSERT statement of rows. Numbers and dates are copied, an empty field becomes NULL, everything else is quoted.
pub fn insert(rows: impl Iterator<Item = MarketRow>) -> String {
    let mut statement = format!("INSERT INTO shfedepth ({COLUMNS}) VALUES ");
    for (number, row) in rows.enumerate() {
        statement.push_str(if number == 0 { "(" } else { "),(" });
        for (place, field) in row.line.split(',').enumerate() {
            statement.push_str(if place == 0 { "" } else { "," });
            match field {
                "" => statement.push_str("NULL"),
                _ if field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => statement.push_str(field),
                _ => statement.extend(["'", field, "'"]),
            }
        }
    }
    statement + ")"
}

/// Compares the rows in the table with the expected ones.
pub fn require_all(connection: &mut Conn, expected: Sum) -> Result<(), EngineError> {
    let sums = "SELECT COUNT(*), CAST(COALESCE(SUM(Volume), 0) AS UNSIGNED) FROM shfedepth";
    let found: Option<(u64, u64)> = connection.query_first(sums).map_err(refused("count the rows"))?;
    let (rows, volume) = found.unwrap_or_default();
    expected.require(Sum { rows, volume }, "shfedepth")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_unknown_is_null() {
        let load = load_statement();
        assert!(load.contains("Volume, @Turnover") && load.contains("ClosePrice = NULLIF(@ClosePrice, '')"), "{load}");
    }
}
