//! The engine `apache`: Apache httpd serves static pages from the lane to clients on the same machine, and logs each
//! request on the lane.

pub mod ab;
mod pages;
mod server;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::checked_up_to;
use fsarena_engine::{
    Engine, EngineError, Job, Limit, Need, NextRun, Programs, RunStats, Upkeep, sync_and_drop_caches,
};
use fsarena_model::{Bytes, Nanos, Traits, Workload};
use serde::Deserialize;

use self::ab::OnePage;
use self::pages::ManyPages;
use self::server::Httpd;
use crate::LARGEST;

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new("apache", traits, open) };

/// The server's processes do most of the work.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let task = RequestTask::of(workload)?;
    let program = Some(server::NEED.program.to_owned());
    Ok(Traits { peak: task.demand(), extra_time: task.about(), program, ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let requests: Box<dyn RequestSource> = match RequestTask::of(workload)? {
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

trait RequestSource {
    /// Writes the pages into `folder`.
    fn write(&self, folder: &Path, stop: &AtomicBool) -> Result<(), EngineError>;

    /// Makes the requests, checks the answers, and counts them.
    fn run(&self, server: &mut Httpd, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError>;
}

struct ApacheJob {
    requests: Box<dyn RequestSource>,
    server: Httpd,
}

impl Job for ApacheJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.requests.write(&self.server.install()?, stop),
            Upkeep::DropCaches => sync_and_drop_caches(&self.server.pages(), stop),
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

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum RequestTask {
    /// ab requests one page many times.
    Page(ServedPage),
    /// Many pages are requested once each, in a random order.
    Pages(ServedPages),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ServedPage {
    pub requests: u64,
    /// Number of concurrent requests, 1 to 150.
    pub clients: u32,
    /// Size of the page, 1 byte to 1 MiB.
    #[serde(default = "of_the_article")]
    pub size: Bytes,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ServedPages {
    /// Number of pages, at most a million.
    pub pages: u32,
    /// Number of concurrent requests, 1 to 150.
    pub clients: u32,
    /// Size of the smallest page, at least 16 bytes.
    pub smallest: Bytes,
    /// Size of the largest page, at most 1 MiB. All sizes in between are equally likely.
    pub largest: Bytes,
}

/// Size of the page in the Phoronix Test Suite's profile.
fn of_the_article() -> Bytes {
    Bytes(3064)
}

/// Length of a page's head, which contains its number, in bytes.
const HEAD: u64 = 16;
/// Longest line of the access log in bytes.
const LINE: u64 = 112;
/// Most concurrent requests of the server.
const MOST_CLIENTS: u32 = 150;
const MOST_PAGES: u32 = 1_000_000;
const MOST_BYTES: Bytes = Bytes::mib(1);

impl RequestTask {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked_up_to(LARGEST, workload, Self::refused)
    }

    /// What is wrong with the parameters, if anything is.
    fn refused(&self) -> Option<&'static str> {
        let (clients, count) = match self {
            Self::Page(page) => (page.clients, page.requests),
            Self::Pages(pages) => (pages.clients, u64::from(pages.pages)),
        };
        if clients == 0 || clients > MOST_CLIENTS || u64::from(clients) > count {
            return Some("`clients` are 1 to 150, and not more than there are requests");
        }
        match self {
            Self::Page(page) if page.size.0 == 0 || page.size > MOST_BYTES => Some("`size` is 1 to 1M"),
            Self::Pages(pages) if pages.pages > MOST_PAGES => Some("`pages` are at most a million"),
            Self::Pages(pages) if pages.smallest.0 < HEAD || pages.largest > MOST_BYTES => {
                Some("`smallest` is at least 16, and `largest` at most 1M")
            }
            Self::Pages(pages) if pages.smallest > pages.largest => Some("`smallest` is more than `largest`"),
            _ => None,
        }
    }

    /// Space of the pages in whole blocks, and of the access log.
    pub fn demand(&self) -> Bytes {
        match self {
            Self::Page(page) => Bytes((2 << 20) + page.size.0 + page.requests * LINE),
            Self::Pages(pages) => {
                let usual = (pages.smallest.0 + pages.largest.0) / 2 + 4096;
                Bytes((2 << 20) + u64::from(pages.pages) * (usual * 11 / 10 + LINE))
            }
        }
    }

    /// Estimated duration of a run, including its preparation.
    pub fn about(&self) -> Nanos {
        const REQUEST: u64 = 150_000;
        Nanos::seconds(1)
            + match self {
                Self::Page(page) => Nanos(page.requests * REQUEST),
                Self::Pages(pages) => Nanos(u64::from(pages.pages) * REQUEST * 3),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_tasks_are_refused() {
        let of = |text: &str| serde_json::from_str::<RequestTask>(text).map_err(|error| error.to_string());
        let page = of(r#"{"task": "page", "requests": 5000, "clients": 100}"#).expect("a task");
        assert!(page.refused().is_none() && page.demand() > Bytes(5000 * 80));
        for (text, word) in [
            (r#"{"task": "page", "requests": 50, "clients": 100}"#, "not more than"),
            (r#"{"task": "pages", "pages": 50, "clients": 8, "smallest": 8, "largest": "4K"}"#, "at least 16"),
            (r#"{"task": "pages", "pages": 50, "clients": 8, "smallest": "8K", "largest": "4K"}"#, "more than"),
        ] {
            let refused = of(text).expect("a task").refused();
            assert!(refused.is_some_and(|what| what.contains(word)), "{text} {refused:?}");
        }
        let unknown = of(r#"{"task": "page", "requests": 50, "clients": 1, "pages": 3}"#).expect_err("not known");
        assert!(unknown.contains("pages"), "{unknown}");
    }
}
