//! `fsarena agent`: runs a plan, or the rest of a run, from stdin, and writes the events to stdout.

use anyhow::Result;
use fsarena_lane::{Ledger, default_folder};

use crate::agent::{End, Request};
use crate::commands::tell_cleared;
use crate::exit::{Ended, Refusal};
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
        Request::Testbed(order) => perform::answer_calls(&order, None, &stop, listener),
        Request::Client { order, session } => perform::answer_calls(&order, Some(&session), &stop, listener),
        Request::Clear => clear(),
        Request::Resume(stored) => perform::resume_here(stored, &stop, listener),
    })?;
    Ok(Ended::Well)
}

/// Removes what dead runs left on this machine, unless other processes still use it.
fn clear() -> Result<End> {
    if fsarena_guest::init::is_client() {
        let hint = "look for folders fsarena-* in the shared directories";
        return Err(Refusal::machine("the ledger of a guest ended with it", hint).into());
    }
    let (mut ledger, cleared) = Ledger::open_with_others(&default_folder()?)?;
    tell_cleared(&cleared);
    ledger.undo()?;
    Ok(End::Complete)
}
