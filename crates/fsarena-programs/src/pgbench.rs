//! The engine `pgbench`: PostgreSQL's own benchmark, like TPC-B, against a server that the engine starts on the lane.

pub mod output;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::checked_up_to;
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Programs, RunStats, Upkeep, sync_and_drop_caches};
use fsarena_model::{Bytes, Nanos, Traits, Verification, Workload};
use fsarena_sys::child::Ended;
use serde::Deserialize;

use crate::LARGEST;
use crate::postgresql::{self, DATABASE, PostgreSql};

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new(NAME, traits, open) };

const NAME: &str = "pgbench";

/// Tables with balances, and their rows per branch.
const OF_A_BRANCH: [(&str, u64); 3] = [("accounts", 100_000), ("tellers", 10), ("branches", 1)];

/// Prefix of the names of pgbench's transaction logs.
const LOG: &str = "transactions";

/// The server's processes do most of the work.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let parameters = PgbenchParameters::of(workload)?;
    let program = Some("postgres".to_owned());
    Ok(Traits { peak: parameters.demand(), extra_time: parameters.about(), program, ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let (parameters, server) = (PgbenchParameters::of(workload)?, PostgreSql::at(directory)?);
    Ok(Box::new(PgBenchJob { parameters, seed, runs: 0, server, committed: Some(0) }))
}

fn programs(workload: &Workload) -> Programs {
    let line = |options: Vec<String>| format!("{NAME} {}", options.join(" "));
    let lines = |parameters: PgbenchParameters| {
        let clients = [parameters.fill(), parameters.run("SEED".to_owned(), LOG.to_owned())].map(line);
        postgresql::settings_of_report().into_iter().chain(clients).collect()
    };
    let settings = PgbenchParameters::of(workload).map(lines).unwrap_or_default();
    Programs { needs: postgresql::NEEDS.to_vec(), settings }
}

struct PgBenchJob {
    parameters: PgbenchParameters,
    seed: u64,
    /// Number of runs so far. Each run has another seed, so it uses other accounts.
    runs: u64,
    server: PostgreSql,
    /// Transactions that the server has acknowledged; `None` after a run was stopped.
    committed: Option<u64>,
}

impl PgBenchJob {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let Self { server, parameters, .. } = self;
        server.install(stop)?;
        server.ask(NAME, parameters.fill(), stop)?;
        server.query("CHECKPOINT", stop)?;
        server.stop(stop)
    }

    /// Runs pgbench; `None` if it was stopped.
    fn load(&mut self, stop: &AtomicBool) -> Result<Option<Ended>, EngineError> {
        // pgbench takes a seed of 32 bits.
        let seed = self.seed.wrapping_add(self.runs) as u32;
        self.runs += 1;
        let log = self.server.lane.clients_folder().join(LOG).display().to_string();
        let argv = self.server.client(NAME, self.parameters.run(seed.to_string(), log))?;
        self.server.lane.load(NAME, argv, stop)
    }

    /// Checks that the server has kept what it acknowledged. Each transaction left a row in the history. The numbers of
    /// accounts, tellers and branches are unchanged. The balances of each table add up to the sum of the history.
    fn require_committed(&mut self, committed: u64, stop: &AtomicBool) -> Result<(), EngineError> {
        let sums = OF_A_BRANCH.map(|(table, each)| {
            let (column, all) = (&table[..1], u64::from(self.parameters.scale) * each);
            let left = format!("SELECT count(*), sum({column}balance) FROM pgbench_{table}");
            format!("({all}, coalesce(sum(h.delta), 0)) = ({left})")
        });
        let answer =
            self.server.query(&format!("SELECT count(*), {} FROM pgbench_history h", sums.join(" AND ")), stop)?;
        if answer == format!("{committed}|t") {
            return Ok(());
        }
        Err(EngineError::Wrong(format!(
            "PostgreSQL has acknowledged {committed} transactions; asked for their number and whether all balances \
             are there and agree, it says `{answer}`"
        )))
    }
}

impl Job for PgBenchJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::DropCaches => sync_and_drop_caches(&self.server.lane.data, stop),
            Upkeep::Begin => self.server.start(stop),
            Upkeep::End => self.server.stop(stop),
            _ => Ok(()),
        }
    }

    /// The server and its clients are separate processes.
    fn next_run(&self) -> NextRun {
        NextRun { is_alone: false, verifies: true, ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let Some(ended) = self.load(limit.stop)? else {
            self.committed = None;
            return Ok(());
        };
        let begin = stats.elapsed;
        let read = output::read(&ended.stdout, self.parameters.clients, stats);
        // First: a log with failed transactions cannot be read.
        let processed = read.map_err(|what| EngineError::program(NAME)(format!("{what}:\n{}", ended.words())))?;
        output::take(&self.server.lane.clients_folder(), LOG, begin, stats)?;
        self.committed = self.committed.map(|committed| committed + processed);
        Ok(())
    }

    /// Starts the server again on its files and queries it.
    fn verify(&mut self, _directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        self.server.start(stop)?;
        let looked = self.committed.map_or(Ok(()), |committed| self.require_committed(committed, stop));
        // A server that has found damage may also end badly. What it found is the more useful error.
        let stopped = self.server.stop(stop);
        looked.and(stopped)?;
        Ok(Verification { files: OF_A_BRANCH.len() as u64 + 1, differences: Vec::new() })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PgbenchParameters {
    /// Number of branches, each with 100,000 accounts (`-s`).
    scale: u32,
    /// Number of connections (`-c`), 1 to 100.
    clients: u32,
    /// Transactions per client (`-t`).
    transactions: u64,
}

/// Maximum number of clients. The server has further connections for its tools.
const MOST_CLIENTS: u32 = 100;
/// Transactions per second that the estimate of the time assumes.
const USUAL: u64 = 1_000;

impl PgbenchParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked_up_to(LARGEST, workload, |parameters: &Self| {
            let Self { scale, clients, transactions } = *parameters;
            let is_sound = scale > 0 && (1..=MOST_CLIENTS).contains(&clients) && transactions > 0;
            (!is_sound).then_some("`scale` and `transactions` are at least 1, and `clients` are 1 to 100")
        })
    }

    /// Options of pgbench that fill the tables.
    fn fill(&self) -> Vec<String> {
        ["-i", "-q", "-s", &self.scale.to_string(), DATABASE].map(str::to_owned).to_vec()
    }

    /// Options of a run. It logs each transaction to files whose names begin with `log`.
    fn run(&self, seed: String, log: String) -> Vec<String> {
        let options = ["-n", "-c", &self.clients.to_string(), "-t", &self.transactions.to_string(), "-r", "-l"];
        let own = [format!("--log-prefix={log}"), format!("--random-seed={seed}"), DATABASE.to_owned()];
        options.into_iter().map(str::to_owned).chain(own).collect()
    }

    /// Number of transactions of a run.
    fn all(&self) -> u64 {
        self.transactions * u64::from(self.clients)
    }

    /// Space of an empty cluster of 40 MiB, 15 MiB per branch, for each transaction new versions of three rows and a
    /// row of history, and the write-ahead log. The log has a full image of each page at its first change, and may
    /// exceed `max_wal_size`.
    fn demand(&self) -> Bytes {
        const CLUSTER: u64 = 64 << 20;
        const BRANCH: u64 = 17 << 20;
        const MOST_LOG: u64 = 512 << 20;
        let (branches, transactions) = (u64::from(self.scale), self.all());
        let log = (32 << 20) + branches * (20 << 20) + transactions * (24 << 10);
        Bytes(CLUSTER + branches * BRANCH + transactions * 512 + log.min(MOST_LOG))
    }

    /// Estimated duration of a run, including its preparation.
    fn about(&self) -> Nanos {
        Nanos::seconds(4) + Nanos::millis(200 * u64::from(self.scale)) + Nanos::seconds(self.all() / USUAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_engine::NEVER;

    #[test]
    fn missing_and_inconsistent_rows_are_found() {
        let place = tempfile::tempdir().expect("temporary folder");
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711)).expect("changed");
        let parameters = PgbenchParameters { scale: 1, clients: 1, transactions: 5 };
        let (server, committed) = (PostgreSql::at(place.path()).expect("placed"), Some(0));
        let mut job = PgBenchJob { parameters, seed: 1, runs: 0, server, committed };
        job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
        job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER).expect("begins");
        job.run(&Limit::new(None, &AtomicBool::new(false)), &mut RunStats::new()).expect("done");
        job.require_committed(5, &NEVER).expect("they are there");
        job.server.query("SELECT no_such_column", &NEVER).expect_err("it refuses");
        job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
        job.verify(place.path(), &fsarena_engine::NEVER).expect("they are there");
        job.upkeep(Upkeep::Begin, &NEVER).expect("begins");
        job.server.query("DELETE FROM pgbench_accounts WHERE aid = 7 AND abalance = 0", &NEVER).expect("done");
        job.upkeep(Upkeep::End, &fsarena_engine::NEVER).expect("ends");
        let error = job.verify(place.path(), &fsarena_engine::NEVER).expect_err("an account is gone").to_string();
        assert!(error.contains("`5|f`"), "{error}");
        job.upkeep(Upkeep::Begin, &NEVER).expect("begins");
        job.server.query("INSERT INTO pgbench_accounts VALUES (7, 1, 0, '')", &NEVER).expect("done");
        job.require_committed(5, &NEVER).expect("it is there again");
        assert!(job.require_committed(6, &NEVER).expect_err("one is lost").to_string().contains("`5|t`"));
        job.server.query("UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 1", &NEVER).expect("done");
        assert!(job.require_committed(5, &NEVER).expect_err("a balance is wrong").to_string().contains("`5|f`"));
    }
}
