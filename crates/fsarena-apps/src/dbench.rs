//! The engine `dbench` replays the requests that a file server made to its file system during the NetBench benchmark.
//! Several clients replay them at the same time, for a fixed time (dbench 4, <https://dbench.samba.org/>).

mod output;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, RunStats, renew_folder};
use fsarena_model::{Bytes, Nanos, Traits, Workload};
use serde::Deserialize;

use crate::bench::{Bench, not_said, require_some, word, words};
use crate::parameters::parameters;
use output::Output;

/// The engine `dbench`.
pub struct Dbench;

/// The program's and its package's name.
const NAME: &str = "dbench";

/// The load file that the clients replay; part of the program's package.
const LOAD: Need = Need {
    program: "client.txt",
    package: NAME,
    version: "",
    folders: &["/usr/share/dbench", "/usr/local/share/dbench"],
};

/// Space for each client. Its files take 21 MiB.
const CLIENT: Bytes = Bytes::mib(24);

/// Parameters of a workload of this engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// Number of clients, each a process.
    clients: u64,
    /// Duration of the replay in seconds, at least 2. A warm-up of a fifth of it comes first and is not counted.
    time: u64,
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters: Self = parameters(workload)?;
        require_some(workload, "clients", parameters.clients)?;
        match parameters.time >= 2 {
            true => Ok(parameters),
            false => Err(EngineError::parameters(&workload.name, "`time` is at least 2 s: it looks once a second")),
        }
    }

    fn call(&self, load: &str, directory: &str) -> Vec<String> {
        words([NAME, "-c", load, "-D", directory, "-t", &self.time.to_string(), &self.clients.to_string()])
    }
}

impl Engine for Dbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let Parameters { clients, time, .. } = Parameters::of(workload)?;
        Ok(Traits {
            peak: Bytes(CLIENT.0 * clients),
            extra_time: Nanos::seconds(2) + Nanos::millis(time * 1200),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        vec![Need { version: "--help", ..Need::new(NAME, NAME) }, LOAD]
    }

    fn settings(&self, workload: &Workload) -> Vec<String> {
        let told = Parameters::of(workload).map(|parameters| parameters.call(LOAD.program, "LANE").join(" "));
        told.into_iter().collect()
    }

    fn open(&self, workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let missing = || EngineError::NoProgram {
            workload: workload.name.to_string(),
            program: LOAD.program,
            package: LOAD.package,
        };
        let load = LOAD.path().ok_or_else(missing)?;
        Ok(Box::new(Clients { parameters: Parameters::of(workload)?, bench: Bench::new(directory)?, load }))
    }
}

struct Clients {
    parameters: Parameters,
    bench: Bench,
    load: PathBuf,
}

/// Folder that contains the clients' folders.
const FOLDER: &str = "dbench";

impl Job for Clients {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    /// dbench leaves its clients' folders behind.
    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        renew_folder(self.bench.directory(), FOLDER)
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let call = self.parameters.call(&word(&self.load), &word(&self.bench.at(FOLDER)));
        let Some(ended) = self.bench.tool(NAME, call).run(limit.stop)? else { return Ok(()) };
        let said = Output::of(&ended.stdout).map_err(|what| not_said(NAME, what))?;
        said.count(self.parameters.clients, stats);
        Ok(())
    }
}

/// Parses the output into run statistics.
#[cfg(test)]
pub(crate) fn understand(text: &str, stats: &mut RunStats) {
    if let Ok(said) = Output::of(text) {
        said.count(8, stats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn clients_play_and_it_says_how_fast() {
        let place = tempfile::tempdir().expect("temporary folder");
        let load = LOAD.path().expect("installed");
        let bench = Bench::new(place.path()).expect("temporary folder");
        let mut job = Clients { parameters: Parameters { clients: 2, time: 2 }, bench, load };
        let stop = AtomicBool::new(false);
        for _ in 0..2 {
            let mut stats = RunStats::new();
            job.reset(&fsarena_engine::NEVER).expect("made");
            job.run(&Limit::new(None, &stop), &mut stats).expect("played");
            assert!(stats.operations > 100 && stats.bytes > 0 && stats.elapsed.0 >= 1_000_000_000, "{stats:?}");
            assert!(stats.reported.iter().any(|(name, _, flushes)| *name == "commits" && *flushes > 0.0));
        }
        assert_eq!(fs::read_dir(place.path().join(FOLDER)).expect("there").count(), 1, "its clients");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let place = tempfile::tempdir().expect("temporary folder");
        let bench = Bench::new(place.path()).expect("temporary folder");
        let load = LOAD.path().expect("installed");
        let mut job = Clients { parameters: Parameters { clients: 2, time: 2 }, bench, load };
        assert!(job.run(&Limit::new(None, &AtomicBool::new(false)), &mut RunStats::new()).is_err());
    }
}
