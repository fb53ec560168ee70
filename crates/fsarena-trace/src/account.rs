//! The parts of the time of the work. They add up to it.

use std::collections::{BTreeMap, HashMap, HashSet};

use fsarena_model::{Meanwhile, Spent, TimePart};

use crate::Span;
use crate::division::{Division, Recording};
use crate::recorder::SAMPLES;
use crate::requests::DeviceLog;
use crate::symbols::{Knobs, Sleep};
use crate::threads::{Piece, Sample, State, Threads};

/// How many threads a wait is followed through. Two that pass a lock to each other make many.
const DEEPEST: u32 = 100;

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
    /// What kernel workers began to work on, in the order of time. They do so for everybody.
    pub works: HashMap<u32, Vec<(u64, String)>>,
    /// Where threads were, in the order of time.
    pub samples: Vec<Sample>,
    /// The requests to the contender's device.
    pub device: DeviceLog,
    /// What was recorded, in the order of time.
    pub recordings: Vec<Recording>,
    /// The knobs that avoid flushes of the device's cache.
    pub flush_knobs: Knobs,
}

impl Traced {
    /// The parts of the time within `spans`, which do not overlap, and the seconds that each knob avoids.
    pub fn parts(&self, spans: &[Span]) -> (Vec<TimePart>, BTreeMap<u32, f64>) {
        let mut division = Division::default();
        spans.iter().for_each(|span| self.divide(*span, &mut division));
        division.finish()
    }

    /// Adds the parts of `span` to `division`.
    fn divide(&self, span: Span, division: &mut Division) {
        let mut pieces = self.pieces(&self.work, span);
        pieces.retain(|(_, piece)| !matches!(piece.state, State::Asleep { sleep: Sleep::Idle, .. }));
        let mut moments: Vec<u64> = pieces.iter().flat_map(|(_, piece)| [piece.span.start, piece.span.end]).collect();
        moments.extend([span.start, span.end]);
        moments.sort_unstable();
        moments.dedup();
        let mut samples = from(&self.samples, |sample| sample.time, span.start).iter().peekable();
        let mut recordings = from(&self.recordings, |recording| recording.time, span.start).iter().peekable();
        let (mut active, mut next): (Vec<(u32, Piece)>, _) = (Vec::new(), 0);
        for pair in moments.windows(2) {
            let moment = Span { start: pair[0], end: pair[1] };
            active.retain(|(_, piece)| piece.span.end > moment.start);
            while let Some(begun) = pieces.get(next).filter(|(_, piece)| piece.span.start == moment.start) {
                active.push(*begun);
                next += 1;
            }
            let share = 1.0 / active.len() as f64;
            let runs =
                |thread: u32| active.iter().any(|(running, piece)| *running == thread && piece.state == State::Running);
            // What other threads record delays those of the work that wait.
            let mut others = Vec::new();
            while let Some(recording) = recordings.next_if(|recording| recording.time < moment.end) {
                match runs(recording.thread) {
                    true => division.running.events += recording.cost * share,
                    false => others.push(*recording),
                }
            }
            let cost = |span: Span| -> f64 {
                let within = others.iter().filter(|it| span.start <= it.time && it.time < span.end);
                within.map(|recording| recording.cost).sum()
            };
            for (_, piece) in &active {
                match piece.state {
                    State::Running => division.running.seconds += seconds(moment) * share,
                    State::Ready => division.add(Spent::Ready, seconds(moment) * share, cost(moment) * share),
                    State::Asleep { sleep: Sleep::Waits(wait), knobs, woken_by } => {
                        self.meanwhile(moment, woken_by, DEEPEST, &mut |happened, span, thread| {
                            let avoided = knobs | if happened == Meanwhile::Flush { self.flush_knobs } else { 0 };
                            division.avoid(avoided, seconds(span) * share);
                            for run in thread.map(|thread| self.samples_of(thread, span)).into_iter().flatten() {
                                division.avoid(run & !avoided, share / SAMPLES as f64);
                            }
                            division.add(Spent::Waiting(wait, happened), seconds(span) * share, cost(span) * share);
                        });
                    }
                    State::Asleep { sleep: Sleep::Idle, .. } => {}
                }
            }
            if active.is_empty() {
                division.add(Spent::Idle, seconds(moment), 0.0);
            }
            while let Some(sample) = samples.next_if(|sample| sample.time < moment.end) {
                if runs(sample.thread) {
                    division.sample(sample, share);
                }
            }
        }
    }

    /// The knobs of the samples of a thread that is none of the work.
    fn samples_of(&self, thread: u32, span: Span) -> impl Iterator<Item = Knobs> {
        let samples = from(&self.samples, |sample| sample.time, span.start).iter();
        let samples = samples.take_while(move |sample| sample.time < span.end);
        samples.filter(move |sample| sample.thread == thread).map(|sample| sample.knobs)
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

    /// What happened within `span`, while a thread waited that `waker` then woke. Passes the parts of `span` to
    /// `found`, with the thread that ran.
    fn meanwhile(&self, span: Span, waker: Option<u32>, depth: u32, found: Found<'_>) {
        let Some((waker, deeper)) = waker.zip(depth.checked_sub(1)) else {
            return self.at_device(span, found);
        };
        let mut known = span.start;
        for piece in self.threads.within(waker, span) {
            self.at_device(Span { start: known, end: piece.span.start }, found);
            known = piece.span.end;
            match piece.state {
                State::Running => found(Meanwhile::Runs(self.name(waker, &piece)), piece.span, Some(waker)),
                State::Ready => found(Meanwhile::Ready(self.name(waker, &piece)), piece.span, None),
                State::Asleep { woken_by, .. } => self.meanwhile(piece.span, woken_by, deeper, found),
            }
        }
        self.at_device(Span { start: known, end: span.end }, found);
    }

    /// What happened to the requests of the device within `span`, which ended by an interrupt.
    fn at_device(&self, span: Span, found: Found<'_>) {
        let mut driving = self.pieces(&self.drivers, span);
        driving.retain(|(_, piece)| !matches!(piece.state, State::Asleep { .. }));
        let mut start = span.start;
        for (driver, piece) in driving {
            let piece_span = Span { start: piece.span.start.max(start), end: piece.span.end.max(start) };
            self.in_flight(Span { start, end: piece_span.start }, found);
            let name = self.name(driver, &piece);
            match piece.state {
                State::Running => found(Meanwhile::Runs(name), piece_span, Some(driver)),
                _ => found(Meanwhile::Ready(name), piece_span, None),
            }
            start = piece_span.end;
        }
        self.in_flight(Span { start, end: span.end.max(start) }, found);
    }

    fn in_flight(&self, span: Span, found: Found<'_>) {
        let mut start = span.start;
        for busy in self.device.busy_within(span) {
            found(Meanwhile::Unknown, Span { start, end: busy.start }, None);
            start = busy.start;
            for flush in self.device.flushing_within(busy) {
                found(Meanwhile::Device, Span { start, end: flush.start }, None);
                found(Meanwhile::Flush, flush, None);
                start = flush.end;
            }
            found(Meanwhile::Device, Span { start, end: busy.end }, None);
            start = busy.end;
        }
        found(Meanwhile::Unknown, Span { start, end: span.end }, None);
    }

    /// The name of a thread; of a kernel worker, by what it works on at the end of the piece, or next if it is ready.
    fn name(&self, thread: u32, piece: &Piece) -> String {
        if self.work.contains(&thread) {
            return "a thread of the work".to_owned();
        }
        let works = self.works.get(&thread).map_or(&[][..], Vec::as_slice);
        let after = works.partition_point(|(time, _)| *time < piece.span.end);
        let index = if piece.state == State::Running { after.saturating_sub(1) } else { after };
        let work = works.get(index).or(works.last()).map(|(_, name)| name);
        work.or_else(|| self.names.get(&thread)).cloned().unwrap_or_else(|| "an unknown thread".to_owned())
    }
}

/// Takes what happened within a span, and the thread that ran meanwhile.
type Found<'a> = &'a mut dyn FnMut(Meanwhile, Span, Option<u32>);

/// The part of `list`, which is in the order of `time`, that is not before `start`.
fn from<T>(list: &[T], time: impl Fn(&T) -> u64, start: u64) -> &[T] {
    &list[list.partition_point(|it| time(it) < start)..]
}

fn seconds(span: Span) -> f64 {
    span.length() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Layer, RequestKind, Wait};

    use super::*;
    use crate::division::sum;
    use crate::requests::RequestChange;
    use crate::threads::Change;

    const WHOLE: Span = Span { start: 0, end: 1_000 };

    fn nanoseconds(parts: &[TimePart], wanted: &Spent) -> f64 {
        parts.iter().filter(|part| part.spent == *wanted).map(|part| part.seconds * 1e9).sum()
    }

    fn switch(from: u32, sleep: Option<(Sleep, Knobs)>, to: u32) -> Change {
        Change::Switch { from, sleep, to }
    }

    /// A worker syncs at 100. The journal thread is woken, gets a processor at 300 since a busy thread has it, submits at
    /// 400, and waits for the device until an interrupt at 700. It wakes the worker at 800, which runs from 850 on.
    fn synced() -> Traced {
        let (worker, journal, busy) = (1, 2, 3);
        let commit = Some((Sleep::Waits(Wait::Commit), 0b01));
        let changes = [
            (90, Change::Woken { thread: journal, by: Some(worker) }),
            (100, switch(worker, commit, busy)),
            (300, switch(busy, None, journal)),
            (400, switch(journal, Some((Sleep::Waits(Wait::Unknown), 0)), busy)),
            (700, Change::Woken { thread: journal, by: None }),
            (700, switch(busy, None, journal)),
            (800, Change::Woken { thread: worker, by: Some(journal) }),
            (850, switch(journal, Some((Sleep::Idle, 0)), worker)),
        ];
        let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Write, issued };
        Traced {
            threads: Threads::follow(&changes, WHOLE),
            work: HashSet::from([worker]),
            names: HashMap::from([(journal, "jbd2".to_owned())]),
            samples: vec![
                Sample { time: 50, thread: worker, at: Spent::User, knobs: 0 },
                Sample { time: 900, thread: worker, at: Spent::Kernel(Layer::FileSystem), knobs: 0b10 },
            ],
            device: DeviceLog::follow(&[request(410, Some(4096)), request(700, None)], WHOLE.end),
            ..Traced::default()
        }
    }

    #[test]
    fn a_wait_is_followed_through_the_journal_thread_to_the_device() {
        let (parts, _) = synced().parts(&[WHOLE]);
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
            assert!((nanoseconds(&parts, &spent) - expected).abs() < 1e-6, "{spent:?}: {parts:?}");
        }
        assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_kernel_worker_is_named_by_what_it_works_on() {
        let work = |time, name: &str| (time, name.to_owned());
        let works =
            HashMap::from([(2, vec![work(310, "loop driver"), work(705, "kworker (other)"), work(990, "later")])]);
        let (parts, _) = Traced { works, ..synced() }.parts(&[WHOLE]);
        let of = |name: &str| nanoseconds(&parts, &Spent::Waiting(Wait::Commit, Meanwhile::Runs(name.to_owned())));
        assert!((of("loop driver") - 100.0).abs() < 1e-6 && (of("kworker (other)") - 100.0).abs() < 1e-6, "{parts:?}");
        let ready = Spent::Waiting(Wait::Commit, Meanwhile::Ready("loop driver".to_owned()));
        assert!((nanoseconds(&parts, &ready) - 200.0).abs() < 1e-6, "{parts:?}");
    }

    #[test]
    fn what_recordings_lengthen_and_what_knobs_avoid_is_known() {
        let recording = |time, thread, cost| Recording { time, thread, cost };
        let flush = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Flush, issued };
        let traced = Traced {
            device: DeviceLog::follow(&[flush(450, Some(0)), flush(650, None)], WHOLE.end),
            // Of the worker, of the journal thread while the worker waits, of the worker as it becomes ready.
            recordings: vec![recording(50, 1, 1.0), recording(350, 2, 3.0), recording(820, 9, 1.0)],
            flush_knobs: 0b100,
            ..synced()
        };
        let (parts, avoided) = traced.parts(&[WHOLE]);
        let events = |wanted: &Spent| parts.iter().find(|part| part.spent == *wanted).expect("a part").events;
        assert_eq!(events(&Spent::Kernel(Layer::FileSystem)), 1.0);
        assert_eq!(events(&Spent::Waiting(Wait::Commit, Meanwhile::Runs("jbd2".to_owned()))), 3.0);
        assert_eq!(events(&Spent::Ready), 1.0);
        assert!((nanoseconds(&parts, &Spent::Waiting(Wait::Commit, Meanwhile::Flush)) - 200.0).abs() < 1e-6);
        let avoided = |knob| avoided[&knob] * 1e9;
        // The whole commit; the sample at 900, half of the 250 ns on a processor; the flush.
        for (knob, expected) in [(0, 700.0), (1, 125.0), (2, 200.0)] {
            assert!((avoided(knob) - expected).abs() < 1e-6, "knob {knob}: {} ns", avoided(knob));
        }
    }

    #[test]
    fn moments_are_divided_among_the_threads_that_do_not_idle() {
        // Thread 1 waits for thread 2 from 200 to 600; both run otherwise.
        let changes = [
            (0, switch(0, None, 2)),
            (200, switch(1, Some((Sleep::Idle, 0)), 0)),
            (600, Change::Woken { thread: 1, by: Some(2) }),
            (600, switch(0, None, 1)),
            (1_000, switch(1, None, 0)),
            (1_000, switch(2, None, 0)),
        ];
        let traced = Traced {
            threads: Threads::follow(&changes, WHOLE),
            work: HashSet::from([1, 2]),
            samples: vec![
                Sample { time: 100, thread: 1, at: Spent::User, knobs: 0 },
                Sample { time: 300, thread: 2, at: Spent::Kernel(Layer::Block), knobs: 0 },
            ],
            ..Traced::default()
        };
        let (parts, _) = traced.parts(&[WHOLE]);
        // The sample at 100 counts half, since two threads ran.
        assert!((nanoseconds(&parts, &Spent::User) - 1_000.0 / 3.0).abs() < 1e-6, "{parts:?}");
        assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_driver_without_a_processor_delays_requests() {
        let changes = [
            (100, switch(1, Some((Sleep::Waits(Wait::Request), 0)), 3)),
            (110, Change::Woken { thread: 5, by: None }),
            (400, switch(3, None, 5)),
            (450, switch(5, Some((Sleep::Idle, 0)), 3)),
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
        let (parts, _) = traced.parts(&[WHOLE]);
        let waiting = |meanwhile| Spent::Waiting(Wait::Request, meanwhile);
        assert!((nanoseconds(&parts, &waiting(Meanwhile::Ready("loop driver".to_owned()))) - 290.0).abs() < 1e-6);
        assert!((nanoseconds(&parts, &waiting(Meanwhile::Runs("loop driver".to_owned()))) - 50.0).abs() < 1e-6);
        assert!((nanoseconds(&parts, &waiting(Meanwhile::Device)) - 460.0).abs() < 1e-6);
        assert_eq!(nanoseconds(&parts, &Spent::Unknown), 200.0, "there is no sample: {parts:?}");
    }
}
