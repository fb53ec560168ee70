//! Connections to the server on its private socket, and their errors.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;

use fsarena_engine::{EngineError, Limit, RunStats};
use fsarena_model::Nanos;
use fsarena_sys::clock;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};

/// The database of market data and results.
pub const DATABASE: &str = "market";
/// Length of a part of a run. The latencies of each part are kept separately.
const PART: Nanos = Nanos::seconds(1);

/// Connects to a server.
#[derive(Debug, Clone)]
pub struct DatabaseClient {
    socket: PathBuf,
}

impl DatabaseClient {
    /// A client of the server with this socket.
    pub fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Path of the socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Makes a database.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn make_database(&self, name: &str) -> Result<(), EngineError> {
        let mut connection = self.open(None)?;
        connection.query_drop(format!("CREATE DATABASE {name}")).map_err(refused("CREATE DATABASE"))
    }

    /// A connection to the database [`DATABASE`].
    ///
    /// # Errors
    /// If the server refuses.
    pub fn connect(&self) -> Result<Conn, EngineError> {
        self.open(Some(DATABASE))
    }

    /// `count` connections.
    ///
    /// # Errors
    /// If the server refuses one.
    pub fn connect_all(&self, count: u32) -> Result<Vec<Conn>, EngineError> {
        (0..count).map(|_| self.connect()).collect()
    }

    /// Lets the server check each page of each index of tables of `database`.
    /// <https://mariadb.com/kb/en/check-table/>
    ///
    /// # Errors
    /// [`EngineError::Wrong`] with what the server finds, or if it refuses.
    pub fn require_sound(&self, database: &str, tables: &[String]) -> Result<(), EngineError> {
        self.each_table("CHECK", database, tables, |rows| rows == ["status: OK"])
    }

    /// Lets the server update the statistics of tables of `database`, from which it chooses how to find rows.
    ///
    /// The server also updates them itself some time after a table has grown, but not twice within ten seconds. If a
    /// table was filled faster than that, the statistics say that it is nearly empty, and the server reads the whole
    /// table for each query. <https://mariadb.com/kb/en/analyze-table/>
    ///
    /// # Errors
    /// If the server refuses.
    pub fn analyze(&self, database: &str, tables: &[String]) -> Result<(), EngineError> {
        let is_done = |rows: &[String]| rows.iter().all(|line| line.starts_with("status: "));
        self.each_table("ANALYZE", database, tables, is_done)
    }

    /// Number of rows that the server has read since its start, in sequence, from tables and from indexes.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn rows_read(&self) -> Result<u64, EngineError> {
        let mut connection = self.open(None)?;
        let status = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_rnd_next')";
        let rows: Vec<(String, u64)> = connection.query(status).map_err(refused("ask for its status"))?;
        Ok(rows.into_iter().map(|(_, count)| count).sum())
    }

    fn each_table(
        &self,
        act: &str,
        database: &str,
        tables: &[String],
        is_well: impl Fn(&[String]) -> bool,
    ) -> Result<(), EngineError> {
        let mut connection = self.open(None)?;
        for table in tables {
            let statement = format!("{act} TABLE {database}.{table}");
            let rows: Vec<(String, String, String, String)> =
                connection.query(&statement).map_err(refused(&statement))?;
            let rows: Vec<String> = rows.into_iter().map(|(_, _, kind, text)| format!("{kind}: {text}")).collect();
            if !is_well(&rows) {
                return Err(EngineError::Wrong(format!("{statement} reports: {}", rows.join("; "))));
            }
        }
        Ok(())
    }

    /// Number of rows of a table of `database`.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn rows(&self, database: &str, table: &str) -> Result<u64, EngineError> {
        let mut connection = self.open(None)?;
        let found = connection.query_first(format!("SELECT COUNT(*) FROM {database}.{table}"));
        found.map(Option::unwrap_or_default).map_err(refused("count the rows"))
    }

    fn open(&self, database: Option<&str>) -> Result<Conn, EngineError> {
        let options = OptsBuilder::new().socket(Some(self.socket.display().to_string())).user(Some("root"));
        Conn::new(options.db_name(database)).map_err(refused("connect"))
    }
}

/// The error of a client when `act` fails.
pub fn refused(act: &str) -> impl FnOnce(mysql::Error) -> EngineError {
    move |error| EngineError::Program { program: "mariadbd", words: format!("{act}: {error}") }
}

/// One of several workers that run at the same time.
pub struct WorkerLatency<'a> {
    begin: Nanos,
    part: Nanos,
    stop: &'a AtomicBool,
    has_failed: &'a AtomicBool,
    stats: &'a mut RunStats,
}

impl WorkerLatency<'_> {
    /// Whether the worker continues: `stop` is not set and no other worker has failed.
    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && !self.has_failed.load(Ordering::Relaxed)
    }

    /// Does one operation, times it, and counts it.
    ///
    /// # Errors
    /// The error of `act`.
    pub fn timed<T>(
        &mut self,
        operation: fsarena_engine::Operation,
        act: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<(T, Nanos), EngineError> {
        let from = clock::now();
        let done = act()?;
        let until = clock::now();
        let latency = until.saturating_sub(from);
        self.stats.record(operation, latency);
        self.stats.operations += 1;
        if until.saturating_sub(self.part) >= PART {
            self.stats.end_part(until.saturating_sub(self.begin));
            self.part = until;
        }
        Ok((done, latency))
    }
}

/// Starts all `workers` at the same time, each in its own thread, and counts their operations into `stats`. The elapsed
/// time ends with the last worker.
///
/// # Errors
/// The error of a worker that fails. The others then end soon.
pub fn together<W: Send, R: Send>(
    workers: Vec<W>,
    limit: &Limit<'_>,
    stats: &mut RunStats,
    work: impl Fn(W, &mut WorkerLatency<'_>) -> Result<R, EngineError> + Sync,
) -> Result<Vec<R>, EngineError> {
    let (gate, begin, has_failed) = (Barrier::new(workers.len()), OnceLock::new(), AtomicBool::new(false));
    let one = |worker: W| {
        let mut own = RunStats::new();
        gate.wait();
        // When the first worker passed the gate. A worker that gets a processor later has lost that time.
        let begin = *begin.get_or_init(clock::now);
        let stop = limit.stop;
        let mut course = WorkerLatency { begin, part: begin, stop, has_failed: &has_failed, stats: &mut own };
        let done = work(worker, &mut course).inspect_err(|_| has_failed.store(true, Ordering::Relaxed));
        own.elapsed = clock::now().saturating_sub(begin);
        own.end_part(own.elapsed);
        (done, own)
    };
    let one = &one;
    let done: Vec<(Result<R, EngineError>, RunStats)> = thread::scope(|scope| {
        let threads: Vec<_> = workers.into_iter().map(|worker| scope.spawn(move || one(worker))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client does not panic")).collect()
    });
    let mut all = RunStats::new();
    done.iter().for_each(|(_, own)| all.join(own));
    stats.follow(&all, 0);
    done.into_iter().map(|(done, _)| done).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_engine::Operation;

    #[test]
    fn when_one_fails_the_others_end_and_its_error_is_returned() {
        let stop = AtomicBool::new(false);
        let mut stats = RunStats::new();
        let work = |number: u32, course: &mut WorkerLatency<'_>| {
            course.timed(Operation::Insert, || match number {
                3 => Err(EngineError::Wrong("three".to_owned())),
                _ => Ok(()),
            })?;
            while course.goes_on() {
                thread::yield_now();
            }
            Ok(())
        };
        let error = together((0..4).collect(), &Limit::new(None, &stop), &mut stats, work).expect_err("three fails");
        assert_eq!((error.to_string().as_str(), stats.operations), ("three", 3));
    }

    #[test]
    fn all_end_at_the_stop_flag() {
        let stop = AtomicBool::new(true);
        let mut stats = RunStats::new();
        let work = |number: u32, course: &mut WorkerLatency<'_>| Ok((number, course.goes_on()));
        let done = together(vec![1, 2], &Limit::new(None, &stop), &mut stats, work).expect("no worker fails");
        assert_eq!((done, stats.operations), (vec![(1, false), (2, false)], 0));
    }
}
