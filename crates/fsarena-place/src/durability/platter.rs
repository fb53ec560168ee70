//! The content of a disk, as a file in memory without a name. Sectors of zeros take no memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result};
use fsarena_durability::Recording;
use fsarena_durability::log::{SECTOR, partition_table};
use fsarena_durability::states::{DiskContent, RequestPiece};
use fsarena_model::Bytes;
use rustix::fs::{FallocateFlags, fallocate};

/// An empty disk with one partition.
pub fn empty(size: Bytes) -> Result<File> {
    let file = fsarena_guest::memory("fsarena-disk")?;
    file.set_len(size.0).and_then(|()| clear(&file, size)).context("make a disk in memory")?;
    Ok(file)
}

/// Gives a disk of this size the content after a power cut.
pub fn fill(disk: &File, size: Bytes, recording: &Recording, content: &DiskContent) -> Result<()> {
    let whole = |request: usize| RequestPiece { request, first: 0, count: recording.requests()[request].sectors() };
    let mut pieces = (0..content.durable).map(whole).chain(content.pieces.iter().copied());
    let filled = clear(disk, size).and_then(|()| pieces.try_for_each(|piece| write(disk, recording.data(&piece))));
    filled.context("write a disk in memory")
}

/// Makes the disk empty, with one partition.
fn clear(disk: &File, size: Bytes) -> io::Result<()> {
    punch(disk, 0, size.0)?;
    disk.write_all_at(&partition_table(size.0 / SECTOR as u64), 0)
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
    use fsarena_durability::log::{MARKS, mark};
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
        let recording = Recording::new(requests, size).expect("sound");
        let disk = empty(size).expect("made");
        let sectors = |wanted: &[u64]| -> Vec<u8> {
            let mut byte = [0];
            let read = |sector: &u64| disk.read_exact_at(&mut byte, sector * SECTOR as u64).map(|()| byte[0]);
            wanted.iter().map(read).map(|byte| byte.expect("there")).collect()
        };
        let torn = vec![RequestPiece { request: 3, first: 1, count: 1 }];
        fill(&disk, size, &recording, &DiskContent { durable: 1, pieces: torn }).expect("written");
        assert_eq!(sectors(&[5000, 5001, 5002, 9000, 9001]), [1, 1, 1, 0, 2]);
        disk.write_all_at(&[9; SECTOR], 6000 * SECTOR as u64).expect("what a guest has written");
        fill(&disk, size, &recording, &DiskContent { durable: 3, pieces: Vec::new() }).expect("written");
        assert_eq!(sectors(&[5000, 5001, 5002, 6000, 9000, 9001]), [1, 0, 1, 0, 0, 0]);
    }
}
