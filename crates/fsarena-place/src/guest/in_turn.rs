//! A run in guests that count instructions, one for each kernel that contenders name. A guest that waited for another
//! one would execute other instructions in each run. So each guest executes its part of the plan alone, and the parts
//! make up one run: what they count does not depend on when they run.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fsarena_execute::{Assignment, Listener, RunError};
use fsarena_model::{Event, Status};
use fsarena_sys::{MonotonicClock, clock};

use super::several::of_kernel;
use super::{InGuest, begun_in, described, in_the_guest};
use crate::End;
use crate::agent::Request;
use crate::lock::Locked;

/// Rounds of a run without a fixed number. It cannot end when all pairs are decided, as a guest has only some of them.
pub const ROUNDS_IN_TURN: u32 = 4;

/// Does a new run in one guest after the other.
pub fn parts(
    in_guest: &InGuest,
    assignment: &Assignment,
    locked: &mut Locked,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let on_host = &assignment.plan;
    let mut guests = Vec::new();
    for kernel in on_host.kernels() {
        let prepared = in_guest.of_kernel(kernel).prepare(listener)?;
        guests.push((kernel, prepared.describe(in_guest.disk(on_host))));
    }
    let guest = described(guests)?;
    begun_in(assignment.clone(), guest).begin(&MonotonicClock, clock::utc(), listener)?;
    for (number, kernel) in on_host.kernels().into_iter().enumerate() {
        let part = of_kernel(on_host, kernel);
        let request = |guest| Request::Run(Box::new(in_the_guest(Assignment::new(part.clone(), Vec::new()), guest)));
        let ended = in_guest.of_kernel(kernel).boot_and_run(
            &part,
            locked,
            request,
            stop,
            &mut PartOfRun { listener, is_first: number == 0 },
        )?;
        if ended != End::Complete {
            return Ok(ended);
        }
    }
    listener.hear(&Event::Finished(Status::Complete)).map_err(RunError::Listener)?;
    Ok(End::Complete)
}

/// Passes on the events of a part that belong to the whole run. Facts about machine and rounds are those of the first
/// part, and baselines would be those of one kernel.
struct PartOfRun<'a> {
    listener: &'a mut dyn Listener,
    is_first: bool,
}

impl Listener for PartOfRun<'_> {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Started { .. } | Event::Finished(_) | Event::Decided { .. } | Event::Baseline(_) => Ok(()),
            Event::Surveyed(_) | Event::RoundFinished(_) if !self.is_first => Ok(()),
            _ => self.listener.hear(event),
        }
    }
}
