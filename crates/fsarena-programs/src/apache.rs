//! The engine `apache`: Apache httpd serves static pages from the lane to clients on the same machine, and logs each
//! request on the lane.

pub mod ab;
mod pages;
pub mod parameters;
mod server;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, NextRun, Programs, RunStats, Upkeep, drop_cached_below};
use fsarena_model::{Traits, Workload};

use self::ab::OnePage;
use self::pages::ManyPages;
use self::parameters::RequestTask;
use self::server::Httpd;

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new("apache", traits, open) };

/// The server's processes do most of the work.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let task = RequestTask::of(workload)?;
    let program = Some(server::NEED.program.to_owned());
    Ok(Traits { peak: task.demand(), extra_time: task.about(), program, ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let requests: Box<dyn Requests> = match RequestTask::of(workload)? {
        RequestTask::Page(page) => Box::new(OnePage { page, seed }),
        RequestTask::Pages(pages) => Box::new(ManyPages::new(pages, seed)),
    };
    Ok(Box::new(ApacheJob { requests, server: Httpd::at(directory)? }))
}

fn programs(workload: &Workload) -> Programs {
    let (mut needs, mut settings) = (vec![server::NEED], server::settings_of_report());
    if let Ok(RequestTask::Page(page)) = RequestTask::of(workload) {
        needs.push(Need { version: "-V", ..Need::new(ab::NAME, "apache2-utils") });
        settings.push(ab::shown(&page));
    }
    Programs { needs, settings }
}

trait Requests {
    /// Writes the pages into `folder`.
    fn write(&self, folder: &Path, stop: &AtomicBool) -> Result<(), EngineError>;

    /// Makes the requests, checks the answers, and counts them.
    fn run(&self, server: &mut Httpd, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError>;
}

struct ApacheJob {
    requests: Box<dyn Requests>,
    server: Httpd,
}

impl Job for ApacheJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.requests.write(&self.server.install()?, stop),
            Upkeep::DropCaches => drop_cached_below(&self.server.pages(), stop),
            Upkeep::Begin => self.server.start(stop),
            Upkeep::End => self.server.finish(stop),
            _ => Ok(()),
        }
    }

    /// The server has separate processes, and so has ab; other clients are threads.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.requests.run(&mut self.server, limit, stats)
    }
}
