//! The task `page`: ab requests one static page many times.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, NextRun, RunStats, Upkeep};
use fsarena_model::seed::generator;
use rand::Rng;

use super::ab::{self, AbOutput};
use super::parameters::ServedPage;
use super::server::Httpd;
use crate::folder;

/// A job of the task `page`.
pub struct PageJob {
    page: ServedPage,
    directory: PathBuf,
    seed: u64,
    server: Option<Httpd>,
}

impl PageJob {
    /// A job that works in `directory`. The page's text follows from `seed`.
    pub fn new(page: ServedPage, directory: PathBuf, seed: u64) -> Self {
        Self { page, directory, seed, server: None }
    }

    fn server(&mut self) -> &mut Httpd {
        self.server.as_mut().expect("it is prepared before anything else")
    }

    /// Letters and spaces in lines.
    fn text(&self) -> Vec<u8> {
        const SIGNS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz     \n";
        let mut random = generator(self.seed, "apache", &[]);
        (0..self.page.size.0).map(|_| SIGNS[(random.next_u32() % 32) as usize]).collect()
    }
}

impl PageJob {
    fn prepare(&mut self) -> Result<(), EngineError> {
        let server = Httpd::install(&self.directory)?;
        let path = server.pages().join(ab::PAGE);
        let written = fs::write(&path, self.text());
        let open = written.and_then(|()| fs::set_permissions(&path, PermissionsExt::from_mode(0o644)));
        open.map_err(EngineError::io(format!("write {}", path.display())))?;
        self.server = Some(server);
        Ok(())
    }
}

impl Job for PageJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(),
            Upkeep::Begin => self.server().start(stop),
            Upkeep::End => self.server().finish(stop),
            _ => Ok(()),
        }
    }

    /// The server and ab are separate processes.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let page = self.page;
        let server = self.server();
        let address = server.address().expect("it is begun before it runs").to_string();
        let percentiles = server.clients_folder().join("percentiles");
        let ended = server.load(ab::NAME, ab::options(&page, &address, &percentiles), limit.stop)?;
        server.note(ended.as_ref().map(|_| page.requests));
        let Some(ended) = ended else { return Ok(()) };
        let times = folder::read(&percentiles).unwrap_or_default();
        let output = AbOutput::of(&ended.stdout, &times, &page);
        output.map_err(|what| server.named(ab::complaint(&what, &ended.words())))?.count(stats);
        Ok(())
    }
}
