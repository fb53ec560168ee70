//! The job: lays out the files, and runs its workers on them.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, CacheState, Mode, Workload};

use super::files;
use super::ground::{self, DataGround, OpenFiles};
use super::parameters::{Calls, DataParameters, FilesOfWork, Work};
use super::worker::DataWorker;
use super::{plain, ring};
use crate::contents::Contents;
use crate::workers::{Timer, Worker, WorkerStyle, Workers};
use crate::{EngineError, Job, Limit, NextRun, RunStats, Upkeep, folder};

/// Estimate of the bytes of page cache that a first slice fills, before its speed is known.
const FIRST_SLICE: u64 = 128 << 20;

pub struct DataJob {
    workload: Workload,
    parameters: DataParameters,
    ground: DataGround,
    seed: u64,
    workers: Workers<DataWorker>,
}

impl DataJob {
    /// A job whose places and contents follow from `seed`.
    pub fn new(workload: &Workload, parameters: DataParameters, ground: DataGround, seed: u64) -> Self {
        let contents = Contents::new(files::recipe(&parameters, seed), 0);
        let worker = |number| DataWorker::new(workload, &parameters, &ground, seed, number, contents.of_worker(number));
        // A fault in a mapping may end the process: see `fsarena_sys::mapping`.
        let is_apart = parameters.processes > 1 || parameters.calls == Calls::Mmap;
        let style = if is_apart { WorkerStyle::Processes } else { WorkerStyle::Threads };
        let workers = Workers::new((0..parameters.workers()).map(worker), style);
        Self { workload: workload.clone(), parameters, ground, seed, workers }
    }

    /// Paths of the existing files. A device has none.
    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.ground.folder().into_iter().flat_map(|folder| files::existing(&self.parameters, folder))
    }

    fn set_rates(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let cold = self.ground.folder().filter(|_| self.workload.cache == CacheState::Cold);
        self.parameters.load().keep(&mut self.workers, stop, |workers| {
            workers.workers().for_each(|worker| worker.places.rewind());
            cold.map_or(Ok(()), |folder| folder::drop_all_cached(folder, stop))
        })
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match &self.ground {
            DataGround::Folder(folder) => files::lay_out_existing(&self.parameters, folder, self.seed, stop)?,
            DataGround::Device { path, .. } => ground::require_unused(path)?,
        }
        self.warm_up(stop)?;
        self.set_rates(stop)
    }

    fn adopt(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let Some(folder) = self.ground.folder() else { return self.prepare(stop) };
        // Direct writes to data in memory would have to drop them from there first.
        folder::drop_all_cached(folder, stop)?;
        self.warm_up(stop)?;
        self.set_rates(stop)
    }

    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if let (Work::Trim, Some(folder)) = (self.parameters.operation, self.ground.folder()) {
            for path in self.paths() {
                std::fs::remove_file(&path).map_err(EngineError::io("remove a file"))?;
            }
            files::lay_out_existing(&self.parameters, folder, self.seed, stop)?;
        }
        if !self.parameters.repeat && !self.reads_on() {
            self.workers.workers().for_each(|worker| worker.places.rewind());
        }
        Ok(())
    }

    fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match self.workload.cache {
            CacheState::Warm => self.paths().try_for_each(|path| files::remember(&path, stop)),
            CacheState::Cold | CacheState::Direct => Ok(()),
        }
    }

    fn fills(&self) -> Bytes {
        if !self.parameters.fills_memory(self.workload.cache) {
            return Bytes(0);
        }
        let most = self.parameters.demand();
        if self.workload.mode == Mode::Whole || self.workload.timed_ms == 0 {
            return most;
        }
        match self.workers.total(|worker| worker.most_moved) {
            0 => Bytes(FIRST_SLICE.min(most.0)),
            // Later slices reuse the memory that the first slices filled and freed.
            _ if self.parameters.target() == FilesOfWork::New => Bytes(0),
            seen => Bytes((seen + seen / 2).min(most.0)),
        }
    }

    /// Slices of cold sequential reads are parts of one pass. Each slice reads data that were not read before.
    fn reads_on(&self) -> bool {
        let Workload { mode, cache, timed_ms, .. } = &self.workload;
        let in_parts = (*mode, *cache) == (Mode::Sliced, CacheState::Cold) && *timed_ms > 0 && !self.parameters.repeat;
        in_parts && self.parameters.operation == Work::Read && self.workers.all(DataWorker::has_enough)
    }
}

impl Job for DataJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::Adopt => self.adopt(stop),
            Upkeep::Reset => self.reset(stop),
            Upkeep::WarmUp => self.warm_up(stop),
            Upkeep::DropCaches => self.ground.folder().map_or(Ok(()), |folder| folder::drop_all_cached(folder, stop)),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun {
            fills: self.fills(),
            reads_on: self.reads_on(),
            is_alone: self.workers.is_alone(),
            ..NextRun::default()
        }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.workers.run(limit, stats)
    }
}

impl DataWorker {
    fn on_existing(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let open = self.open_existing()?;
        match self.parameters.calls {
            Calls::Sync => plain::on_existing(self, &open, timer),
            Calls::IoUring => ring::on_existing(self, &open, timer),
            Calls::Mmap => plain::on_mapped(self, &open, timer),
        }
    }

    /// Makes one file after the other, and removes each outside the timer before the next, which then reuses the same
    /// memory. All files are written whole: the limit is checked between them.
    fn on_new(&mut self, Timer { mut entry, limit, mut pace, stats }: Timer<'_>) -> Result<(), EngineError> {
        let path = self.ground.new_file(self.number);
        let before = stats.elapsed;
        let mut open = OpenFiles { files: Vec::new(), folder: self.ground.open_folder()? };
        let whole = Limit { time: None, ..*limit };
        for _ in 0..self.parameters.files {
            self.begin_new();
            let timer = Timer { entry: entry.take(), limit: &whole, pace: pace.as_deref_mut(), stats: &mut *stats };
            match self.parameters.calls {
                Calls::IoUring => ring::on_new(self, &mut open, &path, timer),
                _ => plain::on_new(self, &mut open, &path, timer),
            }?;
            open.files.clear();
            if self.ground.folder().is_some() {
                std::fs::remove_file(&path).map_err(EngineError::io("remove the file"))?;
            }
            if limit.is_reached(stats.elapsed.saturating_sub(before)) {
                break;
            }
        }
        Ok(())
    }
}

impl Worker for DataWorker {
    fn files(&self) -> u64 {
        u64::from(self.parameters.files) + 4
    }

    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        self.places.begin(&self.parameters);
        let Timer { entry, limit, pace, stats } = timer;
        let before = stats.bytes;
        let timer = Timer { entry, limit, pace, stats: &mut *stats };
        let done = match self.parameters.target() {
            FilesOfWork::Existing => self.on_existing(timer),
            FilesOfWork::New => self.on_new(timer),
        };
        self.most_moved = self.most_moved.max(stats.bytes.saturating_sub(before));
        done
    }

    fn position(&mut self) -> Vec<u64> {
        let [come, random] = self.places.position();
        vec![come, random, self.contents.marker.counter]
    }

    fn resume(&mut self, position: &[u64]) {
        if let [come, random, marked] = *position {
            self.places.resume([come, random]);
            self.contents.marker.counter = marked;
        }
    }
}
