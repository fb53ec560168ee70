//! What a bare lane costs: one 4 KiB write and flush, back to back and paced, without any file system of a contender.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use fsarena_model::{Bytes, LaneCost, Nanos};
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;
use rustix::fs::OFlags;

use crate::LaneError;
use fsarena_model::seed::generator;

const BLOCK: usize = 4096;
const WRITES: usize = 200;
const PACED_WRITES: usize = 60;
const PAUSE: Duration = Duration::from_millis(5);

/// Measures `device`, whose first `size` bytes are overwritten; `host_folder` is where its image lies.
///
/// # Errors
/// If the device refuses.
pub fn measure(device: &Path, size: Bytes, host_folder: &Path, seed: u64) -> Result<LaneCost, LaneError> {
    let before = host_counters(host_folder);
    let back_to_back = flush_latency(device, size, seed, WRITES, Duration::ZERO)?;
    let after = host_counters(host_folder);
    let paced = flush_latency(device, size, seed, PACED_WRITES, PAUSE)?;
    let per_write = |index: usize, scale: f64| {
        let (before, after) = (before.as_ref()?, after.as_ref()?);
        Some((after.get(index)? - before.get(index)?) * scale / WRITES as f64)
    };
    let device =
        per_write(7, 1e6).zip(per_write(16, 1e6)).map(|(writing, flushing)| Nanos((writing + flushing) as u64));
    Ok(LaneCost { back_to_back, paced, device, host_bytes: per_write(6, 512.0), host_flushes: per_write(15, 1.0) })
}

/// The median time of `writes` random 4 KiB direct writes, each with a flush, within the first `size` bytes of `path`.
///
/// # Errors
/// If the file or device cannot be opened or written.
pub fn flush_latency(path: &Path, size: Bytes, seed: u64, writes: usize, pause: Duration) -> Result<Nanos, LaneError> {
    let mut options = OpenOptions::new();
    options.write(true);
    let direct = options.clone().custom_flags(OFlags::DIRECT.bits() as i32).open(path);
    let file = direct.or_else(|_| options.open(path)).map_err(LaneError::io("open", path))?;
    let mut random = generator(seed, "lane-cost", &[]);
    let mut buffer = AlignedBuffer::new(BLOCK);
    random.fill_bytes(&mut buffer);
    let blocks = (size.0 / BLOCK as u64).max(1);
    let mut times = Vec::with_capacity(writes);
    for _ in 0..writes {
        std::thread::sleep(pause);
        let offset = random.next_u64() % blocks * BLOCK as u64;
        let start = clock::now();
        file.write_all_at(&buffer, offset).and_then(|()| file.sync_data()).map_err(LaneError::io("write", path))?;
        times.push(clock::now().saturating_sub(start));
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// The counters of the block device beneath a folder (Documentation/block/stat.rst); `None` if it has none.
fn host_counters(folder: &Path) -> Option<Vec<f64>> {
    let device = std::fs::metadata(folder).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let text = std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
    Some(text.split_whitespace().filter_map(|number| number.parse().ok()).collect())
}
