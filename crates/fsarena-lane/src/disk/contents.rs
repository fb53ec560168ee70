//! Reads what is on a disk, and writes the two marks of fsarena.
//!
//! A disk in use has a label: each block of its first and of its last MiB names the run. A released disk has release
//! marks in the same places and at the samples between. Each mark contains its own offset; a block counts as marked
//! only if all its bytes match.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use fsarena_sys::loopdev::FileExtent;
use fsarena_sys::{AlignedBuffer, fault};
use serde::{Deserialize, Serialize};

/// Bytes of a block: direct I/O supports this size on every device.
const BLOCK: u64 = 4096;

/// Bytes at each end of a disk that are read and marked in full, and are never part of a lane.
pub const EDGE: u64 = 1 << 20;

/// Time for reading what lies between the samples of a user's disk.
pub const LOOK: Duration = Duration::from_secs(5);

const PIECE: u64 = 1 << 20;

/// Number of blocks that are read and marked between the two ends.
const SAMPLES: u64 = 256;

const RELEASED: &[u8; 16] = b"fsarena released";
const OCCUPIED: &[u8; 16] = b"fsarena occupied";

/// The lanes on a disk: of equal size, one after the other, starting after the first MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneLayout {
    /// Bytes of each lane.
    pub lane_size: u64,
    /// Number of lanes.
    pub lanes: u64,
}

impl LaneLayout {
    /// Position of lane `index`.
    pub fn lane(self, index: u64) -> FileExtent {
        FileExtent { offset: EDGE + index * self.lane_size, size: self.lane_size }
    }

    /// Bytes of a disk that has room for the lanes and both edges; `None` on overflow.
    pub fn needed(self) -> Option<u64> {
        self.lane_size.checked_mul(self.lanes)?.checked_add(2 * EDGE)
    }
}

/// Describes the data on a disk of `size` bytes; `None` if there are only zeros and release marks, as far as it was
/// read. Reads both edges and the samples, and then all of it as far as the time `look` allows, unless fsarena has
/// released it: between the marks of a released disk lies what was on its lanes.
pub fn data(disk: &File, size: u64, look: Duration) -> io::Result<Option<String>> {
    let places = places(size)?;
    let start = FileExtent { offset: 0, size: BLOCK };
    let is_released = find(disk, start, |block, offset| *block == released(offset))?.is_some();
    let begin = Instant::now();
    let everything = (!is_released).then(|| pieces(size)).into_iter().flatten();
    for extent in places.into_iter().chain(everything.take_while(|_| begin.elapsed() < look)) {
        if let Some(offset) = find(disk, extent, |block, offset| !is_empty(block, offset))? {
            let label = find(disk, FileExtent { offset, size: BLOCK.min(size - offset) }, |block, _| {
                block.starts_with(OCCUPIED)
            })?;
            let whose = if label.is_some() { " (the label of a run of fsarena that has not ended)" } else { "" };
            return Ok(Some(format!("there is data at byte {offset}{whose}")));
        }
    }
    Ok(None)
}

/// The whole disk, piece by piece, in an order that covers it evenly from the start.
fn pieces(size: u64) -> impl Iterator<Item = FileExtent> {
    let count = size.div_ceil(PIECE);
    // Multiples of a step without a common divisor reach each piece once; those of the golden section spread best.
    let shared = |step: u64| (2..=step.min(count)).any(|it| step.is_multiple_of(it) && count.is_multiple_of(it));
    let golden = (count as f64 * 0.618) as u64;
    let step = (golden.max(1)..).find(|step| !shared(*step)).unwrap_or(1);
    let piece = move |index: u64| {
        let offset = (u128::from(index) * u128::from(step) % u128::from(count.max(1))) as u64 * PIECE;
        FileExtent { offset, size: PIECE.min(size - offset) }
    };
    (0..count).map(piece)
}

fn is_empty(block: &[u8], offset: u64) -> bool {
    block.iter().all(|byte| *byte == 0) || *block == released(offset)[..block.len()]
}

/// Offset of the first block in `extent` for which `is_it` is true.
fn find(disk: &File, extent: FileExtent, is_it: impl Fn(&[u8], u64) -> bool) -> io::Result<Option<u64>> {
    let buffer = read(disk, extent)?;
    let mut blocks = buffer.chunks(BLOCK as usize).zip((extent.offset..).step_by(BLOCK as usize));
    Ok(blocks.find(|(block, offset)| is_it(block, *offset)).map(|(_, offset)| offset))
}

fn read(disk: &File, extent: FileExtent) -> io::Result<AlignedBuffer> {
    let mut buffer = AlignedBuffer::new(extent.size as usize);
    let read = disk.read_exact_at(&mut buffer, extent.offset);
    read.map_err(|error| {
        io::Error::new(error.kind(), format!("it cannot be read at byte {}: {error}", extent.offset))
    })?;
    Ok(buffer)
}

/// All places that are read, and marked at the release: the first edge, the last edge and the samples. The last edge is
/// longer if the disk does not consist of whole blocks.
fn places(size: u64) -> io::Result<Vec<FileExtent>> {
    let whole = size / BLOCK * BLOCK;
    let between = whole.checked_sub(2 * EDGE).filter(|between| *between >= BLOCK);
    let between = between.ok_or_else(|| io::Error::other(format!("it has {size} bytes only")))?;
    let (first, last) =
        (FileExtent { offset: 0, size: EDGE }, FileExtent { offset: whole - EDGE, size: EDGE + size - whole });
    let sample = |index| EDGE + (between - BLOCK) / BLOCK * index / (SAMPLES - 1) * BLOCK;
    let mut offsets: Vec<u64> = (0..SAMPLES).map(sample).collect();
    offsets.dedup();
    let samples = offsets.into_iter().map(|offset| FileExtent { offset, size: BLOCK });
    Ok([first, last].into_iter().chain(samples).collect())
}

/// The block at `offset` of a released disk.
fn released(offset: u64) -> [u8; BLOCK as usize] {
    stamped(RELEASED, offset)
}

/// The block at `offset` of the label of the run `token`.
fn occupied(offset: u64, token: &str, layout: LaneLayout) -> [u8; BLOCK as usize] {
    let mut block = stamped(OCCUPIED, offset);
    let words = format!("{token} {} lanes of {} from {EDGE}\n", layout.lanes, layout.lane_size);
    let length = words.len().min(block.len() - 24);
    block[24..24 + length].copy_from_slice(&words.as_bytes()[..length]);
    block
}

fn stamped(magic: &[u8; 16], offset: u64) -> [u8; BLOCK as usize] {
    let mut block = [0; BLOCK as usize];
    block[..16].copy_from_slice(magic);
    block[16..24].copy_from_slice(&offset.to_le_bytes());
    block
}

/// Writes the label of the run `token` into both edges. The disk then belongs to this run.
pub fn occupy(disk: &File, size: u64, token: &str, layout: LaneLayout) -> io::Result<()> {
    for edge in places(size)?.into_iter().take(2) {
        fault::step("write disk-label")?;
        write(disk, edge, |offset| occupied(offset, token, layout))?;
    }
    disk.sync_all()
}

fn write(disk: &File, extent: FileExtent, block: impl Fn(u64) -> [u8; BLOCK as usize]) -> io::Result<()> {
    let mut buffer = AlignedBuffer::new(extent.size as usize);
    for (piece, offset) in buffer.chunks_mut(BLOCK as usize).zip((extent.offset..).step_by(BLOCK as usize)) {
        piece.copy_from_slice(&block(offset)[..piece.len()]);
    }
    disk.write_all_at(&buffer, extent.offset)
}

/// Owner of a disk, according to its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The run: its label is complete, or the rest of the label is empty because the run died while it wrote it.
    Run,
    /// No run: the run died before it wrote the label, or after it removed it.
    NoRun,
    /// Another program: there is data that neither the run nor a release wrote.
    Other,
}

/// Determines whether the disk still belongs to the run `token`.
pub fn owner(disk: &File, size: u64, token: &str, layout: LaneLayout) -> io::Result<Owner> {
    let is_own = |block: &[u8], offset: u64| *block == occupied(offset, token, layout)[..block.len()];
    let mut has_label = false;
    for edge in places(size)?.into_iter().take(2) {
        if find(disk, edge, |block, offset| !is_own(block, offset) && !is_empty(block, offset))?.is_some() {
            return Ok(Owner::Other);
        }
        has_label |= find(disk, edge, is_own)?.is_some();
    }
    Ok(if has_label { Owner::Run } else { Owner::NoRun })
}

/// Releases the disk: zeroes both ends of each lane, with all signatures, and writes release marks. The first part of
/// the label is overwritten last, so that an interrupted release can be repeated.
pub fn release(disk: &File, size: u64, layout: LaneLayout) -> io::Result<()> {
    for lane in (0..layout.lanes).map(|index| layout.lane(index)) {
        let length = EDGE.min(lane.size);
        fault::step("wipe lane")?;
        for offset in [lane.offset, lane.offset + lane.size - length] {
            write(disk, FileExtent { offset, size: length }, |_| [0; BLOCK as usize])?;
        }
    }
    let places = places(size)?;
    fault::step("write release-marks")?;
    places[2..].iter().try_for_each(|sample| write(disk, *sample, released))?;
    for edge in [places[1], places[0]] {
        disk.sync_all()?;
        fault::step("write release-marks")?;
        write(disk, edge, released)?;
    }
    disk.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = (16 << 20) + 512;
    const LAYOUT: LaneLayout = LaneLayout { lane_size: 4 << 20, lanes: 3 };

    fn disk() -> File {
        let file = tempfile::tempfile().expect("temporary file");
        file.set_len(SIZE).expect("sparse");
        file
    }

    fn is_free(disk: &File) -> bool {
        data(disk, SIZE, LOOK).expect("readable").is_none()
    }

    fn whose(disk: &File) -> Owner {
        owner(disk, SIZE, "run", LAYOUT).expect("readable")
    }

    #[test]
    fn samples_are_apart_within_the_disk_and_cover_both_ends() {
        for size in [2 * EDGE + BLOCK, SIZE, 1 << 40, (1 << 40) - 512] {
            let places = places(size).expect("large enough");
            assert_eq!((places[0].offset, places[0].size), (0, EDGE));
            assert_eq!(places[1].offset + places[1].size, size);
            assert!(places[1].size >= EDGE && places[1].size < EDGE + BLOCK);
            let samples = &places[2..];
            assert!(samples.windows(2).all(|pair| pair[0].offset + BLOCK <= pair[1].offset), "{size}");
            assert_eq!(samples[0].offset, EDGE);
            assert_eq!(samples[samples.len() - 1].offset + BLOCK, places[1].offset);
            assert!(size < 1 << 30 || samples.len() as u64 == SAMPLES);
        }
        assert!(places(2 * EDGE).is_err());
    }

    #[test]
    fn a_single_byte_where_it_is_read_is_data() {
        for place in places(SIZE).expect("large enough") {
            for offset in [place.offset, place.offset + place.size - 1] {
                let disk = disk();
                disk.write_all_at(&[1], offset).expect("written");
                assert_eq!(
                    data(&disk, SIZE, LOOK).expect("readable"),
                    Some(format!("there is data at byte {}", offset / BLOCK * BLOCK))
                );
            }
        }
    }

    #[test]
    fn each_piece_is_read_once_and_any_byte_of_a_small_disk_is_found() {
        for size in [1, PIECE, SIZE, (6 << 30) + 512] {
            let mut offsets: Vec<u64> = pieces(size).map(|piece| piece.offset / PIECE).collect();
            offsets.sort_unstable();
            assert_eq!(offsets, (0..size.div_ceil(PIECE)).collect::<Vec<_>>(), "{size}");
            assert_eq!(pieces(size).map(|piece| piece.size).sum::<u64>(), size);
        }
        for offset in [EDGE + BLOCK, SIZE / 2 + 12345] {
            let disk = disk();
            disk.write_all_at(&[1], offset).expect("written");
            let found = Some(format!("there is data at byte {}", offset / BLOCK * BLOCK));
            assert_eq!(data(&disk, SIZE, LOOK).expect("readable"), found);
            assert_eq!(data(&disk, SIZE, Duration::ZERO).expect("readable"), None, "only samples were read");
        }
    }

    #[test]
    fn an_unreadable_disk_does_not_count_as_empty() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let unreadable = File::create(folder.path().join("disk")).expect("made");
        unreadable.set_len(SIZE).expect("sparse");
        assert!(data(&unreadable, SIZE, LOOK).is_err() && owner(&unreadable, SIZE, "run", LAYOUT).is_err());
    }

    #[test]
    fn a_disk_is_labelled_used_released_and_free_again() {
        let disk = disk();
        assert_eq!(whose(&disk), Owner::NoRun);
        occupy(&disk, SIZE, "run", LAYOUT).expect("written");
        assert_eq!(whose(&disk), Owner::Run);
        assert!(!is_free(&disk));
        assert_eq!(owner(&disk, SIZE, "another", LAYOUT).expect("readable"), Owner::Other);
        for lane in 0..LAYOUT.lanes {
            let FileExtent { offset, size } = LAYOUT.lane(lane);
            disk.write_all_at(&vec![7; size as usize], offset).expect("written");
        }
        assert_eq!(whose(&disk), Owner::Run, "lanes do not reach into the label");
        release(&disk, SIZE, LAYOUT).expect("written");
        assert!(is_free(&disk));
        assert_eq!(whose(&disk), Owner::NoRun);
        for lane in 0..LAYOUT.lanes {
            let FileExtent { offset, size } = LAYOUT.lane(lane);
            for offset in [offset, offset + size - EDGE] {
                assert_eq!(
                    find(&disk, FileExtent { offset, size: EDGE }, |block, _| block[0] == 7).expect("read"),
                    None
                );
            }
        }
    }

    #[test]
    fn a_label_of_which_only_a_part_was_written_is_the_runs_unless_something_else_is_there() {
        let disk = disk();
        occupy(&disk, SIZE, "run", LAYOUT).expect("written");
        disk.write_all_at(&vec![0; EDGE as usize / 2], 0).expect("written");
        assert_eq!(whose(&disk), Owner::Run);
        disk.write_all_at(b"precious", 512).expect("written");
        assert_eq!(whose(&disk), Owner::Other);
    }

    #[test]
    fn a_mark_that_was_moved_or_changed_is_data() {
        let disk = disk();
        release(&disk, SIZE, LAYOUT).expect("written");
        for (offset, bytes) in [(0, &released(BLOCK)[..]), (BLOCK - 1, &[1]), (SIZE - 1, &[1])] {
            let before = read(&disk, FileExtent { offset, size: bytes.len() as u64 }).expect("readable");
            disk.write_all_at(bytes, offset).expect("written");
            assert!(!is_free(&disk), "{offset}");
            disk.write_all_at(&before, offset).expect("written");
            assert!(is_free(&disk));
        }
    }
}
