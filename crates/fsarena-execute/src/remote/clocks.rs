//! The clock of a client, compared with that of the machine that coordinates the run.

use std::ops::Deref;

use fsarena_model::{ClockOffset, Nanos};

use super::Clocks;

/// How far two quartz clocks can drift apart, as a share of the time: twice the 50 parts per million of a usual one.
const DRIFT: f64 = 1e-4;

/// Shortest time between the order to begin and the beginning.
const SHORTEST_LEAD: Nanos = Nanos::millis(5);

/// Multiple of the time of the slowest comparison after which all clients have their order.
const LEADS: u64 = 4;

/// What is known about the clock of a client.
#[derive(Debug, Default)]
pub struct ClientClock {
    best: Option<ClockComparison>,
    /// The time between question and answer in the last comparison.
    last: Nanos,
}

/// A client's clock, read between two readings of the coordinator's.
#[derive(Debug, Clone, Copy)]
struct ClockComparison {
    /// When the answer arrived, by the coordinator's clock.
    at: Nanos,
    /// Nanoseconds by which the client's monotonic clock is ahead.
    ahead: i128,
    /// Nanoseconds by which its time of day is ahead.
    of_day_ahead: i128,
    /// Half of the time between question and answer, nanoseconds.
    error: f64,
}

impl ClockComparison {
    fn error_at(&self, now: Nanos) -> f64 {
        self.error + now.saturating_sub(self.at).0 as f64 * DRIFT
    }
}

impl ClientClock {
    /// Takes in the answer `clocks` to a question that was asked at `asked`, when the time of day was `of_day`, and
    /// answered at `answered`.
    pub fn compare(&mut self, asked: Nanos, of_day: Nanos, answered: Nanos, clocks: Clocks) {
        let half = answered.saturating_sub(asked).0 / 2;
        let ahead = |there: Nanos, here: Nanos| i128::from(there.0) - i128::from(here.0 + half);
        let new = ClockComparison {
            at: answered,
            ahead: ahead(clocks.monotonic, asked),
            of_day_ahead: ahead(clocks.time_of_day, of_day),
            error: half as f64,
        };
        self.last = answered.saturating_sub(asked);
        if self.best.is_none_or(|best| new.error <= best.error_at(answered)) {
            self.best = Some(new);
        }
    }

    /// The client's clock when the coordinator's shows `here`.
    pub fn there(&self, here: Nanos) -> Nanos {
        Nanos(u64::try_from(i128::from(here.0) + self.ahead()).unwrap_or(0))
    }

    /// The coordinator's clock when the client's shows `there`, in nanoseconds.
    pub fn here(&self, there: Nanos) -> i128 {
        i128::from(there.0) - self.ahead()
    }

    fn ahead(&self) -> i128 {
        self.best.map_or(0, |best| best.ahead)
    }

    /// The largest possible error of both at the coordinator's time `now`, in nanoseconds.
    pub fn error_at(&self, now: Nanos) -> f64 {
        self.best.map_or(0.0, |best| best.error_at(now))
    }

    /// The comparison for the report.
    pub fn offset(&self) -> ClockOffset {
        self.best.map_or_else(ClockOffset::default, |best| ClockOffset {
            monotonic: best.ahead as f64 / 1e9,
            time_of_day: best.of_day_ahead as f64 / 1e9,
            error: best.error / 1e9,
        })
    }
}

/// How long before the beginning the order to begin is sent.
pub fn lead<C: Deref<Target = ClientClock>>(clocks: impl Iterator<Item = C>) -> Nanos {
    let slowest = clocks.map(|clock| clock.last).max().unwrap_or_default();
    SHORTEST_LEAD.max(Nanos(slowest.0.saturating_mul(LEADS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(monotonic: u64) -> Clocks {
        Clocks { monotonic: Nanos(monotonic), time_of_day: Nanos(monotonic + 2_000_000_000) }
    }

    #[test]
    fn the_fastest_answer_counts_until_drift_makes_it_worse() {
        let mut clock = ClientClock::default();
        clock.compare(Nanos(1_000), Nanos(1_000), Nanos(3_000), clocks(5_000_002_000));
        assert_eq!((clock.there(Nanos(10)), clock.here(Nanos(5_000_000_010))), (Nanos(5_000_000_010), 10));
        assert_eq!(clock.offset(), ClockOffset { monotonic: 5.0, time_of_day: 7.0, error: 1e-6 });
        // A slower one is less exact.
        clock.compare(Nanos(10_000), Nanos(10_000), Nanos(20_000), clocks(5_000_010_000));
        assert_eq!(clock.there(Nanos(0)), Nanos(5_000_000_000));
        assert_eq!(clock.error_at(Nanos(3_000 + 10_000_000)), 2_000.0);
        // Long after, it is more exact than the first one, with 100 µs of drift.
        clock.compare(Nanos(1_000_000_000), Nanos(0), Nanos(1_000_010_000), clocks(6_000_000_000));
        assert_eq!(clock.there(Nanos(0)), Nanos(5_000_000_000 - 5_000));
    }

    #[test]
    fn the_order_arrives_before_the_beginning() {
        let lead_of = |last: u64| lead([&ClientClock { best: None, last: Nanos(last) }].into_iter());
        assert_eq!(lead_of(1_000), SHORTEST_LEAD);
        assert_eq!(lead_of(20_000_000), Nanos::millis(80));
    }
}
