//! `fsarena doctor`: the abilities of this machine, its noise, and the best place for lanes.

mod advice;
mod kinds;
mod leftovers;
mod machine;
mod noise;
mod page;
mod places;
mod rights;
mod store;

use anyhow::Result;
use fsarena_lane::disk;
use fsarena_model::Storage;
use serde_json::json;

use super::{print_json, write};
use crate::cli::{DataFormat, Doctor, Global};
use crate::progress::Progress;

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
    sections.extend([places, leftovers::section(), store::section(global), advice::section(best.as_deref(), able)]);
    progress.end();
    if options.format == DataFormat::Json {
        return print_json(json!({ "able": able, "sections": sections }));
    }
    write(fsarena_report::report_text(page::report(&sections), crate::places::style(global)).as_bytes())
}
