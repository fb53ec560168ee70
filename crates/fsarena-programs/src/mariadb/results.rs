//! A2: results are inserted one by one over several connections. Each is made durable by its own transaction.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use fsarena_engine::workers::{Timer, Worker, WorkerStyle, Workers};
use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_model::seed::scatter;
use mysql::prelude::Queryable;
use mysql::{Conn, Params, Statement, Value};

use super::client::{DatabaseClient, refused};
use super::market::contract;
use super::parameters::MariaDbParameters;
use super::{ClientWork, schema};

const RESULT: &str = "INSERT INTO task_result (task_id, strategy_id, instrument, trading_day, pnl, fee, position, trades, \
                      status, created, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const LOG: &str = "INSERT INTO turing_log (task_id, ts, level, msg) VALUES (?, ?, ?, ?)";

/// Queries for all rows, each in the format of [`as_text`].
const LEFT: [&str; 2] = [
    "SELECT CONCAT_WS(' ', task_id, strategy_id, instrument, trading_day, CAST(ROUND(pnl * 1000) AS SIGNED), \
     CAST(ROUND(fee * 1000) AS SIGNED), position, trades, status, created, payload) FROM task_result",
    "SELECT CONCAT_WS(' ', task_id, ts, level, msg) FROM turing_log",
];

/// Results per task, one per contract.
const OF_A_TASK: u64 = 100;

/// The rows to insert. They follow from the seed. Every second row is a line of the log.
pub struct LogResults {
    rows: u64,
    threads: u32,
    seed: u64,
    is_whole: bool,
}

impl LogResults {
    pub fn new(parameters: &MariaDbParameters, seed: u64) -> Self {
        Self { rows: parameters.rows, threads: parameters.threads, seed, is_whole: false }
    }

    fn row(&self, number: u64) -> Vec<Value> {
        let draw = scatter(self.seed ^ scatter(number));
        if number.is_multiple_of(2) { result(number / 2, draw) } else { log(number / 2, draw) }
    }
}

fn result(number: u64, draw: u64) -> Vec<Value> {
    let signed = |bits: u64, by: f64| (bits & 0xffff) as f64 / by - 300.0;
    vec![
        (number / OF_A_TASK).into(),
        (draw % 40).into(),
        contract((number % OF_A_TASK) as usize).into(),
        "2016-04-11".into(),
        signed(draw, 10.0).into(),
        signed(draw >> 16, 1000.0).abs().into(),
        ((draw >> 32) & 0xff).into(),
        ((draw >> 40) & 0x3ff).into(),
        (draw % 4).into(),
        window(number).into(),
        text(draw, 400, 1900).into(),
    ]
}

fn log(number: u64, draw: u64) -> Vec<Value> {
    let level = ["DEBUG", "INFO", "WARN", "ERROR"][(draw % 4) as usize];
    vec![(number / OF_A_TASK).into(), window(number).into(), level.into(), text(draw, 60, 600).into()]
}

/// A row as text, with fractions in thousandths.
fn as_text(row: &[Value]) -> String {
    let word = |value: &Value| match value {
        Value::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
        Value::Double(number) => format!("{:.0}", (number * 1000.0).round() + 0.0),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        other => other.as_sql(true),
    };
    row.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A time on 2016-04-11, 7 ms after that of the previous number.
fn window(number: u64) -> String {
    let (second, millisecond) = (number * 7 / 1000 % 86_400, number * 7 % 1000);
    format!("2016-04-11 {:02}:{:02}:{:02}.{millisecond:03}", second / 3600, second / 60 % 60, second % 60)
}

/// Hexadecimal digits. Their number, from `least` to `most`, follows from `draw`.
fn text(draw: u64, least: u64, most: u64) -> String {
    let length = (least + draw % (most - least + 1)) as usize;
    let mut text = String::with_capacity(length + 16);
    let mut state = draw;
    while text.len() < length {
        state = scatter(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        text.push_str(&format!("{state:016x}"));
    }
    text.truncate(length);
    text
}

/// A connection with its two statements, which inserts every n-th row of n threads.
struct Inserter<'a> {
    all: &'a LogResults,
    first: u64,
    connection: Conn,
    result: Statement,
    log: Statement,
    inserted: u64,
}

impl<'a> Inserter<'a> {
    fn new(all: &'a LogResults, first: u64, client: &DatabaseClient) -> Result<Self, EngineError> {
        let mut connection = client.connect()?;
        let mut prepared = |text| connection.prep(text).map_err(refused("prepare the INSERT"));
        let (result, log) = (prepared(RESULT)?, prepared(LOG)?);
        Ok(Self { all, first, connection, result, log, inserted: 0 })
    }
}

impl Worker for Inserter<'_> {
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let mut meter = timer.start()?;
        for number in (self.first..self.all.rows).step_by(self.all.threads as usize) {
            let Some(begin) = meter.begin().filter(|_| !meter.is_over()) else { break };
            let statement = if number.is_multiple_of(2) { &self.result } else { &self.log };
            let row = Params::Positional(self.all.row(number));
            self.connection.exec_drop(statement, row).map_err(refused("INSERT"))?;
            meter.done(Operation::Insert, begin, 0);
            self.inserted += 1;
        }
        meter.stop();
        Ok(())
    }
}

impl ClientWork for LogResults {
    fn fill(&mut self, client: &DatabaseClient, _stop: &AtomicBool) -> Result<(), EngineError> {
        let mut connection = client.connect()?;
        schema::RESULTS.iter().try_for_each(|table| connection.query_drop(table).map_err(refused("CREATE TABLE")))
    }

    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let inserters = (0..u64::from(self.threads)).map(|first| Inserter::new(self, first, client));
        let mut inserters = Workers::new(inserters.collect::<Result<Vec<_>, _>>()?, WorkerStyle::Threads);
        inserters.run(limit, stats)?;
        let inserted = inserters.total(|inserter| inserter.inserted);
        self.is_whole = inserted == self.rows;
        stats.count_commits(inserted, u64::from(self.threads));
        Ok(())
    }

    fn tables(&self) -> Vec<String> {
        ["task_result", "turing_log"].map(str::to_owned).to_vec()
    }

    /// Checks that each acknowledged row exists as it was sent, and that no other row exists. Does nothing after a run
    /// that was stopped.
    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError> {
        if !self.is_whole {
            return Ok(());
        }
        let mut connection = client.connect()?;
        let mut missing: HashSet<String> = (0..self.rows).map(|number| as_text(&self.row(number))).collect();
        let mut strange = 0_u64;
        for rows in LEFT {
            let look = |strange: u64, row: String| strange + u64::from(!missing.remove(&row));
            strange = connection.query_fold(rows, strange, look).map_err(refused("read the rows"))?;
        }
        match (missing.len(), strange) {
            (0, 0) => Ok(()),
            (lost, strange) => Err(EngineError::Wrong(format!(
                "of {} results and lines of the log that MariaDB has acknowledged {lost} are not there any more as they were sent, \
                 and {strange} rows are there that were not sent",
                self.rows
            ))),
        }
    }
}
