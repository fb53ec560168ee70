//! State that the fake testbed and its jobs share: the world, the clock, the journal and the counters.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_model::{Nanos, Readings, probe};

use crate::FakeClock;
use crate::world::{Effect, World};

/// State that the fake testbed and its jobs share.
pub struct Backstage {
    /// The truth.
    pub world: World,
    /// The contenders' labels, then that of the baseline.
    pub labels: Vec<String>,
    /// The clock that all work advances.
    pub clock: FakeClock,
    /// Set when the run is stopped.
    pub stop: Rc<AtomicBool>,
    /// The current round, from 1.
    pub round: Cell<u32>,
    journal: RefCell<Vec<String>>,
    met: RefCell<Vec<u32>>,
    counters: RefCell<Vec<Counted>>,
}

/// The fake kernel's counters of a contender.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counted {
    pub bytes: f64,
    pub syncs: f64,
    pub seconds: f64,
}

impl Backstage {
    /// The state before the run.
    pub fn new(world: World, labels: Vec<String>, clock: FakeClock) -> Self {
        let counters = RefCell::new(vec![Counted::default(); labels.len()]);
        let met = RefCell::new(vec![0; world.traps.len()]);
        let stops_first = world.traps.iter().any(|trap| trap.nth == 0 && trap.effect == Effect::Stop);
        let stop = Rc::new(AtomicBool::new(stops_first));
        let (round, journal) = Default::default();
        Self { world, labels, clock, stop, round, journal, met, counters }
    }

    /// Writes an act into the journal, advances the clock by `takes`, and triggers the traps set for the act.
    pub fn act(&self, entry: String, takes: Nanos) -> Result<(), String> {
        self.clock.advance(takes);
        let sprung: Vec<Effect> = self.sprung(&entry);
        if sprung.contains(&Effect::Stop) {
            self.stop.store(true, Ordering::Relaxed);
        }
        let result = if sprung.contains(&Effect::Fail) { Err(format!("{entry}: no luck")) } else { Ok(()) };
        self.journal.borrow_mut().push(entry);
        result
    }

    /// All entries so far.
    pub fn journal(&self) -> Vec<String> {
        self.journal.borrow().clone()
    }

    /// Whether counters are watched at present, which they are for the timed part of a slice.
    pub fn is_watched(&self) -> bool {
        let journal = self.journal.borrow();
        let ends = |entry: &&String| ["watch ", "count "].iter().any(|act| entry.starts_with(act));
        journal.iter().rev().find(ends).is_some_and(|entry| entry.starts_with("watch "))
    }

    /// The contender's counters so far.
    pub fn counters(&self, contender: usize) -> Counted {
        self.counters.borrow()[contender]
    }

    /// Adds to the contender's counters.
    pub fn add(&self, contender: usize, more: Counted) {
        let counters = &mut self.counters.borrow_mut()[contender];
        *counters = counters.plus(more);
    }

    fn sprung(&self, entry: &str) -> Vec<Effect> {
        let mut met = self.met.borrow_mut();
        let traps = self.world.traps.iter().zip(met.iter_mut());
        let meets = traps.filter(|(trap, _)| trap.round == self.round.get() && entry.starts_with(&trap.entry));
        meets
            .filter_map(|(trap, met)| {
                *met += 1;
                (*met == trap.nth).then_some(trap.effect)
            })
            .collect()
    }
}

impl Counted {
    pub fn since(self, before: Self) -> Self {
        Self {
            bytes: self.bytes - before.bytes,
            syncs: self.syncs - before.syncs,
            seconds: self.seconds - before.seconds,
        }
    }

    pub fn plus(self, more: Self) -> Self {
        Self { bytes: self.bytes + more.bytes, syncs: self.syncs + more.syncs, seconds: self.seconds + more.seconds }
    }

    /// The counters under the names of the real probes: the device carries all bytes, and each sync causes a flush.
    pub fn readings(self) -> Readings {
        [
            probe::DEVICE_READ.reading(self.bytes),
            probe::DEVICE_WRITTEN.reading(self.bytes),
            probe::DEVICE_FLUSHES.reading(self.syncs),
            probe::CPU_PROCESS.reading(self.seconds / 4.0),
            probe::CPU_KERNEL.reading(self.seconds / 4.0),
            probe::CPU_MACHINE.reading(self.seconds),
            probe::CPU_STEAL.reading(0.0),
        ]
        .into()
    }
}
