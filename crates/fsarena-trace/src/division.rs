//! The time of a trace, divided into parts, with the events whose recording made them longer.

use std::collections::BTreeMap;
use std::ops::{Add, Sub};

use fsarena_model::{Spent, TimePart};

use crate::symbols::Knobs;
use crate::threads::ThreadSample;

/// An event that was recorded. Recording it took time, which this thread, or those that wait for it, lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recording {
    /// The moment before it was recorded.
    pub time: u64,
    /// The thread that runs after it.
    pub thread: u32,
    /// Its cost, as a multiple of that of an event without a call chain.
    pub cost: f64,
}

/// Time, and the events that made it longer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Part {
    pub seconds: f64,
    pub events: f64,
}

impl Add for Part {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { seconds: self.seconds + other.seconds, events: self.events + other.events }
    }
}

impl Part {
    /// A share of it.
    pub fn times(self, share: f64) -> Self {
        Self { seconds: self.seconds * share, events: self.events * share }
    }
}

impl Sub for Part {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { seconds: self.seconds - other.seconds, events: self.events - other.events }
    }
}

/// The time of a trace, divided.
#[derive(Debug, Default)]
pub struct Division {
    parts: BTreeMap<Spent, Part>,
    /// The time on processors.
    pub running: Part,
    /// The weights of the samples of it.
    sampled: BTreeMap<Spent, f64>,
    /// Weights of samples, by the knob that avoids them.
    sampled_knobs: BTreeMap<u32, f64>,
    /// Waits, by the knob that avoids them.
    avoided: BTreeMap<u32, Part>,
}

impl Division {
    /// Adds time that was spent in one way, with the events that made it longer.
    pub fn add(&mut self, spent: Spent, part: Part) {
        let all = self.parts.entry(spent).or_default();
        *all = *all + part;
    }

    /// Adds a part of a wait that these knobs avoid.
    pub fn avoid(&mut self, knobs: Knobs, part: Part) {
        for knob in bits(knobs) {
            let all = self.avoided.entry(knob).or_default();
            *all = *all + part;
        }
    }

    /// Adds a sample of the time on processors, which stands for `share` of a thread.
    pub fn sample(&mut self, sample: &ThreadSample, share: f64) {
        *self.sampled.entry(sample.at.clone()).or_default() += share;
        bits(sample.knobs).for_each(|knob| *self.sampled_knobs.entry(knob).or_default() += share);
    }

    /// The parts, and what each knob avoids of them. The time on processors is divided as its samples are; what was
    /// recorded on them took the kernel's time.
    pub fn finish(mut self) -> (Vec<TimePart>, BTreeMap<u32, Part>) {
        let all: f64 = self.sampled.values().sum();
        let is_kernel = |at: &Spent| matches!(at, Spent::Kernel(_));
        let kernel: f64 = self.sampled.iter().filter(|(at, _)| is_kernel(at)).map(|(_, share)| share).sum();
        let Part { seconds, events } = self.running;
        for (at, share) in std::mem::take(&mut self.sampled) {
            let events = if is_kernel(&at) { events * share / kernel } else { 0.0 };
            self.add(at, Part { seconds: seconds * share / all, events });
        }
        if all == 0.0 {
            self.add(Spent::Unknown, self.running);
        }
        for (knob, share) in self.sampled_knobs {
            let avoided = self.avoided.entry(knob).or_default();
            *avoided = *avoided + Part { seconds: seconds * share / all, events: events * share / kernel };
        }
        let parts = self.parts.into_iter().filter(|(_, part)| part.seconds > 0.0);
        let parts = parts.map(|(spent, Part { seconds, events })| TimePart { spent, seconds, events });
        (parts.collect(), self.avoided)
    }
}

/// The positions of the bits that are set.
fn bits(set: Knobs) -> impl Iterator<Item = u32> {
    (0..Knobs::BITS).filter(move |bit| set & (1 << bit) != 0)
}

/// The sum of all parts, in seconds.
pub fn sum(parts: &[TimePart]) -> f64 {
    parts.iter().map(|part| part.seconds).sum()
}
