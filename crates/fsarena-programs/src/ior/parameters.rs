//! Parameters of a workload of the engine `ior`.

use fsarena_engine::EngineError;
use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Workload};
use serde::Deserialize;

use crate::mpi::Start;

/// The parameters.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// What is timed.
    pub operation: Operation,
    /// Processes on each machine.
    pub processes: u32,
    /// How they are started.
    #[serde(default)]
    pub start: Start,
    /// Bytes of each read or write (`-t`).
    pub transfer_size: Bytes,
    /// Contiguous bytes of a process in each segment (`-b`), a multiple of `transfer-size`.
    pub block_size: Bytes,
    /// Number of segments (`-s`): each has one block of each process.
    #[serde(default = "one")]
    pub segments: u64,
    /// Whether each process has a file of its own (`-F`); otherwise all share one.
    #[serde(default)]
    pub file_per_process: bool,
    /// Whether the transfers are in random order (`-z`).
    #[serde(default)]
    pub random: bool,
    /// Whether what is read is compared with what was written (`-R`), within the timer.
    #[serde(default)]
    pub verify: bool,
    /// As in the workload.
    #[serde(skip, default = "nothing")]
    durable: DurablePoint,
    #[serde(skip)]
    is_direct: bool,
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Writing new files.
    Write,
    /// Reading what another process has written.
    Read,
}

impl Operation {
    /// The program's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
        }
    }
}

fn one() -> u64 {
    1
}

fn nothing() -> DurablePoint {
    DurablePoint::None
}

/// Bytes per second that the estimate of the time assumes.
const RATE: u64 = 100 << 20;

/// Estimated time to start and end the program.
const AROUND: Nanos = Nanos::millis(700);

impl Parameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they are not understood, or contradict each other.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::parameters::<Self>(workload)?;
        let (durable, is_direct) = (workload.durable, workload.cache == CacheState::Direct);
        let start = Start { processes: parameters.processes, ..parameters.start };
        let parameters = Self { durable, is_direct, start, ..parameters };
        let mistake = parameters.mistake();
        mistake.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    fn mistake(&self) -> Option<&'static str> {
        let (transfer, block) = (self.transfer_size.0, self.block_size.0);
        let all = u128::from(block) * u128::from(self.segments) * u128::from(self.start.all());
        let wanted = match self.operation {
            Operation::Write => [DurablePoint::None, DurablePoint::Fsync],
            Operation::Read => [DurablePoint::None; 2],
        };
        if let Some(mistake) = self.start.mistake() {
            Some(mistake)
        } else if transfer == 0 || block == 0 || !block.is_multiple_of(transfer) {
            Some("`block-size` is a multiple of `transfer-size`, and both are more than 0")
        } else if self.segments == 0 || all > 1 << 50 {
            Some("there is at least one of the `segments`, and at most 1 PiB in all")
        } else if self.verify && self.operation == Operation::Write {
            Some("`verify` is for reads")
        } else if !wanted.contains(&self.durable) {
            Some("`durable` is `none`, or for writes `fsync`")
        } else {
            None
        }
    }

    /// Bytes that all processes move in a run.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.block_size.0 * self.segments * self.start.all())
    }

    /// The block of direct I/O; `None` if it goes through the page cache.
    pub fn direct_block(&self) -> Option<Bytes> {
        self.is_direct.then_some(self.transfer_size)
    }

    /// Estimated duration of a run.
    pub fn about(&self) -> Nanos {
        AROUND + Nanos((self.bytes().0 as f64 / RATE as f64 * 1e9) as u64)
    }

    /// What the program does in a trial, in its order.
    pub fn operations(&self) -> impl Iterator<Item = Operation> + use<> {
        let before = (self.operation == Operation::Read).then_some(Operation::Write);
        before.into_iter().chain([self.operation])
    }

    /// The program's options. `-C -Q 1`: each process reads what a process of the next node has written. `-g`: all wait
    /// for each other between opening, moving data and closing, as in IO500. The seed follows as the contents' (`-G`).
    /// What is written for reads is kept (`-k`).
    pub fn options(&self, operation: Operation, seed: &str, file: &str) -> Vec<String> {
        let (transfer, block) = (self.transfer_size.0.to_string(), self.block_size.0.to_string());
        let segments = self.segments.to_string();
        let does = match operation {
            Operation::Write => "-w",
            Operation::Read => "-r",
        };
        let fixed = ["-a", "POSIX", does, "-g", "-G", seed, "-C", "-Q", "1", "-o", file];
        let sizes = ["-t", &transfer, "-b", &block, "-s", &segments];
        let flags = [
            // What is prepared is durable, too.
            (
                "-e",
                operation == Operation::Write && (self.durable == DurablePoint::Fsync || operation != self.operation),
            ),
            ("-k", self.operation == Operation::Read),
            ("-F", self.file_per_process),
            ("-z", self.random),
            ("-R", self.verify && operation == Operation::Read),
            ("--posix.odirect", self.is_direct),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag);
        let times = ["-O", "saveRankPerformanceDetailsCSV=/dev/stdout"];
        fixed.into_iter().chain(sizes).chain(flags).chain(times).map(str::to_owned).collect()
    }
}
