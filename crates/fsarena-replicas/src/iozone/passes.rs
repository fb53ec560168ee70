//! The thirteen tests of a cell, each as IOzone does it. The preparation of a test is not in its time.
//! The tests through stdio use the stdio of the C library, which is what they measure, with a buffer as large as a
//! record.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_articles::GridTest;
use fsarena_model::Nanos;
use fsarena_sys::stdio::Stream;
use fsarena_sys::{Access, clock, resident};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, SeekFrom, fsync, ftruncate, open, seek, stat, unlink};
use rustix::io::{read, write};

use super::Record;
use super::grid::GridCell;

/// Distance of the records that the stride test reads (IOzone's `STRIDE`).
const STRIDE: u64 = 17;

/// The permissions of its file.
const MODE: Mode = Mode::from_bits_retain(0o640);

/// Number of records between two checks of the stop flag.
const BATCH: u64 = 1024;

/// How the tests treat the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Care {
    /// Whether an fsync is within the timer of each test that writes, before its close (`-e`).
    pub flush: bool,
    /// Whether nothing of the file is in memory when a test begins that reads.
    pub cold: bool,
}

pub struct Passes<'a> {
    pub path: &'a Path,
    /// The sizes of the file and of its records.
    pub cell: GridCell,
    pub record: &'a mut Record,
    /// How the tests treat the page cache.
    pub care: Care,
    /// The order of the random tests; empty if there are none.
    pub order: Vec<u64>,
    /// The stop flag. A test that it ends has no flush, and its time is not used.
    pub stop: &'a AtomicBool,
}

/// The time of a test, and the time of its flush, which is a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    /// From the first record to the end of close(2).
    pub elapsed: Nanos,
    pub flush: Option<Nanos>,
}

impl Passes<'_> {
    pub fn run(&mut self, test: GridTest) -> io::Result<Timed> {
        match test {
            GridTest::Write => self.write_new(),
            GridTest::Rewrite => self.write(),
            GridTest::Read | GridTest::Reread => self.read(),
            GridTest::RandomRead => self.random_read(),
            GridTest::RandomWrite => self.random_write(),
            GridTest::BackwardRead => {
                // IOzone does this test twice, and prints the time of the first pass.
                let first = self.backward_read()?;
                self.backward_read().map(|_| first)
            }
            GridTest::RecordRewrite => self.record_rewrite(),
            GridTest::StrideRead => self.stride_read(),
            GridTest::Fwrite | GridTest::Refwrite => write_stream(self),
            GridTest::Fread | GridTest::Refread => read_stream(self),
        }
    }

    /// Checks first whether the file can be created, as IOzone does.
    fn write_new(&mut self) -> io::Result<Timed> {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        let trial = open(self.path, flags, Mode::empty())?;
        ftruncate(&trial, 0)?;
        drop(trial);
        unlink(self.path)?;
        drop(open(self.path, flags | OFlags::TRUNC, MODE)?);
        self.write()
    }

    fn write(&mut self) -> io::Result<Timed> {
        let file = self.synced(OFlags::RDWR)?;
        self.record.mark();
        self.over_records(clock::now(), file, self.care.flush, |passes, file, _| passes.write_record(file))
    }

    /// IOzone first reads one record to fill the processor's caches. This is left out if files are cold.
    fn read(&mut self) -> io::Result<Timed> {
        let file = self.synced(OFlags::RDONLY)?;
        if !self.care.cold {
            self.read_record(&file)?;
            seek(&file, SeekFrom::Start(0))?;
            self.record.fetch();
        }
        self.over_records(clock::now(), file, false, |passes, file, _| passes.read_record(file))
    }

    fn random_read(&mut self) -> io::Result<Timed> {
        let file = self.open(OFlags::RDWR | OFlags::CREATE)?;
        self.record.fetch();
        self.over_records(clock::now(), file, false, |passes, file, number| {
            seek(file, SeekFrom::Start(passes.order[number as usize] * passes.cell.record))?;
            passes.read_record(file)
        })
    }

    /// The record is marked within the timer.
    fn random_write(&mut self) -> io::Result<Timed> {
        let file = self.open(OFlags::RDWR | OFlags::CREATE)?;
        self.record.fetch();
        let begin = clock::now();
        self.record.mark();
        self.over_records(begin, file, self.care.flush, |passes, file, number| {
            seek(file, SeekFrom::Start(passes.order[number as usize] * passes.cell.record))?;
            passes.write_record(file)
        })
    }

    /// The last seek leads to a place before the beginning of the file; the kernel refuses it.
    fn backward_read(&mut self) -> io::Result<Timed> {
        let file = self.synced(OFlags::RDONLY)?;
        let begin = clock::now();
        stat(self.path)?;
        let length = self.cell.record as i64;
        seek(&file, SeekFrom::End(-length))?;
        self.over_records(begin, file, false, |passes, file, _| {
            passes.read_record(file)?;
            let _ = seek(file, SeekFrom::Current(-2 * length));
            Ok(())
        })
    }

    fn record_rewrite(&mut self) -> io::Result<Timed> {
        let file = self.synced(OFlags::RDWR | OFlags::CREATE)?;
        self.record.mark();
        self.over_records(clock::now(), file, self.care.flush, |passes, file, _| {
            passes.write_record(file)?;
            seek(file, SeekFrom::Start(0))?;
            Ok(())
        })
    }

    fn stride_read(&mut self) -> io::Result<Timed> {
        let file = self.synced(OFlags::RDONLY)?;
        let (records, mut stride) = (self.cell.records(), Stride::default());
        self.over_records(clock::now(), file, false, |passes, file, _| {
            passes.read_record(file)?;
            seek(file, SeekFrom::Start(stride.next(records) * passes.cell.record))?;
            Ok(())
        })
    }

    /// Does `each` for the number of each record, and ends the test, whose timer started at `begin`.
    fn over_records(
        &mut self,
        begin: Nanos,
        file: OwnedFd,
        flush: bool,
        mut each: impl FnMut(&mut Self, &OwnedFd, u64) -> io::Result<()>,
    ) -> io::Result<Timed> {
        for number in until_stopped(self.cell.records(), self.stop) {
            each(self, &file, number)?;
        }
        let flush = (flush && !self.is_stopped()).then(|| timed(|| Ok(fsync(&file)?))).transpose()?;
        resident::close(file)?;
        Ok(Timed { elapsed: clock::now().saturating_sub(begin), flush })
    }

    fn open(&self, flags: OFlags) -> io::Result<OwnedFd> {
        Ok(open(self.path, flags | OFlags::CLOEXEC, MODE)?)
    }

    /// Opens the file, syncs it, and brings the record into the processor's cache.
    fn synced(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let file = self.open(flags)?;
        fsync(&file)?;
        self.record.fetch();
        Ok(file)
    }

    #[inline]
    fn write_record(&mut self, file: &OwnedFd) -> io::Result<()> {
        let length = write(file, self.record.bytes())?;
        if length == self.record.bytes().len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    #[inline]
    fn read_record(&mut self, file: &OwnedFd) -> io::Result<()> {
        let length = read(file, self.record.bytes_mut())?;
        if length == self.record.bytes().len() { self.record.check() } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The numbers of all records, or those up to the end of a batch once `stop` is set. It costs half a nanosecond per
/// record; the system call of a record takes some hundred.
#[inline]
fn until_stopped(records: u64, stop: &AtomicBool) -> impl Iterator<Item = u64> + use<'_> {
    (0..records).take_while(|number| number % BATCH != 0 || !stop.load(Ordering::Relaxed))
}

fn timed(act: impl FnOnce() -> io::Result<()>) -> io::Result<Nanos> {
    let begin = clock::now();
    act()?;
    Ok(clock::now().saturating_sub(begin))
}

/// The next place of the stride test.
#[derive(Debug, Default)]
struct Stride {
    at: u64,
    /// How often the test reached the end of the file.
    turns: u64,
}

impl Stride {
    /// The record that is read next, in a file of `records` records: 17 records further on, or after the end of the
    /// file near its beginning, one record further each time. In files of 17 records or fewer it is always the first
    /// record.
    fn next(&mut self, records: u64) -> u64 {
        if self.at + 1 + STRIDE < records.saturating_sub(1) {
            self.at += STRIDE;
        } else {
            self.turns += 1;
            self.at = if records <= STRIDE { 0 } else { self.turns % records };
        }
        self.at
    }
}

/// Overwrites the whole file with fwrite(3).
fn write_stream(passes: &mut Passes<'_>) -> io::Result<Timed> {
    let mut stream = Stream::open(passes.path, Access::ReadWrite, passes.cell.record as usize)?;
    fsync(&stream)?;
    passes.record.fetch();
    passes.record.mark();
    let begin = clock::now();
    for _ in until_stopped(passes.cell.records(), passes.stop) {
        stream.write(passes.record.bytes())?;
    }
    let is_flushed = passes.care.flush && !passes.is_stopped();
    let flush = || stream.flush().and_then(|()| Ok(fsync(&stream)?));
    let flush = is_flushed.then(|| timed(flush)).transpose()?;
    stream.finish()?;
    Ok(Timed { elapsed: clock::now().saturating_sub(begin), flush })
}

/// Reads the whole file with fread(3).
fn read_stream(passes: &mut Passes<'_>) -> io::Result<Timed> {
    let mut stream = Stream::open(passes.path, Access::ReadOnly, passes.cell.record as usize)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_to_stop_ends_a_test_with_its_batch() {
        let stop = AtomicBool::new(false);
        assert_eq!(until_stopped(3000, &stop).count(), 3000);
        let wish = |number: &u64| stop.store(*number >= BATCH + 7, Ordering::Relaxed);
        assert_eq!(until_stopped(3000, &stop).inspect(wish).count() as u64, 2 * BATCH);
        assert_eq!(until_stopped(3000, &stop).count(), 0);
    }

    #[test]
    fn no_test_does_a_record_or_its_flush_after_the_stop_flag() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (path, stop) = (place.path().join("file"), AtomicBool::new(false));
        let cell = GridCell { file: 64 << 10, record: 4 << 10 };
        let (mut record, care) = (Record::new(4 << 10), Care { flush: true, cold: true });
        let order = (0..cell.records()).collect();
        let mut passes = Passes { path: &path, cell, record: &mut record, care, order, stop: &stop };
        passes.run(GridTest::Write).expect("written");
        // The file is now too short for any record: a read would fail, and a write would change its length.
        std::fs::File::options().write(true).open(&path).expect("there").set_len(4095).expect("cut");
        stop.store(true, Ordering::Relaxed);
        for test in GridTest::all().filter(|test| !matches!(test, GridTest::Write | GridTest::BackwardRead)) {
            assert_eq!(passes.run(test).expect("nothing was done").flush, None, "{test:?}");
        }
        assert_eq!(std::fs::metadata(&path).expect("there").len(), 4095);
    }

    #[test]
    fn strides_begin_one_further_after_each_turn() {
        let visited = |records: u64| {
            let mut stride = Stride::default();
            (0..7).map(|_| stride.next(records)).collect::<Vec<_>>()
        };
        assert_eq!(visited(64), [17, 34, 51, 1, 18, 35, 52]);
        assert_eq!(visited(16), [0; 7]);
        assert_eq!(visited(18), [1, 2, 3, 4, 5, 6, 7]);
    }
}
