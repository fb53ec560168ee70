//! The store: its path, and whether a run could use it. It is not opened, because that would make it.

use fsarena_model::Bytes;
use fsarena_store::Store;

use super::page::{DoctorLine, Topic};
use crate::cli::Global;
use crate::places;

pub fn section(global: &Global) -> Topic {
    let line = match places::store_path(global.store.clone()) {
        Ok(path) => match Store::require(&path) {
            Ok(()) => {
                let size = std::fs::metadata(&path).map(|found| Bytes(found.len()).to_string());
                let size = size.unwrap_or_else(|_| "which the first run makes".to_owned());
                DoctorLine::ok("place", format!("{}, {size}", path.display()))
            }
            Err(error) => DoctorLine::no("place", error.to_string()).explained(error.hint()),
        },
        Err(error) => DoctorLine::no("place", error.to_string()).hint("name one: --store FILE"),
    };
    Topic { title: "Store of results", lines: vec![line] }
}
