//! The tables of the trading firm, as far as its report names them, and how market data is loaded.

use fsarena_engine::EngineError;
use fsarena_market::{COLUMNS, Counts, TradingDay};
use mysql::prelude::Queryable;
use mysql::{Conn, LocalInfileHandler};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::client::refused;

/// The tables that workers write results to.
pub const RESULTS: [&str; 2] = [
    "CREATE TABLE task_result (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, task_id INT NOT NULL, \
     strategy_id INT NOT NULL, instrument VARCHAR(31) CHARACTER SET ascii NOT NULL, trading_day DATE NOT NULL, pnl DOUBLE, \
     fee DOUBLE, position INT, trades INT, status TINYINT NOT NULL, created DATETIME(3) NOT NULL, payload VARCHAR(2000), \
     UNIQUE KEY task (task_id, instrument, trading_day), KEY day_strategy (trading_day, strategy_id)) ENGINE=InnoDB",
    "CREATE TABLE turing_log (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, task_id INT NOT NULL, \
     ts DATETIME(3) NOT NULL, level VARCHAR(8) NOT NULL, msg TEXT) ENGINE=InnoDB",
];

/// The table of market data. Its index has the calendar day, because a night session belongs to the trading day after
/// it: ordered by time alone, its rows would be out of order.
pub fn shfedepth() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|name| format!("{name} {}", kind(name))).collect();
    format!(
        "CREATE TABLE shfedepth (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, {}, \
         KEY idx_inst_time (InstrumentID, TradingDay, ActionDay, UpdateTime, UpdateMillisec)) ENGINE=InnoDB",
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
    let columns = COLUMNS.map(|name| if is_empty(&name) { format!("@{name}") } else { name.to_owned() });
    let known = COLUMNS.iter().filter(|name| is_empty(name)).map(|name| format!("{name} = NULLIF(@{name}, '')"));
    format!(
        "LOAD DATA LOCAL INFILE 'day.csv' INTO TABLE shfedepth FIELDS TERMINATED BY ',' LINES TERMINATED BY '\\n' \
         IGNORE 1 LINES ({}) SET {}",
        columns.join(", "),
        known.collect::<Vec<_>>().join(", ")
    )
}

/// Loads a day with LOAD DATA LOCAL INFILE. The rows are generated while the server reads them: there is no file. Ends
/// with an error soon after `stop` is set.
///
/// # Errors
/// If the server refuses, or it was stopped.
pub fn load(connection: &mut Conn, day: TradingDay, stop: Arc<AtomicBool>) -> Result<(), EngineError> {
    let handler = LocalInfileHandler::new(move |_, stream| {
        day.write(&mut Stoppable { out: stream, stop: &stop }).map(|_: Counts| ())
    });
    connection.set_local_infile_handler(Some(handler));
    let loaded = connection.query_drop(load_statement()).map_err(refused("LOAD DATA LOCAL INFILE"));
    connection.set_local_infile_handler(None);
    loaded
}

/// A writer that refuses everything once `stop` is set.
struct Stoppable<'a, W> {
    out: &'a mut W,
    stop: &'a AtomicBool,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(io::Error::other("stopped")),
            false => self.out.write(text),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The beginning of INSERT statements of several rows.
pub fn insert_beginning() -> String {
    format!("INSERT INTO shfedepth ({}) VALUES ", COLUMNS.join(", "))
}

/// Appends a line of a day's CSV as a row of an INSERT. Numbers and dates are copied, an empty field becomes NULL,
/// everything else is quoted.
pub fn append_row(statement: &mut String, line: &str) {
    for (place, field) in line.split(',').enumerate() {
        statement.push(if place == 0 { '(' } else { ',' });
        match field {
            "" => statement.push_str("NULL"),
            _ if field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => statement.push_str(field),
            _ => statement.extend(["'", field, "'"]),
        }
    }
    statement.push(')');
}

/// Compares the number of rows in the table and the sum of their Volume with `truth`.
///
/// # Errors
/// [`EngineError::Wrong`] if rows are missing or changed, or if the server refuses.
pub fn require_all(connection: &mut Conn, truth: &[Counts]) -> Result<(), EngineError> {
    let sums = "SELECT COUNT(*), CAST(COALESCE(SUM(Volume), 0) AS UNSIGNED) FROM shfedepth";
    let found: Option<(u64, u64)> = connection.query_first(sums).map_err(refused("count the rows"))?;
    let wanted = (truth.iter().map(|day| day.rows).sum(), truth.iter().map(|day| day.volume).sum());
    match found == Some(wanted) {
        true => Ok(()),
        false => {
            let (rows, volume) = found.unwrap_or_default();
            let (all, sum) = wanted;
            let what = format!("shfedepth has {rows} rows whose Volume sums up to {volume}, not {all} and {sum}");
            Err(EngineError::Wrong(what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_its_kind_and_what_may_be_unknown_is_null() {
        let table = shfedepth();
        for wanted in ["TradingDay DATE NOT NULL", "LastPrice DOUBLE,", "BidVolume5 INT NOT NULL", "UpdateTime TIME"] {
            assert!(table.contains(wanted), "{wanted}: {table}");
        }
        let load = load_statement();
        assert!(load.contains("Volume, @Turnover") && load.contains("ClosePrice = NULLIF(@ClosePrice, '')"), "{load}");
    }

    #[test]
    fn a_line_becomes_a_row() {
        let mut statement = String::new();
        append_row(&mut statement, "20160411,cu1606,,255.35,21:00:00,0");
        assert_eq!(statement, "(20160411,'cu1606',NULL,255.35,'21:00:00',0)");
    }
}
