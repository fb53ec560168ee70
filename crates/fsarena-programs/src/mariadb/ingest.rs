//! A3: days of market data are loaded into an empty table over one connection.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_market::{Counts, Stream, TradingDay};
use fsarena_model::{Nanos, Step};
use fsarena_sys::clock;
use mysql::Conn;
use mysql::prelude::Queryable;

use super::client::{Client, refused, with_own_flag};
use super::parameters::{Form, Parameters};
use super::{Work, schema};

/// The days to load.
pub struct Ingest {
    days: Vec<TradingDay>,
    form: Form,
    batch: u32,
    /// Counts of the day in the table; `None` if the table does not have a whole day.
    left: Option<Counts>,
}

impl Ingest {
    /// The days of `seed`.
    ///
    /// # Errors
    /// If the parameters are invalid.
    pub fn new(parameters: &Parameters, seed: u64) -> Result<Self, EngineError> {
        let days = parameters.trading_days(seed).map_err(|error| EngineError::Wrong(error.to_string()))?;
        Ok(Self { days, form: parameters.form.unwrap_or(Form::Batches), batch: parameters.batch(), left: None })
    }

    /// Loads a day and returns the number of transactions; `None` if `stop` was set.
    fn load(
        &self,
        connection: &mut Conn,
        day: TradingDay,
        stop: &AtomicBool,
        stats: &mut RunStats,
    ) -> Result<Option<u64>, EngineError> {
        match self.form {
            Form::Batches => self.by_batches(connection, day, stop, stats),
            Form::Load => {
                let loaded = with_own_flag(stop, |stop| schema::load(connection, day, stop));
                // After a stop, the load ends with an error, which is no failure.
                if stop.load(Ordering::Relaxed) { Ok(None) } else { loaded.map(|()| Some(1)) }
            }
        }
    }

    fn by_batches(
        &self,
        connection: &mut Conn,
        day: TradingDay,
        stop: &AtomicBool,
        stats: &mut RunStats,
    ) -> Result<Option<u64>, EngineError> {
        let (mut statements, mut commits) = (Statements::new(day, self.batch), 0);
        while let Some(statement) = statements.next() {
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
}

/// A day as INSERT statements of many rows. All of them use the same buffer.
struct Statements {
    stream: Stream,
    line: Vec<u8>,
    text: String,
    /// Length of the text with which each statement begins, in bytes.
    beginning: usize,
    batch: u32,
}

impl Statements {
    fn new(day: TradingDay, batch: u32) -> Self {
        let text = schema::insert_beginning();
        Self { stream: day.stream(), line: Vec::new(), beginning: text.len(), text, batch }
    }

    fn next(&mut self) -> Option<&str> {
        self.text.truncate(self.beginning);
        for row in 0..self.batch {
            self.line.clear();
            if self.stream.next_row(&mut self.line).is_none() {
                break;
            }
            if row > 0 {
                self.text.push(',');
            }
            schema::append_row(&mut self.text, std::str::from_utf8(&self.line).expect("rows are ASCII"));
        }
        (self.text.len() > self.beginning).then_some(&self.text)
    }
}

impl Work for Ingest {
    fn fill(&mut self, client: &Client, _stop: &AtomicBool) -> Result<(), EngineError> {
        client.connect()?.query_drop(schema::shfedepth()).map_err(refused("CREATE TABLE"))
    }

    /// The table is emptied before each day and compared with the expected counts after it; both are untimed.
    fn run(&mut self, client: &Client, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let mut connection = client.connect()?;
        let mut commits = 0;
        for (number, day) in self.days.clone().iter().enumerate() {
            self.left = None;
            connection.query_drop("TRUNCATE TABLE shfedepth").map_err(refused("TRUNCATE TABLE"))?;
            let begin = clock::now();
            let Some(of_day) = self.load(&mut connection, *day, limit.stop, stats)? else { return Ok(()) };
            let elapsed = clock::now().saturating_sub(begin);
            let truth = Truth::of(day).map_err(EngineError::io("count the rows of a day"))?;
            schema::require_all(&mut connection, std::slice::from_ref(&truth.counts))?;
            commits += of_day;
            count(stats, number + 1, elapsed, &truth);
            self.left = Some(truth.counts);
        }
        stats.count_commits(commits, 1);
        Ok(())
    }

    /// The last day remains in the table.
    fn check(&self, client: &Client) -> Result<(), EngineError> {
        let Some(left) = &self.left else { return Ok(()) };
        schema::require_all(&mut client.connect()?, std::slice::from_ref(left))
    }
}

/// Size of a day's CSV text in bytes, and its counts.
struct Truth {
    bytes: u64,
    counts: Counts,
}

impl Truth {
    fn of(day: &TradingDay) -> io::Result<Self> {
        let mut bytes = Bytes(0);
        let counts = day.write(&mut bytes)?;
        Ok(Self { bytes: bytes.0, counts })
    }
}

/// Counts the bytes that are written to it.
struct Bytes(u64);

impl io::Write for Bytes {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 += text.len() as u64;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts a day as one operation. Its step has the number of rows.
fn count(stats: &mut RunStats, number: usize, elapsed: Nanos, truth: &Truth) {
    stats.operations += 1;
    stats.bytes += truth.bytes;
    stats.elapsed = stats.elapsed + elapsed;
    stats.end_part(stats.elapsed);
    let (operations, bytes) = (truth.counts.rows, truth.bytes);
    stats.steps.push(Step { name: format!("day-{number}"), operations, bytes, elapsed, synced: None, written: None });
}
