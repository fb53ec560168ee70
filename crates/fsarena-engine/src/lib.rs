//! The native load generators. A new one is one file and one line in [`ENGINES`].
//!
//! An [`Engine`] checks the parameters of a workload and opens a [`Job`] on a directory. A job is prepared once, made
//! ready before each slice, and run for one slice at a time. Between runs it holds no file open, so that its file
//! system can be unmounted at any time.

pub mod contents;
mod data;
mod engines;
mod error;
mod files;
pub mod fio;
pub mod folder;
mod limit;
pub mod meter;
mod operation;
pub mod pace;
pub mod parameters;
mod program;
mod run_stats;
pub mod scratch;
mod sqlite;
mod variants;
pub mod workers;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, CacheState, Rate, Traits, Verification, Workload};
use serde::{Deserialize, Serialize};

pub use engines::Engines;
pub use error::{EngineError, Lack};
pub use folder::{sync_and_drop_caches, sync_at, unlink, write_random};
pub use limit::{Limit, go_on, watched};
pub use operation::Operation;
pub use parameters::parameters;
pub use program::{Need, starts_job};
pub use run_stats::RunStats;
pub use scratch::Scratch;

/// The native engines. `fsarena-programs` contains those that start external programs.
pub static ENGINES: &[Engine] = &[files::ENGINE, data::ENGINE, fio::ENGINE, sqlite::ENGINE];

/// The native engine with the name `name`.
pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}

/// A stop flag that is never set.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// A load generator that runs workloads: a function for each thing that it can do.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The name by which workloads refer to the engine.
    pub name: &'static str,
    /// See [`Engine::traits`].
    pub traits: fn(&Workload) -> Result<Traits, EngineError>,
    /// See [`Engine::open`].
    pub open: fn(&Workload, &Path, u64) -> Opened,
    /// Starts external programs.
    pub programs: Option<fn(&Workload) -> Programs>,
    /// Runs workloads as open loops.
    pub paced: Option<Variant<Rate>>,
    /// Runs workloads with another cache state.
    pub with_cache: Option<Variant<CacheState>>,
    /// Does the same work on a block device.
    pub on_device: Option<OnDevice>,
    /// Works in a file system that is a library.
    pub in_library: Option<InLibrary>,
    /// Works on several machines as one program.
    pub spanning: Option<Spanning>,
}

/// Makes a variant of a workload.
pub type Variant<Change> = fn(&Workload, Change) -> Result<Workload, EngineError>;

/// A job that was opened.
pub type Opened = Result<Box<dyn Job>, EngineError>;

/// Opens a job of a workload on the first bytes of a block device, with a seed.
pub type OnDevice = fn(&Workload, &Path, Bytes, u64) -> Result<Option<Box<dyn Job>>, EngineError>;

/// How an engine works in the library of a name, which is a file system within this process.
#[derive(Clone, Copy)]
pub struct InLibrary {
    /// Checks that the library can do the work.
    pub require: fn(&Workload, &'static str) -> Result<(), EngineError>,
    /// Opens a job in a library on a block device, with a seed.
    pub open: fn(&Workload, &'static str, &Path, u64) -> Opened,
}

/// How one program works on several machines at the same time, as programs with MPI do. One machine starts it.
#[derive(Clone, Copy)]
pub struct Spanning {
    /// The workload as it is launched.
    pub launched: fn(&Workload, &Launch) -> Workload,
    /// The workload of a machine that does not start the program: its job drops caches, and does not run.
    pub held: fn(&Workload) -> Workload,
}

/// How a program is started on several machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The number of machines.
    pub machines: u32,
    /// The words before the program. `{processes}` in them stands for the number of all processes.
    pub words: Vec<String>,
}

/// The external programs of a workload.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// The programs that must be installed.
    pub needs: Vec<Need>,
    /// Command lines, or lines of configuration. `LANE` stands for the directory.
    pub settings: Vec<String>,
}

impl Engine {
    /// An engine that runs its workloads as they are, in a directory, and nothing else.
    pub const fn new(
        name: &'static str,
        traits: fn(&Workload) -> Result<Traits, EngineError>,
        open: fn(&Workload, &Path, u64) -> Opened,
    ) -> Self {
        let (programs, paced, with_cache, on_device, in_library, spanning) = (None, None, None, None, None, None);
        Self { name, traits, open, programs, paced, with_cache, on_device, in_library, spanning }
    }

    /// What the plan has to know about the workload.
    ///
    /// # Errors
    /// If the workload's parameters cannot be parsed, or contradict each other.
    pub fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        (self.traits)(workload)
    }

    /// Opens a job in `directory`, which exists and is empty. Every random choice follows from `seed`.
    pub fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Opened {
        (self.open)(workload, directory, seed)
    }

    /// The external programs that the workload starts.
    pub fn programs(&self, workload: &Workload) -> Programs {
        self.programs.map(|programs| programs(workload)).unwrap_or_default()
    }

    /// Checks that the programs of the workload are installed.
    ///
    /// # Errors
    /// [`EngineError::NoProgram`] for the first that is not.
    pub fn require(&self, workload: &Workload) -> Result<(), EngineError> {
        match self.programs(workload).needs.into_iter().find(|need| need.path().is_none()) {
            None => Ok(()),
            Some(Need { program, package, .. }) => {
                let lack = match Path::new(program) {
                    _ if !program.contains('/') || !package.is_empty() => Lack::Package,
                    path if path.is_file() => Lack::Permission,
                    _ => Lack::File,
                };
                Err(EngineError::NoProgram { workload: workload.name.to_string(), program, package, lack })
            }
        }
    }

    /// The variant of the workload that runs as an open loop at `rate`. It has its own name.
    ///
    /// # Errors
    /// If the engine cannot keep a rate, or not in this workload.
    pub fn paced(&self, workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
        let (name, engine) = (workload.name.to_string(), self.name.to_owned());
        self.paced.ok_or(EngineError::NotPaced { workload: name, engine })?(workload, rate)
    }

    /// The variant of the workload with another cache state, named `NAME@cold` or `NAME@warm`.
    ///
    /// # Errors
    /// If the workload does not read existing files through the page cache, or has that cache state already.
    pub fn with_cache(&self, workload: &Workload, cache: CacheState) -> Result<Workload, EngineError> {
        self.with_cache.ok_or_else(|| variants::one_cache(workload, variants::NO_READS))?(workload, cache)
    }

    /// Checks that `library` can do the work.
    ///
    /// # Errors
    /// [`EngineError::NoLibrary`] if the engine makes system calls, and others.
    pub fn require_library(&self, workload: &Workload, library: &'static str) -> Result<(), EngineError> {
        let ability = self.in_library.ok_or_else(|| EngineError::no_library(workload, library))?;
        (ability.require)(workload, library)
    }

    /// Opens a job in a new directory within `library`, which works on the block device `device`. Nothing has the
    /// device open before and after a run.
    ///
    /// # Errors
    /// As [`Engine::traits`], and if the library cannot do the work.
    pub fn open_in_library(&self, workload: &Workload, library: &'static str, device: &Path, seed: u64) -> Opened {
        let ability = self.in_library.ok_or_else(|| EngineError::no_library(workload, library))?;
        (ability.open)(workload, library, device, seed)
    }

    /// The same work without a file system, as a measure of the device: the same blocks, depth, calls, mix, pattern and
    /// workers, with direct I/O and a flush for each sync. The job may overwrite the first `size` bytes of the block
    /// device. `None` if the work does not reach the device, or is not possible on a device.
    ///
    /// The result is a ceiling for a file system that passes requests to its device unchanged. The page cache passes
    /// data on in other sizes, earlier or later, so that a file system may be faster than this.
    ///
    /// # Errors
    /// As [`Engine::traits`].
    pub fn open_on_device(
        &self,
        workload: &Workload,
        device: &Path,
        size: Bytes,
        seed: u64,
    ) -> Result<Option<Box<dyn Job>>, EngineError> {
        self.on_device.map_or(Ok(None), |open| open(workload, device, size, seed))
    }
}

/// Untimed work of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Upkeep {
    /// Makes what the workload needs, once.
    Prepare,
    /// Takes over the files that a job of the same [`SharedFiles`](fsarena_model::traits::SharedFiles) has made in this
    /// directory, instead of [`Upkeep::Prepare`]. Only jobs of workloads that share files are asked for it.
    Adopt,
    /// Makes what the next slice uses up, and removes what the last slice left.
    Reset,
    /// Reads the data that the workload expects in memory, as far as they fit. It is called within the memory limit of
    /// the workload, so that the pages belong to the workload.
    WarmUp,
    /// Asks the kernel to drop the job's files from memory, for file systems that cannot be remounted. The kernel need
    /// not comply.
    DropCaches,
    /// Starts programs that run along with the work, such as a server, after the file system was remounted.
    Begin,
    /// Ends the programs that [`Upkeep::Begin`] started. It is called after each [`Job::run`] that did not fail.
    End,
    /// Undoes what the work did outside of its directory: after everything else, also if a part failed or the run is
    /// stopped. It has a short time limit of its own, and no `stop`.
    CleanUp,
}

/// What there is to know before the next run of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextRun {
    /// Bytes of page cache that it newly fills. This much memory is made ready before it, untimed.
    pub fills: Bytes,
    /// Whether the thread that calls [`Job::run`] does all the work. It may then be kept on one processor.
    pub is_alone: bool,
    /// Whether it continues to read where the last run stopped, in data that are still cold. It then needs no remount.
    pub reads_on: bool,
    /// Whether [`Job::verify`] can check the state after it.
    pub verifies: bool,
}

impl NextRun {
    /// As by default, but other threads or processes work as well.
    pub fn not_alone() -> Self {
        Self { is_alone: false, ..Self::default() }
    }
}

impl Default for NextRun {
    /// One thread, which fills no memory, reads nothing that must be cold, and leaves nothing to check.
    fn default() -> Self {
        Self { fills: Bytes(0), is_alone: true, reads_on: false, verifies: false }
    }
}

/// A workload in one directory. All methods that take a `stop` and may take long end soon after it is set, with any
/// error.
pub trait Job {
    /// Does untimed work. A job does nothing for those that mean nothing to it.
    ///
    /// # Errors
    /// If the file system returns an error, or a program does not start or end.
    fn upkeep(&mut self, _upkeep: Upkeep, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// What there is to know before the next run.
    fn next_run(&self) -> NextRun {
        NextRun::default()
    }

    /// Works until `limit`, or until no work is left, and adds the results to `stats`.
    ///
    /// # Errors
    /// If the file system returns an error.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError>;

    /// Compares the contents of `directory` with the expected state after the run. The file system has been unmounted
    /// since.
    ///
    /// # Errors
    /// If the directory cannot be read at all. A file that cannot be read is a difference.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }
}
