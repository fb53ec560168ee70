//! A listener that keeps all events and their times.

use fsarena_execute::Listener;
use fsarena_model::{Event, Nanos};
use fsarena_sys::Clock;

use super::FakeClock;

/// A listener that keeps all events.
pub struct Collector {
    clock: FakeClock,
    deaf_from: usize,
    /// The events so far.
    pub events: Vec<Event>,
    /// The time of each event.
    pub times: Vec<Nanos>,
}

impl Collector {
    /// A listener that stores `deaf_from` events and fails at the next.
    pub fn new(clock: FakeClock, deaf_from: usize) -> Self {
        Self { clock, deaf_from, events: Vec::new(), times: Vec::new() }
    }
}

impl Listener for Collector {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        if self.events.len() == self.deaf_from {
            return Err("the store is full".to_owned());
        }
        self.events.push(event.clone());
        self.times.push(self.clock.now());
        Ok(())
    }
}
