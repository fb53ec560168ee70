//! The engine `sysbench`: runs the test `fileio` of the program sysbench (1.0), as in articles.

pub mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::{checked, or, runs_once, size};
use fsarena_engine::{Engine, EngineError, Job, Limit, Need, NextRun, Operation, Programs, RunStats, Scratch, Upkeep};
use fsarena_model::{Bytes, CacheState, Nanos, Traits, Workload};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::Tool;

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new(NAME, traits, open) };

const NAME: &str = "sysbench";

/// The time of the run, and a while to start and to end. The cost of the program itself is not what the workload
/// measures, so there is no reference in memory.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    const AROUND: Nanos = Nanos::millis(100);
    let parameters = SysbenchParameters::of(workload)?;
    let block = Bytes(parameters.file_block_size);
    Ok(Traits {
        peak: Bytes(parameters.file_total_size),
        direct_block: (workload.cache == CacheState::Direct).then_some(block),
        extra_time: AROUND + Nanos::seconds(parameters.time),
        program: Some(NAME.to_owned()),
        runs_in_memory: false,
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let streams = Scratch::new()?;
    let (parameters, directory) = (SysbenchParameters::of(workload)?, directory.to_owned());
    Ok(Box::new(SysbenchJob { parameters, directory, streams, seed, runs: 0 }))
}

fn programs(_workload: &Workload) -> Programs {
    Programs { needs: vec![Need::new(NAME, NAME)], settings: Vec::new() }
}

struct SysbenchJob {
    parameters: SysbenchParameters,
    directory: PathBuf,
    /// Where the output of sysbench is kept, outside of its working directory.
    streams: Scratch,
    seed: u64,
    /// Number of runs so far. Each run visits other places.
    runs: u64,
}

impl SysbenchJob {
    fn tool(&self, command: &str, options: Vec<String>) -> Tool<'_> {
        let argv = [vec![NAME.to_owned(), "fileio".to_owned()], options, vec![command.to_owned()]].concat();
        Tool { name: NAME, argv, user: None, directory: &self.directory, streams: self.streams.path() }
    }
}

impl Job for SysbenchJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.tool("prepare", self.parameters.layout()).finish_unless(stop).map(drop),
            _ => Ok(()),
        }
    }

    /// sysbench is another process.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let options = self.parameters.options(self.seed.wrapping_add(self.runs));
        self.runs += 1;
        let Some(ended) = self.tool("run", options).run(limit.stop)? else { return Ok(()) };
        let operation = if self.parameters.mode.only_reads() { Operation::Read } else { Operation::Run };
        text::read(&ended.stdout, operation, self.parameters.file_block_size, stats).map_err(EngineError::program(NAME))
    }
}

/// Maximum bytes of each write when files are laid out.
const LAID_OUT: u64 = 1 << 20;

/// sysbench's options, as `sysbench fileio help` explains them.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct SysbenchParameters {
    /// The test.
    #[serde(rename(serialize = "file-test-mode"))]
    mode: TestMode,
    /// Bytes of all files together.
    #[serde(deserialize_with = "size")]
    file_total_size: u64,
    #[serde(default = "or::<_, 128>")]
    file_num: u32,
    /// Bytes of each operation.
    #[serde(default = "or::<_, { 16 << 10 }>", deserialize_with = "size")]
    file_block_size: u64,
    #[serde(default = "or::<_, 1>")]
    threads: u32,
    /// Duration of a run, seconds.
    #[serde(default = "or::<_, 10>")]
    time: u64,
    /// Additional flags with which files are opened.
    #[serde(default)]
    file_extra_flags: Vec<SysbenchFlag>,
    /// The kind of calls.
    #[serde(default)]
    file_io_mode: IoMode,
    /// For asynchronous calls: number of calls that each thread queues.
    file_async_backlog: Option<u32>,
    /// Requests between two fsyncs of all files. 0 means none.
    #[serde(default = "or::<_, 100>")]
    file_fsync_freq: u32,
    /// Whether each write is synced.
    #[serde(default)]
    file_fsync_all: bool,
    /// Whether all files are synced at the end.
    #[serde(default = "yes")]
    file_fsync_end: bool,
    /// The call that syncs.
    #[serde(default)]
    file_fsync_mode: FsyncMode,
    /// For the combined test: number of reads per write.
    file_rw_ratio: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum TestMode {
    /// Sequential writing of new files.
    SeqWr,
    /// Sequential overwriting.
    SeqRewr,
    /// Sequential reading.
    SeqRd,
    /// Random reading.
    RndRd,
    /// Random writing.
    RndWr,
    /// Random reading and writing.
    RndRw,
}

impl TestMode {
    /// Whether every request is a read.
    fn only_reads(self) -> bool {
        matches!(self, Self::SeqRd | Self::RndRd)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum SysbenchFlag {
    Sync,
    Dsync,
    Direct,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum IoMode {
    #[default]
    Sync,
    Async,
    Mmap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum FsyncMode {
    #[default]
    Fsync,
    Fdatasync,
}

/// A parameter as an option; `None` if it is not given.
fn option(name: &str, value: &Value) -> Option<String> {
    let value = match value {
        Value::Null => return None,
        Value::Bool(is_on) => if *is_on { "on" } else { "off" }.to_owned(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        Value::String(word) => word.clone(),
        number => number.to_string(),
    };
    Some(format!("--{name}={value}"))
}

fn yes() -> bool {
    true
}

impl SysbenchParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.complaint(workload))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        let is_direct = self.file_extra_flags.contains(&SysbenchFlag::Direct);
        Some(match () {
            () if self.file_num == 0 || self.threads == 0 || self.time == 0 => {
                "`file-num`, `threads` and `time` are at least 1"
            }
            () if self.file_block_size == 0
                || self.file_total_size / u64::from(self.file_num) < self.file_block_size =>
            {
                "each file (`file-total-size` by `file-num`) holds a block (`file-block-size`) or more"
            }
            () if !runs_once(workload) => {
                "a run cannot be cut: `mode = \"whole\"`, `ends-by-itself = true`, and `time` instead of `timed-ms`"
            }
            () if is_direct != (workload.cache == CacheState::Direct) => {
                "`cache = \"direct\"` and `file-extra-flags = [\"direct\"]` go together"
            }
            () if self.file_async_backlog.is_some() && self.file_io_mode != IoMode::Async => {
                "`file-async-backlog` goes with `file-io-mode = \"async\"`"
            }
            () if self.file_rw_ratio.is_some_and(|ratio| ratio.is_nan() || ratio <= 0.0) => {
                "`file-rw-ratio` has to be above 0"
            }
            () if self.file_rw_ratio.is_some() && self.mode != TestMode::RndRw => {
                "`file-rw-ratio` goes with `mode = \"rndrw\"`"
            }
            () => return None,
        })
    }

    /// The options for laying out the files, with large writes through the page cache. By default sysbench writes them
    /// block by block as the test does, which takes a minute with direct I/O.
    fn layout(&self) -> Vec<String> {
        let largest = LAID_OUT.min(self.file_total_size / u64::from(self.file_num));
        vec![
            format!("--file-total-size={}", self.file_total_size),
            format!("--file-num={}", self.file_num),
            format!("--file-block-size={largest}"),
        ]
    }

    /// The options of a run. Every random choice follows from `seed`. sysbench takes 31 bits of it, but not 0.
    fn options(&self, seed: u64) -> Vec<String> {
        let own = serde_json::to_value(self).expect("numbers and words");
        let own = own.as_object().into_iter().flatten();
        let fixed = ["--events=0".to_owned(), "--histogram=on".to_owned()];
        let seed = format!("--rand-seed={}", seed % 0x7fff_fffe + 1);
        own.filter_map(|(name, value)| option(name, value)).chain(fixed).chain([seed]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workload(parameters: &serde_json::Value) -> Workload {
        fsarena_testing::parameterised("sysbench", "none", "direct", parameters.clone())
    }

    #[test]
    fn options_are_sysbenchs_own() {
        let given = json!({
            "mode": "rndrw", "file-total-size": "64M", "file-num": 4, "file-block-size": "4K", "threads": 2, "time": 3,
            "file-extra-flags": ["direct", "dsync"], "file-io-mode": "async", "file-async-backlog": 8,
            "file-fsync-freq": 0, "file-fsync-end": false, "file-fsync-mode": "fdatasync", "file-rw-ratio": 2.5,
        });
        let options = SysbenchParameters::of(&workload(&given)).expect("understood").options(u64::MAX);
        for wanted in [
            "--file-test-mode=rndrw",
            "--file-total-size=67108864",
            "--file-num=4",
            "--file-block-size=4096",
            "--threads=2",
            "--time=3",
            "--file-extra-flags=direct,dsync",
            "--file-io-mode=async",
            "--file-async-backlog=8",
            "--file-fsync-freq=0",
            "--file-fsync-end=off",
            "--file-fsync-mode=fdatasync",
            "--file-rw-ratio=2.5",
        ] {
            assert!(options.iter().any(|option| option == wanted), "{wanted} in {options:?}");
        }
        let seed = options.iter().find_map(|option| option.strip_prefix("--rand-seed=")?.parse::<i32>().ok());
        assert!(seed.is_some_and(|seed| seed > 0), "{options:?}");
    }

    #[test]
    fn senseless_parameters_are_refused_by_name() {
        for (given, name) in [
            (json!({ "mode": "rndrd" }), "file-total-size"),
            (json!({ "mode": "fast", "file-total-size": "64M" }), "fast"),
            (json!({ "mode": "rndrd", "file-total-size": "64M" }), "`cache"),
            (json!({ "mode": "rndrd", "file-total-size": "1M", "file-num": 1000 }), "`file-block-size`"),
            (json!({ "mode": "rndrd", "file-total-size": "64M", "time": 0 }), "`time`"),
            (
                json!({ "mode": "rndrd", "file-total-size": "64M", "file-extra-flags": ["direct"], "file-rw-ratio": 2 }),
                "`file-rw-ratio`",
            ),
        ] {
            let error = SysbenchParameters::of(&workload(&given)).expect_err("refused").to_string();
            assert!(error.contains(name), "{name}: {error}");
        }
        let good = json!({ "mode": "rndrd", "file-total-size": "64M", "file-extra-flags": ["direct"] });
        let sliced = Workload { mode: fsarena_model::Mode::Sliced, ..workload(&good) };
        assert!(SysbenchParameters::of(&sliced).expect_err("refused").to_string().contains("`mode"));
    }
}
