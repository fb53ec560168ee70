//! Parameters of a workload of the engine `pgbench`.

use fsarena_engine::EngineError;
use fsarena_engine::parameters::{checked_up_to, or};
use fsarena_model::{Bytes, Nanos, Workload};
use serde::Deserialize;

use crate::LARGEST;

/// The parameters. Each sets one option of pgbench.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PgbenchParameters {
    /// Number of branches, each with 100,000 accounts (`-s`).
    pub scale: u32,
    /// Number of connections (`-c`), 1 to 100.
    pub clients: u32,
    /// Number of pgbench's threads (`-j`), at most `clients`.
    #[serde(default = "or::<_, 1>")]
    pub jobs: u32,
    /// Transactions per client (`-t`); excludes `seconds`.
    pub transactions: Option<u64>,
    /// Duration of the run in seconds (`-T`); excludes `transactions`.
    pub seconds: Option<u64>,
}

/// Maximum number of clients. The server has further connections for its tools.
const MOST_CLIENTS: u32 = 100;
/// Transactions per second that the upper bound of the space assumes.
const QUICK: u64 = 10_000;
/// Transactions per second that the estimate of the time assumes.
const USUAL: u64 = 1_000;

impl PgbenchParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked_up_to(LARGEST, workload, |parameters: &Self| {
            let Self { scale, clients, jobs, transactions, seconds } = *parameters;
            Some(match (transactions, seconds) {
                _ if scale == 0 || clients == 0 || clients > MOST_CLIENTS => {
                    "`scale` is at least 1, and `clients` are 1 to 100"
                }
                _ if jobs == 0 || jobs > clients => "`jobs` are 1 to as many as there are `clients`",
                (Some(count), None) | (None, Some(count)) if count > 0 => return None,
                _ => "either `transactions` or `seconds`, more than 0",
            })
        })
    }

    /// Options of pgbench that fill the tables.
    pub fn fill(&self) -> Vec<String> {
        ["-i", "-q", "-s", &self.scale.to_string()].map(str::to_owned).to_vec()
    }

    /// Options of a run. It logs each transaction to files whose names begin with `log`.
    pub fn run(&self, seed: String, log: String) -> Vec<String> {
        let (clients, jobs) = (self.clients.to_string(), self.jobs.to_string());
        let (length, count) = match self.seconds {
            Some(seconds) => ("-T", seconds),
            None => ("-t", self.transactions.unwrap_or_default()),
        };
        let options = ["-n", "-c", &clients, "-j", &jobs, length, &count.to_string(), "-r", "-l"];
        let own = [format!("--log-prefix={log}"), format!("--random-seed={seed}")];
        options.into_iter().map(str::to_owned).chain(own).collect()
    }

    /// Number of transactions of a run, at `rate` per second if its duration is given.
    fn all(&self, rate: u64) -> u64 {
        let each = self.transactions.map(|each| each * u64::from(self.clients));
        each.unwrap_or_else(|| self.seconds.unwrap_or_default() * rate)
    }

    /// Space of an empty cluster of 40 MiB, 15 MiB per branch, for each transaction new versions of three rows and a
    /// row of history, and the write-ahead log. The log has a full image of each page at its first change, and may
    /// exceed `max_wal_size`.
    pub fn demand(&self) -> Bytes {
        const CLUSTER: u64 = 64 << 20;
        const BRANCH: u64 = 17 << 20;
        const MOST_LOG: u64 = 512 << 20;
        let (branches, transactions) = (u64::from(self.scale), self.all(QUICK));
        let log = (32 << 20) + branches * (20 << 20) + transactions * (24 << 10);
        Bytes(CLUSTER + branches * BRANCH + transactions * 512 + log.min(MOST_LOG))
    }

    /// Estimated duration of a run, including its preparation.
    pub fn about(&self) -> Nanos {
        let run = self.seconds.map_or_else(|| Nanos(self.all(USUAL) * (1_000_000_000 / USUAL)), Nanos::seconds);
        Nanos::seconds(4) + Nanos::millis(200 * u64::from(self.scale)) + run
    }
}
