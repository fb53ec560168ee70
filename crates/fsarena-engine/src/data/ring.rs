//! Work with io_uring: many operations in flight, submitted and reaped in batches.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use fsarena_model::Nanos;
use fsarena_sys::clock;
use fsarena_sys::uring::{Ring, Transfer};

use super::ground::OpenFiles;
use super::places::FilePart;
use super::worker::{DataWorker, SyncClock};
use crate::contents::Marker;
use crate::meter::Meter;
use crate::workers::Timer;
use crate::{EngineError, Operation};

pub fn on_existing(worker: &mut DataWorker, open: &OpenFiles, timer: Timer<'_>) -> Result<(), EngineError> {
    let mut flight = Flight::new(worker, open)?;
    let mut meter = timer.start()?;
    flight.work(worker, open, &mut meter)?;
    meter.stop();
    worker.contents.marker = flight.marker;
    Ok(())
}

/// Writes a new file and makes it durable. The file is created before the timer starts, since the ring has to register
/// it.
pub fn on_new(worker: &mut DataWorker, open: &mut OpenFiles, path: &Path, timer: Timer<'_>) -> Result<(), EngineError> {
    open.files.push(worker.make(path)?);
    on_existing(worker, open, timer)
}

struct Flight {
    ring: Ring,
    depth: usize,
    marker: Marker,
    clock: SyncClock,
    /// The use of each buffer. The first `depth` buffers are for reads, the others hold the data of writes.
    uses: Vec<Use>,
    next_read: usize,
    next_write: usize,
    /// Bytes of each operation.
    block: usize,
}

/// What to do when no more operations can be launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// More operations, as soon as some have ended or are due.
    More,
    /// A sync, once all have ended.
    Sync,
    /// Nothing: the run ends.
    End,
}

#[derive(Debug, Clone, Copy)]
struct Use {
    operation: Operation,
    begin: Nanos,
}

impl Flight {
    fn new(worker: &DataWorker, open: &OpenFiles) -> Result<Self, EngineError> {
        let recipe = worker.contents.recipe;
        let depth = worker.parameters.depth as usize;
        let block = worker.parameters.block_size as usize;
        let writes = if worker.parameters.writes() { (recipe.pool() / block).max(2 * depth) } else { 0 };
        let files = open.files.iter().map(|file| file.try_clone()).collect::<Result<_, _>>();
        let files = files.map_err(EngineError::io("duplicate a descriptor"))?;
        let ring = Ring::new(files, depth as u32, depth + writes, block);
        let mut ring = ring.map_err(EngineError::io("set up io_uring"))?;
        recipe.fill(&mut ring.memory()[depth * block..]);
        let idle = Use { operation: Operation::Read, begin: Nanos(0) };
        Ok(Self {
            ring,
            depth,
            marker: worker.contents.marker.clone(),
            clock: SyncClock::of(&worker.parameters),
            uses: vec![idle; depth + writes],
            next_read: 0,
            next_write: depth,
            block,
        })
    }

    /// The inner loop: launches operations, submits them, waits for one, and reaps all that have ended.
    fn work(&mut self, worker: &mut DataWorker, open: &OpenFiles, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let mut now = meter.at();
        loop {
            let next = self.fill_up(worker, meter, now);
            now = match next {
                Next::Sync => {
                    self.land_all(meter)?;
                    worker.sync(open, meter)?;
                    meter.at()
                }
                Next::More | Next::End if self.ring.flying() > 0 => {
                    self.submit(meter, now, next)?;
                    let now = clock::now();
                    self.land(meter, now)?;
                    now
                }
                Next::More if meter.wait_until_due() => clock::now(),
                Next::More | Next::End => break,
            };
        }
        worker.sync_at_end(&self.clock, open, meter)
    }

    /// Launches operations up to the depth; in an open loop only those that are due.
    #[inline]
    fn fill_up(&mut self, worker: &mut DataWorker, meter: &mut Meter<'_>, now: Nanos) -> Next {
        while self.ring.flying() < self.depth {
            if meter.is_over() {
                return Next::End;
            }
            if meter.has_begun_all() || meter.until_due(now).is_some_and(|left| left > Nanos(0)) {
                return Next::More;
            }
            let Some(place) = worker.places.next() else { return Next::End };
            let operation = worker.operation();
            self.launch(operation, place, meter.take_start(now));
            if operation == Operation::Write && self.clock.wrote() {
                return Next::Sync;
            }
        }
        Next::More
    }

    #[inline]
    fn launch(&mut self, operation: Operation, place: FilePart, begin: Nanos) {
        let (transfer, buffer) = match operation {
            // There are at least twice as many as operations in flight, so that contents repeat as late as possible.
            Operation::Write => (Transfer::Write, free(&self.ring, self.depth..self.uses.len(), &mut self.next_write)),
            // There are as many as operations in flight.
            _ => (Transfer::Read, free(&self.ring, 0..self.depth, &mut self.next_read)),
        };
        if transfer == Transfer::Write {
            self.marker.mark(self.ring.buffer(buffer));
        }
        self.uses[buffer] = Use { operation, begin };
        self.ring.push(transfer, place.file, place.offset, buffer, self.block);
    }

    /// Submits, and waits for one operation. An open loop that may launch more waits only until the next operation is
    /// due.
    #[inline]
    fn submit(&mut self, meter: &Meter<'_>, now: Nanos, next: Next) -> Result<(), EngineError> {
        let due = meter.until_due(now).filter(|_| self.ring.flying() < self.depth && next == Next::More);
        let done = match due {
            None => self.ring.submit(1),
            Some(left) => self.ring.submit_for(Duration::from(left)),
        };
        done.map_err(EngineError::io("io_uring_enter"))
    }

    /// Reaps all operations that have ended.
    #[inline]
    fn land(&mut self, meter: &mut Meter<'_>, now: Nanos) -> Result<(), EngineError> {
        while let Some(ended) = self.ring.reap() {
            let Use { operation, begin } = self.uses[ended.buffer];
            let bytes = ended.result.map_err(EngineError::io(operation.name()))?;
            if bytes as usize != self.block {
                let short = std::io::Error::other(format!("{bytes} of {} bytes", self.block));
                return Err(EngineError::io(operation.name())(short));
            }
            meter.done_at(now, operation, begin, self.block as u64);
        }
        Ok(())
    }

    fn land_all(&mut self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        while self.ring.flying() > 0 {
            self.ring.submit(1).map_err(EngineError::io("io_uring_enter"))?;
            self.land(meter, clock::now())?;
        }
        Ok(())
    }
}

/// A buffer among `buffers` that is not in flight. They are used in turn, from `next` on.
#[inline]
fn free(ring: &Ring, buffers: Range<usize>, next: &mut usize) -> usize {
    loop {
        let buffer = *next;
        *next = if buffer + 1 < buffers.end { buffer + 1 } else { buffers.start };
        if !ring.is_in_flight(buffer) {
            return buffer;
        }
    }
}
