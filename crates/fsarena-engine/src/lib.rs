//! The native load generators. A new one is one file and one line in [`ENGINES`].
//!
//! An [`Engine`] checks the parameters of a workload and opens a [`Job`] on a directory. A job is prepared once, made
//! ready before each slice, and run for one slice at a time. Between runs it holds no file open, so that its file
//! system can be unmounted at any time.

mod blogbench;
mod bork;
mod contents;
mod data;
mod error;
mod files;
pub mod fio;
mod folder;
mod iozone;
mod limit;
mod meter;
mod operation;
mod pace;
mod parameters;
mod program;
mod run_stats;
pub mod scratch;
mod sequence;
mod sqlite;
mod sysbench;
#[cfg(test)]
mod tests;
mod tiotest;
mod variants;
mod workers;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_library::Library;
use fsarena_model::{Bytes, CacheState, Rate, Traits, Verification, Workload};

pub use error::EngineError;
pub use folder::{drop_cached_below, renew as renew_folder, sync_and_drop_caches, unlink};
pub use limit::{Limit, go_on, watched};
pub use operation::Operation;
pub use parameters::{parameters, parameters_up_to};
pub use program::{Need, pid_namespace, starts_job};
pub use run_stats::RunStats;
pub use scratch::Scratch;
pub use sysbench::text as sysbench_text;

/// The native engines. `fsarena-programs` contains those that start external programs, and knows all engines.
pub static ENGINES: &[&dyn Engine] = &[
    &files::Files,
    &data::Data,
    &fio::Fio,
    &sqlite::Sqlite,
    &sysbench::Sysbench,
    &iozone::Iozone,
    &sequence::Sequence,
    &bork::Bork,
    &tiotest::Tiotest,
    &blogbench::Blogbench,
];

/// The engine with the name `name`.
pub fn engine(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

/// A stop flag that is never set.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// A load generator that runs workloads.
pub trait Engine: Sync {
    /// The name by which workloads refer to the engine.
    fn name(&self) -> &'static str;

    /// What the plan has to know about the workload.
    ///
    /// # Errors
    /// If the workload's parameters cannot be parsed, or contradict each other.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError>;

    /// The variant of the workload that runs as an open loop at `rate`. It has its own name.
    ///
    /// # Errors
    /// If the engine cannot keep a rate, or not in this workload.
    fn paced(&self, workload: &Workload, _rate: Rate) -> Result<Workload, EngineError> {
        Err(EngineError::NotPaced { workload: workload.name.to_string(), engine: self.name().to_owned() })
    }

    /// The variant of the workload with another cache state, named `NAME@cold` or `NAME@warm`.
    ///
    /// # Errors
    /// If the workload does not read existing files through the page cache, or has that cache state already.
    fn with_cache(&self, workload: &Workload, _cache: CacheState) -> Result<Workload, EngineError> {
        Err(variants::one_cache(workload))
    }

    /// The programs that the workload needs.
    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        Vec::new()
    }

    /// Checks that the machine has what the engine needs.
    ///
    /// # Errors
    /// If something is missing.
    fn require(&self, workload: &Workload) -> Result<(), EngineError> {
        match self.needs(workload).into_iter().find(|need| need.path().is_none()) {
            None => Ok(()),
            Some(Need { program, package, .. }) => {
                Err(EngineError::NoProgram { workload: workload.name.to_string(), program, package })
            }
        }
    }

    /// The settings of the programs that it starts: command lines, or lines of configuration. `LANE` stands for their
    /// directory.
    fn settings(&self, _workload: &Workload) -> Vec<String> {
        Vec::new()
    }

    /// Opens a job in `directory`, which exists and is empty. Every random choice follows from `seed`.
    ///
    /// # Errors
    /// As [`Engine::traits`].
    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError>;

    /// Checks that `library` can do the work. Engines that make system calls refuse every library.
    ///
    /// # Errors
    /// [`EngineError::NoLibrary`] by default.
    fn require_library(&self, workload: &Workload, library: Library) -> Result<(), EngineError> {
        Err(EngineError::no_library(workload, library))
    }

    /// Opens a job in a new directory within `library`, which works on the block device `device`. Nothing has the
    /// device open before and after a run.
    ///
    /// # Errors
    /// As [`Engine::require_library`] and [`Engine::traits`].
    fn open_in_library(
        &self,
        workload: &Workload,
        library: Library,
        _device: &Path,
        _seed: u64,
    ) -> Result<Box<dyn Job>, EngineError> {
        Err(EngineError::no_library(workload, library))
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
    fn open_on_device(
        &self,
        _workload: &Workload,
        _device: &Path,
        _size: Bytes,
        _seed: u64,
    ) -> Result<Option<Box<dyn Job>>, EngineError> {
        Ok(None)
    }
}

/// A workload in one directory. All methods that take a `stop` and may take long end soon after it is set, with any
/// error.
pub trait Job {
    /// Makes what the workload needs, once. Untimed.
    ///
    /// # Errors
    /// If the file system returns an error.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError>;

    /// Takes over the files that a job of the same [`SharedFiles`](fsarena_model::traits::SharedFiles) has made in this
    /// directory. Called instead of [`Job::prepare`].
    ///
    /// # Errors
    /// If a file is missing, or the file system returns an error.
    fn adopt(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.prepare(stop)
    }

    /// Makes what the next slice uses up, and removes what the last slice left. Untimed.
    ///
    /// # Errors
    /// If the file system returns an error.
    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Reads the data that the workload expects in memory, as far as they fit. Untimed. It is called within the memory
    /// limit of the workload, so that the pages belong to the workload.
    ///
    /// # Errors
    /// If a file cannot be read.
    fn warm_up(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Bytes of page cache that a slice newly fills. This much memory is made ready before the slice, untimed.
    fn fills(&self) -> Bytes {
        Bytes(0)
    }

    /// Whether the thread that calls [`Job::run`] does all the work. It may then be kept on one processor.
    fn is_alone(&self) -> bool {
        true
    }

    /// Whether the next run continues to read where the last one stopped, in data that are still cold. It then needs no
    /// remount.
    fn reads_on(&self) -> bool {
        false
    }

    /// Asks the kernel to drop the job's files from memory, for file systems that cannot be remounted. The kernel need
    /// not comply.
    ///
    /// # Errors
    /// If a file cannot be opened.
    fn drop_caches(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Whether the job can check the state after a run.
    fn verifies(&self) -> bool {
        false
    }

    /// Compares the contents of `directory` with the expected state after the run. The file system has been unmounted
    /// since.
    ///
    /// # Errors
    /// If the directory cannot be read at all. A file that cannot be read is a difference.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }

    /// Starts programs that run along with the work, such as a server. Untimed, and after the file system was
    /// remounted.
    ///
    /// # Errors
    /// If a program does not start.
    fn begin(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Ends the programs that [`Job::begin`] started. Untimed. It is called after each [`Job::run`] that did not fail.
    ///
    /// # Errors
    /// If a program does not end.
    fn end(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Works until `limit`, or until no work is left, and adds the results to `stats`.
    ///
    /// # Errors
    /// If the file system returns an error.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError>;
}
