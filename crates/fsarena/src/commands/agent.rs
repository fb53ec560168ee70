//! `fsarena agent`: runs a plan, or the rest of a run, from stdin, and writes the events to stdout.

use anyhow::Result;

use crate::agent::Request;
use crate::exit::Ended;
use crate::signals::stop_flag;
use crate::{agent, perform, plan};

/// Does one request.
pub fn run() -> Result<Ended> {
    let stop = stop_flag()?;
    agent::serve(&stop, |request, listener| match request {
        Request::Compare(order) => {
            plan::require_sound(&order.plan)?;
            plan::require_machine(&order.plan)?;
            perform::here(&order, &stop, listener)
        }
        Request::Testbed(order) => perform::answer_calls(&order, &stop, listener),
        Request::Resume(stored) => perform::resume_here(stored, &stop, listener),
    })?;
    Ok(Ended::Well)
}
