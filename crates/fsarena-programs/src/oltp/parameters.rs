//! Parameters of a workload of the engine `oltp`, named like sysbench's options.

use std::path::Path;

use fsarena_engine::EngineError;
use fsarena_engine::parameters::{checked_up_to, runs_once};
use fsarena_model::{Bytes, Workload};
use serde::Deserialize;

use crate::LARGEST;
use crate::mariadb::{EMPTY, MOST_THREADS, buffer_pool, usual_pool};

/// Space of a row with its index: 252 bytes as measured, and a reserve.
const PER_ROW: u64 = 320;
/// Number of threads that fill the tables. Each fills one table after the other.
const FILLING: u32 = 4;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OltpParameters {
    pub test: OltpTest,
    tables: u32,
    /// Rows per table.
    pub table_size: u64,
    /// Number of connections, 1 to 390.
    pub threads: u32,
    /// Seconds of a run.
    pub time: u64,
    /// Size of the server's buffer pool.
    #[serde(default = "usual_pool")]
    buffer_pool: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OltpTest {
    ReadOnly,
    ReadWrite,
}

impl OltpTest {
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "oltp_read_only",
            Self::ReadWrite => "oltp_read_write",
        }
    }
}

impl OltpParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked_up_to(LARGEST, workload, |parameters: &Self| parameters.complaint(workload))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if self.tables == 0 || self.table_size == 0 || self.time == 0 => {
                "`tables`, `table-size` and `time` are at least 1"
            }
            () if !(1..=MOST_THREADS).contains(&self.threads) => "`threads` is from 1 to 390",
            () if !runs_once(workload) => {
                "a run cannot be cut: `mode = \"whole\"`, `ends-by-itself = true`, and `time` instead of `timed-ms`"
            }
            () => return None,
        })
    }

    /// Options of the server for this workload, besides its usual ones.
    pub fn server_options(&self) -> Vec<String> {
        buffer_pool(self.buffer_pool)
    }

    pub fn table_names(&self) -> Vec<String> {
        (1..=self.tables).map(|number| format!("sbtest{number}")).collect()
    }

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
