//! Flushes of a bare lane: how long they take after small and large writes, and what that proves about durability.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsarena_model::seed::generator;
use fsarena_model::{Bytes, FlushAfter, Medium, Nanos};
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;

use crate::LaneError;
use crate::cost::open_direct;

/// Bytes that are written before a flush.
const AMOUNTS: [Bytes; 4] = [Bytes::kib(4), Bytes::mib(1), Bytes::mib(16), Bytes::mib(64)];

/// Repetitions of each amount, if there is time; odd, for the median.
const TURNS: usize = 9;

/// Number of amounts that are written once even without time left, so that there is a result.
const ALWAYS: usize = 2;

/// Time limit in a run.
pub const TIME: Nanos = clock::look(Nanos::millis(1500));

const LONGEST_WRITE: usize = 1 << 20;

/// From this factor on, a flush after the largest amount counts as longer than one after the smallest.
const GROWTH: f64 = 1.5;

/// Median time of fdatasync(2) alone after direct writes of each of `AMOUNTS` within the first `size` bytes of
/// `path`, the smallest amount first. Omits amounts that do not fit, or for which there is no time.
///
/// # Errors
/// If I/O on the device fails.
pub fn measure(path: &Path, size: Bytes, seed: u64, at_most: Nanos) -> Result<Vec<FlushAfter>, LaneError> {
    let mut writer = FlushWriter::open(path, size, seed)?;
    let mut times: Vec<Vec<Nanos>> = vec![Vec::new(); AMOUNTS.len()];
    let deadline = clock::now() + at_most;
    for turn in 0..TURNS {
        for (index, amount) in AMOUNTS.into_iter().enumerate().filter(|(_, amount)| amount.0 <= size.0) {
            let is_first = turn == 0 && index < ALWAYS;
            // Without the time of its flush.
            let expected = Nanos((writer.seconds_per_byte * amount.0 as f64 * 1e9) as u64);
            if is_first || clock::now() + expected < deadline {
                times[index].push(writer.flush_after(amount).map_err(LaneError::io("write and flush", path))?);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let medians = AMOUNTS.into_iter().zip(times).filter(|(_, times)| !times.is_empty());
    Ok(medians.map(|(written, times)| FlushAfter { written, flush: times[times.len() / 2] }).collect())
}

/// Writes sequentially, and keeps the time per byte of the last amount.
struct FlushWriter {
    file: File,
    size: u64,
    buffer: AlignedBuffer,
    next: u64,
    seconds_per_byte: f64,
}

impl FlushWriter {
    fn open(path: &Path, size: Bytes, seed: u64) -> Result<Self, LaneError> {
        let file = open_direct(path).map_err(LaneError::io("open", path))?;
        let mut buffer = AlignedBuffer::new(LONGEST_WRITE);
        generator(seed, "flushes", &[]).fill_bytes(&mut buffer);
        Ok(Self { file, size: size.0, buffer, next: 0, seconds_per_byte: 0.0 })
    }

    /// Writes `amount`, and returns the time of the flush alone.
    fn flush_after(&mut self, amount: Bytes) -> std::io::Result<Nanos> {
        // Finishes work that the previous flush left, so that it is not timed here.
        self.file.sync_data()?;
        let start = clock::now();
        if self.next + amount.0 > self.size {
            self.next = 0;
        }
        for offset in (self.next..self.next + amount.0).step_by(LONGEST_WRITE) {
            let length = (self.next + amount.0 - offset).min(LONGEST_WRITE as u64);
            self.file.write_all_at(&self.buffer[..length as usize], offset)?;
        }
        self.next += amount.0;
        let written = clock::now();
        self.seconds_per_byte = written.saturating_sub(start).as_seconds() / amount.0 as f64;
        self.file.sync_data()?;
        Ok(clock::now().saturating_sub(written))
    }
}

/// Lower bound for a flush that reaches the medium itself: half a revolution at 15,000 a minute, or the programming of
/// a page of flash.
fn shortest(medium: Medium) -> Nanos {
    match medium {
        Medium::Hdd => Nanos::millis(2),
        Medium::Ssd => Nanos(200_000),
        Medium::Nvme => Nanos(50_000),
    }
}

/// Explains, with the figures, why these flushes do not prove durability; `None` if they suggest it, or if none was
/// timed. This is no evidence of a defect: a device may have stored a direct write before the flush arrives.
pub fn unproven(flushes: &[FlushAfter], medium: Medium) -> Option<String> {
    let (least, most) = (flushes.first()?, flushes.last()?);
    let shortest = shortest(medium);
    let quickest = flushes.iter().min_by_key(|after| after.flush).filter(|after| after.flush < shortest);
    let too_quick = quickest.map(|after| {
        let (flush, written) = (after.flush, plain(after.written));
        format!("that after {written} takes {flush}, and the medium `{medium}` needs {shortest} at least")
    });
    let is_level = Some(&most.written) == AMOUNTS.last() && (most.flush.0 as f64) < GROWTH * least.flush.0 as f64;
    let level = is_level.then(|| "its time does not grow with what was written".to_owned());
    let why: Vec<String> = too_quick.into_iter().chain(level).collect();
    if why.is_empty() {
        return None;
    }
    let why = why.join(", and ");
    Some(format!(
        "that a flush here makes anything durable is unproven: {}; {why}; a cache with power-loss protection would look the \
         same, and so would a device that has stored a direct write when it returns",
        figures(flushes)
    ))
}

/// `a flush takes 39 µs after 4 KiB, 41 µs after 64 MiB`: the smallest and the largest amount.
fn figures(flushes: &[FlushAfter]) -> String {
    let words = |after: &FlushAfter| format!("{} after {}", after.flush, plain(after.written));
    match flushes {
        [] => "no flush was timed".to_owned(),
        [only] => format!("a flush takes {}", words(only)),
        [least, .., most] => format!("a flush takes {}, {}", words(least), words(most)),
    }
}

/// Prints `4 KiB`; three digits would give `4.00 KiB`.
fn plain(amount: Bytes) -> String {
    match amount.0 {
        mebibytes if mebibytes.is_multiple_of(1 << 20) => format!("{} MiB", mebibytes >> 20),
        bytes => format!("{} KiB", bytes >> 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_flushes(file: &File, size: Bytes, at_most: Nanos) -> Vec<FlushAfter> {
        let path = crate::image::filled(file, size, 1).expect("written");
        measure(&path, size, 1, at_most).expect("measured")
    }

    fn flushes(micros: &[u64]) -> Vec<FlushAfter> {
        let of = |(written, micros): (Bytes, &u64)| FlushAfter { written, flush: Nanos(micros * 1000) };
        AMOUNTS.into_iter().zip(micros).map(of).collect()
    }

    #[test]
    fn a_flush_that_grows_and_takes_its_time_says_nothing() {
        assert_eq!(unproven(&flushes(&[600, 700, 2000, 9000]), Medium::Nvme), None);
        assert_eq!(unproven(&flushes(&[8000, 9000, 15_000, 40_000]), Medium::Hdd), None);
        assert_eq!(unproven(&[], Medium::Nvme), None);
    }

    #[test]
    fn the_same_flush_is_too_quick_for_a_slower_medium() {
        let seen = flushes(&[120, 130, 150, 900]);
        assert_eq!(unproven(&seen, Medium::Nvme), None);
        let ssd = unproven(&seen, Medium::Ssd).expect("below 200 µs");
        assert!(ssd.contains("a flush takes 120 µs after 4 KiB, 900 µs after 64 MiB"), "{ssd}");
        assert!(ssd.contains("that after 4 KiB takes 120 µs, and the medium `ssd` needs 200 µs at least"), "{ssd}");
        assert!(!ssd.contains("grow"), "{ssd}");
        assert!(ssd.contains("a cache with power-loss protection would look the same"), "{ssd}");
        assert!(unproven(&seen, Medium::Hdd).is_some_and(|text| text.contains("2.00 ms")));
    }

    #[test]
    fn the_flush_that_is_too_quick_is_named() {
        let text = unproven(&flushes(&[62, 45, 70, 126]), Medium::Nvme).expect("below 50 µs");
        assert!(
            text.contains("that after 1 MiB takes 45.0 µs, and the medium `nvme` needs 50.0 µs at least"),
            "{text}"
        );
    }

    #[test]
    fn a_flush_that_does_not_grow_is_unproven_however_long_it_takes() {
        let level = unproven(&flushes(&[4000, 4000, 4100, 5900]), Medium::Nvme).expect("within half as much again");
        assert!(level.contains("does not grow with what was written") && !level.contains("at least"), "{level}");
        assert_eq!(unproven(&flushes(&[4000, 4000, 4100, 6100]), Medium::Nvme), None);
    }

    #[test]
    fn growth_is_not_judged_where_the_greatest_amount_was_left_out() {
        assert_eq!(unproven(&flushes(&[4000, 4000, 4100]), Medium::Nvme), None);
        assert!(
            unproven(&flushes(&[40]), Medium::Nvme).is_some_and(|text| text.contains("takes 40.0 µs after 4 KiB;"))
        );
    }

    #[test]
    fn a_file_is_flushed_after_every_amount_that_fits() {
        let file = tempfile::tempfile().expect("temporary file");
        let seen = file_flushes(&file, Bytes::mib(16), Nanos::seconds(60));
        assert_eq!(seen.iter().map(|after| after.written).collect::<Vec<_>>(), AMOUNTS[..3]);
        assert!(seen.iter().all(|after| after.flush > Nanos(0)));
        assert_eq!(file.metadata().expect("open").len(), Bytes::mib(16).0);
    }

    #[test]
    fn without_time_the_least_amounts_are_written_once() {
        let file = tempfile::tempfile().expect("temporary file");
        let seen = file_flushes(&file, Bytes::mib(16), Nanos(0));
        assert_eq!(seen.iter().map(|after| after.written).collect::<Vec<_>>(), AMOUNTS[..ALWAYS]);
    }
}
