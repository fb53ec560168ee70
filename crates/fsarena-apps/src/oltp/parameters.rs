//! What a workload of the engine `oltp` says: sysbench's options under their names.

use std::path::Path;

use fsarena_engine::EngineError;
use fsarena_model::{Bytes, Mode, Workload};
use serde::Deserialize;

use crate::mariadb::buffer_pool;

/// What a data directory takes with nothing in it, its log of 96 MiB among it.
const EMPTY: u64 = 200 << 20;
/// What a row takes with its index, as measured (252 bytes), and some.
const PER_ROW: u64 = 320;
/// Threads that fill the tables, each one after the other.
const FILLING: u32 = 4;
/// Connections that the server has room for, beside those of its tools.
const MOST_THREADS: u32 = 390;

/// The parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// Which of its tests.
    pub test: Test,
    tables: u32,
    /// Rows of each table.
    pub table_size: u64,
    /// Connections.
    pub threads: u32,
    /// Seconds of a run.
    pub time: u64,
    /// What the server keeps in memory of its data.
    #[serde(default = "pool")]
    buffer_pool: Bytes,
}

/// A test of sysbench's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// `oltp_read_only`.
    ReadOnly,
    /// `oltp_read_write`.
    ReadWrite,
}

impl Test {
    /// sysbench's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "oltp_read_only",
            Self::ReadWrite => "oltp_read_write",
        }
    }
}

fn pool() -> Bytes {
    Bytes::mib(64)
}

impl Parameters {
    /// Those of the workload, if they make sense.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::parameters::<Self>(workload)?;
        let complaint = parameters.complaint(workload);
        complaint.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if self.tables == 0 || self.table_size == 0 || self.time == 0 => {
                "`tables`, `table-size` and `time` are at least 1"
            }
            () if !(1..=MOST_THREADS).contains(&self.threads) => "`threads` is from 1 to 390",
            () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
                "a run cannot be cut: `mode = \"whole\"`, `ends-by-itself = true`, and `time` instead of `timed-ms`"
            }
            () => return None,
        })
    }

    /// What the server is told beside what it always is.
    pub fn server_options(&self) -> Vec<String> {
        buffer_pool(self.buffer_pool)
    }

    /// How sysbench calls its tables.
    pub fn table_names(&self) -> Vec<String> {
        (1..=self.tables).map(|number| format!("sbtest{number}")).collect()
    }

    /// Rows of all tables.
    pub fn rows(&self) -> u64 {
        u64::from(self.tables) * self.table_size
    }

    /// Bytes on the lane at most.
    pub fn demand(&self) -> Bytes {
        Bytes(EMPTY + self.rows() * PER_ROW)
    }

    /// sysbench's words to fill the tables.
    pub fn prepare(&self, socket: &Path, seed: u64) -> Vec<String> {
        let threads = format!("--threads={}", FILLING.min(self.tables));
        self.common(socket, seed).into_iter().chain([threads, "prepare".to_owned()]).collect()
    }

    /// Its words for the run.
    pub fn run(&self, socket: &Path, seed: u64) -> Vec<String> {
        let own = [
            format!("--threads={}", self.threads),
            format!("--time={}", self.time),
            "--events=0".to_owned(),
            "--percentile=95".to_owned(),
            "--histogram=on".to_owned(),
            "run".to_owned(),
        ];
        self.common(socket, seed).into_iter().chain(own).collect()
    }

    /// Every random choice follows from `seed`, of which sysbench takes 31 bits and no 0; all rows are as likely, which is not its default.
    fn common(&self, socket: &Path, seed: u64) -> Vec<String> {
        vec![
            super::SYSBENCH.to_owned(),
            self.test.name().to_owned(),
            "--db-driver=mysql".to_owned(),
            format!("--mysql-socket={}", socket.display()),
            "--mysql-user=root".to_owned(),
            format!("--mysql-db={}", super::DATABASE),
            format!("--tables={}", self.tables),
            format!("--table-size={}", self.table_size),
            "--rand-type=uniform".to_owned(),
            format!("--rand-seed={}", seed % 0x7fff_fffe + 1),
        ]
    }
}
