//! The task `page`: ab requests one static page many times, and its output is parsed into run statistics.
//! <https://httpd.apache.org/docs/2.4/programs/ab.html>

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_model::seed::generator;
use fsarena_model::{Nanos, Probe};
use rand::Rng;

use super::server::Httpd;
use super::{RequestSource, ServedPage};
use crate::folder;
use crate::server::last_lines;
use crate::tool::figure;

pub const NAME: &str = "ab";

const PAGE: &str = "test.html";

/// Command line of a run against `address`. ab writes the percentiles of the response times to the file `percentiles`.
fn command(page: &ServedPage, address: &str, percentiles: &Path) -> Vec<String> {
    let (requests, clients) = (page.requests.to_string(), page.clients.to_string());
    let address = format!("http://{address}/{PAGE}");
    let words = [NAME, "-q", "-r", "-n", &requests, "-c", &clients, "-e", &percentiles.display().to_string(), &address];
    words.map(str::to_owned).to_vec()
}

/// Command line of a run as reports show it.
pub fn shown(page: &ServedPage) -> String {
    command(page, "127.0.0.1:PORT", Path::new("percentiles")).join(" ")
}

/// Adds the run whose output is `text` to `stats`, after it is checked against `page`. The file of `percentiles` has a
/// time for each percent of the requests, and the longest one.
///
/// # Errors
/// The words that a figure is missing, or what is wrong with the answers.
pub fn read(text: &str, percentiles: &str, page: &ServedPage, stats: &mut RunStats) -> Result<(), String> {
    let figure = |name: &str| figure(text, name);
    let failed = ("Failed requests:", figure("Failed requests:")?);
    // ab prints these only if there are any.
    let others = ["Non-2xx responses:", "Write errors:"].map(|name| (name, figure(name).unwrap_or(0.0)));
    if let Some((name, count)) = [failed].into_iter().chain(others).find(|(_, count)| *count > 0.0) {
        return Err(format!("{name} {count}"));
    }
    for (name, expected) in [("Complete requests:", page.requests), ("Document Length:", page.size.0)] {
        let found = figure(name)?;
        if found != expected as f64 {
            return Err(format!("{name} {found} instead of {expected}"));
        }
    }
    let (seconds, transferred) = (figure("Time taken for tests:")?, figure("HTML transferred:")?);
    let rate = figure("Requests per second:")?;
    stats.count_done(page.requests, transferred as u64);
    stats.elapsed = stats.elapsed + Nanos((seconds * 1e9) as u64);
    stats.reported.push((Probe::of_program("apache.requests", "1/s"), rate));
    let mut counted = 0;
    for (percent, milliseconds) in percentiles.lines().filter_map(percentile) {
        let until = ((page.requests as f64) * percent / 100.0).round() as u64;
        // The first value is the shortest request, and the last value the longest.
        let count = until.saturating_sub(counted).max(u64::from(counted == 0));
        stats.record_many(Operation::Run, Nanos((milliseconds * 1e6) as u64), count);
        counted += count;
    }
    stats.end_part(stats.elapsed);
    Ok(())
}

/// Parses a line such as `50,0.412`; `None` for the heading.
fn percentile(line: &str) -> Option<(f64, f64)> {
    let (percent, took) = line.split_once(',')?;
    Some((percent.parse().ok()?, took.parse().ok()?))
}

/// The requests of the task `page`. The page's text follows from the seed.
pub struct OnePage {
    pub page: ServedPage,
    pub seed: u64,
}

impl RequestSource for OnePage {
    /// The page consists of letters and spaces in lines.
    fn write(&self, folder: &Path, _stop: &AtomicBool) -> Result<(), EngineError> {
        const SIGNS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz     \n";
        let mut random = generator(self.seed, "apache", &[]);
        let text: Vec<u8> = (0..self.page.size.0).map(|_| SIGNS[(random.next_u32() % 32) as usize]).collect();
        let path = folder.join(PAGE);
        let written = fs::write(&path, text);
        let open = written.and_then(|()| fs::set_permissions(&path, PermissionsExt::from_mode(0o644)));
        open.map_err(EngineError::io(format!("write {}", path.display())))
    }

    fn run(&self, server: &mut Httpd, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let percentiles = server.lane.clients_folder().join("percentiles");
        let argv = command(&self.page, &server.address().to_string(), &percentiles);
        let ended = server.lane.load(NAME, argv, limit.stop)?;
        server.note(ended.as_ref().map(|_| self.page.requests));
        let Some(ended) = ended else { return Ok(()) };
        let times = folder::read(&percentiles).unwrap_or_default();
        read(&ended.stdout, &times, &self.page, stats).map_err(|what| {
            let error = EngineError::program(NAME)(format!("{what}; its output:\n{}", last_lines(&ended.words())));
            server.lane.named(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::Bytes;

    /// Output of ab 2.3, shortened.
    const TEXT: &str = "Document Length:        3064 bytes\nConcurrency Level:      20\nTime taken for tests:   0.250 seconds\n\
                        Complete requests:      200\nFailed requests:        0\nHTML transferred:       612800 bytes\n\
                        RequestSource per second:    800.00 [#/sec] (mean)\n";
    const TIMES: &str = "Percentage served,Time in ms\n0,0.5\n50,2.000\n99,4.000\n100,8.250\n";
    const PAGE: ServedPage = ServedPage { requests: 200, clients: 20, size: Bytes(3064) };

    #[test]
    fn failed_requests_are_detected() {
        let failed = TEXT.replace("Failed requests:        0", "Failed requests:        3");
        let refused = format!("{TEXT}Non-2xx responses:      200\n");
        let fewer = TEXT.replace("Complete requests:      200", "Complete requests:      150");
        let other = TEXT.replace("3064 bytes", "196 bytes");
        for (text, word) in [(failed, "Failed"), (refused, "Non-2xx"), (fewer, "150 instead of 200"), (other, "196")] {
            let what = read(&text, TIMES, &PAGE, &mut RunStats::new()).expect_err("something is wrong");
            assert!(what.contains(word), "{what}");
        }
        assert!(read("", TIMES, &PAGE, &mut RunStats::new()).is_err());
    }
}
