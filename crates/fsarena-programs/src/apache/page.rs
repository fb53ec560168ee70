//! The task `page`: ab requests one static page many times.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, RunStats};
use fsarena_model::seed::generator;
use rand::Rng;

use super::Requests;
use super::ab;
use super::parameters::ServedPage;
use super::server::Httpd;
use crate::folder;

/// The requests of the task `page`. The page's text follows from the seed.
pub struct OnePage {
    pub page: ServedPage,
    pub seed: u64,
}

impl Requests for OnePage {
    /// The page consists of letters and spaces in lines.
    fn write(&self, folder: &Path, _stop: &AtomicBool) -> Result<(), EngineError> {
        const SIGNS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz     \n";
        let mut random = generator(self.seed, "apache", &[]);
        let text: Vec<u8> = (0..self.page.size.0).map(|_| SIGNS[(random.next_u32() % 32) as usize]).collect();
        let path = folder.join(ab::PAGE);
        let written = fs::write(&path, text);
        let open = written.and_then(|()| fs::set_permissions(&path, PermissionsExt::from_mode(0o644)));
        open.map_err(EngineError::io(format!("write {}", path.display())))
    }

    fn run(&self, server: &mut Httpd, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let percentiles = server.lane.clients_folder().join("percentiles");
        let argv = ab::command(&self.page, &server.address().to_string(), &percentiles);
        let ended = server.lane.load(ab::NAME, argv, limit.stop)?;
        server.note(ended.as_ref().map(|_| self.page.requests));
        let Some(ended) = ended else { return Ok(()) };
        let times = folder::read(&percentiles).unwrap_or_default();
        let read = ab::read(&ended.stdout, &times, &self.page, stats);
        read.map_err(|what| server.lane.named(ab::complaint(&what, &ended.words())))
    }
}
