//! The engine `ior`: IOR, by which parallel file systems are measured, as one program on all machines.
//!
//! Read is its table of processes, each timed by its own clock, and not the lines of results and the summary:
//! - Their times are from the first start to the last end by the clocks of several nodes, so a clock that is off by two
//!   seconds adds two seconds (hpc/ior #431), and a start that is lost adds the time since 1970 (#528).
//! - Latencies are divided by the number of transfers that was asked for, not done (#495, until 4.0), and the summary's
//!   operations per second are those of another time than the line's (#478).

use fsarena_engine::parameters::or;
use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};
use serde::Deserialize;

use crate::mpi::{self, AROUND, MpiOutput, MpiProcess, MpiProgram, MpiStart};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ior {
    /// What is timed.
    pub operation: Operation,
    /// Processes on each machine.
    pub processes: u32,
    #[serde(default)]
    pub start: MpiStart,
    /// Bytes of each read or write (`-t`).
    pub transfer_size: Bytes,
    /// Contiguous bytes of a process in each segment (`-b`), a multiple of `transfer-size`.
    pub block_size: Bytes,
    /// Number of segments (`-s`): each has one block of each process.
    #[serde(default = "or::<_, 1>")]
    pub segments: u64,
    /// Whether each process has a file of its own (`-F`); otherwise all share one.
    #[serde(default)]
    pub file_per_process: bool,
    /// Whether what is read is compared with what was written (`-R`), within the timer.
    #[serde(default)]
    pub verify: bool,
    #[serde(skip)]
    durable: DurablePoint,
    #[serde(skip)]
    is_direct: bool,
    /// Runs that have written.
    #[serde(skip)]
    written: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Writing new files.
    Write,
    /// Reading what another process has written.
    Read,
}

/// Bytes per second that the estimate of the time assumes.
const RATE: u64 = 100 << 20;

/// The file that is read, and the beginning of the names of those that are written.
const FILE: &str = "data";

impl Ior {
    fn mistake(&self) -> Option<&'static str> {
        let (transfer, block) = (self.transfer_size.0, self.block_size.0);
        let all = u128::from(block) * u128::from(self.segments) * u128::from(self.start.all());
        let wanted = match self.operation {
            Operation::Write => [DurablePoint::None, DurablePoint::Fsync],
            Operation::Read => [DurablePoint::None; 2],
        };
        if transfer == 0 || block == 0 || !block.is_multiple_of(transfer) {
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
    fn bytes(&self) -> Bytes {
        Bytes(self.block_size.0 * self.segments * self.start.all())
    }

    /// A file that is written has a new name each time: a machine may still have the removed one in its cache, and
    /// would fail to open it (ESTALE).
    fn file(&self) -> String {
        match (self.operation, self.written) {
            (Operation::Read, _) | (_, 0) => FILE.to_owned(),
            (Operation::Write, number) => format!("{FILE}-{number}"),
        }
    }
}

impl MpiProgram for Ior {
    const NAME: &'static str = "ior";
    const UNIT: &'static str = "bytes";
    type Operation = Operation;

    fn complete(&mut self, workload: &Workload) -> Option<&'static str> {
        (self.durable, self.is_direct) = (workload.durable, workload.cache == CacheState::Direct);
        self.start.processes = self.processes;
        self.start.mistake().or_else(|| self.mistake())
    }

    fn traits(&self) -> Traits {
        Traits {
            peak: self.bytes(),
            block: Some(self.transfer_size),
            direct_block: self.is_direct.then_some(self.transfer_size),
            extra_time: AROUND + Nanos((self.bytes().0 as f64 / RATE as f64 * 1e9) as u64),
            ..Traits::default()
        }
    }

    fn start(&self) -> &MpiStart {
        &self.start
    }

    fn timed(&self) -> Operation {
        self.operation
    }

    /// What is read is written before.
    fn missing(&self) -> Option<Operation> {
        (self.operation == Operation::Read && self.written == 0).then_some(Operation::Write)
    }

    fn begin(&mut self, operation: Operation) {
        self.written += u32::from(operation == Operation::Write);
    }

    /// The program's options. `-C -Q 1`: each process reads what a process of the next node has written. `-g`: all wait
    /// for each other between opening, moving data and closing, as in IO500. The seed follows as the contents' (`-G`).
    /// What is written for reads is kept (`-k`).
    fn options(&self, operation: Operation, seed: &str) -> Vec<String> {
        let file = self.file();
        let (transfer, block) = (self.transfer_size.0.to_string(), self.block_size.0.to_string());
        let segments = self.segments.to_string();
        let does = match operation {
            Operation::Write => "-w",
            Operation::Read => "-r",
        };
        let fixed = ["-a", "POSIX", does, "-g", "-G", seed, "-C", "-Q", "1", "-o", &file];
        let sizes = ["-t", &transfer, "-b", &block, "-s", &segments];
        let flags = [
            // What is prepared is durable, too.
            (
                "-e",
                operation == Operation::Write && (self.durable == DurablePoint::Fsync || operation != self.operation),
            ),
            ("-k", self.operation == Operation::Read),
            ("-F", self.file_per_process),
            ("-R", self.verify && operation == Operation::Read),
            ("--posix.odirect", self.is_direct),
        ];
        let times = ["-O", "saveRankPerformanceDetailsCSV=/dev/stdout"];
        fixed.into_iter().chain(sizes).chain(mpi::set(&flags)).chain(times).map(str::to_owned).collect()
    }

    fn amount(&self) -> u64 {
        self.bytes().0
    }

    fn work(&self) -> (u64, Bytes) {
        (self.bytes().0 / self.transfer_size.0, self.bytes())
    }

    fn read(text: &str, operation: Operation, processes: u64) -> Result<MpiOutput, String> {
        let word = if operation == Operation::Write { "write" } else { "read" };
        let rows = text.lines().filter_map(|line| process(line.trim().strip_prefix(word)?.strip_prefix(',')?));
        let rows = mpi::complete(rows.collect(), processes)?;
        let seconds = rows.iter().map(|process| process.seconds).fold(0.0, f64::max);
        let amount: f64 = rows.iter().map(MpiProcess::amount).sum();
        Ok(MpiOutput { amount, seconds })
    }
}

/// A line of the table after the word: process, seconds with and without opening and closing, bytes per second with and
/// without.
fn process(line: &str) -> Option<(u64, MpiProcess)> {
    let fields: Vec<&str> = line.split(',').collect();
    let process = MpiProcess { seconds: mpi::field(&fields, 1)?, rate: mpi::field(&fields, 3)? };
    (fields.len() == 5).then_some((mpi::field(&fields, 0)?, process))
}

#[cfg(test)]
mod tests;
