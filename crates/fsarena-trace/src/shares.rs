//! Each moment is divided among the threads of the work that do not idle. Spans of many threads overlap, so that sums are
//! kept from which the share of any span follows.

use crate::Span;
use crate::division::Part;
use crate::threads::{Piece, State};

/// From this moment on the number of threads is another.
#[derive(Debug, Clone, Copy)]
struct Moment {
    time: u64,
    /// The share of one thread from then on; 0 if there is none.
    share: f64,
    /// The seconds of one thread until then.
    seconds: f64,
}

/// The shares of each moment.
#[derive(Debug, Default)]
pub struct Shares {
    /// The moments at which the number of threads changes, in order.
    moments: Vec<Moment>,
    /// The seconds of all threads that run.
    pub running: f64,
    /// The seconds in which no thread is active.
    pub idle: f64,
    /// When something was recorded that delayed those that wait, and the cost for one of them until then.
    recorded: Vec<(u64, f64)>,
}

impl Shares {
    /// The shares of `span`, in which the work does `pieces`.
    pub fn of(pieces: &[(u32, Piece)], span: Span) -> Self {
        let mut changes = vec![(span.start, 0, 0), (span.end, 0, 0)];
        for (_, piece) in pieces {
            let runs = i64::from(piece.state == State::Running);
            changes.extend([(piece.span.start, 1, runs), (piece.span.end, -1, -runs)]);
        }
        changes.sort_unstable();
        let mut all = Self::default();
        let (mut active, mut running, mut seconds, mut last) = (0, 0, 0.0, span.start);
        for (time, more, more_running) in changes {
            let lasted = (time - last) as f64 / 1e9;
            let before = share(active);
            seconds += lasted * before;
            all.running += lasted * before * running as f64;
            all.idle += if active == 0 { lasted } else { 0.0 };
            (active, running, last) = (active + more, running + more_running, time);
            let share = share(active);
            match all.moments.last_mut().filter(|moment| moment.time == time) {
                Some(moment) => moment.share = share,
                None => all.moments.push(Moment { time, share, seconds }),
            }
        }
        all
    }

    /// The spans in which no thread is active.
    pub fn gaps(&self) -> impl Iterator<Item = Span> {
        let pairs = self.moments.windows(2).filter(|pair| pair[0].share == 0.0);
        pairs.map(|pair| Span { start: pair[0].time, end: pair[1].time })
    }

    /// The share of one thread at that time.
    pub fn at(&self, time: u64) -> f64 {
        self.before(time).map_or(0.0, |moment| moment.share)
    }

    /// Adds what was recorded at that time, after everything that was recorded before.
    pub fn add_recording(&mut self, time: u64, cost: f64) {
        let before = self.recorded.last().map_or(0.0, |(_, cost)| *cost);
        self.recorded.push((time, before + cost * self.at(time)));
    }

    /// The share of one thread in `span`.
    pub fn within(&self, span: Span) -> Part {
        let recorded = |time: u64| {
            let after = self.recorded.partition_point(|(recorded, _)| *recorded < time);
            after.checked_sub(1).map_or(0.0, |last| self.recorded[last].1)
        };
        Part {
            seconds: self.until(span.end) - self.until(span.start),
            events: recorded(span.end) - recorded(span.start),
        }
    }

    fn until(&self, time: u64) -> f64 {
        let until = |moment: &Moment| moment.seconds + (time - moment.time) as f64 / 1e9 * moment.share;
        self.before(time).map_or(0.0, until)
    }

    /// The last moment that is not after `time`.
    fn before(&self, time: u64) -> Option<&Moment> {
        let after = self.moments.partition_point(|moment| moment.time <= time);
        self.moments[..after].last()
    }
}

fn share(active: i64) -> f64 {
    if active > 0 { 1.0 / active as f64 } else { 0.0 }
}
