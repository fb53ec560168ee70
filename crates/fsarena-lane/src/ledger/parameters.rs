//! Parameters of the kernel's modules, which a run changes for a while.

use std::fs;
use std::path::Path;

use fsarena_sys::fault;

use super::{Ledger, Made, made};
use crate::LaneError;

impl Ledger {
    /// Sets a parameter of a module of the kernel, if there is such a file, until [`Ledger::set_parameters_back`].
    ///
    /// # Errors
    /// If the entry or the parameter cannot be written.
    pub fn set_parameter(&mut self, path: &Path, set: &str) -> Result<(), LaneError> {
        let Ok(before) = fs::read_to_string(path) else { return Ok(()) };
        let (path, before) = (path.to_owned(), before.trim().to_owned());
        self.announce_once(Made::Parameter { path: path.clone(), before, set: set.to_owned() })?;
        fault::step("set parameter").and_then(|()| fs::write(&path, set)).map_err(LaneError::io("write", path))
    }

    /// Sets all parameters back.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn set_parameters_back(&self) -> Result<(), LaneError> {
        self.made.iter().rev().try_for_each(|made| match made {
            Made::Parameter { path, before, set } => {
                made::set_back(path, before, set).map(drop).map_err(LaneError::io("write", path))
            }
            _ => Ok(()),
        })
    }
}
