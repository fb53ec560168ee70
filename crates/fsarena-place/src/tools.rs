//! `--tools`: programs of a release of Debian that make and check file systems on this machine, from the cache.

use std::path::PathBuf;

use anyhow::Result;
use fsarena_execute::Listener;
use fsarena_model::{DebianRelease, Event, Plan};
use fsarena_sys::child;

use crate::{file_system_packages, folders};

/// Lets the programs that the plan names be started, which are fetched if the cache lacks them.
///
/// # Errors
/// If they cannot be fetched.
pub fn prefer(plan: &Plan, listener: &mut dyn Listener) -> Result<()> {
    let Some(release) = &plan.lanes.tools else {
        child::prefer(None);
        return Ok(());
    };
    let mut telling = |what: &str| {
        let _ = listener.hear(&Event::Preparing(what.to_owned()));
    };
    let folder = fsarena_guest::tools(&folders::cache()?, release, &file_system_packages(), &mut telling)?;
    child::prefer(Some(folder));
    Ok(())
}

/// Lets the programs that the plan names be started, unless they have to be fetched. Returns whether they are there.
pub fn prefer_cached(plan: &Plan) -> bool {
    let cached = plan.lanes.tools.as_ref().map(cached);
    child::prefer(cached.clone().flatten());
    cached != Some(None)
}

/// The folder with the programs of a release, if the cache has it.
pub fn cached(release: &DebianRelease) -> Option<PathBuf> {
    fsarena_guest::cached_tools(&folders::cache().ok()?, release, &file_system_packages())
}
