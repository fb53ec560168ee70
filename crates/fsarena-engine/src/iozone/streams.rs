//! The tests through stdio. They use the stdio of the C library, which is what they measure, with a buffer as large as
//! a record.

use std::fs::File;
use std::io;

use fsarena_sys::clock;
use fsarena_sys::stdio::{Access, Stream};
use rustix::fs::fsync;

use super::passes::{Passes, Timed, timed, until_stopped};

/// Overwrites the whole file with fwrite(3).
pub fn write(passes: &mut Passes<'_>) -> io::Result<Timed> {
    let mut stream = Stream::open(passes.path, Access::Update, passes.cell.record as usize)?;
    fsync(&stream)?;
    passes.record.fetch();
    passes.record.mark();
    let begin = clock::now();
    for _ in until_stopped(passes.cell.records(), passes.stop) {
        stream.write(passes.record.bytes())?;
    }
    let is_flushed = passes.care.flush && !passes.is_stopped();
    let flush = if is_flushed { Some(timed(|| flushed(&mut stream))?) } else { None };
    stream.finish()?;
    Ok(Timed { elapsed: clock::now().saturating_sub(begin), flush })
}

fn flushed(stream: &mut Stream) -> io::Result<()> {
    stream.flush()?;
    Ok(fsync(stream)?)
}

/// Reads the whole file with fread(3).
pub fn read(passes: &mut Passes<'_>) -> io::Result<Timed> {
    let mut stream = Stream::open(passes.path, Access::Read, passes.cell.record as usize)?;
    fsync(File::open(passes.path)?)?;
    passes.record.fetch();
    let begin = clock::now();
    for _ in until_stopped(passes.cell.records(), passes.stop) {
        stream.read(passes.record.bytes_mut())?;
        passes.record.check()?;
    }
    stream.finish()?;
    Ok(Timed { elapsed: clock::now().saturating_sub(begin), flush: None })
}
