//! `fsarena guest`: fetches what a guest needs, boots it, and says how it runs.

use std::time::Instant;

use anyhow::Result;
use fsarena_guest::{Hardware, Shares, Wanted};

use super::print;
use crate::cli::Guest;
use crate::exit::Ended;
use crate::note::tell;
use crate::places;

/// Prepares a guest and tries it.
pub fn run(options: &Guest) -> Result<Ended> {
    let wanted = Wanted {
        kernel: options.guest_kernel.clone(),
        accelerator: options.how.accelerator(),
        memory: options.guest_memory,
        packages: Vec::new(),
    };
    let prepared = fsarena_guest::prepare(&places::cache()?, &wanted, &mut |what| tell(what))?;
    let begin = Instant::now();
    let running =
        Hardware { prepared: &prepared, lanes: None, modes: &[], raw: None, shares: &Shares::default(), order: None }
            .boot()?;
    if !running.answers() {
        return Err(running.failed("did not start its agent").into());
    }
    let seconds = begin.elapsed().as_secs_f64();
    print(&format!("The guest works: {prepared}; it boots in {seconds:.1} s.\n"))?;
    Ok(Ended::Well)
}
