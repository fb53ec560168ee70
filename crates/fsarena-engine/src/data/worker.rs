//! One worker: its places, its contents, and the files that it opens for a run.

use std::fs::File;
use std::path::Path;

use fsarena_model::seed::generator;
use fsarena_model::{DurablePoint, Workload};

use super::files::Opening;
use super::ground::{DataGround, OpenFiles};
use super::parameters::{DataParameters, Work};
use super::places::{FileParts, below};
use crate::contents::Contents;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

pub struct DataWorker {
    pub parameters: DataParameters,
    durable: DurablePoint,
    opening: Opening,
    pub ground: DataGround,
    pub number: u32,
    pub places: FileParts,
    pub contents: Contents,
    /// Bytes that the largest run so far has read or written.
    pub most_moved: u64,
}

impl DataWorker {
    /// Worker `number` of those that share `ground`.
    pub fn new(
        workload: &Workload,
        parameters: &DataParameters,
        ground: &DataGround,
        seed: u64,
        number: u32,
        contents: Contents,
    ) -> Self {
        let random = generator(seed, "offsets", &[u64::from(number)]);
        let places = FileParts::new(parameters, random, ground.stretch(parameters, number));
        Self {
            durable: workload.durable,
            opening: Opening::of(workload, parameters),
            ground: ground.clone(),
            number,
            places,
            contents,
            most_moved: 0,
            parameters: parameters.clone(),
        }
    }

    /// Whether a run has begun a pass through the files, and twice the bytes of the largest run are left.
    pub fn has_enough(&self) -> bool {
        let enough = |(passed, left): (u64, u64)| passed > 0 && left >= self.most_moved.saturating_mul(2);
        self.places.passed_and_left().is_some_and(enough)
    }

    /// Chooses the next operation: a read, a write or a trim.
    #[inline]
    pub fn operation(&mut self) -> Operation {
        match self.parameters.operation {
            Work::Read => Operation::Read,
            Work::Write => Operation::Write,
            Work::Trim => Operation::Trim,
            Work::Mixed => {
                let reads = below(self.places.random(), 100) < u64::from(self.parameters.read_percent);
                if reads { Operation::Read } else { Operation::Write }
            }
        }
    }

    /// Makes all writes so far durable if the workload is synced by calls; inside the timer.
    pub fn sync(&self, open: &OpenFiles, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let Some(call) = Operation::sync_of(self.durable) else { return Ok(()) };
        match call {
            Operation::Syncfs => open.folder.iter().try_for_each(folder::sync)?,
            _ => open.files.iter().try_for_each(|file| folder::sync_file(file, call))?,
        }
        meter.also(call);
        Ok(())
    }

    /// Makes the last writes durable, unless a sync came right after them.
    pub fn sync_at_end(&self, clock: &SyncClock, open: &OpenFiles, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        if clock.every == 0 || clock.since > 0 { self.sync(open, meter) } else { Ok(()) }
    }

    pub fn open_existing(&self) -> Result<OpenFiles, EngineError> {
        let DataParameters { files, shared, .. } = self.parameters;
        let first = if shared { 0 } else { self.number * files };
        self.ground.open_existing(self.opening, first..first + files)
    }

    /// Moves to the beginning of a new file. On a device, this is the next stretch.
    pub fn begin_new(&mut self) {
        self.places.begin(&self.parameters);
        match self.ground.stretch(&self.parameters, self.number) {
            None => self.places.rewind(),
            Some(stretch) => self.places.move_on(&stretch.own, self.parameters.file_size),
        }
    }

    /// Creates a new file. A device is opened instead.
    pub fn make(&self, path: &Path) -> Result<File, EngineError> {
        if self.ground.folder().is_some() { self.opening.new_file(path) } else { self.opening.existing(path) }
    }
}

/// Counts the writes until a sync is due.
pub struct SyncClock {
    /// 0: only at the end.
    every: u32,
    since: u64,
}

impl SyncClock {
    /// The interval that the workload asks for.
    pub fn of(parameters: &DataParameters) -> Self {
        Self { every: parameters.sync_every, since: 0 }
    }

    /// Counts one more write. Returns whether a sync is due.
    #[inline]
    pub fn wrote(&mut self) -> bool {
        self.since += 1;
        let is_due = self.since == u64::from(self.every);
        if is_due {
            self.since = 0;
        }
        is_due
    }
}
