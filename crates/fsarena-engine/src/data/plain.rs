//! Work with pread(2), pwrite(2), fallocate(2) and mapped memory: one operation at a time.

use std::fs::File;
use std::path::Path;

use fsarena_sys::mapping::Mapping;
use fsarena_sys::{Access, AlignedBuffer};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::{self, pread, pwrite};

use super::ground::OpenFiles;
use super::places::FilePart;
use super::worker::{DataWorker, SyncClock};
use crate::meter::Meter;
use crate::workers::Timer;
use crate::{EngineError, Operation};

pub fn on_existing(worker: &mut DataWorker, open: &OpenFiles, timer: Timer<'_>) -> Result<(), EngineError> {
    let mut buffer = AlignedBuffer::new(worker.parameters.block_size as usize);
    work(worker, open, timer.start()?, |worker, operation, place| match operation {
        Operation::Read => read(open, place, &mut buffer),
        Operation::Write => write(worker, open, place),
        _ => trim(open, place, worker.parameters.block_size),
    })
}

/// Creates a file, writes it and makes it durable, all inside the timer.
pub fn on_new(worker: &mut DataWorker, open: &mut OpenFiles, path: &Path, timer: Timer<'_>) -> Result<(), EngineError> {
    let mut meter = timer.start()?;
    open.files.push(worker.make(path)?);
    meter.also(if worker.ground.folder().is_some() { Operation::Create } else { Operation::Open });
    work(worker, open, meter, |worker, _, place| write(worker, open, place))
}

/// Works on the open files, mapped into memory: an operation is a copy. Its cost is that of page faults and write-back.
/// The work runs in a separate process, because an access to a page that cannot be read ends the process.
pub fn on_mapped(worker: &mut DataWorker, open: &OpenFiles, timer: Timer<'_>) -> Result<(), EngineError> {
    let mut buffer = AlignedBuffer::new(worker.parameters.block_size as usize);
    let access = if worker.parameters.writes() { Access::ReadWrite } else { Access::ReadOnly };
    let length = worker.parameters.file_size as usize;
    let map = |file| Mapping::new(file, length, access).map_err(EngineError::io("mmap"));
    let mut mappings = open.files.iter().map(map).collect::<Result<Vec<_>, _>>()?;
    work(worker, open, timer.start()?, |worker, operation, place| {
        let mapping = &mut mappings[place.file as usize];
        match operation {
            Operation::Read => mapping.read(place.offset, &mut buffer),
            _ => mapping.write(place.offset, worker.contents.piece(buffer.len())),
        }
        Ok(())
    })
}

/// The inner loop. `transfer` does one operation. Measured (callgrind): see `make bench-engine`.
#[inline]
fn work(
    worker: &mut DataWorker,
    open: &OpenFiles,
    mut meter: Meter<'_>,
    mut transfer: impl FnMut(&mut DataWorker, Operation, &FilePart) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut clock = SyncClock::of(&worker.parameters);
    let block = worker.parameters.block_size;
    while !meter.is_over() {
        let Some(place) = worker.places.next() else { break };
        let Some(begin) = meter.begin() else { break };
        let operation = worker.operation();
        transfer(worker, operation, &place)?;
        meter.done(operation, begin, block);
        if operation == Operation::Write && clock.wrote() {
            worker.sync(open, &mut meter)?;
        }
    }
    worker.sync_at_end(&clock, open, &mut meter)?;
    meter.stop();
    Ok(())
}

#[inline(always)]
fn read(open: &OpenFiles, place: &FilePart, buffer: &mut [u8]) -> Result<(), EngineError> {
    let file = &open.files[place.file as usize];
    match pread(file, &mut *buffer, place.offset) {
        Ok(bytes) if bytes == buffer.len() => Ok(()),
        other => read_the_rest(file, place.offset, buffer, other),
    }
}

/// A read may be cut short, by a signal for example.
#[cold]
#[inline(never)]
fn read_the_rest(file: &File, offset: u64, buffer: &mut [u8], first: io::Result<usize>) -> Result<(), EngineError> {
    let mut done = first.map_err(EngineError::io("read"))?;
    while done < buffer.len() {
        let bytes = pread(file, &mut buffer[done..], offset + done as u64).map_err(EngineError::io("read"))?;
        if bytes == 0 {
            return Err(EngineError::io("read")(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
        }
        done += bytes;
    }
    Ok(())
}

#[inline]
fn write(worker: &mut DataWorker, open: &OpenFiles, place: &FilePart) -> Result<(), EngineError> {
    let file = &open.files[place.file as usize];
    let piece = worker.contents.piece(worker.parameters.block_size as usize);
    let mut done = 0;
    while done < piece.len() {
        let bytes = pwrite(file, &piece[done..], place.offset + done as u64).map_err(EngineError::io("write"))?;
        if bytes == 0 {
            return Err(EngineError::io("write")(std::io::Error::from(std::io::ErrorKind::WriteZero)));
        }
        done += bytes;
    }
    Ok(())
}

fn trim(open: &OpenFiles, place: &FilePart, length: u64) -> Result<(), EngineError> {
    let file = &open.files[place.file as usize];
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    fallocate(file, flags, place.offset, length).map_err(EngineError::io("punch a hole"))
}
