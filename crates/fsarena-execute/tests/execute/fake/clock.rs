//! A clock that only moves when the fake testbed works.

use std::cell::Cell;
use std::rc::Rc;

use fsarena_model::Nanos;
use fsarena_sys::Clock;

/// A clock that every holder of a clone can advance.
#[derive(Debug, Clone, Default)]
pub struct FakeClock(Rc<Cell<Nanos>>);

impl FakeClock {
    /// Advances the clock.
    pub fn advance(&self, span: Nanos) {
        self.0.set(self.0.get() + span);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Nanos {
        self.0.get()
    }

    fn sleep_until(&self, moment: Nanos) {
        self.0.set(self.0.get().max(moment));
    }
}
