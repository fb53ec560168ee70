//! A listener that keeps everything, and when it happened.

use fsarena_model::{Event, Nanos};
use fsarena_session::Listener;
use fsarena_sys::Clock;

use super::FakeClock;

/// A listener that keeps everything.
pub struct Collector {
    clock: FakeClock,
    deaf_from: usize,
    /// What was heard.
    pub events: Vec<Event>,
    /// When each was heard.
    pub times: Vec<Nanos>,
}

impl Collector {
    /// A listener that can keep `deaf_from` events and fails at the next.
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
