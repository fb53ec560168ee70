//! What each thread did when, from the events of the scheduler.

use std::collections::HashMap;

use fsarena_model::Spent;

use crate::Span;
use crate::symbols::{Knobs, Sleep};

/// What happened to a thread at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A processor passed from one thread to another; 0 is the idle thread.
    Switch {
        /// The thread that ran.
        from: u32,
        /// Why it does not run any more, and the knobs that avoid this; `None` if it is ready to go on.
        sleep: Option<(Sleep, Knobs)>,
        /// The thread that runs now.
        to: u32,
    },
    /// A thread need not wait any more.
    Woken {
        /// The thread.
        thread: u32,
        /// The thread that woke it; `None` if an interrupt did.
        by: Option<u32>,
    },
    /// A thread was created, and is ready.
    Created(u32),
}

/// A sample of where a thread of the work was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The moment.
    pub time: u64,
    /// The thread.
    pub thread: u32,
    /// Where it was.
    pub at: Spent,
    /// The knobs that avoid this.
    pub knobs: Knobs,
}

/// A span of a thread in which it did one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// When.
    pub span: Span,
    /// What it did.
    pub state: State,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It runs on a processor.
    Running,
    /// It is ready to run.
    Ready,
    /// It waits.
    Asleep {
        /// What for.
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

impl Threads {
    /// Follows the threads through `changes`, which are in the order of time, within `whole`.
    pub fn follow(changes: &[(u64, Change)], whole: Span) -> Self {
        let mut threads = Self::default();
        let mut current: HashMap<u32, (u64, State)> = HashMap::new();
        for (time, change) in changes {
            match *change {
                Change::Switch { from, sleep, to } => {
                    // The thread that a processor leaves first has run on it since before the trace.
                    let (since, _) = current.get(&from).copied().unwrap_or((whole.start, State::Running));
                    threads.add(from, Span { start: since, end: *time }, State::Running);
                    let asleep = |(sleep, knobs)| State::Asleep { sleep, knobs, woken_by: None };
                    let next = sleep.map_or(State::Ready, asleep);
                    current.insert(from, (*time, next));
                    if let Some((since, state)) = current.insert(to, (*time, State::Running)) {
                        threads.add(to, Span { start: since, end: *time }, state);
                    }
                }
                Change::Woken { thread, by } => {
                    if let Some((since, State::Asleep { sleep, knobs, .. })) = current.get(&thread).copied() {
                        let state = State::Asleep { sleep, knobs, woken_by: by };
                        threads.add(thread, Span { start: since, end: *time }, state);
                        current.insert(thread, (*time, State::Ready));
                    }
                    current.entry(thread).or_insert((*time, State::Ready));
                }
                Change::Created(thread) => drop(current.insert(thread, (*time, State::Ready))),
            }
        }
        for (thread, (since, state)) in current {
            threads.add(thread, Span { start: since, end: whole.end.max(since) }, state);
        }
        threads
    }

    fn add(&mut self, thread: u32, span: Span, state: State) {
        if thread != 0 && span.length() > 0 {
            self.pieces.entry(thread).or_default().push(Piece { span, state });
        }
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
            (10, Change::Switch { from: 1, sleep: Some((commit, 0)), to: 0 }),
            (15, Change::Switch { from: 0, sleep: None, to: 2 }),
            (30, Change::Woken { thread: 1, by: Some(2) }),
            (40, Change::Switch { from: 2, sleep: Some((Sleep::Idle, 0)), to: 1 }),
            (41, Change::Woken { thread: 1, by: None }),
        ];
        let threads = Threads::follow(&changes, Span { start: 0, end: 50 });
        let pieces: Vec<(u64, u64, State)> =
            threads.pieces[&1].iter().map(|piece| (piece.span.start, piece.span.end, piece.state)).collect();
        let waited = State::Asleep { sleep: commit, knobs: 0, woken_by: Some(2) };
        let expected = [(0, 10, State::Running), (10, 30, waited), (30, 40, State::Ready), (40, 50, State::Running)];
        assert_eq!(pieces, expected);
        assert_eq!(threads.within(2, Span { start: 20, end: 45 }).count(), 2);
    }
}
