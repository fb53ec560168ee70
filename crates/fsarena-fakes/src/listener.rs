//! A listener that keeps all events and their times.

use std::rc::Rc;

use fsarena_execute::Listener;
use fsarena_model::{Event, Nanos};
use fsarena_sys::Clock;

use crate::{Backstage, FakeClock};

/// A listener that keeps all events.
pub struct Collector {
    clock: FakeClock,
    deaf_from: usize,
    /// The events so far.
    pub events: Vec<Event>,
    /// The time of each event.
    pub times: Vec<Nanos>,
    backstage: Option<Rc<Backstage>>,
    /// The events that came while the counters of a slice were watched.
    pub within_slices: Vec<Event>,
}

impl Collector {
    /// A listener that stores `deaf_from` events and fails at the next.
    pub fn new(clock: FakeClock, deaf_from: usize) -> Self {
        let (events, times, within_slices) = Default::default();
        Self { clock, deaf_from, events, times, backstage: None, within_slices }
    }

    /// Notices events that come within slices.
    pub fn at(self, backstage: Rc<Backstage>) -> Self {
        Self { backstage: Some(backstage), ..self }
    }
}

impl Listener for Collector {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        if self.events.len() == self.deaf_from {
            return Err("the store is full".to_owned());
        }
        let is_within = self.backstage.as_ref().is_some_and(|backstage| backstage.is_watched());
        self.within_slices.extend(is_within.then(|| event.clone()));
        self.events.push(event.clone());
        self.times.push(self.clock.now());
        Ok(())
    }
}
