//! The program fio: checks whether it is installed, lets it try a job file, runs it, and reads its JSON output
//! (`--output-format=json+`) into run statistics.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fsarena_model::{Nanos, distinct, probe};
use fsarena_sys::child::{self, Ended, Patience, Processes, Setting};
use serde::Deserialize;

use super::FioError;
use super::file::JobFile;
use crate::{EngineError, Operation, RunStats, Scratch};

pub const NAME: &str = "fio";
/// The name of a job file in a folder of its own.
const JOB: &str = "job.fio";

/// Time limit of a trial: fio starts 4,000 jobs in a minute.
const TRIAL: Duration = Duration::from_secs(120);

/// Lets fio start all jobs of the file without files and without work, if it is installed here: the job may run on
/// another machine. So fio itself says what it cannot do: options, processors, memory, numbers of jobs and files.
pub fn check(file: &JobFile) -> Result<(), EngineError> {
    if child::find_program(NAME).is_none() {
        return Ok(());
    }
    let folder = Scratch::new()?;
    // As threads they start faster.
    let idle = ["create_on_open=1", "create_only=1", "startdelay=0", "pre_read=0", "thread=1"].map(str::to_owned);
    fs::write(folder.path().join(JOB), file.text(&["directory"], &idle))
        .map_err(EngineError::io("write the job file"))?;
    let argv = [NAME, "--output-format=json", "--eta=never", JOB];
    let ended = child::run_in(folder.path(), &argv, Patience::new(TRIAL)).map_err(EngineError::io("start fio"))?;
    if ended.status.success() {
        return Ok(());
    }
    let words = explained(file, &ended);
    Err(FioError::NotUnderstood { file: file.name.clone(), words }.into())
}

/// fio's message in one line, with the line number of the first option that it names.
fn explained(file: &JobFile, ended: &Ended) -> String {
    let words = words(&ended.stderr, &ended.stdout);
    let mut keys = words.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let place = keys.find_map(|key| file.line_of(key)).map_or(String::new(), |line| format!("line {line}: "));
    if words.is_empty() { format!("fio fails ({})", ended.status) } else { format!("{place}{words}") }
}

/// Runs fio on a job in `folder`, which nothing else uses, and returns its output; `None` if it was stopped.
pub fn run(text: &str, folder: &Path, stop: &AtomicBool) -> Result<Option<String>, EngineError> {
    const JSON: &str = "output.json";
    fs::write(folder.join(JOB), text).map_err(EngineError::io("write the job file"))?;
    let argv = [NAME, "--output-format=json+", "--eta=never", "--output", JSON, JOB];
    let setting = Setting { processes: Processes::Own, ..Setting::new(folder, folder, stop) };
    let ended = child::run_until(&argv, setting, None).map_err(EngineError::io("start fio"))?;
    let Some(ended) = ended else { return Ok(None) };
    let output = fs::read_to_string(folder.join(JSON)).unwrap_or_default();
    if ended.status.success() {
        return Ok(Some(output));
    }
    let words = words(&ended.words(), &output);
    Err(EngineError::program(NAME)(format!("{words} ({})", ended.status)))
}

#[derive(Debug, Deserialize)]
struct FioOutput {
    jobs: Vec<JobStatus>,
}

#[derive(Debug, Deserialize)]
struct JobStatus {
    jobname: String,
    groupid: u32,
    error: i32,
    read: Option<FioDirection>,
    write: Option<FioDirection>,
    trim: Option<FioDirection>,
    mixed: Option<FioDirection>,
    sync: Option<FioSyncs>,
    /// CPU time in user mode, percent of the time of each job.
    usr_cpu: Option<f64>,
    sys_cpu: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct FioDirection {
    io_bytes: u64,
    /// Milliseconds.
    runtime: u64,
    total_ios: u64,
    #[serde(default)]
    lat_ns: FioLatencies,
    #[serde(default)]
    clat_ns: FioLatencies,
}

#[derive(Debug, Deserialize)]
struct FioSyncs {
    #[serde(default)]
    lat_ns: FioLatencies,
}

/// The count of each latency, nanoseconds. fio's bins are 1.6 % wide.
#[derive(Debug, Default, Deserialize)]
struct FioLatencies {
    #[serde(default)]
    bins: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOrder {
    /// All at once: the longest one determines the time.
    Together,
    /// Groups one after the other (`stonewall`): their times add up.
    InTurn,
}

/// Splits fio's output into its messages, which come first, and its JSON.
pub fn split(text: &str) -> (&str, &str) {
    let start = if text.starts_with('{') { Some(0) } else { text.find("\n{").map(|at| at + 1) };
    text.split_at(start.unwrap_or(text.len()))
}

/// The first job that failed, and the reason; `None` if no job failed.
fn failure(output: &FioOutput) -> Option<String> {
    let job = output.jobs.iter().find(|job| job.error != 0)?;
    Some(format!("job `{}`: {}", job.jobname, std::io::Error::from_raw_os_error(job.error)))
}

/// All messages of a failed run, in one line. fio writes them to its output and to stderr.
pub fn words(streams: &str, text: &str) -> String {
    let (before, json) = split(text);
    let failed = serde_json::from_str::<FioOutput>(json).ok().and_then(|output| failure(&output));
    let lines = streams.lines().chain(before.lines()).map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.map(|line| line.strip_prefix("fio: ").unwrap_or(line).to_owned());
    distinct(lines.chain(failed)).join("; ")
}

/// Adds the results in `text` to `stats`. The JSON does not contain the order of the jobs and the kind of their syncs.
///
/// # Errors
/// [`EngineError::Program`] if `text` is not fio's output, or a job failed.
pub fn read(text: &str, order: JobOrder, sync: Operation, stats: &mut RunStats) -> Result<(), EngineError> {
    let failed = EngineError::program(NAME);
    let output: FioOutput = serde_json::from_str(split(text).1)
        .map_err(|error| failed(format!("what it wrote cannot be understood: {error}")))?;
    if let Some(why) = failure(&output) {
        return Err(failed(why));
    }
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    for job in &output.jobs {
        let time = times.entry(job.groupid).or_default();
        *time = job.count(sync, stats).max(*time);
    }
    let elapsed = match order {
        JobOrder::Together => times.into_values().max(),
        JobOrder::InTurn => Some(times.into_values().fold(0, u64::saturating_add)),
    };
    stats.elapsed = stats.elapsed + Nanos::millis(elapsed.unwrap_or(0));
    if let [job] = output.jobs.as_slice() {
        stats.reported.extend(job.usr_cpu.map(|percent| (probe::FIO_USR, percent)));
        stats.reported.extend(job.sys_cpu.map(|percent| (probe::FIO_SYS, percent)));
    }
    stats.end_part(stats.elapsed);
    Ok(())
}

impl JobStatus {
    /// Adds all results of the job to `stats`. Returns its time, milliseconds.
    fn count(&self, sync: Operation, stats: &mut RunStats) -> u64 {
        if let Some(syncs) = &self.sync {
            syncs.lat_ns.count(sync, stats);
        }
        let directions = [
            (Operation::Read, &self.read),
            (Operation::Write, &self.write),
            (Operation::Trim, &self.trim),
            (Operation::Run, &self.mixed),
        ];
        let mut time = 0;
        for (operation, direction) in directions {
            let Some(FioDirection { io_bytes, runtime, total_ios, lat_ns, clat_ns }) = direction else { continue };
            stats.count_done(*total_ios, *io_bytes);
            // The latency from the call to the end if fio recorded it, otherwise from the submission to the kernel.
            if lat_ns.bins.is_empty() { clat_ns } else { lat_ns }.count(operation, stats);
            time = time.max(*runtime);
        }
        time
    }
}

impl FioLatencies {
    fn count(&self, operation: Operation, stats: &mut RunStats) {
        for (latency, count) in &self.bins {
            if let Ok(latency) = latency.parse() {
                stats.record_many(operation, Nanos(latency), *count);
            }
        }
    }
}

#[cfg(test)]
mod tests;
