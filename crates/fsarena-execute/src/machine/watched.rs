//! A contender's counters, accumulated over the intervals in which they are watched.

use fsarena_model::{Nanos, Readings, probe};
use fsarena_probe::{Snapshot, Target, Totals};
use fsarena_sys::clock;

/// A contender's counters.
#[derive(Default)]
pub struct Watched {
    before: Option<(Snapshot, Nanos)>,
    totals: Totals,
    seconds: f64,
}

impl Watched {
    /// Begins an interval.
    pub fn begin(&mut self, target: &Target) {
        self.before = Some((Snapshot::take(target), clock::now()));
    }

    /// Adds the interval to the totals.
    pub fn end(&mut self, target: &Target) {
        let (after, now) = (Snapshot::take(target), clock::now());
        if let Some((before, start)) = self.before.take() {
            self.totals.add(&before, &after);
            self.seconds += now.saturating_sub(start).as_seconds();
        }
    }

    /// The growth within the current interval so far.
    pub fn so_far(&self, target: &Target) -> Readings {
        let mut totals = Totals::default();
        if let Some((before, _)) = &self.before {
            totals.add(before, &Snapshot::take(target));
        }
        totals.readings()
    }

    /// Returns the totals and resets them. `at_rest` is the processor time per second of kernel threads on the idle
    /// machine, which is subtracted.
    pub fn take(&mut self, at_rest: f64) -> Readings {
        let watched = std::mem::take(self);
        let mut readings = watched.totals.readings();
        if watched.seconds > 0.0 {
            readings.extend([probe::TIME_COUNTED.reading(watched.seconds)]);
        }
        if let Some(kernel) = readings.get_mut(&probe::CPU_KERNEL.key()) {
            kernel.value = kernel.value.map(|busy| (busy - at_rest * watched.seconds).max(0.0));
        }
        readings
    }
}
