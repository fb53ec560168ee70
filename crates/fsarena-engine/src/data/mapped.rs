//! Files mapped into memory: an operation is a copy. Its cost is that of page faults and write-back.
//!
//! The work runs in a separate process, because an access to a page that cannot be read ends the process.

use fsarena_sys::AlignedBuffer;
use fsarena_sys::mapping::{Access, Mapping};

use super::worker::{DataWorker, Direction, Open, SyncClock};
use crate::meter::Meter;
use crate::pace::Pace;
use crate::workers::Entry;
use crate::{EngineError, Limit, Operation, RunStats};

/// Works on the open files.
pub fn on_existing(
    worker: &mut DataWorker,
    open: &Open,
    entry: Entry<'_>,
    limit: &Limit<'_>,
    pace: &mut Pace,
    stats: &mut RunStats,
) -> Result<(), EngineError> {
    let mut buffer = AlignedBuffer::new(worker.parameters.longest() as usize);
    let mut clock = SyncClock::of(&worker.parameters);
    let access = if worker.parameters.writes() { Access::ReadWrite } else { Access::Read };
    let length = worker.parameters.file_size as usize;
    let map = |file| Mapping::new(file, length, access).map_err(EngineError::io("mmap"));
    let mut mappings = open.files.iter().map(map).collect::<Result<Vec<_>, _>>()?;
    let start = entry.pass()?;
    let mut meter = Meter::start(start, limit, pace, stats);
    work(worker, open, &mut mappings, &mut buffer, &mut clock, &mut meter)?;
    if clock.ends_with_one() {
        worker.sync(open, &mut meter)?;
    }
    meter.stop();
    Ok(())
}

fn work(
    worker: &mut DataWorker,
    open: &Open,
    mappings: &mut [Mapping],
    buffer: &mut [u8],
    clock: &mut SyncClock,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    while !meter.is_over() {
        let Some(place) = worker.places.next() else { break };
        let Some(begin) = meter.begin() else { break };
        let mapping = &mut mappings[place.file as usize];
        if worker.direction() == Direction::Read {
            let buffer = &mut buffer[..place.length];
            mapping.read(place.offset, buffer);
            meter.done(Operation::Read, begin, place.length as u64);
            worker.verify(buffer, &place)?;
        } else {
            let home = worker.home(&place);
            mapping.write(place.offset, worker.contents.piece(place.length, home));
            meter.done(Operation::Write, begin, place.length as u64);
            if clock.wrote() {
                worker.sync(open, meter)?;
            }
        }
    }
    Ok(())
}
