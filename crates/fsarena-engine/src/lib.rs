//! The native load generators. A new one is one file and one line in [`ENGINES`].
//!
//! An [`Engine`] checks a workload's parameters and opens a [`Job`] on a directory; a job is prepared once, made ready
//! before each slice, and run for a slice at a time. Between runs it holds no file open, so that its file system can
//! be unmounted at any time.

mod blogbench;
mod bork;
mod cached;
mod cage;
mod contents;
mod crew;
mod data;
mod dawdle;
mod error;
mod files;
pub mod fio;
mod folder;
mod forget;
#[cfg(test)]
mod fuzz;
mod iozone;
mod limit;
mod load;
mod meter;
mod need;
mod operation;
mod pace;
mod paced;
mod parameters;
pub mod scratch;
mod sequence;
mod shell;
mod size;
mod sqlite;
mod starts;
mod sysbench;
mod tally;
mod tiotest;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_library::Library;
use fsarena_model::{Bytes, CacheState, Nanos, Rate, Verification, Workload};

pub use cage::words as cage;
pub use error::EngineError;
pub use folder::{renew as renew_folder, unlink};
pub use forget::forget_below;
pub use limit::{Limit, go_on, watched};
pub use need::Need;
pub use operation::Operation;
pub use parameters::{parameters, parameters_up_to};
pub use scratch::Scratch;
pub use starts::starts_job;
pub use sysbench::text as sysbench_text;
pub use tally::Tally;

/// The native engines; those that start programs of somebody else are in `fsarena-apps`, which knows all.
pub static ENGINES: &[&dyn Engine] = &[
    &files::Files,
    &data::Data,
    &fio::Fio,
    &shell::Shell,
    &sqlite::Sqlite,
    &sysbench::Sysbench,
    &iozone::Iozone,
    &sequence::Sequence,
    &bork::Bork,
    &tiotest::Tiotest,
    &blogbench::Blogbench,
];

/// The engine of that name.
pub fn engine(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

/// Nobody wants to stop.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// Something that can do workloads.
pub trait Engine: Sync {
    /// The name that a workload gives.
    fn name(&self) -> &'static str;

    /// The most data that the workload keeps at a time.
    ///
    /// # Errors
    /// If the workload's parameters are not understood, or contradict each other.
    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError>;

    /// The block that direct I/O is done in, if the workload does direct I/O.
    ///
    /// # Errors
    /// As [`Engine::demand`].
    fn direct_block(&self, _workload: &Workload) -> Result<Option<Bytes>, EngineError> {
        Ok(None)
    }

    /// The workload done again as an open loop at `rate`, under a name of its own.
    ///
    /// # Errors
    /// If the engine can keep no rate, or not in this workload.
    fn paced(&self, workload: &Workload, _rate: Rate) -> Result<Workload, EngineError> {
        Err(EngineError::NotPaced { workload: workload.name.to_string(), engine: self.name().to_owned() })
    }

    /// The workload with its data elsewhere when it reads them, under a name of its own: `NAME@cold` or `NAME@warm`.
    ///
    /// # Errors
    /// If it does not read files that are there through the page cache, or if its data are there already.
    fn with_cache(&self, workload: &Workload, _cache: CacheState) -> Result<Workload, EngineError> {
        Err(cached::refused(workload))
    }

    /// How long a run takes beside the time that the workload names, about; nothing to speak of for most.
    fn adds(&self, _workload: &Workload) -> Nanos {
        Nanos(0)
    }

    /// The programs that the workload needs.
    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        Vec::new()
    }

    /// Refuses a machine that lacks what the engine needs.
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

    /// What the programs that it starts are told, as command lines or lines of their configuration; `LANE` is where they work.
    fn settings(&self, _workload: &Workload) -> Vec<String> {
        Vec::new()
    }

    /// The program that does the work, where the engine does not do it itself.
    fn program(&self) -> Option<&'static str> {
        None
    }

    /// How many programs a run starts, where that may be most of its time.
    fn starts(&self, _workload: &Workload) -> Option<u64> {
        None
    }

    /// The files that [`Job::prepare`] makes, if another workload may work on the same ones.
    fn layout(&self, _workload: &Workload) -> Option<Layout> {
        None
    }

    /// A job in `directory`, which exists and is empty; every random choice follows from `seed`.
    ///
    /// # Errors
    /// As [`Engine::demand`].
    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError>;

    /// Refuses work that no library of a file system can do, since it makes system calls.
    ///
    /// # Errors
    /// [`EngineError::NoLibrary`] by default.
    fn require_library(&self, workload: &Workload, library: Library) -> Result<(), EngineError> {
        Err(EngineError::no_library(workload, library))
    }

    /// A job in a directory `directory` of its own within `library`, which works on the block device `device`. Nothing has the device
    /// open before and after a run.
    ///
    /// # Errors
    /// As [`Engine::require_library`] and [`Engine::demand`].
    fn open_in_library(
        &self,
        workload: &Workload,
        library: Library,
        _device: &Path,
        _seed: u64,
    ) -> Result<Box<dyn Job>, EngineError> {
        Err(EngineError::no_library(workload, library))
    }

    /// The same work without a file system, for what the device itself can do: the same blocks, depth, calls, mix, pattern and
    /// workers, direct, and with a flush for each sync, on a block device whose first `size` bytes are ours to overwrite.
    /// `None` where the device has no part in the work, or where there is no such work on a device.
    ///
    /// It is a ceiling for what a file system hands to its device as it comes. What goes through the page cache is handed on
    /// in other pieces, further ahead or later: a file system may then be faster than this.
    ///
    /// # Errors
    /// As [`Engine::demand`].
    fn open_on_device(
        &self,
        _workload: &Workload,
        _device: &Path,
        _size: Bytes,
        _seed: u64,
    ) -> Result<Option<Box<dyn Job>>, EngineError> {
        Ok(None)
    }

    /// Whether the same work on a tmpfs says what it costs apart from file system and device. It does not where tmpfs does it in
    /// another way: what comes by io_uring it leaves to threads of the kernel, since it cannot say that it would not wait
    /// (`FMODE_NOWAIT` in the kernel's io_uring/rw.c), and that takes longer than any disk's file system does.
    fn has_floor_in_memory(&self, _workload: &Workload) -> bool {
        true
    }

    /// Whether it also syncs outside of its timer, so that its device's flushes are not those of its time.
    fn syncs_untimed(&self, _workload: &Workload) -> bool {
        false
    }
}

/// The files that a workload finds when it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// What they are, in words: the same words, the same files but for random contents.
    pub files: String,
    /// Whether the workload leaves them as they were.
    pub lasts: bool,
}

/// A workload at work in one directory. All that takes a `stop` and may take long ends soon once that is set, with any
/// error.
pub trait Job {
    /// Makes what the workload needs, once; untimed.
    ///
    /// # Errors
    /// If the file system refuses.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError>;

    /// Instead of [`Job::prepare`]: takes over the files that a job of the same [`Layout`] has made in this directory.
    ///
    /// # Errors
    /// If a file is missing, or the file system refuses.
    fn adopt(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.prepare(stop)
    }

    /// Makes what the next slice uses up, and takes away what the last one left; untimed.
    ///
    /// # Errors
    /// If the file system refuses.
    fn refill(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Reads into memory what the workload means to be there, as far as it fits; untimed. It is called within the workload's
    /// memory limit, so that the pages are the work's own.
    ///
    /// # Errors
    /// If a file cannot be read.
    fn warm(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// How much of the page cache a slice fills anew; so much memory is made ready before it, untimed.
    fn fills(&self) -> Bytes {
        Bytes(0)
    }

    /// Whether all of its work is done by the thread that calls [`Job::run`], which may then be kept on one processor.
    fn is_alone(&self) -> bool {
        true
    }

    /// Whether the next run reads on where the last one stopped, in what is still as cold as it was: it then needs no
    /// further remount.
    fn reads_on(&self) -> bool {
        false
    }

    /// Asks the kernel to drop the job's files from memory, for where they cannot be mounted again; it need not obey.
    ///
    /// # Errors
    /// If a file cannot be opened.
    fn chill(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Whether it knows what should be there after a run.
    fn verifies(&self) -> bool {
        false
    }

    /// Compares what is in `directory` with what should be there after the run; the file system has been unmounted since.
    ///
    /// # Errors
    /// If the directory cannot be read at all; a file that cannot be read is a difference.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }

    /// Starts what has to run beside the work, such as a server; untimed, and after the file system was mounted again.
    ///
    /// # Errors
    /// If it does not start.
    fn begin(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Ends it; untimed. It is called after each [`Job::run`] that did not fail.
    ///
    /// # Errors
    /// If it does not end.
    fn end(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// Works until `limit` or until there is nothing left to do, and counts into `tally`.
    ///
    /// # Errors
    /// If the file system refuses.
    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError>;
}
