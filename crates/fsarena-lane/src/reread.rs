//! Fresh and repeated reads of a bare device: they show whether a cache below it, of a host or of a drive, keeps what
//! was read.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use fsarena_model::seed::generator;
use fsarena_model::{Bytes, Nanos, RepeatedReads};
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;
use rand::seq::SliceRandom;
use rustix::fs::OFlags;

use crate::LaneError;

/// Bytes that are read at each place: enough to exceed a drive's read-ahead.
const EXTENT: u64 = 256 << 10;

/// Number of places that are read twice, if there is time.
const PLACES: usize = 48;

/// Number of places that are read, and then read again, before the next ones.
const AT_ONCE: usize = 8;

/// Number of places that are read first and not timed, so that wake-up costs do not slow down only fresh reads.
const BEFORE: usize = 4;

/// Approximate minimum distance between places, in bytes.
const APART: u64 = 1 << 20;

const BLOCK: u64 = 4096;

/// Time limit in a run.
pub const TIME: Nanos = clock::look(Nanos::millis(1500));

/// From this factor on, repeated reads count as served by a cache.
const CACHED: f64 = 1.5;

/// Reads random places of `path`, a device or file of `size` bytes, with direct I/O, and then the same places in
/// another order. It does so in groups of places, so that other load on the machine slows down both. The rates are
/// those of the median read. Nothing is written. `None` if `size` is too small for places that are far apart.
///
/// Fresh means: not read since this measurement began. Data that was written shortly before, such as a lane's image,
/// may be in a cache of the host from the start; the two rates are then alike. Alike rates therefore do not prove that
/// there is no cache. Nor do they if most of a device was never written, and reads of it are answered without the
/// medium.
///
/// # Errors
/// If `path` cannot be read directly.
pub fn repeated_reads(path: &Path, size: Bytes, seed: u64, at_most: Nanos) -> Result<Option<RepeatedReads>, LaneError> {
    let mut random = generator(seed, "repeated-reads", &[]);
    let mut places = places(size, &mut random);
    if places.len() < BEFORE + AT_ONCE {
        return Ok(None);
    }
    let direct = OFlags::DIRECT.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(direct).open(path).map_err(LaneError::io("open", path))?;
    let read = |places: &[u64]| times(&file, places).map_err(LaneError::io("read", path));
    read(&places.split_off(places.len() - BEFORE))?;
    let deadline = clock::now() + at_most;
    let (mut fresh, mut repeated) = (Vec::new(), Vec::new());
    for some in places.chunks_exact_mut(AT_ONCE) {
        if !fresh.is_empty() && clock::now() >= deadline {
            break;
        }
        fresh.extend(read(some)?);
        some.shuffle(&mut random);
        repeated.extend(read(some)?);
    }
    Ok(Some(RepeatedReads { fresh: rate(fresh), repeated: rate(repeated) }))
}

/// Offsets in random order, one in each of equal parts of the device.
fn places(size: Bytes, random: &mut impl Rng) -> Vec<u64> {
    let count = ((PLACES + BEFORE) as u64).min(size.0 / APART);
    let part = size.0.checked_div(count).unwrap_or(0);
    let within = |part: u64, random: &mut dyn Rng| random.next_u64() % (part - EXTENT + 1);
    let mut places: Vec<u64> = (0..count).map(|index| (index * part + within(part, random)) / BLOCK * BLOCK).collect();
    places.shuffle(random);
    places
}

/// Duration of each read of an extent at one of `places`.
fn times(file: &File, places: &[u64]) -> std::io::Result<Vec<Nanos>> {
    let mut buffer = AlignedBuffer::new(EXTENT as usize);
    let mut timed = |place: &u64| {
        let start = clock::now();
        file.read_exact_at(&mut buffer, *place).map(|()| clock::now().saturating_sub(start))
    };
    places.iter().map(&mut timed).collect()
}

/// Bytes per second of the median read.
fn rate(mut times: Vec<Nanos>) -> f64 {
    times.sort_unstable();
    EXTENT as f64 / times[times.len() / 2].as_seconds().max(1e-9)
}

/// Explains, with the figures, that a cache below the device keeps what was read; `None` if the reads do not show that.
pub fn cached_below(reads: &RepeatedReads) -> Option<String> {
    let factor = reads.repeated / reads.fresh;
    (factor >= CACHED).then(|| {
        format!(
            "cached below the device: it reads again {factor:.1}× as fast as fresh ({}/s, fresh {}/s); no remount clears a \
             cache of the host or the drive, so what a cold workload reads may come from there",
            Bytes(reads.repeated as u64),
            Bytes(reads.fresh as u64)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 100.0 * 1024.0 * 1024.0;

    #[test]
    fn only_far_faster_reads_count_as_cached() {
        let reads = |factor: f64| RepeatedReads { fresh: RATE, repeated: RATE * factor };
        assert_eq!(cached_below(&reads(1.0)), None);
        assert_eq!(cached_below(&reads(1.49)), None);
        let text = cached_below(&reads(2.3)).expect("far faster");
        assert!(text.contains("2.3× as fast as fresh (230 MiB/s, fresh 100 MiB/s)"), "{text}");
    }

    #[test]
    fn places_are_aligned_apart_and_within_the_device() {
        for size in [Bytes::mib(12), Bytes::mib(13), Bytes::gib(2)] {
            let mut found = places(size, &mut generator(1, "test", &[]));
            assert_eq!(found.len() as u64, ((PLACES + BEFORE) as u64).min(size.0 / APART));
            found.sort_unstable();
            assert!(found.iter().all(|place| place.is_multiple_of(BLOCK) && place + EXTENT <= size.0));
            assert!(found.windows(2).all(|pair| pair[0] + EXTENT <= pair[1] + BLOCK), "{found:?}");
        }
        assert!(places(Bytes::kib(100), &mut generator(1, "test", &[])).is_empty());
    }

    #[test]
    fn a_slow_read_now_and_then_changes_no_rate() {
        let times = |slow: usize| (0..48).map(|read| Nanos(if read < slow { 900_000 } else { 262_144 })).collect();
        assert!((rate(times(0)) - 1e9).abs() < 1.0);
        assert_eq!(rate(times(20)), rate(times(0)));
    }

    #[test]
    fn a_file_is_read_twice_and_not_changed() {
        let place = tempfile::NamedTempFile::new().expect("temporary file");
        std::fs::write(place.path(), vec![7; 64 << 20]).expect("written");
        let reads = repeated_reads(place.path(), Bytes::mib(64), 1, Nanos::seconds(60)).expect("read");
        assert!(reads.is_some_and(|reads| reads.fresh > 0.0 && reads.repeated > 0.0));
        let hurried = repeated_reads(place.path(), Bytes::mib(64), 1, Nanos(0)).expect("read");
        assert!(hurried.is_some_and(|reads| reads.fresh.is_finite()), "some are read without time");
        assert_eq!(repeated_reads(place.path(), Bytes::mib(8), 1, Nanos(0)).expect("looked at"), None);
    }
}
