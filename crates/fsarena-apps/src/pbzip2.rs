//! The engine `pbzip2` compresses an incompressible file on all processors (parallel bzip2,
//! <https://launchpad.net/pbzip2>). The output goes to `/dev/null`, as in the Phoronix Test Suite, or to a file in the
//! same directory.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Operation, RunStats, go_on, unlink};
use fsarena_model::{Bytes, Nanos, Traits, Verification, Workload};
use fsarena_sys::clock;
use rand::Rng;
use serde::Deserialize;

use crate::bench::{Bench, not_said, require_some, word, words};
use crate::parameters::parameters;

/// The engine `pbzip2`.
pub struct Pbzip2;

/// The program's and its package's name.
const NAME: &str = "pbzip2";

/// File names of the Phoronix Test Suite: the input, and the output that pbzip2 makes of it.
const INPUT: &str = "compressfile";
const OUTPUT: &str = "compressfile.bz2";

/// Parameters of a workload of this engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// Size of the random data to compress.
    size: Bytes,
    /// Where the output goes.
    to: To,
    /// Number of processors; default: all.
    processors: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum To {
    /// To `/dev/null`: the file system is only read from.
    Discard,
    /// To a file in the directory of the input.
    File,
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters: Self = parameters(workload)?;
        require_some(workload, "size", parameters.size.0)?;
        require_some(workload, "processors", parameters.processors.unwrap_or(1))?;
        Ok(parameters)
    }

    /// `-v` prints the program's own wall clock, `-r` reads all of the input into memory first, `-5` sorts 500 KiB at a
    /// time.
    fn options(&self) -> Vec<String> {
        let here = || thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let processors = format!("-p{}", self.processors.unwrap_or_else(here));
        match self.to {
            To::Discard => words(["-v", "-c", &processors, "-r", "-5"]),
            To::File => words(["-v", "-k", "-f", &processors, "-r", "-5"]),
        }
    }
}

impl Engine for Pbzip2 {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Incompressible data grows by half a percent. Assumes 2.5 MB per second and processor.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let here = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let Parameters { size, to, .. } = Parameters::of(workload)?;
        Ok(Traits {
            peak: Bytes(if to == To::File { 2 * size.0 + size.0 / 100 + (1 << 20) } else { size.0 }),
            extra_time: Nanos(size.0 * 400 / here),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        vec![Need { version: "-V", ..Need::new(NAME, NAME) }]
    }

    fn settings(&self, workload: &Workload) -> Vec<String> {
        let Ok(parameters) = Parameters::of(workload) else { return Vec::new() };
        let to = if parameters.to == To::Discard { " > /dev/null" } else { "" };
        vec![format!("{NAME} {} LANE/{INPUT}{to}", parameters.options().join(" "))]
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Compression { parameters: Parameters::of(workload)?, bench: Bench::new(directory)?, seed }))
    }
}

struct Compression {
    parameters: Parameters,
    bench: Bench,
    seed: u64,
}

impl Compression {
    fn fill(&self, file: &mut File, stop: &AtomicBool) -> std::io::Result<()> {
        let mut random = fsarena_model::seed::generator(self.seed, NAME, &[]);
        let (mut piece, mut left) = (vec![0; 1 << 20], self.parameters.size.0);
        while left > 0 {
            go_on(stop)?;
            let length = left.min(piece.len() as u64) as usize;
            random.fill_bytes(&mut piece[..length]);
            file.write_all(&piece[..length])?;
            left -= length as u64;
        }
        file.sync_all()
    }
}

impl Job for Compression {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let act = || EngineError::io(format!("write {INPUT}"));
        let mut file = File::create(self.bench.at(INPUT)).map_err(act())?;
        self.fill(&mut file, stop).map_err(act())
    }

    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        unlink(&self.bench.at(OUTPUT))
    }

    fn fills(&self) -> Bytes {
        self.parameters.size
    }

    /// For places that cannot be mounted again.
    fn drop_caches(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        let dropped = File::open(self.bench.at(INPUT))
            .and_then(|file| Ok(rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?));
        dropped.map_err(EngineError::io(format!("drop {INPUT} from memory")))
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let input = word(&self.bench.at(INPUT));
        let call = [words([NAME]), self.parameters.options(), vec![input]].concat();
        let discard = words(["sh", "-c", "exec \"$@\" > /dev/null", "sh"]);
        let tool =
            self.bench.tool(NAME, if self.parameters.to == To::Discard { [discard, call].concat() } else { call });
        let begin = clock::now();
        let Some(ended) = tool.run(limit.stop)? else { return Ok(()) };
        let took = clock::now().saturating_sub(begin);
        let own = wall_clock(&ended.stderr).ok_or_else(|| not_said(NAME, "Wall Clock"))?;
        (stats.operations, stats.bytes) = (stats.operations + 1, stats.bytes + self.parameters.size.0);
        stats.elapsed = stats.elapsed + took;
        stats.record(Operation::Run, took);
        stats.reported.push(("pbzip2.wall-clock", "s", own));
        Ok(())
    }

    fn verifies(&self) -> bool {
        self.parameters.to == To::File
    }

    /// Decompresses the output and compares it with the input.
    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        let (input, output) = (word(&directory.join(INPUT)), word(&directory.join(OUTPUT)));
        let compare = "pbzip2 -d -c \"$1\" | cmp - \"$2\"";
        let tool = self.bench.tool(NAME, words(["sh", "-c", compare, "sh", &output, &input]));
        let wrong = |error| EngineError::Wrong(format!("{OUTPUT} is not {INPUT}, compressed: {error}"));
        tool.finish_unless(stop).map_err(wrong)?;
        Ok(Verification { files: 2, differences: Vec::new() })
    }
}

/// Parses `Wall Clock: 2.486502 seconds`.
pub(crate) fn wall_clock(said: &str) -> Option<f64> {
    let after = said.split("Wall Clock:").nth(1)?;
    after.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    fn run(place: &Path, to: To) -> (Compression, RunStats) {
        let parameters = Parameters { size: Bytes::mib(2), to, processors: Some(2) };
        let mut job = Compression { parameters, bench: Bench::new(place).expect("temporary folder"), seed: 7 };
        let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
        job.prepare(&fsarena_engine::NEVER).expect("made");
        job.reset(&fsarena_engine::NEVER).expect("nothing there");
        job.drop_caches(&fsarena_engine::NEVER).expect("dropped");
        job.run(&Limit::new(None, &stop), &mut stats).expect("compressed");
        (job, stats)
    }

    #[test]
    fn to_nowhere_nothing_is_left() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (job, stats) = run(place.path(), To::Discard);
        assert_eq!((stats.operations, stats.bytes), (1, 2 << 20));
        assert!(matches!(stats.reported[..], [("pbzip2.wall-clock", "s", own)] if own <= stats.elapsed.as_seconds()));
        assert_eq!(fs::read_dir(place.path()).expect("there").count(), 1);
        assert!(!job.verifies());
    }

    #[test]
    fn a_file_is_compared_and_damage_is_found() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (mut job, _) = run(place.path(), To::File);
        assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("the same").files, 2);
        let output = place.path().join(OUTPUT);
        let mut bytes = fs::read(&output).expect("there");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&output, bytes).expect("written");
        assert!(job.verify(place.path(), &fsarena_engine::NEVER).is_err());
        job.reset(&fsarena_engine::NEVER).expect("removed");
        assert!(!output.exists());
    }
}
