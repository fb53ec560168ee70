//! `fsarena agent`: runs a plan, or the rest of a run, from stdin, and writes the events to stdout.

use anyhow::Result;

use crate::exit::Ended;
use crate::signals::stop_flag;

/// Does one request.
pub fn run() -> Result<Ended> {
    fsarena_place::agent::serve(&stop_flag()?)?;
    Ok(Ended::Well)
}
