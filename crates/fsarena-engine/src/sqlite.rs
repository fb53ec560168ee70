//! The engine `sqlite`: one INSERT after the other into an SQLite database, each in its own transaction, as in the
//! oldest benchmarks of file systems with a database. It uses the SQLite library in this program.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, Traits, Workload};
use fsarena_sys::clock;
use rand::Rng;
use rusqlite::Connection;
use serde::Deserialize;

use crate::meter::Meter;
use crate::{Engine, EngineError, Job, Limit, Operation, RunStats, Upkeep, parameters};

pub const ENGINE: Engine = Engine::new("sqlite", traits, open);

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SqliteParameters {
    /// Operations of each run. Default: as many as the time allows.
    operations: Option<u64>,
}

/// Space of a database. A day of inserts does not fill it.
const DEMAND: Bytes = Bytes::mib(256);

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    parameters::<SqliteParameters>(workload)?;
    Ok(Traits { peak: DEMAND, commits_each: true, ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let (parameters, path) = (parameters(workload)?, directory.join("benchmark.db"));
    Ok(Box::new(Inserts { parameters, path, random: fsarena_model::seed::generator(seed, "sqlite", &[]) }))
}

struct Inserts {
    parameters: SqliteParameters,
    path: PathBuf,
    random: rand_pcg::Pcg64Mcg,
}

impl Inserts {
    /// With SQLite's default journal, which is deleted with each transaction.
    fn connect(&self) -> Result<Connection, EngineError> {
        let connection = Connection::open(&self.path).map_err(refused("open the database"))?;
        connection.pragma_update(None, "synchronous", "full").map_err(refused("choose how safe it is"))?;
        Ok(connection)
    }
}

fn refused(act: &str) -> impl FnOnce(rusqlite::Error) -> EngineError {
    move |error| EngineError::io(format!("SQLite: {act}"))(std::io::Error::other(error))
}

impl Job for Inserts {
    fn upkeep(&mut self, upkeep: Upkeep, _stop: &AtomicBool) -> Result<(), EngineError> {
        if upkeep != Upkeep::Prepare {
            return Ok(());
        }
        let table = "CREATE TABLE pts1 ('I' SMALLINT NOT NULL, 'DT' TIMESTAMP NOT NULL, 'F1' VARCHAR(4) NOT NULL, \
                     'F2' VARCHAR(16) NOT NULL)";
        self.connect()?.execute_batch(table).map_err(refused("make the table"))
    }

    /// Opens and closes the database outside the timer, so that the file system can be unmounted between runs.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let connection = self.connect()?;
        let insert = "INSERT INTO pts1 VALUES (?, CURRENT_TIMESTAMP, ?, ?)";
        let mut statement = connection.prepare(insert).map_err(refused("prepare the statement"))?;
        let mut meter = Meter::start(clock::now(), limit, None, stats);
        let mut left = self.parameters.operations.unwrap_or(u64::MAX);
        while left > 0 && !meter.is_over() {
            let Some(begin) = meter.begin() else { break };
            let number = self.random.next_u64();
            let row = (number as u16, format!("{:04}", number % 10_000), format!("{number:016x}"));
            statement.execute(row).map_err(refused("insert a row"))?;
            meter.done(Operation::Insert, begin, 0);
            left -= 1;
        }
        meter.stop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn each_insert_is_an_operation_and_the_rows_are_there() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (parameters, path) = (SqliteParameters { operations: Some(20) }, place.path().join("benchmark.db"));
        let random = fsarena_model::seed::generator(1, "sqlite", &[]);
        let (mut job, mut stats, stop) =
            (Inserts { parameters, path, random }, RunStats::new(), AtomicBool::new(false));
        job.upkeep(Upkeep::Prepare, &crate::NEVER).expect("made");
        job.run(&Limit::new(None, &stop), &mut stats).expect("inserted");
        job.run(&Limit::new(None, &stop), &mut stats).expect("inserted");
        let rows = job.connect().expect("opens").query_row("SELECT count(*) FROM pts1", [], |row| row.get(0));
        assert_eq!((stats.operations, rows), (40, Ok(40)));
    }
}
