//! What each thread did when, from the events of the scheduler.

use std::collections::HashMap;

use fsarena_model::Spent;

use crate::Span;
use crate::symbols::{Knobs, Sleep};

/// What happened to a thread at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadChange {
    /// A processor passed from one thread to another; 0 is the idle thread.
    Switch {
        from: u32,
        /// Why it does not run any more, and the knobs that avoid this; `None` if it is ready to go on.
        sleep: Option<(Sleep, Knobs)>,
        to: u32,
    },
    /// A thread came to a processor, or ran on it already.
    SwitchedIn(u32),
    /// A thread need not wait any more.
    Woken {
        thread: u32,
        /// The thread that woke it; `None` if an interrupt did.
        by: Option<u32>,
    },
    /// A thread was created, and is ready.
    Created(u32),
    /// A thread runs, as something else shows.
    Runs(u32),
}

/// A sample of where a thread of the work was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadSample {
    pub time: u64,
    pub thread: u32,
    /// Where it was.
    pub at: Spent,
    /// The knobs that avoid this.
    pub knobs: Knobs,
}

/// A span of a thread in which it did one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub span: Span,
    pub state: State,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Running,
    Ready,
    Asleep {
        sleep: Sleep,
        /// The knobs that avoid this.
        knobs: Knobs,
        /// The thread that ended it; `None` if an interrupt did, or nothing did.
        woken_by: Option<u32>,
    },
}

/// All threads over the time of a trace. A thread has no piece for a time of which nothing is known.
#[derive(Debug, Default)]
pub struct Threads {
    pieces: HashMap<u32, Vec<Piece>>,
}

/// A thread that is woken by another processor may still be on its way to sleep: it is woken at most this many
/// nanoseconds before it leaves its own.
const ON_ITS_WAY: u64 = 5_000;

/// What a thread does at the moment.
#[derive(Clone, Copy)]
struct Doing {
    since: u64,
    state: State,
    /// When it was woken while it ran.
    woken: Option<u64>,
}

impl Doing {
    fn new(since: u64, state: State) -> Self {
        Self { since, state, woken: None }
    }

    /// Whether it sleeps, and was not woken before it began to.
    fn is_asleep(&self) -> bool {
        let is_awake = self.woken.is_some_and(|woken| woken + ON_ITS_WAY >= self.since);
        matches!(self.state, State::Asleep { .. }) && !is_awake
    }

    /// What it did until now, if it `runs` now, or else is taken by a processor.
    fn until_now(&self, runs: bool) -> State {
        match self.state {
            asleep if self.is_asleep() => asleep,
            _ if runs => State::Running,
            _ => State::Ready,
        }
    }
}

impl Threads {
    /// Follows the threads through `changes`, which are in the order of time, until `end`.
    pub fn follow(changes: &[(u64, ThreadChange)], end: u64) -> Self {
        let mut threads = Self::default();
        let mut current: HashMap<u32, Doing> = HashMap::new();
        for &(time, change) in changes {
            match change {
                ThreadChange::Switch { from, sleep, to } => {
                    let before = current.get(&from).copied().unwrap_or(Doing::new(time, State::Running));
                    threads.add(from, Span { start: before.since, end: time }, before.until_now(true));
                    let asleep = |(sleep, knobs)| State::Asleep { sleep, knobs, woken_by: None };
                    let next = sleep.map_or(State::Ready, asleep);
                    current.insert(from, Doing { woken: before.woken, ..Doing::new(time, next) });
                    if let Some(before) = current.insert(to, Doing::new(time, State::Running)) {
                        threads.add(to, Span { start: before.since, end: time }, before.until_now(false));
                    }
                }
                ThreadChange::SwitchedIn(thread) => threads.runs(&mut current, thread, time, false),
                ThreadChange::Woken { thread, by } => {
                    if let Some(by) = by {
                        threads.runs(&mut current, by, time, true);
                    }
                    match current.get_mut(&thread) {
                        Some(Doing { since, state: State::Asleep { sleep, knobs, .. }, .. }) => {
                            let state = State::Asleep { sleep: *sleep, knobs: *knobs, woken_by: by };
                            threads.add(thread, Span { start: *since, end: time }, state);
                            current.insert(thread, Doing::new(time, State::Ready));
                        }
                        Some(doing) => doing.woken = Some(time),
                        None => drop(current.insert(thread, Doing::new(time, State::Ready))),
                    }
                }
                ThreadChange::Runs(thread) => threads.runs(&mut current, thread, time, true),
                ThreadChange::Created(thread) => drop(current.insert(thread, Doing::new(time, State::Ready))),
            }
        }
        for (thread, doing) in current {
            let state = doing.until_now(doing.state == State::Running);
            threads.add(thread, Span { start: doing.since, end: end.max(doing.since) }, state);
        }
        threads
    }

    /// A thread runs from now on or, as one does that wakes another or is seen on a processor, `has_run` already: the
    /// kernel may not have recorded that it came back to it.
    fn runs(&mut self, current: &mut HashMap<u32, Doing>, thread: u32, time: u64, has_run: bool) {
        let doing = current.entry(thread).or_insert(Doing::new(time, State::Running));
        if doing.state != State::Running {
            self.add(thread, Span { start: doing.since, end: time }, doing.until_now(has_run));
            *doing = Doing::new(time, State::Running);
        }
    }

    fn add(&mut self, thread: u32, span: Span, state: State) {
        if thread != 0 && span.length() > 0 {
            self.pieces.entry(thread).or_default().push(Piece { span, state });
        }
    }

    /// What a thread did before the piece at `time`; `None` if that is not known.
    pub fn before(&self, thread: u32, time: u64) -> Option<State> {
        let pieces = self.pieces.get(&thread)?;
        let at = pieces.partition_point(|piece| piece.span.end <= time);
        Some(pieces[at.checked_sub(1)?].state)
    }

    /// The pieces of a thread that overlap `span`, in the order of time, cut to it.
    pub fn within(&self, thread: u32, span: Span) -> impl Iterator<Item = Piece> {
        let pieces = self.pieces.get(&thread).map_or(&[][..], Vec::as_slice);
        let first = pieces.partition_point(|piece| piece.span.end <= span.start);
        let overlapping = pieces[first..].iter().take_while(move |piece| piece.span.start < span.end);
        overlapping.map(move |piece| Piece { span: piece.span.within(span), ..*piece })
    }
}

#[cfg(test)]
mod tests {
    use fsarena_model::Wait;

    use super::*;

    #[test]
    fn a_thread_runs_waits_is_woken_and_runs_again() {
        let commit = Sleep::Waits(Wait::Commit);
        let changes = [
            (0, ThreadChange::Runs(1)),
            (10, ThreadChange::Switch { from: 1, sleep: Some((commit, 0)), to: 0 }),
            (15, ThreadChange::Switch { from: 0, sleep: None, to: 2 }),
            (30, ThreadChange::Woken { thread: 1, by: Some(2) }),
            (40, ThreadChange::Switch { from: 2, sleep: Some((Sleep::Idle, 0)), to: 1 }),
            (41, ThreadChange::Woken { thread: 1, by: None }),
        ];
        let threads = Threads::follow(&changes, 50);
        let pieces: Vec<(u64, u64, State)> =
            threads.pieces[&1].iter().map(|piece| (piece.span.start, piece.span.end, piece.state)).collect();
        let waited = State::Asleep { sleep: commit, knobs: 0, woken_by: Some(2) };
        let expected = [(0, 10, State::Running), (10, 30, waited), (30, 40, State::Ready), (40, 50, State::Running)];
        assert_eq!(pieces, expected);
        assert_eq!(threads.within(2, Span { start: 20, end: 45 }).count(), 2);
    }

    /// What thread 1 does, as its changes and those of thread 2 tell, from 0 to 100 µs.
    fn states(changes: &[(u64, ThreadChange)]) -> Vec<(u64, u64, State)> {
        let threads = Threads::follow(changes, 100_000);
        threads.pieces[&1].iter().map(|piece| (piece.span.start, piece.span.end, piece.state)).collect()
    }

    const LOCK: Sleep = Sleep::Waits(Wait::Lock);

    #[test]
    fn a_thread_may_be_woken_on_its_way_to_sleep() {
        let begun = (0, ThreadChange::Switch { from: 0, sleep: None, to: 1 });
        let woken = (19_000, ThreadChange::Woken { thread: 1, by: Some(2) });
        let asleep = (20_000, ThreadChange::Switch { from: 1, sleep: Some((LOCK, 0)), to: 0 });
        let goes_on = (30_000, ThreadChange::Switch { from: 0, sleep: None, to: 1 });
        let ran = (0, 20_000, State::Running);
        let ready = [ran, (20_000, 30_000, State::Ready), (30_000, 100_000, State::Running)];
        assert_eq!(states(&[begun, woken, asleep, goes_on]), ready);
        // It had looked for itself, and sleeps until it is woken once more.
        let again = (25_000, ThreadChange::Woken { thread: 1, by: Some(2) });
        let waits = State::Asleep { sleep: LOCK, knobs: 0, woken_by: Some(2) };
        let later = [ran, (20_000, 25_000, waits), (25_000, 30_000, State::Ready), (30_000, 100_000, State::Running)];
        assert_eq!(states(&[begun, woken, asleep, again, goes_on]), later);
    }

    /// Otherwise all that it does would be part of its wait.
    #[test]
    fn a_thread_runs_from_when_it_comes_to_a_processor() {
        let come = (60_000, ThreadChange::SwitchedIn(1));
        let asleep = (20_000, ThreadChange::Switch { from: 1, sleep: Some((LOCK, 0)), to: 0 });
        let waited = State::Asleep { sleep: LOCK, knobs: 0, woken_by: None };
        let expected = [(0, 20_000, State::Running), (20_000, 60_000, waited), (60_000, 100_000, State::Running)];
        assert_eq!(states(&[(0, ThreadChange::Runs(1)), asleep, come]), expected);
        let woken = (50_000, ThreadChange::Woken { thread: 1, by: Some(2) });
        let ready = (50_000, 60_000, State::Ready);
        assert_eq!(states(&[(0, ThreadChange::Runs(1)), asleep, woken, come])[2], ready);
    }

    #[test]
    fn a_thread_that_wakes_another_runs() {
        let changes = [
            (0, ThreadChange::Runs(1)),
            (20_000, ThreadChange::Switch { from: 1, sleep: Some((LOCK, 0)), to: 0 }),
            (60_000, ThreadChange::Woken { thread: 2, by: Some(1) }),
        ];
        let waited = State::Asleep { sleep: LOCK, knobs: 0, woken_by: None };
        let expected = [(0, 20_000, State::Running), (20_000, 60_000, waited), (60_000, 100_000, State::Running)];
        assert_eq!(states(&changes), expected);
    }
}
