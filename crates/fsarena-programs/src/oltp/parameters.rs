//! Parameters of a workload of the engine `oltp`, named like sysbench's options.

use std::path::Path;

use fsarena_engine::EngineError;
use fsarena_engine::parameters::checked_up_to;
use fsarena_model::{Bytes, Mode, Workload};
use serde::Deserialize;

use crate::LARGEST;
use crate::mariadb::buffer_pool;

/// Space of an empty data directory, including its log of 96 MiB.
const EMPTY: u64 = 200 << 20;
/// Space of a row with its index: 252 bytes as measured, and a reserve.
const PER_ROW: u64 = 320;
/// Number of threads that fill the tables. Each fills one table after the other.
const FILLING: u32 = 4;
/// Maximum number of threads. The server has further connections for its tools.
const MOST_THREADS: u32 = 390;

/// The parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OltpParameters {
    /// Which of sysbench's tests.
    pub test: OltpTest,
    tables: u32,
    /// Rows per table.
    pub table_size: u64,
    /// Number of connections, 1 to 390.
    pub threads: u32,
    /// Duration of a run in seconds.
    pub time: u64,
    /// Size of the server's buffer pool.
    #[serde(default = "pool")]
    buffer_pool: Bytes,
}

/// A test of sysbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OltpTest {
    /// `oltp_read_only`.
    ReadOnly,
    /// `oltp_read_write`.
    ReadWrite,
}

impl OltpTest {
    /// sysbench's name of the test.
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

impl OltpParameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they are not understood, or a value is not allowed.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked_up_to(LARGEST, workload, |parameters: &Self| parameters.complaint(workload))
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

    /// Options of the server for this workload, besides its usual ones.
    pub fn server_options(&self) -> Vec<String> {
        buffer_pool(self.buffer_pool)
    }

    /// sysbench's names of the tables.
    pub fn table_names(&self) -> Vec<String> {
        (1..=self.tables).map(|number| format!("sbtest{number}")).collect()
    }

    /// Number of rows of all tables.
    pub fn rows(&self) -> u64 {
        u64::from(self.tables) * self.table_size
    }

    /// Most space that the workload takes on the lane.
    pub fn demand(&self) -> Bytes {
        Bytes(EMPTY + self.rows() * PER_ROW)
    }

    /// Command line that fills the tables.
    pub fn prepare(&self, socket: &Path, seed: u64) -> Vec<String> {
        let threads = format!("--threads={}", FILLING.min(self.tables));
        self.common(socket, seed).into_iter().chain([threads, "prepare".to_owned()]).collect()
    }

    /// Command line of a run.
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

    /// Words that both commands share. Every random choice follows from `seed`; sysbench takes 31 bits and no 0. All
    /// rows are equally likely, which is not sysbench's default.
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
