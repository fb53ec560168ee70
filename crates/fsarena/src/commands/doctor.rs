//! `fsarena doctor`: the abilities of this machine, its noise, and the best place for lanes.

mod advice;
mod kinds;
mod machine;
mod noise;
mod page;
mod places;
mod rights;

use anyhow::Result;
use clap::Args;
use fsarena_lane::disk;
use fsarena_model::{Bytes, Storage};
use fsarena_store::Store;
use serde_json::json;

use self::page::{DoctorLine, Topic};
use super::{print_json, write};
use crate::cli::{DataFormat, Global};
use crate::exit::explain;
use crate::progress::Progress;

#[derive(Debug, Args)]
pub struct Doctor {
    /// Where the lanes would lie
    #[arg(long, value_name = "PLACE", default_value = fsarena_lane::DEFAULT_FOLDER)]
    pub storage: String,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// Examines the machine and prints a page. Changes nothing: files written for measurements have no name and vanish when
/// they are closed.
pub fn run(global: &Global, options: &Doctor) -> Result<()> {
    let storage = Storage::from(options.storage.as_str());
    let progress = Progress::new(global);
    progress.prepare("listening to the machine at rest");
    let noise = noise::section(disk::beneath(&storage).as_deref());
    progress.prepare("looking at rights and kinds");
    let rights = rights::section();
    let able = rights.is_fine();
    let mut sections = vec![machine::section(), rights, kinds::section(), noise];
    progress.prepare("measuring places");
    let (places, best) = places::section(&options.storage);
    sections.extend([places, store(global), advice::section(best.as_deref(), able)]);
    progress.end();
    if options.format == DataFormat::Json {
        return print_json(json!({ "able": able, "sections": sections }));
    }
    write(fsarena_report::report_text(page::report(&sections), crate::places::style(global)).as_bytes())
}

/// The store: its path, and whether a run could use it. It is not opened, because that would make it.
fn store(global: &Global) -> Topic {
    let found =
        crate::places::store_path(global.store.clone()).and_then(|path| Ok(Store::require(&path).map(|()| path)?));
    let line = match found {
        Ok(path) => {
            let size = std::fs::metadata(&path).map(|found| Bytes(found.len()).to_string());
            let size = size.unwrap_or_else(|_| "which the first run makes".to_owned());
            DoctorLine::ok("place", format!("{}, {size}", path.display()))
        }
        Err(error) => DoctorLine::no("place", error.to_string()).explained(explain(&error).1),
    };
    Topic { title: "Store of results", lines: vec![line] }
}
