//! The engine `apache`: Apache httpd serves static pages from the lane to clients on the same machine, and logs each
//! request on the lane.

mod ab;
mod client;
mod page;
mod pages;
mod parameters;
mod server;

use std::path::Path;

use fsarena_engine::{Abilities, Engine, EngineError, Job, Need, Programs};
use fsarena_model::{Traits, Workload};

use self::page::PageJob;
use self::pages::PagesJob;
use self::parameters::RequestTask;

/// The engine `apache`.
pub struct Apache;

impl Engine for Apache {
    fn name(&self) -> &'static str {
        "apache"
    }

    /// The server's processes do most of the work.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let task = RequestTask::of(workload)?;
        let program = Some(server::NEED.program.to_owned());
        Ok(Traits { peak: task.demand(), extra_time: task.about(), program, ..Traits::default() })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let directory = directory.to_owned();
        Ok(match RequestTask::of(workload)? {
            RequestTask::Page(page) => Box::new(PageJob::new(page, directory, seed)),
            RequestTask::Pages(pages) => Box::new(PagesJob::new(pages, directory, seed)),
        })
    }

    fn abilities(&self) -> Abilities {
        Abilities { programs: Some(programs), ..Abilities::default() }
    }
}

fn programs(workload: &Workload) -> Programs {
    Programs { needs: needs(workload), settings: shown(workload) }
}

fn needs(workload: &Workload) -> Vec<Need> {
    let ab = Need { version: "-V", ..Need::new(ab::NAME, "apache2-utils") };
    match RequestTask::of(workload) {
        Ok(RequestTask::Pages(_)) => vec![server::NEED],
        _ => vec![server::NEED, ab],
    }
}

/// Command lines and lines of configuration.
fn shown(workload: &Workload) -> Vec<String> {
    let served = server::settings_of_report();
    match RequestTask::of(workload) {
        Ok(RequestTask::Page(page)) => {
            served.into_iter().chain([format!("{} {}", ab::NAME, ab::shown(&page))]).collect()
        }
        _ => served,
    }
}

/// Parses the output into run statistics.
#[cfg(test)]
pub(crate) fn understand(text: &str, stats: &mut fsarena_engine::RunStats) {
    let page = parameters::ServedPage { requests: 100, clients: 10, size: fsarena_model::Bytes(1000) };
    if let Ok(output) = ab::AbOutput::of(text, text, &page) {
        output.count(stats);
    }
}
