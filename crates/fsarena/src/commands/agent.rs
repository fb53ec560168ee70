//! `fsarena agent`: runs a plan from stdin, and writes its events to stdout.

use anyhow::Result;

use crate::exit::Ended;
use crate::signals::stop_flag;
use crate::{agent, perform, plan};

/// Runs the plan of one order.
pub fn run() -> Result<Ended> {
    let stop = stop_flag()?;
    agent::serve(&stop, |order, listener| {
        plan::require_sound(&order.plan)?;
        plan::require_machine(&order.plan)?;
        perform::here(&order, &stop, listener)
    })?;
    Ok(Ended::Well)
}
