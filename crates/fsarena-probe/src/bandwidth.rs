//! Measures how much the processors can copy at best: no application moves more, so a figure beyond it is wrong.

use std::hint::black_box;
use std::time::Duration;

use fsarena_sys::clock;

/// Two of these, the source and the target of a copy, fit into the smallest first-level caches, which have 16 KiB.
const BUFFER: usize = 8 << 10;

/// Length of a turn; the best of several counts, because other load slows down some of them. A hypervisor can slow down
/// all of them, so this is measured again in each round of a run.
const TURN: Duration = Duration::from_millis(2);
const TURNS: u32 = 5;

/// Copies between two readings of the clock.
const BATCH: u32 = 256;

/// Bytes per second that all processors together copy from cache to cache: one processor's best, times the processors
/// that this process may use. An upper bound for what any application reads or writes. `None` if their number is
/// unknown.
pub fn memory_bandwidth() -> Option<f64> {
    let processors = std::thread::available_parallelism().ok()?.get() as f64;
    let best = (0..TURNS).map(|_| turn()).fold(0.0, f64::max);
    (best > 0.0).then_some(best * processors)
}

/// Bytes per second that one thread copies in one turn.
fn turn() -> f64 {
    let (from, mut to) = (vec![7_u8; BUFFER], vec![0_u8; BUFFER]);
    let (start, mut bytes) = (clock::now(), 0_u64);
    loop {
        for _ in 0..BATCH {
            // Without `black_box` the compiler removes all copies but the last.
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
        bytes += u64::from(BATCH) * BUFFER as u64;
        let elapsed = clock::now().saturating_sub(start);
        if Duration::from(elapsed) >= TURN {
            return bytes as f64 / elapsed.as_seconds();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_within_the_cache_are_no_slower_than_those_beyond_it() {
        let (from, mut to) = (vec![7_u8; 64 << 20], vec![0_u8; 64 << 20]);
        let start = clock::now();
        black_box(&mut to).copy_from_slice(black_box(&from));
        let beyond = from.len() as f64 / clock::now().saturating_sub(start).as_seconds();
        assert!(memory_bandwidth().expect("Linux tells") > beyond, "the first touch of so much memory takes its time");
    }
}
