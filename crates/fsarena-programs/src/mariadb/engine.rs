//! The engine `mariadb`: the database workloads of the trading firm.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Programs, RunStats, Upkeep, drop_cached_below};
use fsarena_model::{Nanos, Traits, Verification, Workload};

use super::client::DatabaseClient;
use super::ingest::Ingest;
use super::parameters::{MariaDbParameters, MariaDbTask};
use super::queries::Queries;
use super::results::LogResults;
use super::{ClientWork, MariaDb, NEEDS, buffer_pool, settings};

/// Estimated rows per second of LOAD DATA, and of single INSERTs.
const LOADED_PER_SECOND: u64 = 40_000;
const INSERTED_PER_SECOND: u64 = 500;
/// Estimated queries per second on two processors.
const QUERIES_PER_SECOND: u64 = 300;
/// Estimated time to make a data directory, and to start and stop the server.
const AROUND: Nanos = Nanos::seconds(4);

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new("mariadb", traits, open) };

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let parameters = MariaDbParameters::of(workload)?;
    let rate = if parameters.task == MariaDbTask::Results { INSERTED_PER_SECOND } else { LOADED_PER_SECOND };
    let queries = u64::from(parameters.threads) * u64::from(parameters.queries.unwrap_or(0));
    let rows = parameters.rows.saturating_mul(u64::from(parameters.days));
    Ok(Traits {
        peak: parameters.demand(),
        extra_time: AROUND + Nanos::seconds(rows / rate + queries / QUERIES_PER_SECOND),
        program: Some("mariadbd".to_owned()),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let parameters = MariaDbParameters::of(workload)?;
    let work: Box<dyn ClientWork> = match parameters.task {
        MariaDbTask::Query => Box::new(Queries::new(&parameters, seed)?),
        MariaDbTask::Results => Box::new(LogResults::new(&parameters, seed)),
        MariaDbTask::Ingest => Box::new(Ingest::new(&parameters, seed)),
    };
    Ok(Box::new(MariaDbJob { work, server: MariaDb::at(directory, buffer_pool(parameters.buffer_pool))? }))
}

fn programs(workload: &Workload) -> Programs {
    let lines = |own: MariaDbParameters| vec![settings(&buffer_pool(own.buffer_pool)), own.clients()];
    Programs { needs: NEEDS.to_vec(), settings: MariaDbParameters::of(workload).map(lines).unwrap_or_default() }
}

/// A job of a server and its clients.
pub struct MariaDbJob {
    pub work: Box<dyn ClientWork>,
    pub server: MariaDb,
}

impl MariaDbJob {
    /// Lets the clients work until `stop` is set. If they fail because the server has ended, the error is the server's.
    fn with_clients<T>(
        &mut self,
        stop: &AtomicBool,
        act: impl FnOnce(&mut dyn ClientWork, &DatabaseClient, &AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let client = DatabaseClient { socket: self.server.socket() };
        self.server.lane.during(stop, |stop| act(&mut *self.work, &client, stop))
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server.install(stop)?;
        self.server.start(stop)?;
        self.with_clients(stop, |work, client, stop| {
            client.make_database(work.database())?;
            work.fill(client, stop)
        })?;
        self.server.lane.stop(stop)
    }
}

impl Job for MariaDbJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::DropCaches => drop_cached_below(&self.server.lane.data, stop),
            Upkeep::Begin => self.server.start(stop),
            Upkeep::End => self.server.lane.stop(stop),
            _ => Ok(()),
        }
    }

    /// The server is a separate process, and its clients are threads or processes.
    fn next_run(&self) -> NextRun {
        NextRun { is_alone: false, verifies: true, ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.with_clients(limit.stop, |work, client, stop| work.run(client, &Limit { stop, ..*limit }, stats))
    }

    /// Starts the server again on its files and queries it.
    fn verify(&mut self, _directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        let tables = self.work.tables();
        self.server.start(stop)?;
        let looked = self.with_clients(stop, |work, client, _| {
            client.require_sound(work.database(), &tables)?;
            work.check(client)
        });
        // A server that has found damage may also end badly. What it found is the more useful error.
        let stopped = self.server.lane.stop(stop);
        looked.and(stopped)?;
        Ok(Verification { files: tables.len() as u64, differences: Vec::new() })
    }
}
