//! A testbed behind a connection on which everything is JSON.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use fsarena_execute::TestbedError;
use fsarena_execute::remote::{Call, Remote, Served};
use serde_json::Value;

use super::FakeTestbed;

/// A testbed behind a connection on which everything is JSON.
pub struct Wire(RefCell<Served<'static>>);

impl Wire {
    /// The connection to `testbed`, which lives as long as the test.
    pub fn to(testbed: FakeTestbed) -> Self {
        Self(RefCell::new(Served::new(Box::leak(Box::new(testbed)))))
    }
}

impl Remote for Wire {
    fn call(&self, call: &Call, stop: &AtomicBool) -> Result<Value, TestbedError> {
        let text = serde_json::to_string(call).expect("a call is JSON");
        let answer = self.0.borrow_mut().answer(serde_json::from_str(&text).expect("a call"), stop);
        let text = serde_json::to_string(&answer).expect("an answer is JSON");
        serde_json::from_str::<Result<Value, TestbedError>>(&text).expect("an answer")
    }
}
