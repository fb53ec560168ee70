//! The engine `mdtest`: the metadata benchmark that comes with IOR, as one program on all machines.
//!
//! Read is its table of processes, whose columns have names. Its line `all` has the time of the slowest process by its
//! own clock, with the sync after the operation, and the lines of the processes have their files. The summary is not read:
//! its best rate was that of the fastest process, not of an iteration (hpc/ior #183, #300, until 3.3), and for some time
//! that of the next operation (#381).

use fsarena_model::{Bytes, DurablePoint, Nanos, Traits, Workload};
use serde::Deserialize;

use crate::mpi::{self, AROUND, MpiOutput, MpiProcess, MpiProgram, MpiStart};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Mdtest {
    /// What is timed.
    pub operation: Operation,
    /// Processes on each machine.
    pub processes: u32,
    #[serde(default)]
    pub start: MpiStart,
    /// Files of each process (`-n`).
    pub files: u64,
    /// Bytes of each file (`-w`, `-e`).
    #[serde(default)]
    pub size: Bytes,
    /// Whether all processes work in one directory; otherwise each has its own (`-u`).
    #[serde(default)]
    pub shared: bool,
    /// Whether what is read is compared with what was written (`-X`), within the timer.
    #[serde(default)]
    pub verify: bool,
    #[serde(skip)]
    durable: DurablePoint,
    /// Whether the files are in the job's directory.
    #[serde(skip)]
    has_files: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Making files and writing them.
    Create,
    /// stat(2) of the files of another process.
    Stat,
    /// Reading the files of another process.
    Read,
    /// Removing the files of another process.
    Delete,
}

impl Operation {
    /// The program's name for it.
    fn phase(self) -> &'static str {
        match self {
            Self::Create => "File creation",
            Self::Stat => "File stat",
            Self::Read => "File read",
            Self::Delete => "File removal",
        }
    }

    /// Whether it makes or removes the files.
    fn changes(self) -> bool {
        matches!(self, Self::Create | Self::Delete)
    }
}

/// Largest file, which the program holds in memory.
const LARGEST: Bytes = Bytes(1 << 30);

/// Space for the inode and the name of a file, and its last block.
const AROUND_FILE: u64 = 8 << 10;

/// Files per second that the estimate of the time assumes.
const RATE: f64 = 2000.0;

impl Mdtest {
    /// The operation that leaves the files as the timed one needs them.
    fn before(&self) -> Operation {
        if self.operation == Operation::Create { Operation::Delete } else { Operation::Create }
    }

    fn mistake(&self) -> Option<&'static str> {
        let can_be_durable = match self.durable {
            DurablePoint::None => true,
            DurablePoint::Syncfs => self.operation.changes(),
            DurablePoint::Fsync => self.operation == Operation::Create && self.size > Bytes(0),
            _ => false,
        };
        if self.files == 0 || self.size > LARGEST {
            Some("`files` is at least 1, and `size` at most 1 GiB")
        } else if self.verify && self.operation != Operation::Read {
            Some("`verify` is for reads")
        } else if self.operation == Operation::Read && self.size == Bytes(0) {
            Some("files that are read have a `size`")
        } else if !can_be_durable {
            Some("`durable` is `none`, `syncfs` for `create` and `delete`, or `fsync` for `create` with a `size`")
        } else {
            None
        }
    }
}

impl MpiProgram for Mdtest {
    const NAME: &'static str = "mdtest";
    const UNIT: &'static str = "files";
    type Operation = Operation;

    fn complete(&mut self, workload: &Workload) -> Option<&'static str> {
        self.durable = workload.durable;
        self.start.processes = self.processes;
        self.start.mistake().or_else(|| self.mistake())
    }

    /// The time is that of a run, with what is made or removed before.
    fn traits(&self) -> Traits {
        let run = AROUND + Nanos((self.amount() as f64 / RATE * 1e9) as u64);
        Traits {
            peak: Bytes(self.amount().saturating_mul(self.size.0 + AROUND_FILE)),
            extra_time: if self.operation.changes() { run + run } else { run },
            ..Traits::default()
        }
    }

    fn start(&self) -> &MpiStart {
        &self.start
    }

    fn timed(&self) -> Operation {
        self.operation
    }

    /// Files are made, or removed, unless they are as the operation needs them.
    fn missing(&self) -> Option<Operation> {
        let needs_files = self.operation != Operation::Create;
        (needs_files != self.has_files).then_some(self.before())
    }

    fn begin(&mut self, operation: Operation) {
        match operation {
            Operation::Create => self.has_files = true,
            Operation::Delete => self.has_files = false,
            Operation::Stat | Operation::Read => {}
        }
    }

    /// The program's options. `-N 1`: each process works on the files of the next one. `-Y`: sync(1) on each machine
    /// after the operation, within the timer.
    fn options(&self, operation: Operation, seed: &str) -> Vec<String> {
        let (files, size) = (self.files.to_string(), self.size.0.to_string());
        let does = match operation {
            Operation::Create => "-C",
            Operation::Stat => "-T",
            Operation::Read => "-E",
            Operation::Delete => "-r",
        };
        let fixed = ["-a", "POSIX", "-F", does, "-n", &files, "-N", "1", "-G", seed, "-d", "files"];
        let sizes = ["-w", &size, "-e", &size];
        let syncs = self.durable == DurablePoint::Syncfs || operation != self.operation;
        let flags = [
            ("-u", !self.shared),
            ("-X", self.verify && operation == Operation::Read),
            ("-y", self.durable == DurablePoint::Fsync && operation == Operation::Create),
            ("-Y", syncs && operation.changes()),
        ];
        let times = "--saveRankPerformanceDetails=/dev/stdout";
        fixed.into_iter().chain(sizes).chain(mpi::set(&flags)).chain([times]).map(str::to_owned).collect()
    }

    fn amount(&self) -> u64 {
        self.files.saturating_mul(self.start.all())
    }

    fn work(&self) -> (u64, Bytes) {
        let moved = match self.operation {
            Operation::Create | Operation::Read => self.amount().saturating_mul(self.size.0),
            Operation::Stat | Operation::Delete => 0,
        };
        (self.amount(), Bytes(moved))
    }

    fn read(text: &str, operation: Operation, processes: u64) -> Result<MpiOutput, String> {
        let phase = operation.phase();
        let column = text.lines().find_map(|line| column(line, phase));
        let lines = move || text.lines().filter_map(move |line| row(line.trim(), column?));
        let all = lines().find(|(name, _)| *name == "all").map(|(_, all)| all);
        let numbered = lines().filter_map(|(name, process)| Some((name.parse().ok()?, process)));
        let rows = mpi::complete(numbered.collect(), processes)?;
        let all = all.ok_or_else(|| format!("it wrote no time of `{phase}`"))?;
        let amount: f64 = rows.iter().map(|process| process.amount().round()).sum();
        let slowest = rows.iter().map(|process| process.seconds).fold(0.0, f64::max);
        // Times of the table have eleven digits.
        if all.seconds < slowest * (1.0 - 1e-9) {
            return Err(format!("its slowest process took {slowest} s, and all of them {} s", all.seconds));
        }
        Ok(MpiOutput { amount, seconds: all.seconds })
    }
}

/// The position of the rates of `phase` in the table whose first line this is; their times follow.
fn column(line: &str, phase: &str) -> Option<usize> {
    let names = line.trim().strip_prefix("rank,items,")?;
    let rate = names.split(',').position(|name| name.strip_prefix("rate-") == Some(phase))?;
    Some(rate + 2)
}

/// The name of a line of the table, and what it says in the column. The seconds are those without the sync.
fn row(line: &str, column: usize) -> Option<(&str, MpiProcess)> {
    let fields: Vec<&str> = line.split(',').collect();
    let process = MpiProcess { rate: mpi::field(&fields, column)?, seconds: mpi::field(&fields, column + 1)? };
    Some((fields[0], process))
}

#[cfg(test)]
mod tests;
