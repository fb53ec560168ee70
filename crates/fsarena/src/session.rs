//! How a run begins, or goes on from a stored one, on any testbed.

use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use fsarena_execute::{Listener, Remaining, Resumption, RunError, Testbed};
use fsarena_model::event::Note;
use fsarena_model::{Event, Guest, Plan, RunRecord, Severity};
use fsarena_sys::{MonotonicClock, clock};

use crate::agent::{End, Order, StoredRun};

/// A run that begins, or the rest of a stored one.
pub enum Session {
    /// A new run.
    New {
        /// Notes for the report.
        notes: Vec<String>,
    },
    /// The rest of a stored run.
    Rest {
        /// The stored record.
        record: Box<RunRecord>,
        /// What is left of it.
        rest: Remaining,
    },
}

impl Session {
    /// The run that an order begins.
    pub fn of_order(order: &Order) -> Self {
        Self::New { notes: order.notes.clone() }
    }

    /// The rest of a stored run; `None` if nothing of it is left.
    ///
    /// # Errors
    /// If the stored events are not those of a run.
    pub fn of_stored(stored: StoredRun) -> Result<Option<Self>> {
        let record = record(stored.run, stored.events)?;
        let rest = Remaining::of(&record, stored.wish)?;
        Ok(rest.map(|rest| Self::Rest { record: Box::new(record), rest }))
    }

    /// Runs `plan` on the testbed that was made for it, or the rest of the stored run there.
    ///
    /// # Errors
    /// As [`fsarena_execute::run`] and [`fsarena_execute::resume`].
    pub fn run(
        self,
        plan: &Plan,
        testbed: &mut dyn Testbed,
        stop: &AtomicBool,
        listener: &mut dyn Listener,
    ) -> Result<End> {
        let (clock, started) = (&MonotonicClock, clock::now());
        let status = match self {
            Self::New { notes } => {
                let remark = plan.guest.as_ref().map(Guest::remark);
                begin(plan, notes.into_iter().chain(remark), listener)?;
                fsarena_execute::run(plan, testbed, clock, started, stop, listener)?
            }
            Self::Rest { record, rest } => {
                let resumption = Resumption { record: *record, rest, at: clock::utc() };
                fsarena_execute::resume(resumption, testbed, clock, started, stop, listener)?
            }
        };
        Ok(status.into())
    }
}

/// Sends the first events of a run: its plan, and notes about it.
///
/// # Errors
/// If the listener cannot store them.
pub fn begin(
    plan: &Plan,
    notes: impl IntoIterator<Item = String>,
    listener: &mut dyn Listener,
) -> Result<(), RunError> {
    let mut tell = |event: &Event| listener.hear(event).map_err(RunError::Listener);
    tell(&Event::Started { plan: Box::new(plan.clone()), started: clock::utc() })?;
    notes.into_iter().try_for_each(|text| tell(&Event::Note(Note { severity: Severity::Info, text })))
}

/// The record of a stored run.
///
/// # Errors
/// If the events are not those of a run.
pub fn record(run: i64, events: Vec<Event>) -> Result<RunRecord> {
    RunRecord::of_events(run, events).context("the events are not those of a run")
}
