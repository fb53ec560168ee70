//! Parameters of a workload of the engine `mdtest`.

use fsarena_engine::EngineError;
use fsarena_model::{Bytes, DurablePoint, Nanos, Workload};
use serde::Deserialize;

use super::Files;
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
    /// As in the workload.
    #[serde(skip, default = "nothing")]
    durable: DurablePoint,
}

/// What is timed.
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
    pub fn phase(self) -> &'static str {
        match self {
            Self::Create => "File creation",
            Self::Stat => "File stat",
            Self::Read => "File read",
            Self::Delete => "File removal",
        }
    }

    /// The files that exist before.
    pub(super) fn needs(self) -> Files {
        match self {
            Self::Create => Files::None,
            Self::Stat | Self::Read | Self::Delete => Files::All,
        }
    }

    /// The files that exist afterwards; `None`: the same as before.
    pub(super) fn leaves(self) -> Option<Files> {
        match self {
            Self::Create => Some(Files::All),
            Self::Delete => Some(Files::None),
            Self::Stat | Self::Read => None,
        }
    }

    fn changes(self) -> bool {
        self.leaves().is_some()
    }
}

fn nothing() -> DurablePoint {
    DurablePoint::None
}

/// Largest file, which the program holds in memory.
const LARGEST: Bytes = Bytes(1 << 30);

/// Space for the inode and the name of a file, and its last block.
const AROUND_FILE: u64 = 8 << 10;

/// Files per second that the estimate of the time assumes.
const RATE: f64 = 2000.0;

/// Estimated time to start and end the program.
const AROUND: Nanos = Nanos::millis(700);

impl Parameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they are not understood, or contradict each other.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::parameters::<Self>(workload)?;
        let start = Start { processes: parameters.processes, ..parameters.start };
        let parameters = Self { durable: workload.durable, start, ..parameters };
        let mistake = parameters.mistake();
        mistake.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    fn mistake(&self) -> Option<&'static str> {
        if let Some(mistake) = self.start.mistake() {
            Some(mistake)
        } else if self.files == 0 || self.size > LARGEST {
            Some("`files` is at least 1, and `size` at most 1 GiB")
        } else if self.verify && self.operation != Operation::Read {
            Some("`verify` is for reads")
        } else if self.operation == Operation::Read && self.size == Bytes(0) {
            Some("files that are read have a `size`")
        } else {
            self.mistake_of_durability()
        }
    }

    fn mistake_of_durability(&self) -> Option<&'static str> {
        match self.durable {
            DurablePoint::None => None,
            DurablePoint::Syncfs if self.operation.changes() => None,
            DurablePoint::Fsync if self.operation == Operation::Create && self.size > Bytes(0) => None,
            _ => Some("`durable` is `none`, `syncfs` for `create` and `delete`, or `fsync` for `create` with a `size`"),
        }
    }

    /// Files of all processes.
    pub fn all(&self) -> u64 {
        self.files.saturating_mul(self.start.all())
    }

    /// Bytes that a run writes or reads.
    pub fn moved(&self) -> Bytes {
        match self.operation {
            Operation::Create | Operation::Read => Bytes(self.all().saturating_mul(self.size.0)),
            Operation::Stat | Operation::Delete => Bytes(0),
        }
    }

    /// Space that the files take.
    pub fn demand(&self) -> Bytes {
        Bytes(self.all().saturating_mul(self.size.0 + AROUND_FILE))
    }

    /// Estimated duration of a run, with what is made or removed before.
    pub fn about(&self) -> Nanos {
        let run = AROUND + Nanos((self.all() as f64 / RATE * 1e9) as u64);
        if self.operation.changes() { run + run } else { run }
    }

    /// What the program does in a trial.
    pub fn operations(&self) -> impl Iterator<Item = Operation> + use<> {
        let before = match self.operation {
            Operation::Create => Operation::Delete,
            Operation::Stat | Operation::Read | Operation::Delete => Operation::Create,
        };
        [before, self.operation].into_iter()
    }

    /// The program's options. `-N 1`: each process works on the files of the next one. `-Y`: sync(1) on each machine
    /// after the operation, within the timer.
    pub fn options(&self, operation: Operation, seed: &str) -> Vec<String> {
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
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag);
        let times = "--saveRankPerformanceDetails=/dev/stdout";
        fixed.into_iter().chain(sizes).chain(flags).chain([times]).map(str::to_owned).collect()
    }
}
