//! The timer of a worker's inner loop: when an operation begins, how long it took, and when the run is over.

use fsarena_model::Nanos;
use fsarena_sys::clock;

use crate::pace::{IntendedStarts, wait_until};
use crate::{Limit, Operation, RunStats};

/// Length of the parts of a run, for latency over time.
pub const PART: Nanos = Nanos::seconds(1);
/// Interval at which a run checks the stop flag.
const LOOK: Nanos = Nanos::millis(10);

/// Times one run of one worker. One operation lies between [`Meter::begin`] and [`Meter::done`]. A closed loop reads
/// the clock once per operation, so that the cost of the loop itself is part of the latency (about 15 ns).
pub struct Meter<'a> {
    limit: &'a Limit<'a>,
    stats: &'a mut RunStats,
    /// `None` in a closed loop.
    pace: Option<&'a mut IntendedStarts>,
    /// Time of earlier runs in the same stats.
    before: Nanos,
    start: Nanos,
    /// The end of the last operation.
    at: Nanos,
    /// The next moment at which the loop has to do more than count.
    mark: Nanos,
    part_ends: Nanos,
    is_over: bool,
}

impl<'a> Meter<'a> {
    /// Starts a timer at `start`, which may be in the past. The time since then is part of the run, but of no
    /// operation's latency.
    pub fn start(
        start: Nanos,
        limit: &'a Limit<'a>,
        mut pace: Option<&'a mut IntendedStarts>,
        stats: &'a mut RunStats,
    ) -> Self {
        stats.offered = pace.as_mut().map(|pace| {
            pace.restart();
            pace.offered()
        });
        let before = stats.elapsed;
        let at = clock::now();
        let (mark, part_ends) = (at, PART);
        let mut meter = Self { limit, stats, pace, before, start, at, mark, part_ends, is_over: false };
        meter.next_mark();
        meter
    }

    /// The start of the next operation. An open loop waits for the intended start and returns it. `None` if the
    /// intended start is after the end of the run, which then is over.
    #[inline]
    pub fn begin(&mut self) -> Option<Nanos> {
        match self.pace {
            None => Some(self.at),
            Some(_) => self.begin_open(),
        }
    }

    /// Its own code besides [`Meter::wait_until_due`]: through that, it takes 38 instructions more (callgrind).
    fn begin_open(&mut self) -> Option<Nanos> {
        let meant = self.start + self.pace.as_mut()?.take();
        let end = self.end();
        let goes_on = meant <= self.at || wait_until(meant.min(end), self.limit.stop);
        if goes_on && meant < end {
            return Some(meant);
        }
        self.end_waiting(end);
        None
    }

    /// Ends a run in which no more operations begin. Its time includes the waiting.
    fn end_waiting(&mut self, end: Nanos) {
        self.at = self.at.max(end.min(clock::now()));
        self.is_over = true;
    }

    /// The end of the run's time.
    fn end(&self) -> Nanos {
        self.limit.time.map_or(Nanos(u64::MAX), |time| self.start + time)
    }

    /// In an open loop: time until the next operation is due, 0 if it is due. `None` in a closed loop.
    pub fn until_due(&self, now: Nanos) -> Option<Nanos> {
        self.pace.as_ref().map(|pace| (self.start + pace.due()).saturating_sub(now))
    }

    /// In an open loop: waits until the next operation is due. `false` if it is due after the end of the run, which
    /// then is over. `false` in a closed loop.
    pub fn wait_until_due(&mut self) -> bool {
        let Some(pace) = &self.pace else { return false };
        let (due, end) = (self.start + pace.due(), self.end());
        if wait_until(due.min(end), self.limit.stop) && due < end {
            return true;
        }
        self.end_waiting(end);
        false
    }

    /// In an open loop: whether the intended start of the next operation is after the end of the run. `false` in a
    /// closed loop.
    pub fn has_begun_all(&self) -> bool {
        self.pace.as_ref().zip(self.limit.time).is_some_and(|(pace, time)| pace.due() >= time)
    }

    /// Takes the intended start of the next operation without waiting; in a closed loop that is `now`.
    #[inline]
    pub fn take_start(&mut self, now: Nanos) -> Nanos {
        self.pace.as_mut().map_or(now, |pace| self.start + pace.take())
    }

    /// Counts an operation that began at `begin`, moved `bytes` bytes and ends now.
    #[inline(always)]
    pub fn done(&mut self, operation: Operation, begin: Nanos, bytes: u64) {
        let now = clock::now();
        self.done_at(now, operation, begin, bytes);
    }

    /// Counts an operation that ended at `now`.
    #[inline(always)]
    pub fn done_at(&mut self, now: Nanos, operation: Operation, begin: Nanos, bytes: u64) {
        self.stats.operations += 1;
        self.stats.bytes += bytes;
        self.note(now, operation, begin);
    }

    /// Records work that belongs to the time but does not count as an operation, such as a sync. It began at the end of
    /// the last operation and ends now.
    #[inline]
    pub fn also(&mut self, operation: Operation) {
        self.note(clock::now(), operation, self.at);
    }

    /// Records a part of an operation that still runs, such as its own sync. It began at `begin` and ends now.
    #[inline]
    pub fn within(&mut self, operation: Operation, begin: Nanos) {
        self.stats.record(operation, clock::now().saturating_sub(begin));
    }

    #[inline(always)]
    fn note(&mut self, now: Nanos, operation: Operation, begin: Nanos) {
        self.stats.record(operation, now.saturating_sub(begin));
        self.at = now;
        if now >= self.mark {
            self.reach_mark();
        }
    }

    /// Whether the time is over, or the run was stopped.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The end of the last operation.
    #[inline]
    pub fn at(&self) -> Nanos {
        self.at
    }

    #[cold]
    fn reach_mark(&mut self) {
        let elapsed = self.at.saturating_sub(self.start);
        self.is_over = self.limit.is_reached(elapsed);
        if elapsed >= self.part_ends {
            self.stats.end_part(self.before + elapsed);
            self.part_ends = Nanos(elapsed.0 / PART.0 * PART.0) + PART;
        }
        self.next_mark();
    }

    fn next_mark(&mut self) {
        self.mark = self.end().min(self.start + self.part_ends).min(self.at + LOOK);
    }

    /// Stops the timer. The time since the end of the last operation does not count.
    pub fn stop(self) {
        let elapsed = self.at.saturating_sub(self.start);
        self.stats.elapsed = self.before + elapsed;
        self.stats.spans.push((self.start, self.at));
        self.stats.end_part(self.stats.elapsed);
    }
}
