//! The timer of a worker's inner loop: when an operation begins, how long it took, and when the run is over.

use fsarena_model::Nanos;
use fsarena_sys::clock;

use crate::pace::{Pace, wait_until};
use crate::{Limit, Operation, Tally};

/// How long a part of a run lasts, for latency over time.
pub const PART: Nanos = Nanos::seconds(1);
/// How often a run looks whether somebody wants to stop it.
const LOOK: Nanos = Nanos::millis(10);

/// Times one run of one worker. Between [`Meter::begin`] and [`Meter::done`] lies one operation; a closed loop reads
/// the clock once for each, so that what the loop itself does is part of the latency (some 15 ns).
pub struct Meter<'a> {
    limit: &'a Limit<'a>,
    tally: &'a mut Tally,
    pace: &'a mut Pace,
    /// What was timed before this run, in the same tally.
    before: Nanos,
    start: Nanos,
    /// The end of the last operation.
    at: Nanos,
    /// When something else than counting has to be done.
    mark: Nanos,
    part_ends: Nanos,
    is_over: bool,
    /// Whether there is a handicap.
    dawdles: bool,
}

impl<'a> Meter<'a> {
    /// Starts a timer that runs since `start`, which may be over for a while: what the run lacks then is part of it, but
    /// of no operation's latency.
    pub fn start(start: Nanos, limit: &'a Limit<'a>, pace: &'a mut Pace, tally: &'a mut Tally) -> Self {
        if let Pace::Open(open) = pace {
            open.restart();
        }
        tally.offered = pace.offered();
        let before = tally.elapsed;
        let at = clock::now();
        let (mark, part_ends, dawdles) = (at, PART, limit.handicap > 0.0);
        let mut meter = Self { limit, tally, pace, before, start, at, mark, part_ends, is_over: false, dawdles };
        meter.next_mark();
        meter
    }

    /// When the next operation begins. An open loop waits for the time that was meant, and tells that; `None` if that lies
    /// beyond the end of the run, which then is over.
    #[inline]
    pub fn begin(&mut self) -> Option<Nanos> {
        match &mut self.pace {
            Pace::Closed => Some(self.at),
            Pace::Open(_) => self.begin_open(),
        }
    }

    fn begin_open(&mut self) -> Option<Nanos> {
        let Pace::Open(open) = &mut self.pace else { return Some(self.at) };
        let meant = self.start + open.take();
        let end = self.limit.time.map_or(Nanos(u64::MAX), |time| self.start + time);
        let goes_on = meant <= self.at || wait_until(meant.min(end), self.limit.stop);
        if goes_on && meant < end {
            return Some(meant);
        }
        self.end_waiting(end);
        None
    }

    /// Nothing more begins: the run lasted as long as there was waiting.
    fn end_waiting(&mut self, end: Nanos) {
        self.at = self.at.max(end.min(clock::now()));
        self.is_over = true;
    }

    /// In an open loop: how long it is until the next operation is due, nothing if it is. `None` in a closed loop.
    pub fn until_due(&self, now: Nanos) -> Option<Nanos> {
        match &self.pace {
            Pace::Closed => None,
            Pace::Open(open) => Some((self.start + open.due()).saturating_sub(now)),
        }
    }

    /// In an open loop: waits until the next operation is due. `false` if none will be within the run, which then is over,
    /// and in a closed loop.
    pub fn wait_until_due(&mut self) -> bool {
        let Pace::Open(open) = &self.pace else { return false };
        let due = self.start + open.due();
        let end = self.limit.time.map_or(Nanos(u64::MAX), |time| self.start + time);
        if wait_until(due.min(end), self.limit.stop) && due < end {
            return true;
        }
        self.end_waiting(end);
        false
    }

    /// In an open loop: whether the next operation is meant to begin after the end of the run. Never in a closed loop.
    pub fn has_begun_all(&self) -> bool {
        let Pace::Open(open) = &self.pace else { return false };
        self.limit.time.is_some_and(|time| open.due() >= time)
    }

    /// Takes the intended start of the next operation without waiting; in a closed loop that is `now`.
    #[inline]
    pub fn take_start(&mut self, now: Nanos) -> Nanos {
        match &mut self.pace {
            Pace::Closed => now,
            Pace::Open(open) => self.start + open.take(),
        }
    }

    /// An operation that began at `begin` and carried `bytes` has ended just now.
    #[inline(always)]
    pub fn done(&mut self, operation: Operation, begin: Nanos, bytes: u64) {
        let now = clock::now();
        self.done_at(now, operation, begin, bytes);
    }

    /// The same, where the time was taken already.
    #[inline(always)]
    pub fn done_at(&mut self, now: Nanos, operation: Operation, begin: Nanos, bytes: u64) {
        self.tally.operations += 1;
        self.tally.bytes += bytes;
        self.note(now, operation, begin);
    }

    /// Work that belongs to the time but is not counted as an operation, such as a sync, has ended just now. It began when
    /// what was done before it ended.
    #[inline]
    pub fn also(&mut self, operation: Operation) {
        self.note(clock::now(), operation, self.at);
    }

    /// A part of an operation that is still going on, such as its own sync, began at `begin` and has ended just now.
    #[inline]
    pub fn within(&mut self, operation: Operation, begin: Nanos) {
        self.tally.record(operation, clock::now().saturating_sub(begin));
    }

    #[inline(always)]
    fn note(&mut self, now: Nanos, operation: Operation, begin: Nanos) {
        let now = if self.dawdles { self.dawdle(now) } else { now };
        self.tally.record(operation, now.saturating_sub(begin));
        self.at = now;
        if now >= self.mark {
            self.reach_mark();
        }
    }

    /// Lets the handicap's share of the time since the last operation's end go by. What ends at the same moment, as
    /// operations that were in flight together do, is delayed once.
    #[cold]
    fn dawdle(&self, now: Nanos) -> Nanos {
        let worked = now.saturating_sub(self.at).0 as f64;
        let end = now.max(self.at) + Nanos((worked * self.limit.handicap) as u64);
        let mut now = now.max(self.at);
        while now < end {
            std::hint::spin_loop();
            now = clock::now();
        }
        now
    }

    /// Whether the time is over, or somebody wants to stop.
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
            self.tally.end_part(self.before + elapsed);
            self.part_ends = Nanos(elapsed.0 / PART.0 * PART.0) + PART;
        }
        self.next_mark();
    }

    fn next_mark(&mut self) {
        let end = self.limit.time.map_or(Nanos(u64::MAX), |time| self.start + time);
        self.mark = end.min(self.start + self.part_ends).min(self.at + LOOK);
    }

    /// Stops the timer; what happened since the last operation's end does not count.
    pub fn stop(self) {
        let elapsed = self.at.saturating_sub(self.start);
        self.tally.elapsed = self.before + elapsed;
        self.tally.end_part(self.tally.elapsed);
    }
}
