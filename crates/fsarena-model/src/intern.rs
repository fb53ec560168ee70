//! Names with the lifetime of the process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The text with the lifetime of the process. Names of programs and figures come from workloads and, at most a hundred
/// for each capture, from labels in the output of programs.
pub fn intern(text: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(text) {
        Some(known) => known,
        None => {
            let name: &'static str = String::leak(text.to_owned());
            names.insert(name);
            name
        }
    }
}
