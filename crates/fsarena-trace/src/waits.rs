//! What happens while threads of the work wait: what the thread does that ends a wait, and in turn the one for which that
//! thread waits, or what happens to the requests at the device.

use std::collections::{BTreeMap, HashMap};

use fsarena_model::{Layer, Meanwhile, Spent, Wait};

use crate::Span;
use crate::account::{LOOP_DRIVER, Traced, outside};
use crate::division::{Division, Part};
use crate::requests::{union, within};
use crate::shares::Shares;
use crate::symbols::Knobs;
use crate::threads::{Piece, State};

/// How many threads a wait is followed through. Threads that pass a lock to each other make many.
const DEEPEST: u32 = 1_000;

/// Names are those of threads.
type Happened<'a> = Meanwhile<&'a str>;

/// A thread of this name runs, or is ready to.
fn at_work<'a>(piece: &Piece, name: &'a str) -> Happened<'a> {
    if piece.state == State::Running { Meanwhile::Runs(name) } else { Meanwhile::Ready(name) }
}

/// All waits of a span.
pub struct Waits<'a> {
    traced: &'a Traced,
    shares: &'a Shares,
    device: DeviceTime<'a>,
    kernel: HashMap<&'a str, KernelThreads>,
    parts: BTreeMap<(Wait, Happened<'a>), Part>,
    division: &'a mut Division,
}

impl<'a> Waits<'a> {
    /// None yet, of those within `span`.
    pub fn new(traced: &'a Traced, span: Span, shares: &'a Shares, division: &'a mut Division) -> Self {
        let (device, kernel) = (DeviceTime::of(traced, span, shares), KernelThreads::named(traced, span));
        Self { traced, shares, device, kernel, parts: BTreeMap::new(), division }
    }

    /// Adds a wait that `waker` ended, or an interrupt.
    pub fn add(&mut self, (wait, knobs): (Wait, Knobs), span: Span, waker: Option<u32>) {
        self.follow((wait, knobs), span, waker, None, DEEPEST);
    }

    /// `sleeper` is the thread that sleeps in `span`, if the wait is for another one.
    fn follow(&mut self, wait: (Wait, Knobs), span: Span, waker: Option<u32>, sleeper: Option<&'a str>, depth: u32) {
        let Some((waker, deeper)) = waker.zip(depth.checked_sub(1)) else {
            return self.at_device(wait, span, sleeper);
        };
        let traced = self.traced;
        let mut known = span.start;
        for piece in traced.threads.within(waker, span) {
            self.at_device(wait, Span { start: known, end: piece.span.start }, None);
            known = piece.span.end;
            if let State::Asleep { woken_by, .. } = piece.state {
                let name = traced.named(waker, &piece, Some(span.end)).next().map(|(_, name)| name);
                self.follow(wait, piece.span, woken_by, name, deeper);
                continue;
            }
            for (span, name) in traced.named(waker, &piece, Some(span.end)) {
                let mut put = |happened, span| {
                    put(&mut self.parts, self.division, wait, happened, self.shares.within(span));
                };
                // A worker without a processor waits for others that do the same for the same file system.
                let others = self.kernel.get(name).filter(|_| piece.state == State::Ready);
                let others = others.map_or(&[][..], |others| &others.runs);
                within(others, span).for_each(|busy| put(Meanwhile::Runs(name), busy));
                outside(span, others).into_iter().for_each(|free| put(at_work(&piece, name), free));
            }
            if piece.state == State::Running {
                for sample in traced.samples_within(piece.span).filter(|sample| sample.thread == waker) {
                    let seconds = self.shares.at(sample.time) * traced.sample_seconds;
                    self.division.avoid(sample.knobs & !wait.1, Part { seconds, events: 0.0 });
                }
            }
        }
        self.at_device(wait, Span { start: known, end: span.end }, None);
    }

    /// What happens at the device while `sleeper` or an unknown thread sleeps.
    fn at_device(&mut self, wait: (Wait, Knobs), span: Span, sleeper: Option<&'a str>) {
        if span.start < span.end {
            for (happened, share) in self.device.within(span, self.shares) {
                let happened = match sleeper {
                    Some(name) if happened == Meanwhile::Unknown && self.traced.device.knows_ends() => {
                        Meanwhile::Sleeps(name)
                    }
                    _ => happened,
                };
                put(&mut self.parts, self.division, wait, happened, share);
            }
            // Without a flush, drivers need not pass it on either.
            let flushing = sum_within(&self.device.flushing, span, self.shares).unwrap_or_default();
            self.division.avoid(self.traced.flush_knobs & !wait.1, flushing);
        }
    }

    /// Adds all of them to the division.
    pub fn finish(mut self) {
        for (name, threads) in self.kernel.iter().filter(|(_, threads)| threads.computing > 0.0) {
            let share = threads.computing / threads.samples;
            let runs: Vec<_> = self.parts.keys().filter(|(_, it)| *it == Meanwhile::Runs(name)).copied().collect();
            for (wait, runs) in runs {
                let part = self.parts.remove(&(wait, runs)).unwrap_or_default();
                self.parts.insert((wait, Meanwhile::Computes(name)), part.times(share));
                self.parts.insert((wait, runs), part.times(1.0 - share));
            }
        }
        for ((wait, happened), part) in self.parts {
            let happened = match happened {
                Meanwhile::Runs(name) => Meanwhile::Runs(name.to_owned()),
                Meanwhile::Computes(name) => Meanwhile::Computes(name.to_owned()),
                Meanwhile::Ready(name) => Meanwhile::Ready(name.to_owned()),
                Meanwhile::Sleeps(name) => Meanwhile::Sleeps(name.to_owned()),
                Meanwhile::Device => Meanwhile::Device,
                Meanwhile::Flush => Meanwhile::Flush,
                Meanwhile::Unknown => Meanwhile::Unknown,
            };
            self.division.add(Spent::Waiting(wait, happened), part);
        }
    }
}

fn put<'a>(
    parts: &mut BTreeMap<(Wait, Happened<'a>), Part>,
    division: &mut Division,
    (wait, knobs): (Wait, Knobs),
    happened: Happened<'a>,
    share: Part,
) {
    let part = parts.entry((wait, happened)).or_default();
    *part = *part + share;
    division.avoid(knobs, share);
}

/// What all threads of one name do that are none of the work.
#[derive(Default)]
struct KernelThreads {
    /// When workers of the kernel run, in order and without overlaps.
    runs: Vec<Span>,
    /// Samples of them, and those in which they compute checksums, compress or encrypt.
    samples: f64,
    computing: f64,
}

impl KernelThreads {
    fn named(traced: &Traced, span: Span) -> HashMap<&str, Self> {
        let mut all: HashMap<&str, Self> = HashMap::new();
        for (thread, piece) in traced.pieces(&traced.works.keys().copied().collect(), span) {
            if piece.state == State::Running {
                for (span, name) in traced.named(thread, &piece, None) {
                    all.entry(name).or_default().runs.push(span);
                }
            }
        }
        for Self { runs, .. } in all.values_mut() {
            runs.sort_by_key(|span| span.start);
            *runs = union(runs.drain(..));
        }
        for sample in traced.samples_within(span).filter(|sample| !traced.work.contains(&sample.thread)) {
            let piece = Piece { span: Span { start: sample.time, end: sample.time + 1 }, state: State::Running };
            for (_, name) in traced.named(sample.thread, &piece, None) {
                let threads = all.entry(name).or_default();
                threads.samples += 1.0;
                threads.computing += f64::from(u8::from(sample.at == Spent::Kernel(Layer::Checksum)));
            }
        }
        all
    }
}

/// What happens to the requests at the device, or to those that pass them on to it. Many waits overlap, so that sums are
/// kept. What drivers run is no part of the contender's file system: no knob avoids it.
struct DeviceTime<'a> {
    of: HashMap<Happened<'a>, Vec<(Span, Part)>>,
    /// When its cache is flushed, or drivers pass the flush on.
    flushing: Vec<(Span, Part)>,
}

impl<'a> DeviceTime<'a> {
    fn of(traced: &'a Traced, span: Span, shares: &Shares) -> Self {
        let mut all = Self { of: HashMap::new(), flushing: Vec::new() };
        for flush in traced.device.flushing_within(span) {
            push(&mut all.flushing, flush, shares);
        }
        let mut driving: Vec<(u32, Piece)> = traced.pieces(&traced.drivers, span);
        driving.retain(|(_, piece)| !matches!(piece.state, State::Asleep { .. }));
        let mut start = span.start;
        for (driver, piece) in driving {
            let free = Span { start: piece.span.start.max(start), end: piece.span.end.max(start) };
            all.in_flight(traced, Span { start, end: free.start }, shares);
            for (span, name) in traced.named(driver, &Piece { span: free, ..piece }, None) {
                match name {
                    LOOP_DRIVER => all.add(at_work(&piece, name), span, shares),
                    // A worker may do other work, too.
                    _ => all.in_flight(traced, span, shares),
                }
            }
            start = free.end;
        }
        all.in_flight(traced, Span { start, end: span.end.max(start) }, shares);
        all
    }

    fn in_flight(&mut self, traced: &Traced, span: Span, shares: &Shares) {
        let mut start = span.start;
        for busy in traced.device.busy_within(span) {
            self.add(Meanwhile::Unknown, Span { start, end: busy.start }, shares);
            start = busy.start;
            for flush in traced.device.flushing_within(busy) {
                self.add(Meanwhile::Device, Span { start, end: flush.start }, shares);
                self.add(Meanwhile::Flush, flush, shares);
                start = flush.end;
            }
            self.add(Meanwhile::Device, Span { start, end: busy.end }, shares);
            start = busy.end;
        }
        self.add(Meanwhile::Unknown, Span { start, end: span.end }, shares);
    }

    /// Adds a span that is not before those that are there.
    fn add(&mut self, happened: Happened<'a>, span: Span, shares: &Shares) {
        if span.start < span.end {
            push(self.of.entry(happened).or_default(), span, shares);
        }
    }

    /// What happens within `span`, with its shares.
    fn within(&self, span: Span, shares: &Shares) -> impl Iterator<Item = (Happened<'a>, Part)> {
        self.of.iter().filter_map(move |(happened, spans)| Some((*happened, sum_within(spans, span, shares)?)))
    }
}

/// Adds a span that is not before those that are there, with the sum of all of them.
fn push(spans: &mut Vec<(Span, Part)>, span: Span, shares: &Shares) {
    let before = spans.last().map_or(Part::default(), |(_, sum)| *sum);
    spans.push((span, before + shares.within(span)));
}

/// The share of the parts of `spans`, with their sums, that lie within `span`; `None` if none does.
fn sum_within(spans: &[(Span, Part)], span: Span, shares: &Shares) -> Option<Part> {
    let first = spans.partition_point(|(it, _)| it.end <= span.start);
    let after = spans.partition_point(|(it, _)| it.start < span.end);
    let last = after.checked_sub(1).filter(|last| *last >= first)?;
    let until = |index: Option<usize>| index.map_or(Part::default(), |index| spans[index].1);
    let (all, before) = (until(Some(last)), until(first.checked_sub(1)));
    let ((begun, _), (ended, _)) = (spans[first], spans[last]);
    // What of the first and the last lies outside.
    let early = shares.within(Span { start: begun.start, end: span.start.max(begun.start) });
    let late = shares.within(Span { start: span.end.min(ended.end), end: ended.end });
    Some(all - before - early - late)
}
