//! The time limit of a workload: what takes longer is told to stop. It is for each of preparing, starting a server and a run by itself. Refilling
//! and chilling before a run, ending a server, reading its logs, the sync and the verification after it have none: what they do is ours, or ends by a limit
//! of its own, and half of it would prove nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fsarena_engine::watched;
use fsarena_model::Nanos;

/// What came of work with a time limit.
#[derive(Debug, PartialEq, Eq)]
pub enum Within<T> {
    /// It ended by itself, or since somebody wanted to stop.
    Done(T),
    /// It was told to stop after so much time.
    OutOfTime(Nanos),
}

/// Does `work` with a wish to stop that comes when `stop` is set or after `limit`, if there is one.
pub fn within<T>(limit: Option<Nanos>, stop: &AtomicBool, work: impl FnOnce(&AtomicBool) -> T) -> Within<T> {
    let Some(limit) = limit else { return Within::Done(work(stop)) };
    let begin = Instant::now();
    let is_late = || begin.elapsed() >= Duration::from_nanos(limit.0);
    watched(
        || stop.load(Ordering::Relaxed) || is_late(),
        |told| {
            let worked = work(told);
            match told.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                true => Within::OutOfTime(limit),
                false => Within::Done(worked),
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until_told(told: &AtomicBool) -> u32 {
        while !told.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        7
    }

    #[test]
    fn what_takes_too_long_is_told_to_stop() {
        let stop = AtomicBool::new(false);
        let limit = Nanos::millis(30);
        assert_eq!(within(Some(limit), &stop, until_told), Within::OutOfTime(limit));
        assert_eq!(within(Some(Nanos::seconds(600)), &stop, |_| 3), Within::Done(3));
        assert_eq!(within(None, &stop, |_| 4), Within::Done(4));
    }

    #[test]
    fn who_is_stopped_by_somebody_is_not_out_of_time() {
        let stop = AtomicBool::new(true);
        assert_eq!(within(Some(Nanos::seconds(600)), &stop, until_told), Within::Done(7));
    }
}
