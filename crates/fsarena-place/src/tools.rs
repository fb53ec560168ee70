//! `--tools`: programs of a release of Debian that make and check file systems on this machine, from the cache.

use std::path::PathBuf;

use anyhow::Result;
use fsarena_execute::Listener;
use fsarena_lane::require_safety;
use fsarena_model::{DebianRelease, Plan};
use fsarena_sys::child;

use crate::note::preparing;
use crate::{Refusal, file_system_packages, folders};

/// Lets the programs that the plan names be started, which are fetched if the cache lacks them.
///
/// # Errors
/// If they cannot be fetched, or another user could change them.
pub fn prefer(plan: &Plan, listener: &mut dyn Listener) -> Result<()> {
    let Some(release) = &plan.lanes.tools else {
        child::prefer(None);
        return Ok(());
    };
    let cache = folders::cache()?;
    let folder = fsarena_guest::tools(&cache, release, &file_system_packages(), &mut preparing(listener))?;
    let hint = format!("if you trust what is there: chown -R root {0}; chmod -R go-w {0}", cache.display());
    require_safety(&folder).map_err(|error| Refusal::machine(error.to_string(), hint))?;
    child::prefer(Some(folder));
    Ok(())
}

/// Lets the programs that the plan names be started, unless they have to be fetched. Returns whether they are there.
pub fn prefer_cached(plan: &Plan) -> bool {
    let cached = plan.lanes.tools.as_ref().map(cached);
    child::prefer(cached.clone().flatten());
    cached != Some(None)
}

/// The folder with the programs of a release, if the cache has it and no other user could change them.
fn cached(release: &DebianRelease) -> Option<PathBuf> {
    let found = fsarena_guest::cached_tools(&folders::cache().ok()?, release, &file_system_packages());
    found.filter(|folder| require_safety(folder).is_ok())
}
