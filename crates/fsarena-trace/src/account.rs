//! The parts of the time of the work. They add up to it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use fsarena_model::{Spent, TimePart, Wait};

use crate::Span;
use crate::division::{Division, Part, Recording};
use crate::requests::{DeviceLog, union, within};
use crate::shares::Shares;
use crate::symbols::{Knobs, Sleep};
use crate::threads::{Piece, State, ThreadSample, Threads};
use crate::waits::Waits;

/// The name of a kernel worker that passes requests of a loop device on.
pub const LOOP_DRIVER: &str = "loop driver";

/// Everything that was found out about a trace.
#[derive(Debug, Default)]
pub struct Traced {
    pub threads: Threads,
    /// The threads of the work.
    pub work: HashSet<u32>,
    /// The process of each thread.
    pub processes: HashMap<u32, u32>,
    /// The kernel threads that pass requests on for loop devices.
    pub drivers: HashSet<u32>,
    pub names: HashMap<u32, String>,
    /// What kernel workers began to work on, in the order of time. They do so for everybody.
    pub works: HashMap<u32, Vec<(u64, String)>>,
    /// Where threads were, in the order of time.
    pub samples: Vec<ThreadSample>,
    /// The requests to the contender's device.
    pub device: DeviceLog,
    /// What was recorded, in the order of time.
    pub recordings: Vec<Recording>,
    /// The knobs that avoid flushes of the device's cache.
    pub flush_knobs: Knobs,
    /// The time between two samples of a processor.
    pub sample_seconds: f64,
}

impl Traced {
    /// The parts of the time within `spans`, which do not overlap, and what each knob avoids of them.
    pub fn parts(&self, spans: &[Span]) -> (Vec<TimePart>, BTreeMap<u32, Part>) {
        let mut division = Division::default();
        spans.iter().for_each(|span| self.divide(*span, &mut division));
        division.finish()
    }

    /// Adds the parts of `span` to `division`.
    fn divide(&self, span: Span, division: &mut Division) {
        let pieces = self.pieces(&self.work, span);
        let waits = self.waits(&pieces);
        let active = |(thread, piece): (u32, Piece)| {
            let waits = self.processes.get(&thread).and_then(|process| waits.get(process));
            self.active(thread, piece, waits.map_or(&[], Vec::as_slice))
        };
        let mut pieces: Vec<(u32, Piece)> = pieces.into_iter().flat_map(active).collect();
        pieces.sort_by_key(|(_, piece)| piece.span.start);
        pieces
            .extend(Shares::of(&pieces, span).gaps().filter_map(|gap| self.program(&pieces, gap)).collect::<Vec<_>>());
        let mut shares = Shares::of(&pieces, span);
        division.running.seconds += shares.running;
        division.add(Spent::Idle, Part { seconds: shares.idle, events: 0.0 });
        let recordings = from(&self.recordings, |recording| recording.time, span.start).iter();
        for recording in recordings.take_while(|recording| recording.time < span.end) {
            // What other threads record delays those of the work that wait.
            match self.works_at(recording.thread, recording.time) {
                true => division.running.events += recording.cost * shares.at(recording.time),
                false => shares.add_recording(recording.time, recording.cost),
            }
        }
        for sample in self.samples_within(span).filter(|sample| self.works_at(sample.thread, sample.time)) {
            division.sample(sample, shares.at(sample.time));
        }
        let mut waits = Waits::new(self, span, &shares, division);
        let mut ready = Part::default();
        for (_, piece) in &pieces {
            match piece.state {
                State::Ready => ready = ready + shares.within(piece.span),
                State::Asleep { sleep: Sleep::Waits(wait), knobs, woken_by } => {
                    waits.add((wait, knobs), piece.span, woken_by);
                }
                _ => {}
            }
        }
        waits.finish();
        division.add(Spent::Ready, ready);
    }

    /// When threads of each process wait for the kernel, and not for completions; in order, without overlaps.
    fn waits(&self, pieces: &[(u32, Piece)]) -> HashMap<u32, Vec<Span>> {
        let mut all: HashMap<u32, Vec<Span>> = HashMap::new();
        for (thread, piece) in pieces {
            let State::Asleep { sleep: Sleep::Waits(_), .. } = piece.state else { continue };
            let Some(process) = self.processes.get(thread) else { continue };
            all.entry(*process).or_default().push(piece.span);
        }
        all.values_mut().for_each(|waits| *waits = union(waits.drain(..)));
        all
    }

    /// The parts of a piece in which the thread does not idle. A thread that collects completions idles while the device
    /// has no requests, if that is known, and while another thread of its process waits otherwise (`waits`): the requests
    /// are then of that wait.
    fn active(&self, thread: u32, piece: Piece, waits: &[Span]) -> Vec<(u32, Piece)> {
        match piece.state {
            State::Asleep { sleep: Sleep::Idle, .. } => Vec::new(),
            State::Asleep { sleep: Sleep::Completions, knobs, woken_by } => {
                let state = State::Asleep { sleep: Sleep::Waits(Wait::Request), knobs, woken_by };
                let busy: Vec<Span> = match self.device.knows_ends() {
                    true => self.device.busy_within(piece.span).collect(),
                    false => vec![piece.span],
                };
                let own = busy.into_iter().flat_map(|span| outside(span, waits));
                own.map(|span| (thread, Piece { span, state })).collect()
            }
            _ => vec![(thread, piece)],
        }
    }

    /// A gap in which no thread of the work is active, if it ends since another thread wakes one of them: that waits for a
    /// program, or for what is done with a completed request. `pieces` are in the order of their starts.
    fn program(&self, pieces: &[(u32, Piece)], gap: Span) -> Option<(u32, Piece)> {
        let (thread, _) = *from(pieces, |(_, piece)| piece.span.start, gap.end).first()?;
        let last = self.threads.within(thread, gap).last()?;
        let State::Asleep { sleep, knobs, woken_by: Some(waker) } = last.state else { return None };
        let wait = match sleep {
            Sleep::Idle => Wait::Program,
            Sleep::Completions => Wait::Request,
            Sleep::Waits(_) => return None,
        };
        let state = State::Asleep { sleep: Sleep::Waits(wait), knobs, woken_by: Some(waker) };
        Some((thread, Piece { span: gap, state }))
    }

    /// Whether it is a thread of the work, and runs at that time.
    fn works_at(&self, thread: u32, time: u64) -> bool {
        let now = Span { start: time, end: time + 1 };
        self.work.contains(&thread) && self.threads.within(thread, now).any(|piece| piece.state == State::Running)
    }

    /// The samples within `span`.
    pub fn samples_within(&self, span: Span) -> impl Iterator<Item = &ThreadSample> {
        let samples = from(&self.samples, |sample| sample.time, span.start).iter();
        samples.take_while(move |sample| sample.time < span.end)
    }

    /// The pieces of some threads within `span`, in the order of their starts.
    pub fn pieces(&self, threads: &HashSet<u32>, span: Span) -> Vec<(u32, Piece)> {
        let mut pieces = Vec::new();
        for thread in threads {
            pieces.extend(self.threads.within(*thread, span).map(|piece| (*thread, piece)));
        }
        pieces.sort_by_key(|(thread, piece)| (piece.span.start, *thread));
        pieces
    }

    /// The parts of a piece, each with the thread's name: a kernel worker that runs may do one work after the other. It
    /// ends a wait at `ends`, if it does.
    pub fn named(&self, thread: u32, piece: &Piece, ends: Option<u64>) -> impl Iterator<Item = (Span, &str)> {
        let works = self.works.get(&thread).filter(|_| piece.state == State::Running).map_or(&[][..], Vec::as_slice);
        let works = from(works, |(time, _)| *time, piece.span.start + 1).iter().map(|(time, _)| *time);
        let cuts = works.take_while(|time| *time < piece.span.end);
        let starts = std::iter::once(piece.span.start).chain(cuts.clone());
        let parts = starts.zip(cuts.chain(std::iter::once(piece.span.end)));
        parts.map(move |(start, end)| {
            let span = Span { start, end };
            (span, self.name(thread, &Piece { span, state: piece.state }, ends))
        })
    }

    /// The name of a thread; of a kernel worker, by its work. What sleeps or is preempted does so within its work. A worker
    /// that was woken to work is named if its next work is as the one that ends the wait: it need not have been woken
    /// for what it does before.
    fn name(&self, thread: u32, piece: &Piece, ends: Option<u64>) -> &str {
        if self.work.contains(&thread) {
            return "a thread of the work";
        }
        let Some(works) = self.works.get(&thread) else {
            return self.names.get(&thread).map_or("an unknown thread", String::as_str);
        };
        let at = |index: usize| works.get(index).map(|(_, name)| name.as_str());
        let begun = |time: u64| works.partition_point(|(begun, _)| *begun < time);
        let current = begun(piece.span.end).saturating_sub(1);
        let idle = |state| matches!(state, State::Asleep { sleep: Sleep::Idle, .. });
        let name = match piece.state {
            asleep if idle(asleep) => None,
            State::Ready if self.threads.before(thread, piece.span.start).is_none_or(idle) => {
                let next = begun(piece.span.end);
                let last = ends.map_or(next, |ends| begun(ends).saturating_sub(1));
                at(next).filter(|name| at(last) == Some(name))
            }
            _ => at(current),
        };
        name.unwrap_or("kworker")
    }
}

/// The parts of `span` that are in none of `others`, which are in order and do not overlap.
pub fn outside(span: Span, others: &[Span]) -> Vec<Span> {
    let (mut parts, mut start) = (Vec::new(), span.start);
    for other in within(others, span) {
        parts.push(Span { start, end: other.start });
        start = other.end;
    }
    parts.push(Span { start, end: span.end });
    parts.retain(|part| part.start < part.end);
    parts
}

/// The part of `list`, which is in the order of `time`, that is not before `start`.
fn from<T>(list: &[T], time: impl Fn(&T) -> u64, start: u64) -> &[T] {
    &list[list.partition_point(|it| time(it) < start)..]
}
