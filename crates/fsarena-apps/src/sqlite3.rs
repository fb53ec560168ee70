//! The engine `sqlite3`: SQLite's shell reads a file of INSERTs, each a transaction of its own, as in the Phoronix Test
//! Suite. <https://www.sqlite.org/cli.html>

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Operation, RunStats, unlink};
use fsarena_model::{Bytes, Nanos, Traits, Verification, Workload};
use fsarena_sys::clock;
use rand::Rng;
use serde::Deserialize;

use crate::bench::{Bench, require_some, word, words};
use crate::parameters::parameters;

/// The engine `sqlite3`.
pub struct Sqlite3;

/// The program's and its package's name.
const NAME: &str = "sqlite3";

/// The table of the Phoronix Test Suite.
const TABLE: &str = "CREATE TABLE pts1 ('I' SMALLINT NOT NULL, 'DT' TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, \
                     'F1' VARCHAR(4) NOT NULL, 'F2' VARCHAR(16) NOT NULL)";

/// SQLite's default, set explicitly.
const SAFE: &str = "PRAGMA synchronous=FULL";

/// The database on the lane. The file of INSERTs is not on the lane.
const DATABASE: &str = "benchmark.db";

/// More than the database, its journal and its log take: a row has about 60 bytes, a log grows to 4 MiB.
const DEMAND: Bytes = Bytes::mib(16);

/// Parameters of a workload of this engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// Number of processes, started one after the other.
    processes: u64,
    /// INSERTs per process.
    inserts: u64,
    /// How a transaction is made durable (<https://www.sqlite.org/pragma.html#pragma_journal_mode>).
    #[serde(default)]
    journal: Journal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Journal {
    /// A rollback journal, which is removed after each transaction: SQLite's default.
    #[default]
    Delete,
    /// A write-ahead log.
    Wal,
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters: Self = parameters(workload)?;
        require_some(workload, "processes", parameters.processes)?;
        require_some(workload, "inserts", parameters.inserts)?;
        Ok(parameters)
    }

    fn rows(&self) -> u64 {
        self.processes * self.inserts
    }

    fn journal(&self) -> String {
        format!("PRAGMA journal_mode={}", if self.journal == Journal::Wal { "wal" } else { "delete" })
    }
}

impl Engine for Sqlite3 {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Each row waits for several flushes of the disk, of milliseconds each. Assumes 5 ms per row.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        const ROW: Nanos = Nanos::millis(5);
        let rows = Parameters::of(workload)?.rows();
        Ok(Traits {
            peak: Bytes(DEMAND.0 + 100 * rows),
            extra_time: Nanos(ROW.0 * rows),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        vec![Need::new(NAME, NAME)]
    }

    fn settings(&self, workload: &Workload) -> Vec<String> {
        let Ok(parameters) = Parameters::of(workload) else { return Vec::new() };
        let made = format!("{NAME} LANE/{DATABASE} \"{}; {TABLE}\"", parameters.journal());
        let insert = format!("{NAME} -batch -bail -cmd \"{SAFE}\" LANE/{DATABASE} \".read INSERTS\"");
        vec![made, format!("{} times: {insert}", parameters.processes)]
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Inserts { parameters: Parameters::of(workload)?, bench: Bench::new(directory)?, seed }))
    }
}

/// The statements of one process, the same for each process and each contender. SQLite fills in the time.
fn statements(seed: u64, count: u64) -> String {
    let mut random = fsarena_model::seed::generator(seed, NAME, &[]);
    let insert = |number: u64| {
        let (small, four) = (number as i16, number >> 16 & 0xffff);
        format!(
            "INSERT INTO pts1 ('I', 'DT', 'F1', 'F2') VALUES ('{small}', CURRENT_TIMESTAMP, '{four:04X}', '{number:016X}');\n"
        )
    };
    (0..count).map(|_| insert(random.next_u64())).collect()
}

struct Inserts {
    parameters: Parameters,
    bench: Bench,
    seed: u64,
}

impl Inserts {
    /// Runs a statement in SQLite and returns its output.
    fn ask(&self, database: &Path, what: &str, stop: &AtomicBool) -> Result<String, EngineError> {
        let tool = self.bench.tool(NAME, words([NAME, "-batch", "-bail", &word(database), what]));
        Ok(tool.finish_unless(stop)?.stdout)
    }
}

impl Job for Inserts {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        let statements = statements(self.seed, self.parameters.inserts);
        fs::write(self.bench.beside("inserts.sql"), statements).map_err(EngineError::io("write the INSERTs"))
    }

    /// Makes the database again with an empty table.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            unlink(&self.bench.at(&format!("{DATABASE}{suffix}")))?;
        }
        let made = self.ask(&self.bench.at(DATABASE), &format!("{}; {TABLE}", self.parameters.journal()), stop);
        made.map(|_| ())
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let (database, read) = (self.bench.at(DATABASE), format!(".read {}", word(&self.bench.beside("inserts.sql"))));
        let tool = self.bench.tool(NAME, words([NAME, "-batch", "-bail", "-cmd", SAFE, &word(&database), &read]));
        for _ in 0..self.parameters.processes {
            let begin = clock::now();
            if tool.run(limit.stop)?.is_none() {
                return Ok(());
            }
            let took = clock::now().saturating_sub(begin);
            stats.elapsed = stats.elapsed + took;
            stats.record(Operation::Run, took);
        }
        stats.operations += self.parameters.rows();
        stats.count_commits(self.parameters.rows(), 1);
        Ok(())
    }

    fn verifies(&self) -> bool {
        true
    }

    /// Checks that every row exists and that SQLite's integrity check finds no error.
    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        let asked = "PRAGMA integrity_check; SELECT count(*) FROM pts1";
        let said = self.ask(&directory.join(DATABASE), asked, stop)?;
        let (found, wanted) = (said.trim(), format!("ok\n{}", self.parameters.rows()));
        match found == wanted {
            true => Ok(Verification { files: 1, differences: Vec::new() }),
            false => Err(EngineError::Wrong(format!(
                "after {} INSERTs that were acknowledged, SQLite's integrity_check and count(*) say: {found}",
                self.parameters.rows()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn job(place: &Path, journal: Journal) -> Inserts {
        let parameters = Parameters { processes: 2, inserts: 10, journal };
        let mut job = Inserts { parameters, bench: Bench::new(place).expect("temporary folder"), seed: 7 };
        job.prepare(&fsarena_engine::NEVER).expect("made");
        job
    }

    #[test]
    fn all_rows_are_there_in_either_journal() {
        for journal in [Journal::Delete, Journal::Wal] {
            let place = tempfile::tempdir().expect("temporary folder");
            let (mut job, stop) = (job(place.path(), journal), AtomicBool::new(false));
            for _ in 0..2 {
                let mut stats = RunStats::new();
                job.reset(&fsarena_engine::NEVER).expect("made");
                job.run(&Limit::new(None, &stop), &mut stats).expect("inserted");
                assert_eq!((stats.operations, stats.reported[0]), (20, ("commits", "commits", 20.0)));
                let names = fs::read_dir(place.path()).expect("there").count();
                assert_eq!(names, 1, "the journal is gone and the statements are elsewhere");
                assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("as it should be").files, 1);
            }
            let mode =
                job.ask(&place.path().join(DATABASE), "PRAGMA journal_mode", &fsarena_engine::NEVER).expect("it says");
            assert_eq!(mode.trim() == "wal", journal == Journal::Wal);
        }
    }

    #[test]
    fn a_missing_row_a_missing_table_and_rubbish_are_found() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (mut job, stop) = (job(place.path(), Journal::Delete), AtomicBool::new(false));
        job.reset(&fsarena_engine::NEVER).expect("made");
        job.run(&Limit::new(None, &stop), &mut RunStats::new()).expect("inserted");
        let database = place.path().join(DATABASE);
        job.ask(&database, "DELETE FROM pts1 WHERE rowid = 3", &fsarena_engine::NEVER).expect("deleted");
        let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("one is missing").to_string();
        assert!(error.contains("after 20 INSERTs") && error.ends_with("ok\n19"), "{error}");
        job.ask(&database, "DROP TABLE pts1", &fsarena_engine::NEVER).expect("dropped");
        let error = job.run(&Limit::new(None, &stop), &mut RunStats::new()).expect_err("no table").to_string();
        assert!(error.contains("no such table"), "{error}");
        fs::write(&database, "rubbish".repeat(1000)).expect("written");
        assert!(job.verify(place.path(), &fsarena_engine::NEVER).is_err());
    }

    #[test]
    fn statements_follow_from_the_seed() {
        assert_eq!(statements(1, 3), statements(1, 3));
        assert_ne!(statements(1, 3), statements(2, 3));
        assert_eq!(statements(1, 3).lines().count(), 3);
    }
}
