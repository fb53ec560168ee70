//! A clock that only moves when the fake testbed works.

use std::cell::Cell;
use std::rc::Rc;

use fsarena_model::Nanos;
use fsarena_sys::Clock;

/// A clock that every holder of a clone can advance.
#[derive(Debug, Clone, Default)]
pub struct FakeClock {
    now: Rc<Cell<Nanos>>,
    /// How much later than asked for a sleeper wakes up.
    late: Nanos,
}

impl FakeClock {
    /// A clock whose sleepers wake up late.
    pub fn waking(late: Nanos) -> Self {
        Self { late, ..Self::default() }
    }

    /// Advances the clock.
    pub fn advance(&self, span: Nanos) {
        self.now.set(self.now.get() + span);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Nanos {
        self.now.get()
    }

    fn sleep_until(&self, moment: Nanos) {
        if moment > self.now.get() {
            self.now.set(moment + self.late);
        }
    }
}
