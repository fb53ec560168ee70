//! Folders of the user.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use crate::Refusal;

/// Where packages and images of guests are kept.
pub fn cache() -> Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Ok("/var/cache/fsarena".into());
    }
    let text = "neither XDG_CACHE_HOME nor HOME is set: there is no place for the guest's packages";
    let folder = folder("XDG_CACHE_HOME", ".cache").ok_or_else(|| Refusal::machine(text, "set XDG_CACHE_HOME"))?;
    Ok(folder.join("fsarena"))
}

/// A folder of the XDG base directory specification.
pub fn folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
    set(variable).or_else(|| set("HOME").map(|home| home.join(below_home)))
}
