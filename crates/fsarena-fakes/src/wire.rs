//! A testbed behind a connection on which everything is JSON.

use std::cell::{Cell, RefCell};
use std::sync::atomic::AtomicBool;

use fsarena_execute::remote::{Call, Remote, Served};
use fsarena_execute::{Refusal, Result};
use fsarena_model::{MachineName, Nanos};
use fsarena_sys::Clock;
use serde_json::Value;

use crate::{FakeClock, FakeTestbed};

/// A testbed behind a connection on which everything is JSON.
pub struct Wire {
    served: RefCell<Served<'static>>,
    call: Cell<String>,
    clocks: Option<Clocks>,
    /// Calls until the connection is lost.
    left: Cell<usize>,
    is_lost: Cell<bool>,
}

/// The clocks at both ends. Time that passes at one end passes at the other.
pub struct Clocks {
    /// The run's clock.
    pub here: FakeClock,
    /// The testbed's clock.
    pub there: FakeClock,
    /// By how much the clock there is ahead.
    pub ahead: Nanos,
}

impl Wire {
    /// The connection to `testbed`, which lives as long as the test.
    pub fn to(testbed: FakeTestbed) -> Self {
        Self::over(testbed, FakeClock::default(), None, usize::MAX)
    }

    /// The connection to the testbed of a client, which is lost after `left` calls.
    pub fn to_client(testbed: FakeTestbed, clocks: Clocks, left: usize) -> Self {
        Self::over(testbed, clocks.there.clone(), Some(clocks), left)
    }

    fn over(testbed: FakeTestbed, clock: FakeClock, clocks: Option<Clocks>, left: usize) -> Self {
        let served = Served::new(Box::leak(Box::new(testbed)), Box::leak(Box::new(clock)), MachineName::default());
        let (served, left) = (RefCell::new(served), Cell::new(left));
        Self { served, call: Cell::default(), clocks, left, is_lost: Cell::new(false) }
    }
}

impl Remote for Wire {
    fn send(&self, call: &Call) -> Result<()> {
        if let Some(Clocks { here, there, ahead }) = &self.clocks {
            there.sleep_until(here.now() + *ahead);
        }
        self.call.set(serde_json::to_string(call).expect("a call is JSON"));
        Ok(())
    }

    fn receive(&self, stop: &AtomicBool) -> Result<Value> {
        let text = self.call.take();
        if self.left.get() == 0 {
            self.is_lost.set(true);
            return Err(Refusal::of_machine("the connection is lost".to_owned()));
        }
        self.left.set(self.left.get() - 1);
        let answer = self.served.borrow_mut().answer(serde_json::from_str(&text).expect("a call"), stop);
        if let Some(Clocks { here, there, ahead }) = &self.clocks {
            here.sleep_until(there.now().saturating_sub(*ahead));
        }
        let text = serde_json::to_string(&answer).expect("an answer is JSON");
        serde_json::from_str::<Result<Value>>(&text).expect("an answer")
    }

    fn is_lost(&self) -> bool {
        self.is_lost.get()
    }
}
