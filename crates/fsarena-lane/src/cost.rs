//! Cost of a bare lane: one 4 KiB write and flush, back to back and paced, without any contender's file system.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_model::seed::generator;
use fsarena_model::{Bytes, LaneCost, Nanos};
use fsarena_sys::{AlignedBuffer, clock, mountinfo};
use rand::Rng;
use rustix::fs::OFlags;

use crate::disk::BlockNode;
use crate::{LaneError, image};

const BLOCK: usize = 4096;
const PAUSE: Duration = Duration::from_millis(5);

/// Minimum number of writes, even without time left: a median needs several values.
const FEWEST: usize = 5;

/// Number of writes that measure the cost of a write and flush, and their time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Number of writes back to back.
    pub writes: usize,
    /// Number of writes with a pause before each.
    pub paced_writes: usize,
    /// Time limit of each of the two series; a few writes are made even if it has passed.
    pub at_most: Nanos,
}

impl Effort {
    /// Effort of a run on its calibration device before its first round.
    pub const FULL: Self = if cfg!(debug_assertions) {
        Self::ROUND
    } else {
        Self { writes: 200, paced_writes: 60, at_most: Nanos::seconds(60) }
    };
    /// Effort of a run on its calibration device in each round.
    pub const ROUND: Self = Self { writes: 60, paced_writes: 20, at_most: clock::look(Nanos::seconds(1)) };
}

/// Overwrites the first `size` bytes of an open `file`, which may be unlinked, and measures there.
///
/// # Errors
/// If the file cannot be written, or not be opened again through `/proc`.
pub fn file_cost(file: &File, size: Bytes, seed: u64, effort: Effort) -> Result<LaneCost, LaneError> {
    let path = image::filled(file, size, seed)?;
    measure(&path, size, &path, seed, effort)
}

/// Measures the device `path` and overwrites its first `size` bytes. `host` is the path of its image, or the disk that
/// it is a part of.
pub fn measure(path: &Path, size: Bytes, host: &Path, seed: u64, effort: Effort) -> Result<LaneCost, LaneError> {
    let host = device_beneath(host);
    let one_by_one = writes(path, size, seed, (effort.writes, Duration::ZERO), effort.at_most, host.as_deref())?;
    let paced = writes(path, size, seed, (effort.paced_writes, PAUSE), effort.at_most, None)?;
    let middle = |writes: &[Write]| writes[writes.len() / 2].took;
    // The device's counters give a mean, which one stall of the disk would dominate: omits the slowest tenth.
    let calm = &one_by_one[..one_by_one.len() - one_by_one.len() / 10];
    let back_to_back = middle(&one_by_one);
    Ok(LaneCost {
        back_to_back,
        paced: middle(&paced),
        // A mean may exceed the median of all writes.
        device: device_cost(calm).map(|device| device.min(back_to_back)),
        host_bytes: host_grew(calm, SECTORS_WRITTEN).map(|sectors| sectors * SECTOR as f64),
        host_flushes: host_grew(calm, FLUSHES),
    })
}

/// Mean time of the device for one write and one flush. Further requests of the host count as the host's part.
fn device_cost(writes: &[Write]) -> Option<Nanos> {
    let each = |ticks: usize, count: usize| {
        let each = host_grew(writes, ticks)? * 1e6 / host_grew(writes, count)?;
        each.is_finite().then_some(each)
    };
    // The kernel sends no flushes to a device without a volatile cache; their cost is then zero.
    let flush = if host_grew(writes, FLUSHES) == Some(0.0) { Some(0.0) } else { each(FLUSH_TICKS, FLUSHES) };
    Some(Nanos((each(WRITE_TICKS, WRITES)? + flush?) as u64))
}

/// Mean growth per write of a counter of the device that backs the lane.
fn host_grew(writes: &[Write], counter: usize) -> Option<f64> {
    let grown: Option<Vec<f64>> = writes.iter().map(|write| write.host.as_ref()?.get(counter).copied()).collect();
    Some(grown?.iter().sum::<f64>() / writes.len() as f64)
}

struct Write {
    took: Nanos,
    /// Growth of the counters of the device that backs the lane; `None` without such a device.
    host: Option<Vec<f64>>,
}

/// Makes `writes` random direct writes of 4 KiB, each after `pause` and with a flush, within the first `size` bytes of
/// `path`. Stops once `at_most` has passed, but not before [`FEWEST`] writes. The result is sorted by duration.
fn writes(
    path: &Path,
    size: Bytes,
    seed: u64,
    (writes, pause): (usize, Duration),
    at_most: Nanos,
    host: Option<&Path>,
) -> Result<Vec<Write>, LaneError> {
    let file = open_direct(path).map_err(LaneError::io("open", path))?;
    let mut random = generator(seed, "lane-cost", &[]);
    let mut buffer = AlignedBuffer::new(BLOCK);
    random.fill_bytes(&mut buffer);
    let blocks = (size.0 / BLOCK as u64).max(1);
    let mut done = Vec::with_capacity(writes);
    let began = clock::now();
    while done.len() < writes.clamp(1, FEWEST) || (done.len() < writes && clock::now().saturating_sub(began) < at_most)
    {
        std::thread::sleep(pause);
        let offset = random.next_u64() % blocks * BLOCK as u64;
        let before = host.and_then(counters);
        let start = clock::now();
        file.write_all_at(&buffer, offset).and_then(|()| file.sync_data()).map_err(LaneError::io("write", path))?;
        let took = clock::now().saturating_sub(start);
        let after = host.and_then(counters);
        let grown = before.zip(after).map(|(before, after)| after.iter().zip(before).map(|(a, b)| a - b).collect());
        done.push(Write { took, host: grown });
    }
    done.sort_unstable_by_key(|write| write.took);
    Ok(done)
}

/// Opens a file for writing, with direct I/O if the file system supports it.
pub fn open_direct(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    let direct = options.clone().custom_flags(OFlags::DIRECT.bits() as i32).open(path);
    direct.or_else(|_| options.open(path))
}

/// The sysfs folder of the block device that a path is, or on which it lies.
pub fn device_beneath(path: &Path) -> Option<PathBuf> {
    let of_mount = || BlockNode::at(Path::new(&mountinfo::mount_of(path).ok()?.source));
    BlockNode::at(path).or_else(of_mount).map(|node| node.folder)
}

/// The counters of a device, by its sysfs folder (Documentation/block/stat.rst). The kernel counts flushes for the whole
/// disk only (`blk_account_io_flush`), so a partition's come from its disk.
fn counters(device: &Path) -> Option<Vec<f64>> {
    let mut counters = counters_of(device)?;
    if device.join("partition").exists() {
        let disk = counters_of(device.parent()?)?;
        counters.truncate(FLUSHES);
        counters.extend(disk.into_iter().skip(FLUSHES));
    }
    Some(counters)
}

/// Bytes of the sectors that are counted, whatever those of the device are.
const SECTOR: u64 = 512;

/// Positions of a device's counters in its `stat` line; ticks are milliseconds.
const WRITES: usize = 4;
const SECTORS_WRITTEN: usize = 6;
const WRITE_TICKS: usize = 7;
const FLUSHES: usize = 15;
const FLUSH_TICKS: usize = 16;

/// Bytes written to a block device so far, by its sysfs folder.
pub fn written(device: &Path) -> Option<u64> {
    Some(*counters_of(device)?.get(SECTORS_WRITTEN)? as u64 * SECTOR)
}

fn counters_of(device: &Path) -> Option<Vec<f64>> {
    let text = std::fs::read_to_string(device.join("stat")).ok()?;
    Some(text.split_whitespace().filter_map(|number| number.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_name_is_measured() {
        let file = tempfile::tempfile().expect("temporary file");
        let effort = Effort { writes: 20, paced_writes: 5, at_most: Nanos::seconds(60) };
        let cost = file_cost(&file, Bytes::mib(1), 1, effort).expect("measured");
        assert!(cost.back_to_back > Nanos(0) && cost.paced > Nanos(0));
        assert_eq!(file.metadata().expect("open").len(), Bytes::mib(1).0);
    }

    #[test]
    fn without_time_the_fewest_writes_are_made() {
        let place = tempfile::NamedTempFile::new().expect("temporary file");
        let done = writes(place.path(), Bytes::kib(64), 1, (100, Duration::ZERO), Nanos(0), None).expect("written");
        assert_eq!(done.len(), FEWEST);
    }
}
