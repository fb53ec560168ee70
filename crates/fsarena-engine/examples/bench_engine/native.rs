//! Runs the native engine, and its lower bound: a loop of bare pread(2) calls.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow};
use fsarena_engine::{Job, Limit, RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Workload};
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// The file that all contestants read.
pub const FILE: &str = "data0";
/// Size of that file.
pub const SIZE: Bytes = Bytes::mib(512);
/// Duration of each run.
pub const SECOND: Nanos = Nanos::seconds(1);

/// The operations of a run, and the time that they took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub operations: u64,
    pub seconds: f64,
    pub cpu_seconds: f64,
}

impl Cost {
    pub fn nanos_per_operation(&self) -> f64 {
        self.cpu_seconds * 1e9 / self.operations as f64
    }

    pub fn operations_per_second(&self) -> f64 {
        self.operations as f64 / self.seconds
    }

    pub fn operations_per_cpu_second(&self) -> f64 {
        self.operations as f64 / self.cpu_seconds
    }
}

/// Writes the file that all contestants read, with the engine itself, and brings it into memory.
pub fn lay_out(folder: &Path) -> Result<()> {
    job(folder, &json!({}), 1)?.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).context("lay out the file")
}

/// Runs the engine for `time`, after an untimed run of 30 ms.
pub fn engine(folder: &Path, more: &Value, time: Nanos) -> Result<Cost> {
    let mut job = job(folder, more, 1000)?;
    let mut stats = RunStats::new();
    job.run(&limit(Nanos::millis(30)), &mut RunStats::new())?;
    let before = cpu();
    job.run(&limit(time), &mut stats)?;
    Ok(Cost { operations: stats.operations, seconds: stats.elapsed.as_seconds(), cpu_seconds: cpu() - before })
}

/// Runs `operations` operations, for callgrind.
pub fn work(folder: &Path, operations: u64) -> Result<()> {
    let mut job = job(folder, &json!({ "operations": operations }), 0)?;
    Ok(job.run(&Limit::new(None, &NEVER), &mut RunStats::new())?)
}

/// Runs pread(2) at random offsets for `time`. It reads the clock once per 100 reads and does nothing else.
pub fn bare(folder: &Path, time: Nanos) -> Result<Cost> {
    let file = File::open(folder.join(FILE))?;
    let mut random = fsarena_model::seed::generator(1, "bench", &[]);
    let mut buffer = AlignedBuffer::new(4096);
    let (start, before) = (clock::now(), cpu());
    let (mut operations, mut seconds) = (0, 0.0);
    while seconds < time.as_seconds() {
        for _ in 0..100 {
            let block = ((u128::from(random.next_u64()) * u128::from(SIZE.0 / 4096)) >> 64) as u64;
            rustix::io::pread(&file, &mut buffer[..], block * 4096)?;
        }
        operations += 100;
        seconds = clock::now().saturating_sub(start).as_seconds();
    }
    Ok(Cost { operations, seconds, cpu_seconds: cpu() - before })
}

/// CPU seconds of all threads of this process.
pub fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn limit(time: Nanos) -> Limit<'static> {
    Limit::new(Some(time), &NEVER)
}

fn job(folder: &Path, more: &Value, timed_ms: u64) -> Result<Box<dyn Job>> {
    let mut parameters = json!({ "operation": "read", "pattern": "random", "file-size": SIZE.0, "block-size": 4096 });
    for (key, value) in more.as_object().context("parameters are an object")? {
        parameters[key] = value.clone();
    }
    open("data", parameters, "none", folder, timed_ms)
}

/// Opens a job of the engine `name`.
pub fn open(name: &str, parameters: Value, durable: &str, folder: &Path, timed_ms: u64) -> Result<Box<dyn Job>> {
    let workload: Workload = serde_json::from_value(json!({
        "name": "bench", "version": 1, "measures": "", "why": "", "engine": name, "durable": durable, "cache": "warm",
        "mode": "sliced", "timed-ms": timed_ms, "parameters": parameters,
        "metric": { "name": "rate", "unit": "1/s", "measure": "operations-per-second", "better": "higher" },
    }))?;
    let engine = fsarena_engine::engine(name).ok_or_else(|| anyhow!("there is no engine `{name}`"))?;
    Ok(engine.open(&workload, folder, 1)?)
}
