//! The parts of the time of the work. They add up to it.

use std::collections::{BTreeMap, HashMap, HashSet};

use fsarena_model::{Meanwhile, Spent, TimePart};

use crate::Span;
use crate::requests::DeviceLog;
use crate::symbols::Sleep;
use crate::threads::{Piece, Sample, State, Threads};

/// How many threads a wait is followed through.
const DEEPEST: u32 = 6;

/// Everything that was found out about a trace.
#[derive(Debug, Default)]
pub struct Traced {
    /// All threads of the machine.
    pub threads: Threads,
    /// The threads of the work.
    pub work: HashSet<u32>,
    /// The kernel threads that pass requests on for the contender's device, such as those of the loop driver.
    pub drivers: HashSet<u32>,
    /// Names of threads.
    pub names: HashMap<u32, String>,
    /// Where threads of the work were, in the order of time.
    pub samples: Vec<Sample>,
    /// The requests to the contender's device.
    pub device: DeviceLog,
}

/// Seconds by the way in which they were spent.
type Seconds = BTreeMap<Spent, f64>;

impl Traced {
    /// The parts of the time within `spans`, which do not overlap.
    pub fn parts(&self, spans: &[Span]) -> Vec<TimePart> {
        let (mut seconds, mut sampled) = (Seconds::new(), Seconds::new());
        let mut running = 0.0;
        for span in spans {
            running += self.divide(*span, &mut seconds, &mut sampled);
        }
        // The time on processors is divided as its samples are.
        let all: f64 = sampled.values().sum();
        match all > 0.0 {
            true => {
                sampled.into_iter().for_each(|(at, share)| *seconds.entry(at).or_default() += running * share / all)
            }
            false => *seconds.entry(Spent::Unknown).or_default() += running,
        }
        let parts = seconds.into_iter().map(|(spent, seconds)| TimePart { spent, seconds });
        parts.filter(|part| part.seconds > 0.0).collect()
    }

    /// Adds the parts of `span` to `seconds`, and the weights of the samples in it to `sampled`. Returns the seconds on
    /// processors.
    fn divide(&self, span: Span, seconds: &mut Seconds, sampled: &mut Seconds) -> f64 {
        let mut pieces = self.pieces(&self.work, span);
        pieces.retain(|(_, piece)| !matches!(piece.state, State::Asleep { sleep: Sleep::Idle, .. }));
        let mut moments: Vec<u64> = pieces.iter().flat_map(|(_, piece)| [piece.span.start, piece.span.end]).collect();
        moments.extend([span.start, span.end]);
        moments.sort_unstable();
        moments.dedup();
        let mut samples =
            self.samples[self.samples.partition_point(|sample| sample.time < span.start)..].iter().peekable();
        let (mut active, mut next, mut running): (Vec<(u32, Piece)>, _, _) = (Vec::new(), 0, 0.0);
        for pair in moments.windows(2) {
            let moment = Span { start: pair[0], end: pair[1] };
            active.retain(|(_, piece)| piece.span.end > moment.start);
            while let Some(begun) = pieces.get(next).filter(|(_, piece)| piece.span.start == moment.start) {
                active.push(*begun);
                next += 1;
            }
            let share = 1.0 / active.len() as f64;
            for (_, piece) in &active {
                let part = moment.length() as f64 / 1e9 * share;
                match piece.state {
                    State::Running => running += part,
                    State::Ready => *seconds.entry(Spent::Ready).or_default() += part,
                    State::Asleep { sleep: Sleep::Waits(wait), woken_by } => {
                        self.meanwhile(moment, woken_by, DEEPEST, &mut |happened, span| {
                            let part = span.length() as f64 / 1e9 * share;
                            *seconds.entry(Spent::Waiting(wait, happened)).or_default() += part;
                        });
                    }
                    State::Asleep { sleep: Sleep::Idle, .. } => {}
                }
            }
            if active.is_empty() {
                *seconds.entry(Spent::Idle).or_default() += moment.length() as f64 / 1e9;
            }
            while let Some(sample) = samples.next_if(|sample| sample.time < moment.end) {
                let is_there =
                    |(thread, piece): &(u32, Piece)| *thread == sample.thread && piece.state == State::Running;
                if active.iter().any(is_there) {
                    *sampled.entry(sample.at.clone()).or_default() += share;
                }
            }
        }
        running
    }

    /// The pieces of some threads within `span`, in the order of their starts.
    fn pieces(&self, threads: &HashSet<u32>, span: Span) -> Vec<(u32, Piece)> {
        let mut pieces = Vec::new();
        for thread in threads {
            pieces.extend(self.threads.within(*thread, span).map(|piece| (*thread, piece)));
        }
        pieces.sort_by_key(|(thread, piece)| (piece.span.start, *thread));
        pieces
    }

    /// What happened within `span`, while a thread waited that `waker` then woke. Passes the parts of `span` to `found`.
    fn meanwhile(&self, span: Span, waker: Option<u32>, depth: u32, found: &mut dyn FnMut(Meanwhile, Span)) {
        let Some((waker, deeper)) = waker.zip(depth.checked_sub(1)) else {
            return self.at_device(span, found);
        };
        let mut known = span.start;
        for piece in self.threads.within(waker, span) {
            self.at_device(Span { start: known, end: piece.span.start }, found);
            known = piece.span.end;
            match piece.state {
                State::Running => found(Meanwhile::Runs(self.name(waker)), piece.span),
                State::Ready => found(Meanwhile::Ready(self.name(waker)), piece.span),
                State::Asleep { woken_by, .. } => self.meanwhile(piece.span, woken_by, deeper, found),
            }
        }
        self.at_device(Span { start: known, end: span.end }, found);
    }

    /// What happened to the requests of the device within `span`, which ended by an interrupt.
    fn at_device(&self, span: Span, found: &mut dyn FnMut(Meanwhile, Span)) {
        let mut driving = self.pieces(&self.drivers, span);
        driving.retain(|(_, piece)| !matches!(piece.state, State::Asleep { .. }));
        let mut start = span.start;
        for (driver, piece) in driving {
            let piece_span = Span { start: piece.span.start.max(start), end: piece.span.end.max(start) };
            self.in_flight(Span { start, end: piece_span.start }, found);
            let name = self.name(driver);
            let happened = if piece.state == State::Running { Meanwhile::Runs(name) } else { Meanwhile::Ready(name) };
            found(happened, piece_span);
            start = piece_span.end;
        }
        self.in_flight(Span { start, end: span.end.max(start) }, found);
    }

    fn in_flight(&self, span: Span, found: &mut dyn FnMut(Meanwhile, Span)) {
        let mut start = span.start;
        for busy in self.device.busy_within(span) {
            found(Meanwhile::Unknown, Span { start, end: busy.start });
            found(Meanwhile::Device, busy);
            start = busy.end;
        }
        found(Meanwhile::Unknown, Span { start, end: span.end });
    }

    fn name(&self, thread: u32) -> String {
        match self.work.contains(&thread) {
            true => "a thread of the work".to_owned(),
            false => self.names.get(&thread).cloned().unwrap_or_else(|| "an unknown thread".to_owned()),
        }
    }
}

/// The sum of all parts, in seconds.
pub fn sum(parts: &[TimePart]) -> f64 {
    parts.iter().map(|part| part.seconds).sum()
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Layer, RequestKind, Wait};

    use super::*;
    use crate::requests::RequestChange;
    use crate::threads::Change;

    const WHOLE: Span = Span { start: 0, end: 1_000 };

    fn seconds(parts: &[TimePart], wanted: &Spent) -> f64 {
        parts.iter().filter(|part| part.spent == *wanted).map(|part| part.seconds * 1e9).sum()
    }

    fn switch(from: u32, sleep: Option<Sleep>, to: u32) -> Change {
        Change::Switch { from, sleep, to }
    }

    /// A worker syncs at 100. The journal thread is woken, gets a processor at 300 since a busy thread has it, submits at
    /// 400, and waits for the device until an interrupt at 700. It wakes the worker at 800, which runs from 850 on.
    fn synced() -> Traced {
        let (worker, journal, busy) = (1, 2, 3);
        let commit = Some(Sleep::Waits(Wait::Commit));
        let changes = [
            (90, Change::Woken { thread: journal, by: Some(worker) }),
            (100, switch(worker, commit, busy)),
            (300, switch(busy, None, journal)),
            (400, switch(journal, Some(Sleep::Waits(Wait::Unknown)), busy)),
            (700, Change::Woken { thread: journal, by: None }),
            (700, switch(busy, None, journal)),
            (800, Change::Woken { thread: worker, by: Some(journal) }),
            (850, switch(journal, Some(Sleep::Idle), worker)),
        ];
        let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Write, issued };
        Traced {
            threads: Threads::follow(&changes, WHOLE),
            work: HashSet::from([worker]),
            names: HashMap::from([(journal, "jbd2".to_owned())]),
            samples: vec![
                Sample { time: 50, thread: worker, at: Spent::User },
                Sample { time: 900, thread: worker, at: Spent::Kernel(Layer::FileSystem) },
            ],
            device: DeviceLog::follow(&[request(410, Some(4096)), request(700, None)], WHOLE.end),
            ..Traced::default()
        }
    }

    #[test]
    fn a_wait_is_followed_through_the_journal_thread_to_the_device() {
        let parts = synced().parts(&[WHOLE]);
        let jbd2 = || "jbd2".to_owned();
        let waiting = |meanwhile| Spent::Waiting(Wait::Commit, meanwhile);
        for (spent, expected) in [
            (Spent::User, 125.0),
            (Spent::Kernel(Layer::FileSystem), 125.0),
            (Spent::Ready, 50.0),
            (waiting(Meanwhile::Ready(jbd2())), 200.0),
            (waiting(Meanwhile::Runs(jbd2())), 200.0),
            (waiting(Meanwhile::Device), 290.0),
            (waiting(Meanwhile::Unknown), 10.0),
        ] {
            assert!((seconds(&parts, &spent) - expected).abs() < 1e-6, "{spent:?}: {parts:?}");
        }
        assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
    }

    #[test]
    fn moments_are_divided_among_the_threads_that_do_not_idle() {
        // Thread 1 waits for thread 2 from 200 to 600; both run otherwise.
        let changes = [
            (0, switch(0, None, 2)),
            (200, switch(1, Some(Sleep::Idle), 0)),
            (600, Change::Woken { thread: 1, by: Some(2) }),
            (600, switch(0, None, 1)),
            (1_000, switch(1, None, 0)),
            (1_000, switch(2, None, 0)),
        ];
        let traced = Traced {
            threads: Threads::follow(&changes, WHOLE),
            work: HashSet::from([1, 2]),
            samples: vec![
                Sample { time: 100, thread: 1, at: Spent::User },
                Sample { time: 300, thread: 2, at: Spent::Kernel(Layer::Block) },
            ],
            ..Traced::default()
        };
        let parts = traced.parts(&[WHOLE]);
        // The sample at 100 counts half, since two threads ran.
        assert!((seconds(&parts, &Spent::User) - 1_000.0 / 3.0).abs() < 1e-6, "{parts:?}");
        assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_driver_without_a_processor_delays_requests() {
        let changes = [
            (100, switch(1, Some(Sleep::Waits(Wait::Request)), 3)),
            (110, Change::Woken { thread: 5, by: None }),
            (400, switch(3, None, 5)),
            (450, switch(5, Some(Sleep::Idle), 3)),
            (900, Change::Woken { thread: 1, by: None }),
            (900, switch(3, None, 1)),
        ];
        let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Read, issued };
        let traced = Traced {
            threads: Threads::follow(&changes, WHOLE),
            work: HashSet::from([1]),
            drivers: HashSet::from([5]),
            names: HashMap::from([(5, "loop driver".to_owned())]),
            device: DeviceLog::follow(&[request(100, Some(4096)), request(900, None)], WHOLE.end),
            ..Traced::default()
        };
        let parts = traced.parts(&[WHOLE]);
        let waiting = |meanwhile| Spent::Waiting(Wait::Request, meanwhile);
        assert!((seconds(&parts, &waiting(Meanwhile::Ready("loop driver".to_owned()))) - 290.0).abs() < 1e-6);
        assert!((seconds(&parts, &waiting(Meanwhile::Runs("loop driver".to_owned()))) - 50.0).abs() < 1e-6);
        assert!((seconds(&parts, &waiting(Meanwhile::Device)) - 460.0).abs() < 1e-6);
        assert_eq!(seconds(&parts, &Spent::Unknown), 200.0, "there is no sample: {parts:?}");
    }
}
