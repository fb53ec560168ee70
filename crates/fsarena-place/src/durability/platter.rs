//! Contents of disks, as files in memory without a name. Sectors of zeros take no memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result};
use fsarena_durability::Recording;
use fsarena_durability::log::{SECTOR, partition_table};
use fsarena_durability::states::Piece;
use fsarena_model::Bytes;
use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};
use rustix::io::Errno;

/// Bytes that are copied at once.
const CHUNK: usize = 1 << 20;

/// An empty disk with one partition.
pub fn empty(size: Bytes) -> Result<File> {
    let file = fsarena_guest::memory("fsarena-disk")?;
    let make = || {
        file.set_len(size.0)?;
        file.write_all_at(&partition_table(size.0 / SECTOR as u64), 0)
    };
    make().context("make a disk in memory")?;
    Ok(file)
}

/// What is durable on a disk at a point of its recording.
pub struct Platter {
    file: File,
    size: Bytes,
    /// Number of requests that are on it.
    requests: usize,
}

impl Platter {
    /// The disk before the recording.
    pub fn new(size: Bytes) -> Result<Self> {
        Ok(Self { file: empty(size)?, size, requests: 0 })
    }

    /// Adds the requests up to number `durable`, which never decreases.
    pub fn advance(&mut self, recording: &Recording, durable: usize) -> Result<()> {
        for request in self.requests..durable {
            let count = recording.requests()[request].sectors();
            write(&self.file, recording.data(&Piece { request, first: 0, count })).context("write a disk in memory")?;
        }
        self.requests = self.requests.max(durable);
        Ok(())
    }

    /// Gives `disk` this content, and these pieces of later requests.
    pub fn copy_to(&self, disk: &File, recording: &Recording, pieces: &[Piece]) -> Result<()> {
        let copy = || {
            punch(disk, 0, self.size.0)?;
            let (mut end, mut buffer) = (0, vec![0; CHUNK]);
            while let Some((from, to)) = extent(&self.file, end)? {
                for at in (from..to).step_by(CHUNK) {
                    let part = &mut buffer[..CHUNK.min((to - at) as usize)];
                    self.file.read_exact_at(part, at)?;
                    disk.write_all_at(part, at)?;
                }
                end = to;
            }
            pieces.iter().try_for_each(|piece| write(disk, recording.data(piece)))
        };
        copy().context("write a disk in memory")
    }
}

/// The first part of a file at or after `from` that is no hole.
fn extent(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    match seek(file, SeekFrom::Data(from)) {
        Ok(begin) => Ok(Some((begin, seek(file, SeekFrom::Hole(begin))?))),
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write(file: &File, (at, data): (u64, &[u8])) -> io::Result<()> {
    match data.iter().all(|byte| *byte == 0) {
        true if data.is_empty() => Ok(()),
        true => punch(file, at, data.len() as u64),
        false => file.write_all_at(data, at),
    }
}

fn punch(file: &File, at: u64, length: u64) -> io::Result<()> {
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, length)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_durability::log::{Log, MARKS, mark};
    use fsarena_durability::{Request, RequestKind};

    #[test]
    fn a_disk_has_what_is_durable_and_what_survives() {
        let write = |sector, data: Vec<u8>| Request { kind: RequestKind::Write, sector, data };
        let requests = vec![
            write(5000, vec![1; 3 * SECTOR]),
            write(5001, vec![0; SECTOR]),
            write(MARKS, mark(0)),
            write(9000, vec![2; 2 * SECTOR]),
        ];
        let size = Bytes::mib(8);
        let recording = Recording::new(Log(requests), size).expect("sound");
        let mut platter = Platter::new(size).expect("made");
        let disk = empty(size).expect("made");
        let sectors = |wanted: &[u64]| -> Vec<u8> {
            let mut byte = [0];
            let read = |sector: &u64| disk.read_exact_at(&mut byte, sector * SECTOR as u64).map(|()| byte[0]);
            wanted.iter().map(read).map(|byte| byte.expect("there")).collect()
        };
        platter.advance(&recording, 1).expect("written");
        let torn = [Piece { request: 3, first: 1, count: 1 }];
        platter.copy_to(&disk, &recording, &torn).expect("copied");
        assert_eq!(sectors(&[5000, 5001, 5002, 9000, 9001]), [1, 1, 1, 0, 2]);
        platter.advance(&recording, 3).expect("written");
        disk.write_all_at(&[9; SECTOR], 6000 * SECTOR as u64).expect("what a guest has written");
        platter.copy_to(&disk, &recording, &[]).expect("copied");
        assert_eq!(sectors(&[5000, 5001, 5002, 6000, 9000, 9001]), [1, 0, 1, 0, 0, 0]);
    }
}
